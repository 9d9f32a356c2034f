"""Files → chunks: one file, or many on all cores."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain, islice
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar, Unpack

from headnote.arguments import check_types
from headnote.chunking.chunker import chunk
from headnote.chunking.options import ChunkOptions
from headnote.chunking.presets import settings_from
from headnote.chunking.settings import Settings
from headnote.errors import HeadnoteError, SettingsError
from headnote.model import Chunk
from headnote.sources.files import read_source

_FILES_AT_ONCE = 16
"""Files sent to a worker together: enough to outweigh the cost of sending, few enough to share the work evenly."""

AnyPath = str | os.PathLike[str]
Item = TypeVar("Item")
Result = TypeVar("Result")


def chunk_file(
    path: AnyPath, *, preset: str = "default", settings: Settings | None = None, **options: Unpack[ChunkOptions]
) -> list[Chunk]:
    """The chunks of one file. The suffix `.mdx` turns MDX on."""
    check_types(path=(path, str | os.PathLike))
    name = os.fspath(path)
    text = read_source(name)
    return chunk(text, path=name, preset=preset, modified=Path(name).stat().st_mtime, settings=settings, **options)


def chunk_files(
    paths: Iterable[AnyPath],
    *,
    workers: int | None = None,
    preset: str = "default",
    settings: Settings | None = None,
    **options: Unpack[ChunkOptions],
) -> Iterator[Chunk]:
    """The chunks of many files, in the order of the paths, computed on all cores.

    Only a few files are in memory at a time. The first file that cannot be read raises its error when its turn comes.
    """
    check_types(paths=(paths, Iterable), workers=(workers, Integral | None))
    # A bad setting raises now, not later in a worker.
    one_file = partial(_finished_chunks, settings=settings_from(preset, settings, options))
    return chain.from_iterable(on_all_cores(one_file, paths, workers))


def on_all_cores(work: Callable[[Item], Result], items: Iterable[Item], workers: int | None) -> Iterator[Result]:
    """`map(work, items)` over processes: in order, and never far ahead of the consumer."""
    return batches_on_all_cores(partial(map, work), items, workers)


def batches_on_all_cores(
    work: Callable[[list[Item]], Iterable[Result]], items: Iterable[Item], workers: int | None
) -> Iterator[Result]:
    """The same for work that takes a few items at once and has a result for each."""
    workers = os.cpu_count() or 1 if workers is None else workers
    if workers < 1:
        raise SettingsError(f"workers {workers} is too small", remedy="give 1 or more, or leave it out for all cores")
    batches = _batched(items)
    first = list(islice(batches, 2))
    if workers == 1 or len(first) < 2:
        return chain.from_iterable(map(work, chain(first, batches)))
    _check_picklable(work)
    return _in_processes(work, chain(first, batches), workers)


def _in_processes(
    work: Callable[[list[Item]], Iterable[Result]], batches: Iterator[list[Item]], workers: int
) -> Iterator[Result]:
    waiting: deque[Future[list[Result]]] = deque()
    pool = ProcessPoolExecutor(workers, _way_to_start(), initializer=exit_with_parent)
    try:
        for batch in batches:
            waiting.append(pool.submit(_work_through, work, batch))
            if len(waiting) > 2 * workers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool:
        remedy = 'use workers=1, or put what the program does below `if __name__ == "__main__":`'
        raise HeadnoteError("a worker was killed, or could not start", remedy=remedy) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _way_to_start() -> multiprocessing.context.BaseContext:
    """Fork where that is safe, since it is fast. It is not safe beside other threads: a fork copies their locks, and
    some libraries wait for them, perhaps forever, before they let a process fork."""
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if is_safe else "spawn")


def exit_with_parent() -> None:
    """Leave Ctrl-C to the parent, which ends its workers quietly; and exit when the parent is killed and cannot."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_when_parent_ends, daemon=True).start()


def _exit_when_parent_ends() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work_through(work: Callable[[list[Item]], Iterable[Result]], batch: list[Item]) -> list[Result]:
    return list(work(batch))


def _finished_chunks(path: AnyPath, *, settings: Settings) -> list[Chunk]:
    """Chunks with their tokens counted here, in the worker, rather than later in the caller."""
    chunks = chunk_file(path, settings=settings)
    if chunks:
        _ = chunks[0].tokens
    return chunks


def _batched(items: Iterable[Item]) -> Iterator[list[Item]]:
    source = iter(items)
    while batch := list(islice(source, _FILES_AT_ONCE)):
        yield batch


def _check_picklable(work: Callable[..., Any]) -> None:
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError):
        raise SettingsError(
            "the counter cannot be sent to other processes",
            remedy="use a function defined at the top of a module, or workers=1",
        ) from None
