"""What does meaning cost? The instant model beside words alone, the deep one beside stock MiniLM, and the first answer.

    python bench/meaning.py [--notes N] [--megabytes N] [--rounds N] [--chunks N] [--only PART] [--json FILE]

Needs `pip install -e ".[search,deep]" ./models/deep ./models/minilm`. `bench/notes.py` makes the notes from a seed.
What is compared runs in interleaved rounds, so that a busy machine slows both, and embedders are judged by the seconds
of a core that they take. The exit code is 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import headnote
from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import get_embedder
from headnote.index.text_vectors import embed_in_parts
from headnote.sources.discover import discover
from headnote.store.quantized import names_of
from notes import COUNT, MEGABYTES, SEED, write_notes
from report import Figure, Table, add_json_option, machine, show, show_setting, spent, versions, write_figures

INSTANT_INDEX = 1.2
"""Words and instant vectors together may take so many times as long as words alone."""
INSTANT_SPEED = 2_000
"""Chunks a second on one core, at least."""
QUERY_MILLISECONDS = 1.0
"""For the vector of a query, at most."""
DEEP_SPEED = 2.0
"""The deep model makes so many times as many vectors as stock MiniLM, at least."""
DISTRIBUTIONS = ["headnote-md", "headnote-md-deep", "headnote-md-minilm", "numpy", "onnxruntime"]
PARTS = ("index", "instant", "deep", "first")
QUERY = "how do I find the notes about a meeting"

Figures = dict[str, float]


class Result(NamedTuple):
    """What was measured, what to say about it, and whether the promises hold."""

    figures: list[Figure]
    table: Table
    holds: bool = True


def main() -> int:
    options = _options()
    if options.run:
        what, folder = options.run
        print(json.dumps(timed_update(Path(folder), what)))
        return 0
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    results: dict[str, Result] = {}
    with TemporaryDirectory() as scratch:
        root = Path(scratch) / "notes"
        write_notes(root, options.notes, options.megabytes)
        for part in options.only or PARTS:
            results[part] = MEASURED[part](root, options)
            show(results[part].table)
    figures = [figure for one in results.values() for figure in one.figures]
    write_figures(options.json, figures, setting, packages, holds={part: one.holds for part, one in results.items()})
    return 0 if all(one.holds for one in results.values()) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What meaning costs.")
    parser.add_argument("--notes", type=int, default=COUNT, help=f"how many (default {COUNT})")
    parser.add_argument("--megabytes", type=float, default=MEGABYTES, help=f"of notes (default {MEGABYTES:g})")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts (default 3)")
    parser.add_argument("--chunks", type=int, default=2_000, help="chunks the instant model embeds (default 2000)")
    parser.add_argument("--deep-chunks", type=int, default=60, help="chunks the deep models embed (default 60)")
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part; repeatable")
    add_json_option(parser)
    parser.add_argument("--run", nargs=2, metavar=("EMBEDDER", "FOLDER"), help=argparse.SUPPRESS)
    return parser.parse_args()


# -- an index with and without instant vectors


def index(root: Path, options: argparse.Namespace) -> Result:
    runs: dict[str, list[Figures]] = {"none": [], "instant": []}
    for _ in range(options.rounds):
        for embedder, of_embedder in runs.items():
            command = [sys.executable, __file__, "--run", embedder, str(root)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            of_embedder.append(json.loads(output))
    best = {name: min(of_embedder, key=lambda run: run["seconds"]) for name, of_embedder in runs.items()}
    ratios = {unit: best["instant"][unit] / best["none"][unit] for unit in ("seconds", "cores")}
    names = {"none": "words alone", "instant": "words and instant vectors"}
    rows = [
        [names[name], f"{run['seconds']:.2f}", f"{run['cores']:.2f}", f"{run['bytes'] / 1e6:.0f}"]
        for name, run in best.items()
    ]
    rows.append(["ratio", f"{ratios['seconds']:.2f}", f"{ratios['cores']:.2f}", ""])
    files = discover(root).files
    notes = [
        f"{len(files)} notes, {sum(file.size for file in files) / 1e6:.1f} MB, {best['none']['chunks']:.0f} chunks.",
        f"Best of {options.rounds} interleaved rounds, each in a process of its own, on all cores.",
        f"Promised: at most {INSTANT_INDEX} × the seconds of words alone.",
    ]
    table = Table("From a folder to its index", ["", "seconds", "core seconds", "MB on disk"], rows, notes)
    figures = [figure for name, run in best.items() for figure in spent(names[name], run["seconds"], run["cores"])]
    figures += [Figure(names[name], "index", "MB", run["bytes"] / 1e6) for name, run in best.items()]
    return Result(figures, table, ratios["seconds"] <= INSTANT_INDEX)


def timed_update(root: Path, embedder: str) -> Figures:
    """One index from nothing, in this process and its workers."""
    shutil.rmtree(root / ".headnote", ignore_errors=True)
    begin, before = time.perf_counter(), _core_seconds()
    with headnote.Index.open(root, embedder=embedder) as opened:
        opened.update()
        seconds, cores = time.perf_counter() - begin, _core_seconds() - before
        status = opened.status()
    return {"seconds": seconds, "cores": cores, "chunks": status.chunks, "bytes": status.bytes_on_disk}


def _core_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


# -- embedders by themselves


def instant(root: Path, options: argparse.Namespace) -> Result:
    embedder = get_embedder("instant")
    chunks = some_chunks(root, options.chunks)
    texts = [chunk.embed_text for chunk in chunks]
    embedder.embed(texts[:1])
    whole = min(core_seconds(lambda: embedder.embed(texts)) for _ in range(options.rounds))
    stored = min(core_seconds(lambda: embed_as_stored(embedder, chunks)) for _ in range(options.rounds))
    query = statistics.median(core_seconds(lambda: embedder.embed_query(QUERY)) for _ in range(200)) * 1000
    figures = [
        Figure("instant, one vector each", "speed", "chunks/s", len(chunks) / whole, "higher"),
        Figure("instant, parts and names too", "speed", "chunks/s", len(chunks) / stored, "higher"),
        Figure("instant, a query", "time", "ms", query),
    ]
    rows = [
        ["chunks/s, one vector each", f"{len(chunks) / whole:,.0f}"],
        ["chunks/s, with the vectors of parts and names", f"{len(chunks) / stored:,.0f}"],
        ["ms for a query", f"{query:.3f}"],
    ]
    notes = [
        f"{len(chunks)} chunks of the notes, {sum(map(len, texts)) / len(texts):.0f} characters on average; one core.",
        f"Promised: at least {INSTANT_SPEED:,} chunks/s and at most {QUERY_MILLISECONDS:g} ms.",
    ]
    holds = len(chunks) / whole >= INSTANT_SPEED and query <= QUERY_MILLISECONDS
    return Result(figures, Table("The instant model", ["", "one core"], rows, notes), holds)


def deep(root: Path, options: argparse.Namespace) -> Result:
    chunks = some_chunks(root, options.deep_chunks)
    seconds: dict[str, list[float]] = {"deep": [], "minilm": []}
    for name in seconds:
        get_embedder(name).embed(["loaded"])
    for _ in range(options.rounds):
        for name, of_model in seconds.items():
            embedder = get_embedder(name)
            # Their threads wait for each other hardly ever, so the seconds of all cores together are what it costs.
            of_model.append(core_seconds(lambda model=embedder: embed_as_stored(model, chunks)))  # type: ignore[misc]
    speed = {name: len(chunks) / min(of_model) for name, of_model in seconds.items()}
    ratio = speed["deep"] / speed["minilm"]
    rows = [[name, f"{of_model:.1f}"] for name, of_model in speed.items()]
    rows.append(["ratio", f"{ratio:.2f}"])
    notes = [
        f"{len(chunks)} chunks with all vectors of their parts and names, in seconds of a core.",
        f"Best of {options.rounds} interleaved rounds. Promised: at least {DEEP_SPEED:g} × stock MiniLM.",
    ]
    table = Table("The deep model", ["", "chunks/s and core"], rows, notes)
    figures = [
        Figure(f"{name}, parts and names too", "speed", "chunks/s", of_model, "higher")
        for name, of_model in speed.items()
    ]
    return Result(figures, table, ratio >= DEEP_SPEED)


def some_chunks(root: Path, count: int) -> list[Any]:
    paths = [root / file.path for file in discover(root).files]
    chosen = random.Random(SEED).sample(paths, min(count, len(paths)))
    return [chunk for path in chosen for chunk in headnote.chunk_file(path)][:count]


def embed_as_stored(embedder: Embedder, chunks: Sequence[Any]) -> None:
    """All vectors that an index has of the chunks: of their parts, and of their names."""
    embed_in_parts(embedder, [chunk.embed_text for chunk in chunks])
    embedder.embed(sorted({name for chunk in chunks for name in names_of(chunk.title, chunk.heading_path)}))


def core_seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


# -- the first answer


def first(root: Path, options: argparse.Namespace) -> Result:
    """`headnote search` as a person runs it, in a folder that has no index yet, and again."""
    times: list[tuple[float, float]] = []
    for _ in range(options.rounds):
        shutil.rmtree(root / ".headnote", ignore_errors=True)
        times.append((answered_after(root), answered_after(root)))
    best = [min(column) for column in zip(*times, strict=True)]
    rows = [["the first search, no index yet", f"{best[0]:.2f}"], ["the second search", f"{best[1]:.2f}"]]
    notes = [f"Best of {options.rounds}. Seconds from the start of the process to its end, with the default embedder."]
    table = Table("To the first answer", ["", "seconds"], rows, notes)
    figures = [Figure(row[0], "time", "s", seconds) for row, seconds in zip(rows, best, strict=True)]
    return Result(figures, table)


def answered_after(root: Path) -> float:
    begin = time.perf_counter()
    command = [sys.executable, "-m", "headnote", "search", QUERY, str(root), "--limit", "3"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert output.strip()
    return time.perf_counter() - begin


MEASURED: dict[str, Callable[[Path, argparse.Namespace], Result]] = {
    "index": index,
    "instant": instant,
    "deep": deep,
    "first": first,
}


if __name__ == "__main__":
    sys.exit(main())
