"""Speed of bulk jobs: the same documents on one machine, on Ray and on Spark, with one worker and with two.

    python bench/scale.py [--megabytes N] [--rounds N] [--engine NAME]... [--workers N]... [--vectors N] [--json FILE]

Needs `pip install -e ".[search,deep,ray,spark]" ./models/minilm` and Java 17. Corpora lie at HEADNOTE_SHARED or beside
the working copy in `shared`; they are copied to a temporary folder, again and again under other names, until there is
enough. Ends with 1 if two workers are not as much faster than one as promised.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from report import Figure, Table, add_json_option, machine, show, show_setting, spent, versions, write_figures
from shared_corpora import MEGABYTE, load

CORPORA = ("kubernetes-en", "react.dev", "astro-en", "rust-book", "fastapi-en", "foam")
ENGINES = ("local", "ray", "spark")
DISTRIBUTIONS = ["headnote-md", "pyarrow", "ray", "pyspark"]
TIMES_FASTER = 1.6
"""Two workers beside one, on the job without its start."""

Figures = dict[str, float]


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed of bulk jobs on one machine, on Ray and on Spark.")
    parser.add_argument("--megabytes", type=float, default=100, help="so much Markdown (default 100)")
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many counts (default 2)")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one; may be repeated")
    parser.add_argument("--workers", action="append", type=int, help="so many; may be repeated (default 1 and 2)")
    parser.add_argument("--vectors", type=int, default=40, help="documents that are embedded; 0 for none (default 40)")
    add_json_option(parser)
    parser.add_argument("--run", nargs=4, metavar=("ENGINE", "WORKERS", "INPUT", "EMBEDDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        engine, workers, given, embedder = options.run
        print(json.dumps(run(engine, int(workers), given, embedder)))
        return 0
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    with TemporaryDirectory() as scratch:
        files = write_documents(Path(scratch) / "docs", options.megabytes)
        results = measured(scratch, options.engine or list(ENGINES), options.workers or [1, 2], options.rounds)
        embedding = embedded(Path(scratch), options.vectors) if options.vectors else None
    tables = [speed(results, files, options), *([vectors(embedding)] if embedding else [])]
    for table in tables:
        show(table)
    print(f"\n  load after: {machine()['load']}")
    write_figures(options.json, as_figures(results, embedding), setting, packages)
    return 0 if promises_hold(results) else 1


# -- the documents


def write_documents(folder: Path, megabytes: float) -> int:
    """The corpora, each round in a folder of its own, until there is enough; how many files."""
    documents = [document for corpus in load(CORPORA).values() for document in corpus]
    size = files = 0
    for number in count():
        for document in documents:
            if size >= megabytes * MEGABYTE:
                return files
            file = folder / f"round-{number}" / document.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(document.text, encoding="utf-8", newline="")
            size += document.size
            files += 1
    raise AssertionError("unreachable")


# -- measuring


def measured(scratch: str, engines: Sequence[str], workers: Sequence[int], rounds: int) -> dict[str, Figures]:
    """Engine and workers → the round that took least time. Rounds are interleaved, so load affects all alike."""
    runs: dict[str, list[Figures]] = {}
    for _ in range(rounds):
        for engine in engines:
            for number in workers:
                figures = in_process(engine, number, f"{scratch}/docs", "")
                runs.setdefault(f"{engine} {number}", []).append(figures)
    return {what: min(rounds_of, key=lambda figures: figures["work"]) for what, rounds_of in runs.items()}


def embedded(scratch: Path, documents: int) -> Figures:
    """Vectors of some documents, by one worker with one thread."""
    files = sorted((scratch / "docs" / "round-0").rglob("*.md"))
    sample = scratch / "sample"
    sample.mkdir()
    for number, file in enumerate(files[:: max(len(files) // documents, 1)][:documents]):
        (sample / f"{number}.md").write_bytes(file.read_bytes())
    return in_process("local", 1, str(sample), "minilm")


def in_process(engine: str, workers: int, given: str, embedder: str) -> Figures:
    command = [sys.executable, __file__, "--run", engine, str(workers), given, embedder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{engine} with {workers} failed:\n{done.stderr}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


@dataclass(frozen=True)
class Timed:
    """Does a part, and notes when it began, when it ended, and what it took of its core."""

    writer: Any
    notes: str

    def __call__(self, part: Any) -> Any:
        began, cores = time.time(), time.process_time()
        result = self.writer(part)
        note = [began, time.time(), time.process_time() - cores]
        Path(self.notes, part.name).write_text(json.dumps(note), encoding="utf-8")
        return result


def run(engine: str, workers: int, given: str, embedder: str) -> Figures:
    """One job. Its start is all that passes before the first part begins, and what is still to do after the last."""
    from headnote.chunking.settings import Settings
    from headnote.embedding.registry import get_embedder
    from headnote.scale.engines import find_engine
    from headnote.scale.inputs import list_inputs
    from headnote.scale.parquet_output import ParquetOutput
    from headnote.scale.work import Recipe, cut_into_parts

    model = get_embedder(embedder).name if embedder else ""
    recipe = Recipe(Settings(), embedder, model, threads=1)
    with TemporaryDirectory() as scratch:
        notes, out = Path(scratch) / "notes", Path(scratch) / "out"
        notes.mkdir()
        output = ParquetOutput(str(out), recipe)
        began = time.time()
        units = list_inputs(given).units
        output.open(rebuild=False)
        parts = cut_into_parts(units, recipe.text, bool(embedder))
        results = list(find_engine(engine)(Timed(output.writer(), str(notes)), parts, workers))
        finished = output.finish(units, (), ())
        whole = time.time() - began
        times = [json.loads(note.read_text(encoding="utf-8")) for note in notes.iterdir()]
        work = max(end for _, end, _ in times) - min(start for start, _, _ in times)
        stored, raw = below(out / "chunks"), unpacked(out / "chunks")
    return {
        "whole": whole,
        "start": whole - work,
        "work": work,
        "cores": sum(cores for _, _, cores in times),
        "bytes": sum(result.size for result in results),
        "chunks": finished.chunks,
        "chunk_bytes": stored,
        "raw_bytes": raw,
    }


def below(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def unpacked(folder: Path) -> int:
    """Bytes of the same columns in memory."""
    from pyarrow import parquet

    return sum(parquet.read_table(file).nbytes for file in sorted(folder.iterdir()))


# -- saying it


def speed(results: dict[str, Figures], files: int, options: argparse.Namespace) -> Table:
    rows = [_row(what, figures) for what, figures in results.items()]
    some = next(iter(results.values()))
    notes = [
        f"{files:,} files, {some['bytes'] / MEGABYTE:.1f} MB, {some['chunks']:,.0f} chunks with every field.",
        _bytes_of_a_chunk(next(iter(results.values()))),
        "Work: from the beginning of the first part to the end of the last. Start: the whole job without that.",
        "Per core second: what a core does while it works for us, whatever else runs.",
        f"Best of {options.rounds} rounds, each in a process of its own.",
        *_promises(results),
    ]
    return Table("Bulk jobs", ["engine", "workers", "start s", "work s", "MB/s", "MB per core second"], rows, notes)


def _bytes_of_a_chunk(figures: Figures) -> str:
    source, memory, stored = (figures[name] / figures["chunks"] for name in ("bytes", "raw_bytes", "chunk_bytes"))
    return f"A chunk has {source:,.0f} bytes of source, {memory:,.0f} in memory, {stored:,.0f} in parquet."


def _row(what: str, figures: Figures) -> list[str]:
    engine, workers = what.split()
    rate = figures["bytes"] / MEGABYTE / figures["work"]
    per_core = figures["bytes"] / MEGABYTE / figures["cores"]
    numbers = [f"{figures['start']:.1f}", f"{figures['work']:.1f}", f"{rate:.2f}", f"{per_core:.2f}"]
    return [engine, workers, *numbers]


def as_figures(results: dict[str, Figures], embedding: Figures | None) -> Iterator[Figure]:
    for what, figures in {**results, **({"vectors of minilm": embedding} if embedding else {})}.items():
        yield from spent(what, figures["work"], figures["cores"])
        yield Figure(what, "start", "s", figures["start"])
        yield Figure(what, "stored", "bytes per chunk", figures["chunk_bytes"] / figures["chunks"])


def ratios(results: dict[str, Figures]) -> dict[str, float]:
    engines = [engine for engine in ENGINES if {f"{engine} 1", f"{engine} 2"} <= results.keys()]
    return {engine: results[f"{engine} 1"]["work"] / results[f"{engine} 2"]["work"] for engine in engines}


def _promises(results: dict[str, Figures]) -> list[str]:
    return [
        f"{engine}: two workers are {ratio:.2f} × one; {TIMES_FASTER} is promised."
        for engine, ratio in ratios(results).items()
    ]


def promises_hold(results: dict[str, Figures]) -> bool:
    return all(ratio >= TIMES_FASTER for ratio in ratios(results).values())


def vectors(figures: Figures) -> Table:
    rate = figures["chunks"] / figures["cores"]
    row = ["minilm", f"{figures['chunks']:.0f}", f"{figures['work']:.1f}", f"{figures['cores']:.1f}", f"{rate:.1f}"]
    stored = figures["chunk_bytes"] / figures["chunks"]
    notes = [f"One thread. A chunk with its vector: {stored:,.0f} bytes in parquet."]
    return Table("Vectors", ["embedder", "chunks", "seconds", "core seconds", "chunks per core second"], [row], notes)


if __name__ == "__main__":
    sys.exit(main())
