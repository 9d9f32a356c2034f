"""Does nonsense find nothing, and does every real question find something?

    python bench/nonsense.py [--corpus NAME] [--language CODE] [--every N] [--cache DIR] [--json FILE]
    python bench/nonsense.py --folder DIR --questions FILE [--others FILE]

By default the questions that people asked on GitHub are put to the documentation that answers them, and to those of the
other projects, which do not; `--language` does the same with XQuAD, where the others are the questions in other
languages. `--folder` takes documents of your own, with a question per line; `--others` are questions that they do not
answer. Nonsense is made up by a seed, in nine scripts. Prints how many real questions find nothing, and how many of the
others find anything, in each mode. Needs `pip install -e ".[search,bench]"`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from shutil import copytree
from typing import NamedTuple

from headnote import Index
from headnote.search.query import MODES, Mode
from question_sets import xquad
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import shared_folder

SEED = 29
MAX_REAL_LOST = 3.0
"""Per cent of real questions that may find nothing."""
MAX_NONSENSE = 5.0
"""Per cent of the others that may find something."""
EACH = 25
"""Made-up queries of a kind."""
KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SCRIPTS = {
    "Latin": ("a", "z"),
    "Cyrillic": ("а", "я"),
    "Greek": ("α", "ω"),
    "Arabic": ("ا", "ي"),
    "Devanagari": ("क", "ह"),
    "Thai": ("ก", "ฮ"),
    "Kana": ("ア", "ン"),
    "Han": ("一", "濿"),
    "Hangul": ("가", "퀀"),
}


class Trial(NamedTuple):
    name: str
    root: Path
    real: list[str]
    others: dict[str, list[str]]
    """Kind → queries that nothing answers."""


def main() -> None:
    options = _options()
    setting, packages = machine(), versions(["headnote-md", "numpy"])
    show_setting(setting, packages)
    figures: list[Figure] = []
    for trial in _trials(options):
        with Index.open(trial.root) as index:
            index.update()
            show(_table(trial, index, figures))
    write_figures(options.json, figures, setting, packages)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whether nonsense finds nothing, and real questions something.")
    parser.add_argument("--corpus", action="append", metavar="NAME", help="of the asked questions; repeatable")
    parser.add_argument("--language", action="append", default=[], metavar="CODE", help="of XQuAD; repeatable")
    parser.add_argument("--folder", type=Path, help="documents of your own")
    parser.add_argument("--questions", type=Path, metavar="FILE", help="a question per line, which they answer")
    parser.add_argument("--others", type=Path, metavar="FILE", help="a question per line, which they do not answer")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth question only")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"), help="folder that keeps the indexes")
    add_json_option(parser)
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    return options


# -- questions


def _trials(options: argparse.Namespace) -> Iterator[Trial]:
    if options.folder:
        others = {"others": _lines(options.others)} if options.others else {}
        yield Trial(options.folder.name, options.folder, _lines(options.questions), others | nonsense())
    elif options.language:
        yield from _in_languages(options)
    else:
        yield from _asked(options)


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def _asked(options: argparse.Namespace) -> Iterator[Trial]:
    """With the title alone, and with what its author says below it."""
    shared = shared_folder()
    records = [json.loads(line) for line in _lines(shared / "retrieval" / "asked" / "asked.jsonl")]
    for corpus in options.corpus or dict.fromkeys(record["corpus"] for record in records):
        real = [text for record in records if record["corpus"] == corpus for text in _texts(record)]
        # Whoever packs Python asks the same things of either tool.
        near = {"uv-docs", "poetry-docs"} if corpus in ("uv-docs", "poetry-docs") else {corpus}
        others = [record["question"] for record in records if record["corpus"] not in near]
        kinds = {"of other projects": others[:: options.every]}
        root = options.cache / f"asked-{corpus}"  # the index is made there
        if not root.exists():
            copytree(shared / "corpora" / corpus, root)
        yield Trial(corpus, root, real[:: options.every], kinds | nonsense())


def _texts(record: dict[str, str]) -> Iterator[str]:
    yield record["question"]
    if "body" in record:
        yield f"{record['question']}\n{record['body']}"


def _in_languages(options: argparse.Namespace) -> Iterator[Trial]:
    sets = {language: xquad(language, options.cache, quick=False) for language in options.language}
    for language, questions in sets.items():
        real = [question.text for question in questions.questions][:: options.every]
        others = [other.text for code, one in sets.items() if code != language for other in one.questions]
        kinds = {"in other languages": others[:: options.every * max(len(sets) - 1, 1)]}
        yield Trial(questions.name.replace(" ", "-"), questions.root, real, kinds | nonsense())


# -- nonsense


def nonsense() -> dict[str, list[str]]:
    """Kind → made-up queries of one to three words."""
    random = Random(SEED)
    makers = {"keys": _keys, "syllables": _syllables}
    kinds = {kind: [_words(maker, random) for _ in range(EACH)] for kind, maker in makers.items()}
    for script, (first, last) in SCRIPTS.items():
        kinds[script] = [_words(lambda chance, a=first, z=last: _letters(chance, a, z), random) for _ in range(EACH)]
    return kinds


def _words(maker: object, random: Random) -> str:
    assert callable(maker)
    return " ".join(maker(random) for _ in range(random.randint(1, 3)))


def _keys(random: Random) -> str:
    row = random.choice(KEYS)
    start = random.randrange(len(row) - 3)
    return row[start : start + random.randint(4, 8)] + random.choice(KEYS)[:4]


def _syllables(random: Random) -> str:
    count = random.randint(2, 4)
    return "".join(random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(count))


def _letters(random: Random, first: str, last: str) -> str:
    return "".join(chr(random.randint(ord(first), ord(last))) for _ in range(random.randint(5, 12)))


# -- figures


def _table(trial: Trial, index: Index, figures: list[Figure]) -> Table:
    rows = [[f"real questions ({len(trial.real)}) that find nothing"]]
    rows += [[f"{kind} ({len(queries)}) that find something"] for kind, queries in trial.others.items()]
    rows.append(["all nonsense that finds something"])
    made_up = [query for kind in nonsense() for query in trial.others[kind]]
    for mode in MODES:
        shares = [100 - _found(index, trial.real, mode)]
        shares += [_found(index, queries, mode) for queries in (*trial.others.values(), made_up)]
        for row, share in zip(rows, shares, strict=True):
            row.append(f"{share:.1f}")
            figures.append(Figure(f"{trial.name}, {mode}", row[0], "%", share))
    notes = [f"wanted: at most {MAX_REAL_LOST:.0f} % of real questions, at most {MAX_NONSENSE:.0f} % of the others"]
    return Table(f"{trial.name}, per cent", ["", *MODES], rows, notes)


def _found(index: Index, queries: Sequence[str], mode: Mode) -> float:
    """Per cent of the queries that find anything."""
    return 100 * sum(bool(index.search(query, 1, mode)) for query in queries) / max(len(queries), 1)


if __name__ == "__main__":
    main()
