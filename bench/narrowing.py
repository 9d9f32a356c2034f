"""What does it cost to narrow a search: by operators in the query, or to one of several folders?

    python bench/narrowing.py FOLDER [--queries N] [--rounds N] [--json FILE]

Needs `pip install -e ".[search]"`. The folder is copied and indexed twice: as it is, and with each of its subfolders as
a root of its own. Each heading is asked for plainly and with every operator, by turns, and the best of the rounds
counts. Times are those of a core, for a page of hits with facets.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from headnote import Index
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures

SEED = 7
ONE, SEVERAL = "one folder", "several folders"


class Way(NamedTuple):
    """A way to ask for a heading."""

    folders: str
    name: str
    template: str
    roots: tuple[str, ...] = ()


class Times(NamedTuple):
    """Milliseconds of a core, and how many queries had a hit."""

    median: float
    most: float
    with_hits: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(["headnote-md", "apsw", "numpy"])
    show_setting(setting, packages)
    with TemporaryDirectory() as scratch:
        copied = shutil.copytree(options.folder, Path(scratch) / "one", ignore=shutil.ignore_patterns(".headnote"))
        home = home_of(subfolders(copied), Path(scratch) / "several")
        reading = {ONE: update_seconds(copied), SEVERAL: update_seconds(home)}
        with Index.open(copied) as one, Index.open(home) as several:
            indexes = {ONE: one, SEVERAL: several}
            queries = headings(one)[: options.queries]
            times = measured(indexes, ways_to_ask(one, subfolders(copied)), queries, options.rounds)
    show(table(times, reading, len(queries)))
    write_figures(options.json, as_figures(options.folder.name, times, reading), setting, packages)
    return 0


def subfolders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def home_of(folders: Sequence[Path], home: Path) -> Path:
    """A folder whose file lists others as the roots of one index."""
    home.mkdir()
    tables = (f"[roots.{json.dumps(folder.name)}]\npath = {json.dumps(str(folder))}\n" for folder in folders)
    (home / "headnote.toml").write_text("\n".join(tables), "utf-8")
    return home


def update_seconds(folder: Path) -> float:
    """Core seconds from files to an index."""
    with Index.open(folder, embedder="instant") as index:
        began = time.process_time()
        index.update(workers=1)
        return time.process_time() - began


def headings(index: Index) -> list[str]:
    """Headings of a few plain words, in an order that does not change."""
    texts = {entry.heading.text for path in index.documents() for entry in index.outline(path)}
    plain = sorted(text for text in texts if text.replace(" ", "").isalnum() and 2 <= len(text.split()) <= 6)
    random.Random(SEED).shuffle(plain)
    return plain


def ways_to_ask(index: Index, folders: Sequence[Path]) -> list[Way]:
    """With words and folders that much is in."""
    frequent = Counter(word for text in headings(index) for word in text.lower().split() if len(word) > 3)
    word = frequent.most_common(1)[0][0]
    largest = max(folders, key=lambda folder: sum(1 for _ in folder.rglob("*.md"))).name
    return [
        Way(ONE, "plain", "{}"),
        Way(ONE, "-word", f"{{}} -{word}"),
        Way(ONE, '"phrase"', '"{}"'),
        Way(ONE, "title:", f"{{}} title:{word}"),
        Way(ONE, "path:", f"{{}} path:{largest}"),
        Way(ONE, "OR of two", f"{{}} (path:{largest} OR title:{word})"),
        Way(SEVERAL, "plain", "{}"),
        Way(SEVERAL, "in one of them", "{}", (largest,)),
    ]


def measured(
    indexes: dict[str, Index], ways: Sequence[Way], queries: Sequence[str], rounds: int
) -> dict[tuple[str, str], Times]:
    best: dict[tuple[str, str], list[float]] = {}
    hits: Counter[tuple[str, str]] = Counter()
    for number in range(rounds + 1):  # the first one warms up
        for way in ways:
            key = way.folders, way.name
            spent, found = zip(*asked(indexes[way.folders], way, queries), strict=True)
            if number:
                best[key] = [min(pair) for pair in zip(best.get(key, spent), spent, strict=True)]
                hits[key] = sum(found)
    return {key: Times(statistics.median(spent), max(spent), hits[key]) for key, spent in best.items()}


def asked(index: Index, way: Way, queries: Sequence[str]) -> Iterator[tuple[float, bool]]:
    for query in queries:
        began = time.process_time()
        page = index.search_page(way.template.format(query), roots=way.roots)
        yield (time.process_time() - began) * 1000, bool(page.hits)


def table(times: dict[tuple[str, str], Times], reading: dict[str, float], queries: int) -> Table:
    plain = times[ONE, "plain"].median
    rows = [
        [*key, f"{one.median:.1f}", f"{one.median / plain:.2f} ×", f"{one.most:.1f}", f"{one.with_hits} of {queries}"]
        for key, one in times.items()
    ]
    notes = [f"{name}: read in {seconds:.1f} core seconds" for name, seconds in reading.items()]
    return Table("A page of hits", ["index", "query", "core ms, p50", "of plain", "most", "with hits"], rows, notes)


def as_figures(folder: str, times: dict[tuple[str, str], Times], reading: dict[str, float]) -> Iterator[Figure]:
    for (index, name), one in times.items():
        yield Figure(f"{folder}, {index}, {name}", "core time of a search", "ms", one.median)
    for name, seconds in reading.items():
        yield Figure(f"{folder}, {name}", "core time of reading", "s", seconds)


if __name__ == "__main__":
    sys.exit(main())
