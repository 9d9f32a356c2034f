"""Speed and memory of bulk jobs: the same documents on one machine, on Ray and on Spark, with one worker and with two.

    python bench/scale.py [--megabytes N] [--input DIR] [--rounds N] [--engine NAME]... [--workers N]...
                          [--output parquet|lance|postgresql://…] [--vectors N] [--json FILE]

Needs `pip install -e ".[search,deep,ray,spark]" ./models/minilm` and Java 17. The documents are made from the corpora
(see `bulk_text.py`) in a temporary folder, or lie in DIR already. Ends with 1 if two workers are not as much faster
than one as promised.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bulk_text import write_documents
from headnote.embedding.registry import get_embedder
from process_memory import PeakMemory
from report import Figure, Table, add_json_option, machine, show, show_setting, spent, versions, write_figures
from shared_corpora import MEGABYTE, files_below

ENGINES = ("local", "ray", "spark")
DISTRIBUTIONS = ["headnote-md", "pyarrow", "ray", "pyspark"]
SCHEMA = "headnote_bench"
TIMES_FASTER = 1.6
"""Two workers beside one, on the job without its start."""

Figures = dict[str, float]


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed of bulk jobs on one machine, on Ray and on Spark.")
    parser.add_argument("--megabytes", type=float, default=100, help="so much Markdown (default 100)")
    parser.add_argument("--input", type=Path, metavar="DIR", help="documents that are there already, instead")
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many counts (default 2)")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one; may be repeated")
    parser.add_argument("--workers", action="append", type=int, help="so many; may be repeated (default 1 and 2)")
    parser.add_argument(
        "--output",
        default="parquet",
        help="parquet, lance or the URL of a database, whose schema headnote_bench is dropped first (default parquet)",
    )
    parser.add_argument("--vectors", type=int, default=40, help="documents that are embedded; 0 for none (default 40)")
    add_json_option(parser)
    parser.add_argument("--run", nargs=5, metavar="WHAT", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        engine, workers, given, embedder, output = options.run
        print(json.dumps(run(engine, int(workers), given, embedder, output)))
        return 0
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    if options.vectors:
        get_embedder("minilm")  # if it is missing, that is said before hours of other work
    with documents(options.input, options.megabytes) as folder:
        results = measured(folder, options)
        embedding = embedded(folder, options.vectors) if options.vectors else None
    tables = [speed(results, options), memory(results), *([vectors(embedding)] if embedding else [])]
    for table in tables:
        show(table)
    print(f"\n  load after: {machine()['load']}")
    write_figures(options.json, as_figures(results, embedding), setting, packages, runs=results, vectors=embedding)
    return 0 if promises_hold(results) else 1


# -- the documents


@contextmanager
def documents(given: Path | None, megabytes: float) -> Iterator[Path]:
    """The folder of documents, which is removed again if it was made here."""
    if given is not None:
        yield given
        return
    with TemporaryDirectory() as scratch:
        write_documents(Path(scratch), megabytes)
        yield Path(scratch)


# -- measuring


def measured(folder: Path, options: argparse.Namespace) -> dict[str, Figures]:
    """Engine and workers → the round that took least time. Rounds are interleaved, so load affects all alike."""
    runs: dict[str, list[Figures]] = {}
    for _ in range(options.rounds):
        for engine in options.engine or ENGINES:
            for number in options.workers or (1, 2):
                figures = in_process(engine, number, str(folder), "", options.output)
                runs.setdefault(f"{engine} {number}", []).append(figures)
                print(f"  {engine}, workers: {number}, seconds of work: {figures['work']:.0f}", file=sys.stderr)
    return {what: min(rounds_of, key=lambda figures: figures["work"]) for what, rounds_of in runs.items()}


def embedded(folder: Path, count: int) -> Figures:
    """Vectors of some documents, by one worker with one thread."""
    files = files_below(folder)
    with TemporaryDirectory() as sample:
        for number, file in enumerate(files[:: max(len(files) // count, 1)][:count]):
            (Path(sample) / f"{number}.md").write_bytes(file.read_bytes())
        return in_process("local", 1, sample, "minilm")


def in_process(engine: str, workers: int, given: str, embedder: str, output: str = "parquet") -> Figures:
    command = [sys.executable, __file__, "--run", engine, str(workers), given, embedder, output]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{engine} with {workers} failed:\n{done.stderr}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


@dataclass(frozen=True)
class Timed:
    """Does a part, and notes when it began, when it ended, and what it took of its core and of memory."""

    writer: Any
    notes: str

    def __call__(self, part: Any) -> Any:
        began, cores = time.time(), time.process_time()
        result = self.writer(part)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        note = [began, time.time(), time.process_time() - cores, most]
        Path(self.notes, part.name).write_text(json.dumps(note), encoding="utf-8")
        return result


def run(engine: str, workers: int, given: str, embedder: str, kind: str) -> Figures:
    """One job. Its start is all that passes before the first part begins, and what is still to do after the last."""
    from headnote.chunking.settings import Settings
    from headnote.extra.scale.inputs import list_inputs
    from headnote.extra.scale.job import Job, find_engine, open_output
    from headnote.extra.scale.work import Recipe, cut_into_parts

    model = get_embedder(embedder).name if embedder else ""
    recipe = Recipe(Settings(), embedder, model, threads=1)
    with TemporaryDirectory() as scratch:
        notes, out = Path(scratch) / "notes", Path(scratch) / f"out.{kind}"
        notes.mkdir()
        output = open_output(Job(given, emptied(kind) if "://" in kind else str(out), recipe))
        began = time.time()
        with PeakMemory() as together:
            units = list_inputs(given).units
            output.open(rebuild=False)
            parts = cut_into_parts(units, recipe.text, bool(embedder))
            results = list(find_engine(engine)(Timed(output.writer(), str(notes)), parts, workers))
            finished = output.finish(units, (), ())
        whole = time.time() - began
        driver = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        times = [json.loads(note.read_text(encoding="utf-8")) for note in notes.iterdir()]
        work = max(end for _, end, _, _ in times) - min(start for start, _, _, _ in times)
        stored = in_database(kind) if "://" in kind else below(out)
        raw = unpacked(out / "chunks") if kind == "parquet" else 0
    return {
        "whole": whole,
        "start": whole - work,
        "work": work,
        "cores": sum(cores for _, _, cores, _ in times),
        "worker_memory": max(most for _, _, _, most in times),
        "driver_memory": driver,
        "memory": together.peak,
        "documents": len(units),
        "parts": len(parts),
        "bytes": sum(result.size for result in results),
        "chunks": finished.chunks,
        "chunk_bytes": stored,
        "raw_bytes": raw,
    }


def emptied(url: str) -> str:
    """The address of a schema in the database that is not there yet."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    return f"{url}{'&' if '?' in url else '?'}schema={SCHEMA}"


