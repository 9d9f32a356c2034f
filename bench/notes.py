"""A folder of notes such as people keep in Obsidian, made from a seed: the same files on every machine.

    python bench/notes.py FOLDER [--count N] [--megabytes N] [--seed N]

A few words make half of the text and most are rare, as in any language, and each note returns to the words of its
topic. The notes have frontmatter, tags, headings, lists, tasks, tables, code, callouts and wikilinks of every form, and
one in eight is of a day.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

COUNT = 6_600
MEGABYTES = 15.0
SEED = 20
TOKENIZER = Path(__file__).resolve().parents[1] / "models" / "minilm" / "src" / "headnote_minilm" / "tokenizer.json"
"""Its vocabulary is in order of frequency."""

LETTERS_PER_WORD = 6.1
"""In these notes, markup and blanks counted: what turns megabytes into words."""
STEEPNESS = 1.3
"""How much rarer each word is than the one before it. So chosen that the notes have half as many again different words
as the documentation of Kubernetes has in as much text: 52,000 in 15 MB."""
COINED = 40_000
"""Rare words beside those of the vocabulary: names, products, compounds."""
TOPIC_WORDS = 50
TOPIC_SHARE = 0.2
"""How much of a note is made of the words of its topic."""
DAILY = 8
"""One note in so many is of a day."""
FOLDERS = ("projects", "people", "reading", "areas/home", "areas/work", "areas/health", "zettel", "meetings", "recipes")
TAGS = ("idea", "todo", "reference", "book", "meeting", "draft", "evergreen", "question", "project/alpha", "area/home")


class Note(NamedTuple):
    path: str
    title: str
    day: date
    is_daily: bool


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Words, the most frequent first, and their weights added up, by Zipf's law."""
    pieces = json.loads(TOKENIZER.read_text(encoding="utf-8"))["model"]["vocab"]
    words = [piece for piece in sorted(pieces, key=pieces.__getitem__) if piece.isascii() and piece.isalpha()]
    words = [word for word in words if len(word) > 1 or word in "ai"]
    generator = random.Random(SEED)
    common = [word for word in words[:6_000] if len(word) > 3]
    coined = dict.fromkeys("".join(generator.choices(common, k=2)) for _ in range(COINED))
    words += [word for word in coined if word not in pieces]
    return words, list(accumulate((rank + 2.7) ** -STEEPNESS for rank in range(len(words))))


def draw(generator: random.Random, count: int, first: int = 0) -> list[str]:
    """Words by their frequency; none of the `first` most frequent."""
    words, weights = vocabulary()
    low, high = weights[first - 1] if first else 0.0, weights[-1]
    return [words[bisect_right(weights, low + (high - low) * generator.random())] for _ in range(count)]


