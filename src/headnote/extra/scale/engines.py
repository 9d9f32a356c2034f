"""The engines by name, and the local one: a process per core on this machine."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from headnote.errors import BulkError, SettingsError, nearest
from headnote.extra.scale.arrow import load_arrow
from headnote.extra.scale.work import JobEngine, OutputPart, PartResult, PartWriter, run_part
from headnote.processes import FROM_NOTHING, can_be_sent, exit_with_parent, shut_down

ENGINES = ("local", "ray", "spark")


def find_engine(name: str) -> JobEngine:
    """The engine of that name, with its packages loaded."""
    load_arrow()
    if name == "local":
        return run_local
    if name == "ray":
        from headnote.extra.scale.ray_data import load_ray, run_ray

        load_ray()
        return run_ray
    if name == "spark":
        from headnote.extra.scale.spark import load_spark, run_spark

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
