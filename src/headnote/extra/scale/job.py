"""A whole job: list the input, skip what is done, distribute the rest, and make the output match the input."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from headnote.errors import BulkError, SettingsError, nearest
from headnote.extra.scale.batch import load_arrow
from headnote.extra.scale.folder_output import FolderOutput
from headnote.extra.scale.inputs import Inputs, before_magic, list_inputs
from headnote.extra.scale.storage import absolute, is_remote
from headnote.extra.scale.work import (
    FailedFile,
    JobEngine,
    JobOutput,
    OutputPart,
    PartResult,
    PartWriter,
    Recipe,
    cut_into_parts,
    run_part,
)
from headnote.index.manifest import name_of
from headnote.processes import FROM_NOTHING, can_be_sent, exit_with_parent, shut_down
from headnote.store.postgres.target import is_postgres

# -- The engines by name, and the local one: a process per core on this machine.


ENGINES = ("local", "ray", "spark")


def find_engine(name: str) -> JobEngine:
    """The engine of that name, with its packages loaded."""
    load_arrow()
    if name == "local":
        return run_local
    if name == "ray":
        from headnote.extra.scale.engines import load_ray, run_ray

        load_ray()
        return run_ray
    if name == "spark":
        from headnote.extra.scale.engines import load_spark, run_spark

        load_spark()
        return run_spark
    raise SettingsError(f"unknown engine {name!r}", remedy=nearest(name, ENGINES))


def run_local(
    writer: PartWriter, parts: Sequence[OutputPart], workers: int | None = None
) -> Generator[PartResult, None, None]:
    """Results as they arrive. One worker runs in this process."""
    count = min(workers or os.cpu_count() or 1, len(parts))
    if count == 1 or not can_be_sent(writer, FROM_NOTHING):
        yield from (run_part(writer, part) for part in parts)
        return
    # Spawned, not forked: Arrow and bucket clients have threads, which a forked process would lack.
    pool = ProcessPoolExecutor(count, FROM_NOTHING, initializer=exit_with_parent)
    waiting: set[Future[PartResult]] = set()
    try:
        for part in parts:
            waiting.add(pool.submit(run_part, writer, part))
            if len(waiting) > 2 * count:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool:
        remedy = "run the command again to resume, with fewer --workers if memory was short"
        raise BulkError("a worker was killed", remedy=remedy) from None
    finally:
        shut_down(pool)


# -- A whole job


@dataclass(frozen=True, slots=True)
class Job:
    """What to chunk, how, and where to put it."""

    input: str
    """Folder, file, glob or address; see `inputs`."""
    out: str
    """Folder or address of parquet or, if it ends in `.lance`, of a Lance table, see `folder_output`; or the URL of a
    database, see `store_output`."""
    recipe: Recipe
    engine: str = "local"
    workers: int | None = None
    """One per core if None."""
    rebuild: bool = False
    """Whether to start over instead of resuming."""
    adopt: bool = False
    """Whether to take over an index that belongs to another input."""
    stored_settings: str = ""
    """The settings as given by the user, stored in an index."""


class Summary(NamedTuple):
    """What the job did, and what the output contains now."""

    documents: int
    chunks: int
    read: int
    """Documents read by this job."""
    unchanged: int
    removed: int
    written: int
    """Chunks written by this job."""
    size: int
    """Bytes read by this job."""
    failures: list[FailedFile]
    """Every document without chunks, including those found by earlier jobs."""


OnProgress = Callable[[int, int], None]
"""Called with the number of documents done, and of all documents."""


def _ignore_progress(_done: int, _total: int) -> None:
    pass


def run_job(job: Job, on_progress: OnProgress = _ignore_progress) -> Summary:
    """Run a job. If it is interrupted, the next one resumes it."""
    # Checked before the output is touched: a job that cannot start must leave nothing behind.
    engine = find_engine(job.engine)
    inputs = list_inputs(job.input, job.recipe.max_bytes)
    _refuse_circle(job, inputs)
    with closing(open_output(job)) as output:
        return _run(job, engine, inputs, output, on_progress)


def _run(job: Job, engine: JobEngine, inputs: Inputs, output: JobOutput, on_progress: OnProgress) -> Summary:
    output.open(job.rebuild)
    waiting = [unit for unit in inputs.units if not output.has(unit)]
    parts = cut_into_parts(waiting, job.recipe.text, bool(job.recipe.embedder))
    tally = _Tally(on_progress, len(waiting))
    if parts:
        with closing(engine(output.writer(), parts, job.workers)) as results:
            for result in results:
                tally.add(result)
    totals = output.finish(inputs.units, _unlisted(output.known(), inputs), tally.failures)
    skipped = [FailedFile(file.path, file.reason) for file in inputs.skipped]
    failures = sorted([*skipped, *totals.failures], key=lambda failure: failure.path)
    output.report(report_lines(failures))
    return Summary(
        documents=totals.documents,
        chunks=totals.chunks,
        read=len(waiting),
        unchanged=len(inputs.units) - len(waiting),
        removed=totals.removed,
        written=tally.chunks,
        size=tally.size,
        failures=failures,
    )


def _refuse_circle(job: Job, inputs: Inputs) -> None:
    """Refuse to write tables among those that are read: the next job would read them."""
    below = absolute(job.out).startswith(f"{absolute(job.input).rstrip('/')}/")
    if below and any(unit.row >= 0 for unit in inputs.units):
        raise BulkError("is inside the folder of tables to read", path=job.out, remedy="name another folder for --out")


def open_output(job: Job) -> JobOutput:
    """Parquet or a Lance table in a folder or a bucket, or an index in a database."""
    if is_postgres(job.out):
        from headnote.extra.scale.store_output import IndexTarget, StoreOutput

        target = IndexTarget(root=_root_of(job.input), url=job.out, source=_source_of(job.input), adopt=job.adopt)
        return StoreOutput(target, job.recipe, job.stored_settings)
    return FolderOutput(absolute(job.out), job.recipe)


def _root_of(pattern: str) -> str:
    """The folder of the index; for an address, the name such a folder would have."""
    path = Path(before_magic(pattern))
    if path.is_dir():
        return absolute(str(path))
    return path.stem if path.suffix else path.name


def _source_of(pattern: str) -> str:
    """What the index belongs to: the same for every pattern below one folder."""
    start = before_magic(pattern)
    return start.rstrip("/") if is_remote(start) else name_of(start)


def report_lines(failures: Iterable[FailedFile]) -> bytes:
    """Documents without chunks, one JSON object per line."""
    return b"".join(json.dumps(failure._asdict(), ensure_ascii=False).encode() + b"\n" for failure in failures)


class _Tally:
    """Adds up the results, and stops the job when a worker reports that it cannot go on."""

    def __init__(self, on_progress: OnProgress, total: int) -> None:
        self._on_progress = on_progress
        self._total = total
        self._done = 0
        self.chunks = 0
        self.size = 0
        self.failures: list[FailedFile] = []

    def add(self, result: PartResult) -> None:
        if result.stopped:
            raise BulkError(result.stopped, remedy="run the command again to resume")
        self._done += result.documents
        self.chunks += result.chunks
        self.size += result.size
        self.failures += result.failures
        self._on_progress(self._done, self._total)


def _unlisted(known: Collection[str], inputs: Inputs) -> set[str]:
    """Known documents in folders that could not be listed: they may still be there."""
    unreadable = tuple(f"{file.path.rstrip('/')}/" for file in inputs.skipped if file.unreadable)
    return {path for path in known if f"{path}/".startswith(unreadable)} if unreadable else set()
