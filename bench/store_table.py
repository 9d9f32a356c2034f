"""Puts what `bench/stores.py --made N --json FILE` has measured into docs/size.md, one pair of columns for each file.

python bench/store_table.py FILE… --page docs/size.md
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from report import Table, as_markdown, put_into_page, where

TITLE = "Stores"
SQLITE, POSTGRES = "SQLite", "PostgreSQL"
SEARCHED = {SQLITE: [SQLITE], POSTGRES: ["PostgreSQL, HNSW", "PostgreSQL, one by one"]}
"""The names under which a store is searched; the first that was measured counts."""


class Measured(NamedTuple):
    """The figures of one file."""

    chunks: str
    figures: dict[tuple[str, str], float]
    """(store, metric) → value."""
    machine: dict[str, str]

    @classmethod
    def read(cls, file: Path) -> Measured:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        cases = [(*one["case"].split(" chunks: "), one["metric"], one["value"]) for one in content["records"]]
        figures = {(store, metric): value for _, store, metric, value in cases}
        return cls(cases[0][0], figures, content["machine"])

    def written(self, store: str, metric: str) -> str:
        return _shown(self.figures.get((store, metric)))

    def searched(self, store: str, metric: str) -> str:
        found = (self.figures.get((name, metric)) for name in SEARCHED[store])
        return _shown(next((value for value in found if value is not None), None))

    def percentiles(self, store: str, mode: str) -> str:
        return " / ".join(self.searched(store, f"{mode} search, {percentile}") for percentile in ("p50", "p95"))

    def size(self, store: str) -> str:
        """With the index of vectors, where there is one."""
        indexes = [self.figures.get((name, "size of the index"), 0.0) for name in SEARCHED[store]]
        return _shown(self.figures[store, "size"] + sum(indexes))


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"


ROWS: tuple[tuple[str, Callable[[Measured, str], str]], ...] = (
    ("write what was read, s", lambda run, store: run.written(store, "write")),
    ("the same, core s", lambda run, store: run.written(store, "write, cores")),
    ("build of the HNSW index, core s", lambda run, store: run.searched(store, "build of the index, cores")),
    ("on disk, MB", Measured.size),
    ("first search, ms", lambda run, store: run.searched(store, "first search")),
    ("by words, p50 / p95 ms", lambda run, store: run.percentiles(store, "keyword")),
    ("by meaning, p50 / p95 ms", lambda run, store: run.percentiles(store, "semantic")),
    ("by both, p50 / p95 ms", lambda run, store: run.percentiles(store, "hybrid")),
    ("by words, core ms", lambda run, store: run.searched(store, "keyword search, cores")),
    ("by meaning, core ms", lambda run, store: run.searched(store, "semantic search, cores")),
    ("by both, core ms", lambda run, store: run.searched(store, "hybrid search, cores")),
    ("of the nearest 10, found, %", lambda run, store: run.searched(store, "recall of the nearest 10")),
    ("memory of the searching process, MB", lambda run, store: run.searched(store, "memory of this process")),
    ("memory of the server, MB", lambda run, store: run.searched(store, "memory of the server")),
)


def table(runs: Sequence[Measured]) -> Table:
    columns = [(run, store) for run in runs for store in SEARCHED]
    heads = [f"{run.chunks}: {store}" for run, store in columns]
    rows = [[name, *(cell(run, store) for run, store in columns)] for name, cell in ROWS]
    return Table(TITLE, ["chunks", *heads], rows, [])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--page", type=Path, required=True)
    given = parser.parse_args()
    runs = [Measured.read(file) for file in given.files]
    machines = list(dict.fromkeys(where(run.machine) for run in runs))
    parts = {TITLE: as_markdown(table(runs)), f"{TITLE}: machine": f"Measured on {'; '.join(machines)}."}
    put_into_page(given.page, parts)


if __name__ == "__main__":
    main()
