"""A whole job: list, leave out what is done, share out the rest, and make the output say what the input says."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from headnote.chunking.settings import nearest
from headnote.errors import BulkError, SettingsError
from headnote.index.ownership import name_of
from headnote.scale.arrow import load_arrow
from headnote.scale.inputs import Inputs, before_magic, list_inputs
from headnote.scale.output import Output, ParquetOutput
from headnote.scale.recipe import Recipe
from headnote.scale.storage import absolute, is_remote
from headnote.scale.work import Engine, Failure, PartResult, cut_into_parts
from headnote.store.postgres.target import is_postgres

ENGINES = ("local", "ray", "spark")


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done."""

    input: str
    """Folder, file, glob or address; see `inputs`."""
    out: str
    """Folder or address of parquet, see `output`; or the URL of a database, see `store_output`."""
    recipe: Recipe
    engine: str = "local"
    workers: int | None = None
    """All cores if left out."""
    rebuild: bool = False
    """Whether what is there already is made anew."""
    adopts: bool = False
    """Whether an index that belongs to another input is taken over."""
    made_with: str = ""
    """What settings were said to be, to be written down in an index."""


class Summary(NamedTuple):
    """What was done, and what there is now."""

    documents: int
    chunks: int
    read: int
    """Documents that this job read."""
    unchanged: int
    removed: int
    written: int
    """Chunks that this job wrote."""
    size: int
    """Bytes that this job read."""
    failures: list[Failure]
    """Every document without chunks, whichever job found that out."""


Watcher = Callable[[int, int], None]
"""Is told how many documents of how many are done."""


def ignore_progress(_done: int, _total: int) -> None:
    """Watches nothing."""


def run_job(job: Job, watch: Watcher = ignore_progress) -> Summary:
    """Do it. What is finished when something ends it is not done again by the next one."""
    # Before the output is touched: what cannot begin must not leave anything behind.
    engine = find_engine(job.engine)
    inputs = list_inputs(job.input, job.recipe.max_bytes)
    _refuse_circle(job, inputs)
    with closing(open_output(job)) as output:
        return _done(job, engine, inputs, output, watch)


def _done(job: Job, engine: Engine, inputs: Inputs, output: Output, watch: Watcher) -> Summary:
    output.open(job.rebuild)
    waiting = [unit for unit in inputs.units if not output.has(unit)]
    parts = cut_into_parts(waiting, job.recipe.text, bool(job.recipe.embedder))
    tally = _Tally(watch, len(waiting))
    if parts:
        with closing(engine(output.writer(), parts, job.workers)) as results:
            for result in results:
                tally.add(result)
    finished = output.finish(inputs.units, _out_of_sight(output.known(), inputs), tally.failures)
    skipped = [Failure(skipped.path, skipped.reason) for skipped in inputs.skipped]
    failures = sorted([*skipped, *finished.failures], key=lambda failure: failure.path)
    output.report(report_lines(failures))
    return Summary(
        *(finished.documents, finished.chunks, len(waiting), len(inputs.units) - len(waiting), finished.removed),
        *(tally.chunks, tally.size, failures),
    )


def _refuse_circle(job: Job, inputs: Inputs) -> None:
    """Where tables are read, those that are written must lie elsewhere, or the next job would read them."""
    below = absolute(job.out).startswith(f"{absolute(job.input).rstrip('/')}/")
    if below and any(unit.row >= 0 for unit in inputs.units):
        raise BulkError("lies below the tables that are read", path=job.out, remedy="name a folder elsewhere for --out")


def find_engine(name: str) -> Engine:
    """The engine of that name; what it needs is loaded now."""
    load_arrow()
    if name == "local":
        from headnote.scale.local import run_local

        return run_local
    if name == "ray":
        from headnote.scale.ray_data import load_ray, run_ray

        load_ray()
        return run_ray
    if name == "spark":
        from headnote.scale.spark import load_spark, run_spark

        load_spark()
        return run_spark
    raise SettingsError(f"unknown engine {name!r}", remedy=nearest(name, ENGINES))


def open_output(job: Job) -> Output:
    """A folder, a bucket, or an index in a database."""
    if is_postgres(job.out):
        from headnote.scale.store_output import Place, StoreOutput

        place = Place(_root_of(job.input), job.out, _source_of(job.input), job.adopts)
        return StoreOutput(place, job.recipe, job.made_with)
    return ParquetOutput(absolute(job.out), job.recipe)


def _root_of(given: str) -> str:
    """The folder whose index is meant; of an address, what it would be called."""
    path = Path(before_magic(given))
    if path.is_dir():
        return absolute(str(path))
    return path.stem if path.suffix else path.name


def _source_of(given: str) -> str:
    """The same for every pattern below one folder."""
    start = before_magic(given)
    return start.rstrip("/") if is_remote(start) else name_of(start)


def report_lines(failures: Iterable[Failure]) -> bytes:
    """Documents without chunks, an object on each line."""
    return b"".join(json.dumps(failure._asdict(), ensure_ascii=False).encode() + b"\n" for failure in failures)


class _Tally:
    """Adds up what comes back, and stops when a part says that nothing can go on."""

    def __init__(self, watch: Watcher, total: int) -> None:
        self._watch = watch
        self._total = total
        self._done = 0
        self.chunks = 0
        self.size = 0
        self.failures: list[Failure] = []

    def add(self, result: PartResult) -> None:
        if result.stopped:
            raise BulkError(result.stopped, remedy="what is finished stays: run the command again to go on")
        self._done += result.documents
        self.chunks += result.chunks
        self.size += result.size
        self.failures += result.failures
        self._watch(self._done, self._total)


def _out_of_sight(known: Collection[str], inputs: Inputs) -> set[str]:
    """Documents that are not in the input only because nobody could look into their folder: they may still be there."""
    closed = tuple(f"{skipped.path.rstrip('/')}/" for skipped in inputs.skipped if skipped.unreadable)
    return {path for path in known if f"{path}/".startswith(closed)} if closed else set()
