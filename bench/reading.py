"""From files to an index that can be searched by words, beside another commit: how fast, and whether it is the same.

    python bench/reading.py CHECKOUT [--compiled FOLDER] [--corpus NAME | --notes N] [--embedder NAME] [--rounds N]
        [--workers N]

CHECKOUT is a working copy of the other commit, FOLDER where the compiled wheel of this one was installed, by
`pip install --no-deps --target`. They index the same folder in turn, each time in a process of its own, and what they
wrote is compared row by row by `contents.py`. The exit code is 1 if it is not the same.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from contents import Comparison, compare
from notes import COUNT, MEGABYTES, write_notes
from processes import run
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import MEGABYTE, REPOSITORY, shared_folder

CORPUS = "kubernetes-en"
DISTRIBUTIONS = ["headnote-md", "apsw", "PyStemmer", "numpy"]


class Read(NamedTuple):
    """One index, made from nothing."""

    seconds: float
    """By the clock."""
    cores: float
    """Seconds of all cores together."""
    memory: int
    files: int
    size: int
    chunks: int


def main() -> int:
    parser = argparse.ArgumentParser(description="From files to words ready, beside another commit.")
    parser.add_argument("checkout", type=Path, help="working copy of the other commit")
    parser.add_argument("--compiled", type=Path, metavar="FOLDER", help="folder with the compiled package, beside it")
    parser.add_argument("--corpus", default=CORPUS, help=f"name of a corpus (default {CORPUS})")
    parser.add_argument("--notes", type=int, metavar="N", help=f"so many generated notes instead, such as {COUNT}")
    parser.add_argument("--embedder", default="none", help="none for words only (default), or instant")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many counts (default 3)")
    parser.add_argument("--workers", type=int, help="processes that read (default: one per core)")
    parser.add_argument("--read", action="store_true", help=argparse.SUPPRESS)
    add_json_option(parser)
    options = parser.parse_args()
    if options.read:
        print(json.dumps(read(options.checkout, options.embedder, options.workers)))
        return 0
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    with TemporaryDirectory() as scratch:
        folder = prepared(Path(scratch) / "folder", options)
        reads, comparisons = measured(folder, Path(scratch), options)
    show(table(reads, comparisons, options))
    differences = [(name, each) for name, comparison in comparisons.items() for each in comparison.differences]
    for name, difference in differences:
        print(f"\nNOT THE SAME {name}: {difference}")
    write_figures(options.json, figures(reads, _case(options)), setting, packages)
    return 1 if differences else 0


def prepared(folder: Path, options: argparse.Namespace) -> Path:
    if options.notes:
        write_notes(folder, options.notes, MEGABYTES * options.notes / COUNT)
        return folder
    shutil.copytree(shared_folder() / "corpora" / options.corpus, folder)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def measured(
    folder: Path, scratch: Path, options: argparse.Namespace
) -> tuple[dict[str, list[Read]], dict[str, Comparison]]:
    """The reads of all, in turn, so that load affects them alike; and their last indexes, compared with the first."""
    packages = {"before": options.checkout.resolve() / "src", "now": REPOSITORY / "src"}
    packages |= {"compiled": options.compiled.resolve()} if options.compiled else {}
    reads: dict[str, list[Read]] = {name: [] for name in packages}
    for _ in range(options.rounds):
        for name, package in packages.items():
            shutil.rmtree(folder / ".headnote", ignore_errors=True)
            reads[name].append(in_process(package, folder, options))
            shutil.copy2(folder / ".headnote" / "index.db", scratch / f"{name}.db")
    _, *others = packages
    return reads, {name: compare(scratch / "before.db", scratch / f"{name}.db") for name in others}


def in_process(package: Path, folder: Path, options: argparse.Namespace) -> Read:
    command = [sys.executable, __file__, str(folder), "--read", "--embedder", options.embedder]
    command += ["--workers", str(options.workers)] if options.workers else []
    done = run(["env", f"PYTHONPATH={package}{os.pathsep}{Path(__file__).parent}", *command])
    seconds, cores, files, size, chunks = json.loads(done.output)
    return Read(seconds, cores, done.memory, files, size, chunks)


def read(folder: Path, embedder: str, workers: int | None) -> tuple[float, float, int, int, int]:
    """In a process that has only the package of one commit."""
    import headnote
    from headnote.sources.discover import discover

    files = discover(folder).files
    begin, cores = time.perf_counter(), _of_all_cores()
    with headnote.Index.open(folder, embedder=embedder) as index:
        index.update(workers=workers)
        seconds, used = time.perf_counter() - begin, _of_all_cores() - cores
        chunks = index.status().chunks
    return seconds, used, len(files), sum(file.size for file in files), chunks


def _of_all_cores() -> float:
    """Workers count when they have ended, which they have when their work is done."""
    return sum(os.times()[:4])


def table(reads: dict[str, list[Read]], comparisons: dict[str, Comparison], options: argparse.Namespace) -> Table:
    now = reads["now"][0]
    rows = [_row(name, reads[name]) for name in reads]
    for name in comparisons:
        ratios = [_median(reads["before"], each) / _median(reads[name], each) for each in ("seconds", "cores")]
        rows.append([f"{name}, times as fast", *(f"{ratio:.2f}" for ratio in ratios), "", ""])
    notes = [
        f"{_case(options)}: {now.files:,} files, {now.size / MEGABYTE:.1f} MB, {now.chunks:,} chunks.",
        *(_sameness(name, comparison) for name, comparison in comparisons.items()),
        f"Median of {options.rounds} rounds, in turn. Core seconds: of all processes together.",
        f"Load of the machine at the end: {' '.join(f'{number:.1f}' for number in os.getloadavg())}.",
    ]
    return Table("From files to words ready", ["", "seconds", "core seconds", "MB/s", "peak MB"], rows, notes)


def _sameness(name: str, comparison: Comparison) -> str:
    rest = f"; {len(comparison.differences)} tables are not." if comparison.differences else ", and all of them are."
    return f"{name}: {sum(comparison.rows.values()):,} rows and places of terms are the same{rest}"


def _row(name: str, reads: list[Read]) -> list[str]:
    seconds = _median(reads, "seconds")
    speed, memory = reads[0].size / MEGABYTE / seconds, _median(reads, "memory") / MEGABYTE
    return [name, f"{seconds:.2f}", f"{_median(reads, 'cores'):.2f}", f"{speed:.2f}", f"{memory:.0f}"]


def _median(reads: list[Read], name: str) -> float:
    return float(statistics.median(getattr(one, name) for one in reads))


def _case(options: argparse.Namespace) -> str:
    case = f"{options.notes} notes" if options.notes else options.corpus
    return case if options.embedder == "none" else f"{case}, {options.embedder}"


def figures(reads: dict[str, list[Read]], case: str) -> list[Figure]:
    """Of this commit only: the other one has figures of its own."""
    return [
        figure
        for name, suffix in (("now", ""), ("compiled", ", compiled"))
        if name in reads
        for figure in (
            Figure(case, f"to words ready{suffix}", "s", _median(reads[name], "seconds")),
            Figure(case, f"to words ready, all cores{suffix}", "s", _median(reads[name], "cores")),
            Figure(case, f"memory{suffix}", "MB", _median(reads[name], "memory") / MEGABYTE),
        )
    ]


if __name__ == "__main__":
    sys.exit(main())
