"""How long and how large? Folders of several sizes, from the first read to the last vector: the tables of docs/size.md.

    python bench/size.py [--corpus NAME] [--notes N] [--rounds N] [--deep-files N] [--json FILE] [--page FILE]

Needs `pip install -e ".[search,deep]" ./models/deep`. The corpora lie at HEADNOTE_SHARED, or beside the working copy in
`shared`; without them, only the generated notes are measured. Everything runs on a copy in a temporary folder.
`--page docs/size.md` puts the tables into that page.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import headnote
from headnote.sources.discover import discover
from index import copied, sampled, timed
from notes import COUNT, MEGABYTES, SEED, write_notes
from processes import Run, run
from report import (
    Figure,
    Table,
    add_json_option,
    as_markdown,
    machine,
    put_into_page,
    show,
    show_setting,
    spent,
    versions,
    where,
    write_figures,
)
from shared_corpora import MEGABYTE, REPOSITORY

CORPORA = ("foam", "rust-book", "astro-en", "kubernetes-en")
NOTES = "generated notes"
DISTRIBUTIONS = ["headnote-md", "headnote-md-deep", "apsw", "numpy", "onnxruntime"]
QUERIES = 100
QUERY = "how do I find the notes about a meeting"

Figures = dict[str, float]


class Folder(NamedTuple):
    """One folder that was measured."""

    name: str
    files: int
    size: int
    """Bytes of text."""
    chunks: int
    read: Run
    """`headnote index` on a folder without an index, words and instant vectors."""
    search: Run
    """`headnote search` afterwards: a process that starts, looks for changes and answers."""
    index_bytes: int
    warm: Figures
    """Searches in a process that has the index open."""
    deep: Figures | None
    """The vectors of the deep model, of some of the files."""


def main() -> int:
    options = _options()
    if options.run:
        what, folder = options.run
        print(json.dumps(RUNS[what](Path(folder))))
        return 0
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    folders = []
    with TemporaryDirectory() as scratch:
        for name, root in roots(options, Path(scratch)):
            folders.append(measured(name, root, options))
            print(f"  {name} done", file=sys.stderr)
            shutil.rmtree(root)
    tables = [how_long(folders), searches(folders), how_large(folders), deep_vectors(folders)]
    for table in tables:
        show(table)
    figures = [figure for folder in folders for figure in as_figures(folder)]
    write_figures(options.json, figures, setting, packages, folders=[as_data(folder) for folder in folders])
    if options.page:
        machine_line = f"Measured on {datetime.now(UTC):%d %B %Y}: {where(setting)}."
        put_into_page(options.page, {table.title: as_markdown(table) for table in tables} | {"Machine": machine_line})
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How long and how large.")
    parser.add_argument("--corpus", action="append", help=f"one of {', '.join(CORPORA)}; repeatable (default: all)")
    parser.add_argument("--notes", type=int, default=COUNT, help=f"generated notes; 0 for none (default {COUNT})")
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many counts (default 2)")
    parser.add_argument("--deep-files", type=int, default=60, help="files for the deep model; 0 for none (default 60)")
    add_json_option(parser)
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the tables into this page")
    parser.add_argument("--run", nargs=2, metavar=("WHAT", "FOLDER"), help=argparse.SUPPRESS)
    return parser.parse_args()


def roots(options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, Path]]:
    """Name and folder of each corpus, small ones first, and the notes."""
    corpora = Path(os.environ.get("HEADNOTE_SHARED", REPOSITORY.parent / "shared")) / "corpora"
    for name in CORPORA if options.corpus is None else options.corpus:
        if (corpora / name).is_dir():
            yield name, copied(corpora / name, scratch / name)
        else:
            print(f"  {name} left out: no folder {name} among the corpora", file=sys.stderr)
    if options.notes:
        write_notes(scratch / "notes", options.notes, MEGABYTES * options.notes / COUNT)
        yield NOTES, scratch / "notes"


# -- measuring


def measured(name: str, root: Path, options: argparse.Namespace) -> Folder:
    files = discover(root).files
    rounds = [read_and_search(root) for _ in range(options.rounds)]
    with headnote.Index.open(root) as index:
        chunks = index.status().chunks
    index_bytes = bytes_of_index(root)
    warm = json.loads(run([sys.executable, __file__, "--run", "warm", str(root)]).output)
    return Folder(
        name=name,
        files=len(files),
        size=sum(file.size for file in files),
        chunks=chunks,
        read=min((read for read, _ in rounds), key=lambda one: one.seconds),
        search=min((search for _, search in rounds), key=lambda one: one.seconds),
        index_bytes=index_bytes,
        warm=warm,
        deep=deep_sample(root, options.deep_files) if options.deep_files else None,
    )


def deep_sample(root: Path, count: int) -> Figures:
    with TemporaryDirectory() as scratch:
        sample = sampled(root, Path(scratch) / "sample", count)
        figures: Figures = json.loads(run([sys.executable, __file__, "--run", "deep", str(sample)]).output)
    return figures


def read_and_search(root: Path) -> tuple[Run, Run]:
    """As a person does it, in a folder without an index."""
    shutil.rmtree(root / ".headnote", ignore_errors=True)
    command = [sys.executable, "-m", "headnote"]
    read = run([*command, "index", str(root), "--embedder", "instant", "--json"])
    # Some folders have nothing about meetings: any answer will do.
    return read, run([*command, "search", QUERY, str(root), "--limit", "3", "--min-score", "0", "--json"])


def run_warm(root: Path) -> Figures:
    """Headings of the folder, asked for twice: the second time all that can be in memory is there."""
    with headnote.Index.open(root) as index:
        queries = some_headings(index)
        for query in queries:
            index.search(query, limit=10)
        cores = time.process_time()
        milliseconds = sorted(answered(index, query) * 1000 for query in queries)
        cores = time.process_time() - cores
    return {
        "p50": statistics.median(milliseconds),
        "p95": milliseconds[int(len(milliseconds) * 0.95)],
        "core_ms": cores * 1000 / len(milliseconds),
        "queries": len(milliseconds),
    }


def some_headings(index: headnote.Index) -> list[str]:
    paths = random.Random(SEED).sample(index.documents(), min(QUERIES, len(index.documents())))
    return [entry.heading.text for path in paths for entry in index.outline(path)[:1] if entry.heading.text]


def answered(index: headnote.Index, query: str) -> float:
    begin = time.perf_counter()
    index.search(query, limit=10)
    return time.perf_counter() - begin


def run_deep(root: Path) -> Figures:
    """The vectors of the deep model, in an index that has words and instant vectors."""
    with headnote.Index.open(root, embedder="deep") as index:
        index.update(vectors=False)
    before = bytes_of_index(root)
    with headnote.Index.open(root) as index:
        times, _ = timed(index.update)
        status = index.status()
    return {
        **times,
        "files": status.documents,
        "bytes": sum(file.size for file in discover(root).files),
        "chunks": status.chunks,
        "added_bytes": bytes_of_index(root) - before,
    }


def bytes_of_index(root: Path) -> int:
    """Of one that is closed: while it is open, a log beside it holds what was written last."""
    return sum(file.stat().st_size for file in (root / ".headnote").iterdir())


RUNS: dict[str, Callable[[Path], Figures]] = {"warm": run_warm, "deep": run_deep}


# -- saying it


def how_long(folders: list[Folder]) -> Table:
    columns = ["folder", "files", "MB", "chunks", "read, s", "core s", "core s/MB"]
    rows = [
        [
            folder.name,
            f"{folder.files:,}",
            f"{folder.size / MEGABYTE:.1f}",
            f"{folder.chunks:,}",
            f"{folder.read.seconds:.1f}",
            f"{folder.read.cores:.1f}",
            f"{folder.read.cores * MEGABYTE / folder.size:.1f}",
        ]
        for folder in folders
    ]
    notes = [
        "read: `headnote index` on a folder without an index, until it answers by words and by meaning.",
        "core s: seconds of all cores together; a busy machine changes them less than those of the clock.",
    ]
    return Table("How long", columns, rows, notes)


def searches(folders: list[Folder]) -> Table:
    columns = ["folder", "command, s", "core s", "warm p50, ms", "p95, ms", "core ms"]
    rows = [
        [
            folder.name,
            f"{folder.search.seconds:.1f}",
            f"{folder.search.cores:.1f}",
            f"{folder.warm['p50']:.0f}",
            f"{folder.warm['p95']:.0f}",
            f"{folder.warm['core_ms']:.0f}",
        ]
        for folder in folders
    ]
    notes = [
        "command: `headnote search` with its start. warm: in a process that has the index open.",
        "core: seconds or milliseconds of all cores together.",
    ]
    return Table("Searches", columns, rows, notes)


def how_large(folders: list[Folder]) -> Table:
    columns = ["folder", "MB of text", "index, MB", "MB per MB", "with deep", "memory, MB"]
    rows = [
        [
            folder.name,
            f"{folder.size / MEGABYTE:.1f}",
            f"{folder.index_bytes / MEGABYTE:.1f}",
            f"{folder.index_bytes / folder.size:.1f}",
            f"{with_deep(folder):.1f}" if folder.deep else "–",
            f"{folder.read.memory / MEGABYTE:.0f}",
        ]
        for folder in folders
    ]
    notes = [
        "with deep: MB per MB with the vectors of the deep model too, from the sample of the next table.",
        "memory: the most that the first read and its workers had at any moment; shared pages count once per process.",
    ]
    return Table("How large", columns, rows, notes)


def with_deep(folder: Folder) -> float:
    """Bytes of the index for each byte of text, with the vectors of the deep model."""
    assert folder.deep
    return folder.index_bytes / folder.size + folder.deep["added_bytes"] / folder.deep["bytes"]


def deep_vectors(folders: list[Folder]) -> Table:
    columns = ["folder", "sample", "chunks", "chunks/s", "per core s", "whole folder, core min"]
    rows = []
    for folder in folders:
        if not folder.deep:
            continue
        by_clock, by_core = (folder.deep["chunks"] / folder.deep[unit] for unit in ("seconds", "cores"))
        rows.append(
            [
                folder.name,
                f"{folder.deep['files']:.0f} files",
                f"{folder.deep['chunks']:.0f}",
                f"{by_clock:.0f}",
                f"{by_core:.0f}",
                f"{folder.chunks / by_core / 60:.1f}",
            ]
        )
    notes = ["Search works before, during and after. whole folder: minutes of one core, at the speed of the sample."]
    return Table("Deep vectors", columns, rows, notes)


def as_figures(folder: Folder) -> Iterator[Figure]:
    yield from spent(f"{folder.name}: read", folder.read.seconds, folder.read.cores)
    yield Figure(f"{folder.name}: read", "memory", "MB", folder.read.memory / MEGABYTE)
    yield Figure(f"{folder.name}: read", "index", "MB", folder.index_bytes / MEGABYTE)
    yield from spent(f"{folder.name}: search", folder.search.seconds, folder.search.cores)
    for metric, name in {"p50": "p50", "p95": "p95", "core_ms": "core time"}.items():
        yield Figure(f"{folder.name}: warm search", name, "ms", folder.warm[metric])
    if folder.deep:
        yield from spent(f"{folder.name}: deep vectors", folder.deep["seconds"], folder.deep["cores"])


def as_data(folder: Folder) -> dict[str, Any]:
    """Everything but what the commands print."""
    runs = {name: {**getattr(folder, name)._asdict(), "output": None} for name in ("read", "search")}
    return {**folder._asdict(), **runs}


if __name__ == "__main__":
    sys.exit(main())
