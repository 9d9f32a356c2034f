"""Two hundred texts of every kind found in documentation, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Callable

COUNT = 200

SUBJECTS = """
    the scheduler|a retry policy|the release branch|every worker|the backup job|our style guide|the cache|a stale lock
    |the invoice export|the search index|an expired certificate|the garden sensor|the night train|a sourdough starter
    |the migration script|the rate limiter|the choir|a slow query|the access token|the lighthouse
""".replace("\n", " ").split("|")
VERBS = """
    waits for|replaces|must never touch|depends on|is faster than|quietly drops|documents|is configured by|restarts
    |measures|hides|explains|costs more than|belongs to|was designed before
""".replace("\n", " ").split("|")
OBJECTS = """
    the configuration file|a second region|three replicas|the oldest entry|its own log|the customer's calendar
    |two cups of flour|the harbour wall|a signed manifest|the integration tests|an empty queue|the quarterly report
    |the public interface|a folder of photographs|the default timeout|the upstream mirror
""".replace("\n", " ").split("|")
ENDINGS = """
    when the disk is full|unless somebody asks|before the first deploy|on every second Tuesday|in plain text
    |without a restart|as soon as the tide turns|for readers in a hurry|because memory is short|until version 2.0
    |if the network fails|during the rehearsal
""".replace("\n", " ").split("|")
NAMES = "timeout retries max_size log_level cache_dir user_id batch region --dry-run HTTP_PROXY".split()
LANGUAGES = "python bash yaml rust sql".split()
FOREIGN = [
    "Der Zwischenspeicher wird geleert, sobald die Platte voll ist.",
    "La sauvegarde démarre à minuit et s'arrête avant l'aube.",
    "El índice se actualiza cuando cambia un archivo.",
    "索引は、ファイルが変更されると更新されます。",
    "当磁盘已满时，缓存将被清空。",
    "Кэш очищается, когда диск заполнен.",
    "캐시는 디스크가 가득 차면 비워집니다.",
    "Naïve café façade — “quotes”, ellipsis… and an emoji 🚀.",
]


class Writer:
    """Writes from word lists. Only `random()` is guaranteed to be the same in every Python, so everything uses it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def number(self, below: int) -> int:
        return int(self._random.random() * below)

    def pick(self, words: list[str]) -> str:
        return words[self.number(len(words))].strip()

    def sentence(self) -> str:
        text = f"{self.pick(SUBJECTS)} {self.pick(VERBS)} {self.pick(OBJECTS)} {self.pick(ENDINGS)}."
        return text[0].upper() + text[1:]

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def query(self) -> str:
        return f"{self.pick(['how', 'why', 'when', 'where'])} {self.pick(VERBS)} {self.pick(OBJECTS)}"

    def heading(self) -> str:
        return f"{'#' * (1 + self.number(4))} {self.pick(SUBJECTS)} {self.pick(ENDINGS)}"

    def section(self) -> str:
        return f"{self.heading()}\n\n{self.paragraph(2 + self.number(7))}"

    def items(self) -> str:
        return "\n".join(f"- `{self.pick(NAMES)}`: {self.sentence()}" for _ in range(2 + self.number(6)))

    def table(self) -> str:
        rows = [
            f"| {self.pick(NAMES)} | {self.number(900)} | {self.pick(ENDINGS)} |" for _ in range(2 + self.number(6))
        ]
        return "\n".join(["| name | value | applies |", "|---|---|---|", *rows])

    def code(self) -> str:
        lines = [f"{self.pick(NAMES).strip('-')} = {self.number(10000)}  # {self.pick(ENDINGS)}" for _ in range(5)]
        return "\n".join([f"```{self.pick(LANGUAGES)}", *lines, "```"])

    def foreign(self) -> str:
        return " ".join(self.pick(FOREIGN) for _ in range(1 + self.number(3)))

    def breadcrumb(self) -> str:
        path = " > ".join(self.pick(SUBJECTS) for _ in range(2 + self.number(2)))
        return f"{path}\n\n{self.paragraph(3 + self.number(6))}"

    def mixed(self) -> str:
        return f"{self.heading()}\n\n{self.paragraph(2)}\n\n{self.code()}\n\n{self.sentence()}"


KINDS: list[Callable[[Writer], str]] = [
    Writer.query,
    Writer.sentence,
    Writer.section,
    Writer.items,
    Writer.table,
    Writer.code,
    Writer.foreign,
    Writer.breadcrumb,
    Writer.mixed,
    lambda writer: writer.paragraph(10),
]


def reference_texts() -> list[str]:
    writer = Writer(seed=384)
    return [KINDS[number % len(KINDS)](writer) for number in range(COUNT)]