class Writer:
    """Writes one note after another."""

    def __init__(self, notes: list[Note], seed: int) -> None:
        self._notes = notes
        self._random = random.Random(seed)
        self._topic: list[str] = []

    def text_of(self, note: Note, words: int) -> str:
        self._topic = self._draw(TOPIC_WORDS, first=300)
        parts = [*self._frontmatter(note), f"# {note.title}\n"]
        left = words
        while left > 0:
            block = self._block()
            parts.append(block)
            left -= len(block.split())
            if left > 0 and len(parts) % 5 == 0:
                parts.append(f"{'##' if self._random.random() < 0.7 else '###'} {self._title()}\n")
        return "\n".join(parts)

    def _draw(self, count: int, first: int = 0) -> list[str]:
        return draw(self._random, count, first)

    def _sentence(self) -> str:
        words = self._draw(self._random.randint(5, 22))
        for place in range(len(words)):
            if self._random.random() < TOPIC_SHARE:
                words[place] = self._random.choice(self._topic)
        if self._random.random() < 0.12:
            words[self._random.randrange(len(words))] = self._link()
        if self._random.random() < 0.03:
            words.append(f"#{self._random.choice(TAGS)}")
        return f"{words[0].capitalize() if words[0].isalpha() else words[0]} {' '.join(words[1:])}."

    def _sentences(self, least: int, most: int) -> list[str]:
        return [self._sentence() for _ in range(self._random.randint(least, most))]

    def _title(self) -> str:
        return " ".join(word.capitalize() for word in self._draw(self._random.randint(1, 4), first=60))

    def _link(self) -> str:
        # A few notes are linked to from everywhere.
        target = self._notes[int(len(self._notes) * self._random.random() ** 2)].title
        alias = self._random.choice(self._topic)
        forms = [f"[[{target}]]", f"[[{target}|{alias}]]", f"[[{target}#{target}]]", f"![[{target}]]"]
        return self._random.choices(forms, (60, 28, 7, 5))[0]

    # Blocks

    def _block(self) -> str:
        kinds: list[tuple[Callable[[], str], int]] = [
            (self._paragraph, 60),
            (self._list, 18),
            (self._tasks, 8),
            (self._callout, 5),
            (self._code, 5),
            (self._table, 4),
        ]
        write = self._random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        return write()

    def _paragraph(self) -> str:
        return " ".join(self._sentences(2, 6)) + "\n"

    def _list(self) -> str:
        mark = self._random.choice(["-", "*", "1."])
        return "".join(f"{mark} {sentence}\n" for sentence in self._sentences(3, 7))

    def _tasks(self) -> str:
        return "".join(f"- [{self._random.choice(' x')}] {sentence}\n" for sentence in self._sentences(2, 5))

    def _callout(self) -> str:
        return (
            f"> [!{self._random.choice(['note', 'tip', 'warning', 'quote'])}] {self._title()}\n> {self._sentence()}\n"
        )

    def _code(self) -> str:
        name, argument = self._draw(2, first=100)
        lines = [f"def {name}({argument}):", f"    # {self._sentence()}", f"    return {argument} + 1", ""]
        return "```python\n" + "\n".join(lines) + "```\n"

    def _table(self) -> str:
        rows = ["| name | value |", "|---|---|"]
        rows += [f"| {' '.join(self._draw(2))} | {self._random.randint(1, 999)} |" for _ in range(4)]
        return "\n".join(rows) + "\n"

    def _frontmatter(self, note: Note) -> Iterator[str]:
        if note.is_daily or self._random.random() < 0.6:
            tags = ["daily"] if note.is_daily else self._random.sample(TAGS, self._random.randint(1, 3))
            aliases = f"aliases: [{self._title()}]\n" if self._random.random() < 0.2 else ""
            yield f"---\ncreated: {note.day.isoformat()}\ntags: [{', '.join(tags)}]\n{aliases}---\n"


def plan(count: int, seed: int) -> list[Note]:
    """The notes by path and title, each title once."""
    generator = random.Random(seed)
    notes: list[Note] = []
    titles: set[str] = set()
    for number in range(count):
        day = date(2019, 1, 1) + timedelta(days=number // DAILY)
        if number % DAILY == 0:
            notes.append(Note(f"daily/{day:%Y/%m}/{day}.md", str(day), day, is_daily=True))
            continue
        title = ""
        while not title or title in titles:
            title = " ".join(draw(generator, generator.randint(1, 5), first=60)).capitalize()
        titles.add(title)
        notes.append(Note(f"{generator.choice(FOLDERS)}/{title}.md", title, day, is_daily=False))
    return notes


def write_notes(folder: Path, count: int = COUNT, megabytes: float = MEGABYTES, seed: int = SEED) -> None:
    """Most notes are short and a few are long, about so many megabytes together."""
    notes = plan(count, seed)
    generator = random.Random(seed)
    lengths = [generator.lognormvariate(0.0, 0.9) for _ in notes]
    words = megabytes * 1e6 / LETTERS_PER_WORD / sum(lengths)
    writer = Writer(notes, seed)
    for note, length in zip(notes, lengths, strict=True):
        file = folder / note.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(writer.text_of(note, round(words * length)), encoding="utf-8", newline="")


def main() -> int:
    parser = argparse.ArgumentParser(description="A folder of notes, made from a seed.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--megabytes", type=float, default=MEGABYTES)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    write_notes(options.folder, options.count, options.megabytes, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
