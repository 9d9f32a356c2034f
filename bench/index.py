"""Speed and size of the index of a folder, beside a stack that many build: Whoosh and FAISS.

    python bench/index.py [--corpus NAME] [--rounds N] [--vector-files N] [--only STEP]... [--json FILE]

Needs `pip install -e ".[bench,search]" ./models/minilm`. The corpora lie at HEADNOTE_SHARED, or beside the working copy
in `shared`; they are copied to a temporary folder first. The exit code is 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from headnote.sources.discover import discover
from processes import run
from report import Figure, Table, add_json_option, machine, show, show_setting, spent, versions, write_figures
from shared_corpora import MEGABYTE, SEED, shared_folder

CORPUS = "kubernetes-en"
DISTRIBUTIONS = ["headnote-md", "apsw", "whoosh-reloaded", "faiss-cpu", "numpy", "onnxruntime"]
VECTORS = 20_000
DIMENSIONS = 384
TIMES_FASTER = 5.0
"""To keyword ready, beside Whoosh on the same chunks."""
SECOND_RUN = 0.03
"""Of the first run, at most."""

Figures = dict[str, float]
STEPS = {
    "keyword": "files to keyword ready",
    "again": "second run, unchanged",
    "chunks": "files to chunks",
    "put": "chunks to keyword ready",
    "whoosh": "chunks to Whoosh",
    "store": f"{VECTORS:,} vectors stored",
    "faiss": f"{VECTORS:,} vectors into FAISS",
    "vectors": "files to vectors ready",
}
"""Name of a run → what it is. "again" finds what "keyword" has made."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed and size of the index, beside Whoosh and FAISS.")
    parser.add_argument("--corpus", default=CORPUS, help=f"name of a corpus (default {CORPUS})")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts (default 3)")
    parser.add_argument("--vector-files", type=int, default=40, help="files that are embedded; 0 for all (default 40)")
    parser.add_argument("--only", action="append", choices=list(STEPS), help="only this step; may be repeated")
    add_json_option(parser)
    parser.add_argument("--run", nargs=2, metavar=("WHAT", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        what, folder = options.run
        print(json.dumps(RUNS[what](Path(folder))))
        return 0
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    with TemporaryDirectory() as scratch:
        root = copied(shared_folder() / "corpora" / options.corpus, Path(scratch) / "corpus")
        results = measured(root, options.only or list(STEPS), options, Path(scratch) / "sample")
    for table in [steps(results, options)] if options.only else [ours(results, options), beside(results, options)]:
        show(table)
    write_figures(options.json, as_figures(results, options.corpus), setting, packages)
    return 0 if options.only or promises_hold(results) else 1


# -- measuring


def measured(root: Path, steps: Sequence[str], options: argparse.Namespace, sample: Path) -> dict[str, Figures]:
    """Name of a run → the round that took least time. Rounds are interleaved, so load affects all alike."""
    runs: dict[str, list[Figures]] = {}
    for _ in range(options.rounds):
        for what in steps:
            if what != "vectors":
                runs.setdefault(what, []).append(in_process(what, root))
    if "vectors" in steps:
        # They take long: once, and some of the files.
        runs["vectors"] = [in_process("vectors", sampled(root, sample, options.vector_files))]
    return {what: min(rounds_of, key=lambda figures: figures["seconds"]) for what, rounds_of in runs.items()}


def in_process(what: str, folder: Path) -> Figures:
    """One run in a process of its own, with the most memory that it and its workers had at any moment."""
    done = run([sys.executable, __file__, "--run", what, str(folder)])
    figures: Figures = json.loads(done.output)
    return {**figures, "memory": done.memory}


def copied(source: Path, to: Path) -> Path:
    shutil.copytree(source, to)
    for folder in [to, *(path for path in to.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    return to


def sampled(root: Path, to: Path, count: int) -> Path:
    """A folder with some of the files, the same ones every time; all if there are to be no fewer."""
    if not count:
        return root
    paths = [file.path for file in discover(root).files]
    for path in random.Random(SEED).sample(paths, min(count, len(paths))):
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / path, to / path)
    return to


# -- what is measured, each in a process of its own


def timed(work: Callable[[], Any]) -> tuple[Figures, Any]:
    """Seconds by the clock, and of all cores together, which a busy machine does not change much."""
    begin, cores = time.perf_counter(), _of_all_cores()
    result = work()
    return {"seconds": time.perf_counter() - begin, "cores": _of_all_cores() - cores}, result


def _of_all_cores() -> float:
    """Workers count when they have ended, which they have when their work is done."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def run_keyword(root: Path) -> Figures:
    """From files to an index that can be searched by words."""
    import headnote

    shutil.rmtree(root / ".headnote", ignore_errors=True)
    files = discover(root).files

    def build() -> headnote.Index:
        index = headnote.Index.open(root, embedder="none")
        index.update()
        return index

    times, index = timed(build)
    status = index.status()
    index.close()
    size = sum(file.size for file in files)
    return {
        **times,
        "files": len(files),
        "bytes": size,
        "chunks": status.chunks,
        "index_bytes": (root / ".headnote" / "index.db").stat().st_size,
    }


def run_again(root: Path) -> Figures:
    """The same folder once more, with an index that is up to date."""
    import headnote

    def again() -> bool:
        with headnote.Index.open(root, embedder="none") as index:
            return index.update().plan.is_empty

    times, is_empty = timed(again)
    assert is_empty
    return times


def run_vectors(root: Path) -> Figures:
    """From files to an index that can be searched by meaning."""
    import headnote

    shutil.rmtree(root / ".headnote", ignore_errors=True)
    files = discover(root).files
    with headnote.Index.open(root, embedder="minilm") as index:
        times, report = timed(index.update)
    size = sum(file.size for file in files)
    stored = (root / ".headnote" / "index.db").stat().st_size
    texts = report.embedded
    return {**times, "files": len(files), "bytes": size, "texts": texts, "index_bytes": stored}


def run_chunks(root: Path) -> Figures:
    """Only the chunks, with all that Whoosh is given of them."""
    times, chunks = timed(lambda: _chunks(root))
    return {**times, "chunks": len(chunks)}


def _chunks(root: Path) -> list[tuple[str, str, str, str, str]]:
    import headnote

    paths = [root / file.path for file in discover(root).files]
    return [
        (chunk.id, chunk.path, chunk.title, chunk.breadcrumb, chunk.embed_text) for chunk in headnote.chunk_files(paths)
    ]


def run_put(root: Path) -> Figures:
    """Only the writing of documents and chunks that are at hand: terms, keyword index, tables; on one core."""
    from headnote.chunking.settings import Settings
    from headnote.index.entries import read_entry
    from headnote.sources.files import read_snapshot
    from headnote.store.sqlite.store import SqliteStore

    paths = [file.path for file in discover(root).files]
    entries = [read_entry(read_snapshot(root, path), Settings())[0] for path in paths]
    with TemporaryDirectory() as folder:

        def put() -> None:
            store = SqliteStore.open(folder)
            with store.writing() as writer:
                writer.put(entries)
            store.close()

        times, _ = timed(put)
    return {**times, "chunks": sum(len(entry.chunks) for entry in entries)}


def run_whoosh(root: Path) -> Figures:
    """The same chunks into Whoosh: fields and stemming as near to ours as it has them."""
    from whoosh import fields, index
    from whoosh.analysis import StemmingAnalyzer

    chunks = _chunks(root)
    words = StemmingAnalyzer()
    schema = fields.Schema(
        id=fields.ID(stored=True, unique=True),
        path=fields.ID(stored=True),
        title=fields.TEXT(stored=True, analyzer=words),
        headings=fields.TEXT(stored=True, analyzer=words),
        text=fields.TEXT(stored=True, analyzer=words),
    )
    with TemporaryDirectory() as folder:

        def build() -> None:
            writer = index.create_in(folder, schema).writer(limitmb=256)
            for number, path, title, headings, text in chunks:
                writer.add_document(id=number, path=path, title=title, headings=headings, text=text)
            writer.commit()

        times, _ = timed(build)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return {**times, "chunks": len(chunks), "index_bytes": size}


def _random_vectors() -> Any:
    import numpy

    vectors = numpy.random.default_rng(SEED).standard_normal((VECTORS, DIMENSIONS), numpy.float32)
    return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


def run_store(_: Path) -> Figures:
    """Vectors as an update stores them: every few in a transaction of their own."""
    from headnote.index.deep_vectors import TEXT_BATCH
    from headnote.store.sqlite.store import SqliteStore

    matrix = _random_vectors()
    hashes = [f"{number:032x}" for number in range(VECTORS)]
    with TemporaryDirectory() as folder:
        store = SqliteStore.open(folder)

        def add() -> None:
            for at in range(0, VECTORS, TEXT_BATCH):
                with store.writing() as writer:
                    writer.add_vectors("m", hashes[at : at + TEXT_BATCH], matrix[at : at + TEXT_BATCH])

        times, _ = timed(add)
        store.close()
        size = (Path(folder) / ".headnote" / "index.db").stat().st_size
    return {**times, "index_bytes": size}


def run_faiss(_: Path) -> Figures:
    """The same vectors into FAISS, which has no transactions: all at once, written when all are there."""
    import faiss

    matrix = _random_vectors()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "index.faiss"

        def add() -> None:
            index = faiss.IndexFlatIP(DIMENSIONS)
            index.add(matrix)
            faiss.write_index(index, str(file))

        times, _ = timed(add)
        return {**times, "index_bytes": file.stat().st_size}


RUNS: dict[str, Callable[[Path], Figures]] = {
    "keyword": run_keyword,
    "again": run_again,
    "vectors": run_vectors,
    "chunks": run_chunks,
    "put": run_put,
    "whoosh": run_whoosh,
    "store": run_store,
    "faiss": run_faiss,
}


# -- saying it


def ours(results: dict[str, Figures], options: argparse.Namespace) -> Table:
    first, again, vectors = results["keyword"], results["again"], results["vectors"]
    second = ["second run, unchanged", f"{again['seconds']:.3f}", f"{again['cores']:.3f}", "", ""]
    rows = [
        _row("keyword ready", first),
        [*second, _megabytes(again["memory"]), ""],
        _row("vectors ready", vectors),
    ]
    texts, share = vectors["texts"], again["seconds"] / first["seconds"]
    notes = [
        f"{options.corpus}: {first['files']} files, {first['bytes'] / MEGABYTE:.1f} MB, {first['chunks']} chunks.",
        f"The second run takes {share:.1%} of the first; at most {SECOND_RUN:.0%} is promised.",
        f"Vectors: only {vectors['files']} files with {texts} texts, {texts / vectors['seconds']:.1f} texts a second.",
        "All files take long: --vector-files 0 does it.",
        "Core seconds: of all processes together. Memory: of all processes at once, what they share counted for each.",
        f"Keyword ready and the second run: best of {options.rounds} rounds, each in a process of its own.",
    ]
    columns = ["", "seconds", "core seconds", "files/s", "MB/s", "peak MB", "index bytes per source byte"]
    return Table("From a folder to its index", columns, rows, notes)


def _row(name: str, figures: Figures) -> list[str]:
    seconds, size = figures["seconds"], figures["bytes"]
    return [
        name,
        f"{seconds:.2f}",
        f"{figures['cores']:.2f}",
        f"{figures['files'] / seconds:.1f}",
        f"{size / MEGABYTE / seconds:.2f}",
        _megabytes(figures["memory"]),
        f"{figures['index_bytes'] / size:.2f}",
    ]


def beside(results: dict[str, Figures], options: argparse.Namespace) -> Table:
    keyword, chunks, whoosh = results["keyword"], results["chunks"], results["whoosh"]
    there = {name: chunks[name] + whoosh[name] for name in ("seconds", "cores")}
    rows = [
        _against("files to keyword ready", keyword, there),
        _against("the same chunks, ready made", results["put"], whoosh),
        _against(f"{VECTORS:,} vectors stored", results["store"], results["faiss"]),
    ]
    here, other = (_megabytes(figures["index_bytes"]) for figures in (keyword, whoosh))
    notes = [
        f"Files to keyword ready: {TIMES_FASTER:.0f} × is promised. All cores here; there {chunks['seconds']:.1f} s",
        "for the same chunks on all cores, then Whoosh on one.",
        f"Whoosh by itself takes {whoosh['seconds'] / keyword['seconds']:.1f} × as long as all of ours.",
        "The same chunks, ready made: one core on both sides.",
        f"On disk: {here} MB here, with texts, links and tables; {other} MB there.",
        "Vectors: in transactions that outlive a kill here; there in memory, and then into a file.",
        f"Best of {options.rounds} interleaved rounds, each in a process of its own.",
    ]
    columns = ["", "headnote s", "Whoosh/FAISS s", "times as fast", "core seconds", "core seconds there"]
    return Table("Beside Whoosh and FAISS", columns, rows, notes)


def steps(results: dict[str, Figures], options: argparse.Namespace) -> Table:
    rows = [
        [STEPS[what], f"{one['seconds']:.2f}", f"{one['cores']:.2f}", _megabytes(one["memory"])]
        for what, one in results.items()
    ]
    notes = [f"{options.corpus}. Best of {options.rounds} rounds, each in a process of its own."]
    return Table("Single steps", ["", "seconds", "core seconds", "peak MB"], rows, notes)


def as_figures(results: dict[str, Figures], corpus: str) -> Iterator[Figure]:
    for what, figures in results.items():
        case = f"{corpus}: {STEPS[what]}"
        yield from spent(case, figures["seconds"], figures["cores"])
        yield Figure(case, "memory", "MB", figures["memory"] / MEGABYTE)
        if "index_bytes" in figures:
            yield Figure(case, "index", "MB", figures["index_bytes"] / MEGABYTE)


def _against(name: str, here: Figures, there: Figures) -> list[str]:
    seconds = [here["seconds"], there["seconds"]]
    cores = [f"{figures['cores']:.2f}" for figures in (here, there)]
    return [name, *(f"{each:.2f}" for each in seconds), f"{seconds[1] / seconds[0]:.2f}", *cores]


def _megabytes(size: float) -> str:
    return f"{size / MEGABYTE:.0f}"


def promises_hold(results: dict[str, Figures]) -> bool:
    there = results["chunks"]["seconds"] + results["whoosh"]["seconds"]
    fast = there >= TIMES_FASTER * results["keyword"]["seconds"]
    return fast and results["again"]["seconds"] <= SECOND_RUN * results["keyword"]["seconds"]


if __name__ == "__main__":
    sys.exit(main())