def in_database(url: str) -> int:
    """Bytes of the tables of the schema, and of their indexes."""
    import psycopg

    question = (
        "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace"
    )
    with psycopg.connect(url) as connection:
        row = connection.execute(question, [SCHEMA]).fetchone()
    return int(row[0]) if row else 0


def below(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def unpacked(folder: Path) -> int:
    """Bytes of the same columns in memory."""
    from pyarrow import parquet

    return sum(parquet.read_table(file).nbytes for file in sorted(folder.iterdir()))


# -- saying it


def speed(results: dict[str, Figures], options: argparse.Namespace) -> Table:
    rows = [_row(what, figures) for what, figures in results.items()]
    some = next(iter(results.values()))
    size = f"{some['bytes'] / MEGABYTE:,.1f} MB in {some['parts']:.0f} parts"
    notes = [
        f"{some['documents']:,.0f} files, {size}, {some['chunks']:,.0f} chunks with every field.",
        _bytes_of_a_chunk(some),
        "Work: from the beginning of the first part to the end of the last. Start: the whole job without that.",
        "Per core second: what a core does while it works for us, whatever else runs.",
        f"Best of {options.rounds} rounds, each in a process of its own.",
        *_promises(results),
    ]
    return Table("Bulk jobs", ["engine", "workers", "start s", "work s", "MB/s", "MB per core second"], rows, notes)


def _bytes_of_a_chunk(figures: Figures) -> str:
    source, memory, stored = (figures[name] / figures["chunks"] for name in ("bytes", "raw_bytes", "chunk_bytes"))
    in_memory = f"{memory:,.0f} in memory, " if memory else ""
    return f"A chunk has {source:,.0f} bytes of source, {in_memory}{stored:,.0f} where it is stored."


def _row(what: str, figures: Figures) -> list[str]:
    engine, workers = what.split()
    rate = figures["bytes"] / MEGABYTE / figures["work"]
    per_core = figures["bytes"] / MEGABYTE / figures["cores"]
    numbers = [f"{figures['start']:.1f}", f"{figures['work']:.1f}", f"{rate:.2f}", f"{per_core:.2f}"]
    return [engine, workers, *numbers]


def memory(results: dict[str, Figures]) -> Table:
    rows = [
        [*what.split(), *(f"{figures[name] / MEGABYTE:,.0f}" for name in ("worker_memory", "driver_memory", "memory"))]
        for what, figures in results.items()
    ]
    notes = [
        "A worker and the process that started the job: the most that each ever had.",
        "Together: all processes, those of the engine too, what they share counted once; looked at every second.",
    ]
    return Table("Most memory, MB", ["engine", "workers", "a worker", "driver", "together"], rows, notes)


def as_figures(results: dict[str, Figures], embedding: Figures | None) -> Iterator[Figure]:
    for what, figures in {**results, **({"vectors of minilm": embedding} if embedding else {})}.items():
        yield from spent(what, figures["work"], figures["cores"])
        yield Figure(what, "start", "s", figures["start"])
        yield Figure(what, "stored", "bytes per chunk", figures["chunk_bytes"] / figures["chunks"])
        yield Figure(what, "memory of a worker", "MB", figures["worker_memory"] / MEGABYTE)
        yield Figure(what, "memory together", "MB", figures["memory"] / MEGABYTE)


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
