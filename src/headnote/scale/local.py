"""All parts on this machine: a process for each core."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from headnote.errors import BulkError
from headnote.scale.work import Part, PartResult, PartWriter, do_part
from headnote.sources.chunks import exit_with_parent


def run_local(
    writer: PartWriter, parts: Sequence[Part], workers: int | None = None
) -> Generator[PartResult, None, None]:
    """The results as they come."""
    count = min(workers or os.cpu_count() or 1, len(parts))
    if count == 1:
        yield from (do_part(writer, part) for part in parts)
        return
    # Not by fork: Arrow and whatever reads from a bucket have threads, which a forked process would lack.
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=exit_with_parent)
    waiting: set[Future[PartResult]] = set()
    try:
        for part in parts:
            waiting.add(pool.submit(do_part, writer, part))
            if len(waiting) > 2 * count:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool:
        remedy = "what is finished stays: run the command again, with fewer --workers if memory was short"
        raise BulkError("a worker was killed", remedy=remedy) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
