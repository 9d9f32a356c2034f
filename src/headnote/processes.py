"""Processes of ours: how they start and end, also by Ctrl-C and SIGTERM. None of them ever runs the program that called
headnote."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import chain, islice
from multiprocessing import spawn
from multiprocessing.context import BaseContext, SpawnContext, SpawnProcess
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from headnote.errors import HeadnoteError, SettingsError, warn

_PROGRAM = {"__main__", "__mp_main__"}
"""What a program is called as a module, in its own process and in those that it spawns."""


class WorkerProcess(SpawnProcess):
    """A process that starts from nothing, as one that is spawned, and leaves the caller's program alone.

    Spawned processes import that program before they do anything, in case it defines what they need. A program that
    is a plain script, without `if __name__ == "__main__":`, would then do its work again in each of them.
    """

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802  the name that multiprocessing calls
        with _untold_program():
            return SpawnProcess._Popen(process_obj)


class _FromNothing(SpawnContext):
    Process = WorkerProcess


FROM_NOTHING: SpawnContext = _FromNothing()
"""A fork would copy threads and locks in any state, and not every system has it."""

_starting = threading.Lock()


@contextmanager
def _untold_program() -> Iterator[None]:
    """A process that this thread starts is not told where the program is. Those of other threads are."""
    us = threading.get_ident()

    def told(name: str) -> dict[str, Any]:
        everything = before(name)
        ours = threading.get_ident() == us
        return {key: value for key, value in everything.items() if not (ours and key.startswith("init_main_from_"))}

    with _starting:
        before = spawn.get_preparation_data
        spawn.get_preparation_data = told
        try:
            yield
        finally:
            spawn.get_preparation_data = before


def way_to_start() -> BaseContext:
    """Fork where that is safe, since it is fast. It is not safe beside other threads: a fork copies their locks, and
    some libraries wait for them, perhaps forever, before they let a process fork. A program that has chosen to spawn
    has its reasons."""
    has_chosen = multiprocessing.get_start_method(allow_none=True) == "spawn"
    is_safe = sys.platform == "linux" and threading.active_count() == 1 and not has_chosen
    return multiprocessing.get_context("fork") if is_safe else FROM_NOTHING


class _Reach(pickle.Pickler):
    """Sees whether what it pickles refers to the program."""

    needs_program = False

    def reducer_override(self, thing: Any) -> Any:
        self.needs_program = self.needs_program or getattr(thing, "__module__", None) in _PROGRAM
        return NotImplemented


def can_be_sent(work: object, context: BaseContext) -> bool:
    """Whether other processes can do the work. What the program itself defines, only forked ones have."""
    reach = _Reach(BytesIO())
    try:
        reach.dump(work)
    except (pickle.PicklingError, AttributeError, TypeError):
        raise SettingsError(
            "the counter cannot be sent to other processes",
            remedy="use a function defined at the top of a module, or workers=1",
        ) from None
    if not reach.needs_program or context.get_start_method() == "fork":
        return True
    what = "one process does all the work: the counter is defined in your script, which workers cannot import"
    warn(RuntimeWarning(f"{what} (define it in a module and import it)"))
    return False


def shut_down(pool: ProcessPoolExecutor) -> None:
    """Wait until all workers have ended, even if a signal comes meanwhile.

    A thread that is waited for counts as ended once the wait is interrupted (CPython 3.11). At its own end, the
    interpreter would then wake that thread while it closes what wakes it, and print a traceback.
    """
    with signals_later():
        pool.shutdown(wait=True, cancel_futures=True)


def exit_with_parent() -> None:
    """Leave Ctrl-C to the parent, which ends its workers quietly; and exit when the parent is killed and cannot."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_when_parent_ends, daemon=True).start()


def _exit_when_parent_ends() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


# -- Work on all cores


_FILE_BATCH = 16
"""Files sent to a worker together: enough to outweigh the cost of sending, few enough to share the work evenly."""
_BATCHES_FOR_A_WORKER = 4
"""Those that are read, or read already, before the first of them is taken. With fewer, all workers wait for one that
reads a long file; more only take memory."""

Item = TypeVar("Item")
Result = TypeVar("Result")
Results = Generator[Result, None, None]
"""Results as they are asked for. Closing it ends the workers."""


def on_all_cores(work: Callable[[Item], Result], items: Iterable[Item], workers: int | None) -> Results[Result]:
    """`map(work, items)` over processes: in order, and never far ahead of the consumer."""
    return batches_on_all_cores(partial(map, work), items, workers)


def batches_on_all_cores(
    work: Callable[[list[Item]], Iterable[Result]], items: Iterable[Item], workers: int | None
) -> Results[Result]:
    """The same for work that takes a few items at once and has a result for each."""
    workers = os.cpu_count() or 1 if workers is None else workers
    if workers < 1:
        raise SettingsError(f"workers {workers} is too small", remedy="give 1 or more, or leave it out for all cores")
    batches = _batched(items)
    first = list(islice(batches, 2))
    context = way_to_start()
    if workers == 1 or len(first) < 2 or not can_be_sent(work, context):
        return (result for batch in chain(first, batches) for result in work(batch))
    return _in_processes(work, chain(first, batches), workers, context)


def _in_processes(
    work: Callable[[list[Item]], Iterable[Result]], batches: Iterator[list[Item]], workers: int, context: BaseContext
) -> Results[Result]:
    waiting: deque[Future[list[Result]]] = deque()
    pool = ProcessPoolExecutor(workers, context, initializer=exit_with_parent)
    try:
        for batch in batches:
            waiting.append(pool.submit(_work_through, work, batch))
            if len(waiting) > _BATCHES_FOR_A_WORKER * workers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool:
        remedy = "use workers=1, which needs less memory and starts nothing"
        raise HeadnoteError("a worker was killed, or could not start", remedy=remedy) from None
    finally:
        shut_down(pool)


def _work_through(work: Callable[[list[Item]], Iterable[Result]], batch: list[Item]) -> list[Result]:
    return list(work(batch))


def _batched(items: Iterable[Item]) -> Iterator[list[Item]]:
    source = iter(items)
    while batch := list(islice(source, _FILE_BATCH)):
        yield batch


# -- Work with a time limit


_SCRIPT = """
import importlib, marshal, sys
package, module, function = sys.argv[1:]
sys.path.insert(0, package)
work = getattr(importlib.import_module(module), function)
sys.stdout.buffer.write(marshal.dumps(work(marshal.load(sys.stdin.buffer))))
"""
"""Without site-packages, so it starts at once."""


def worked_within(seconds: float, work: Callable[[Any], Any], job: Any) -> Any:
    """What a function of ours makes of plain data, in a process of its own that is killed if it takes longer: then this
    raises `TimeoutError`. Nothing else ends a regular expression that goes astray: it holds the interpreter."""
    import marshal  # late: few need it
    import subprocess

    package = str(Path(__file__).parents[1])
    command = [spawn.get_executable(), "-I", "-S", "-c", _SCRIPT, package, work.__module__, work.__name__]
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of Windows
    try:
        ended = subprocess.run(
            command, input=marshal.dumps(job), capture_output=True, timeout=seconds, creationflags=hidden, check=False
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    except OSError as error:
        raise HeadnoteError(f"a process could not start: {error}", remedy="try again when there is memory") from None
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"exit code {ended.returncode}"
        raise HeadnoteError(f"a worker process failed: {said}", remedy="try again when there is memory")
    return marshal.loads(ended.stdout)


# -- Signals that wait until work is done that must not be interrupted, and SIGTERM as a polite Ctrl-C.


@contextmanager
def signals_later() -> Iterator[list[int]]:
    """Ctrl-C and SIGTERM take effect after the block, as if they came then. It yields the numbers of those that came.

    They come to the main thread, so in any other one there is nothing to hold back.
    """
    caught: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    before = {
        number: signal.signal(number, lambda came, _: caught.append(came)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for came in caught[:1]:
        signal.raise_signal(came)


@contextmanager
def sigterm_interrupts(on_signal: Callable[[], None] = lambda: None) -> Iterator[Callable[[], bool]]:
    """Inside, SIGTERM calls a function and interrupts as Ctrl-C does. The function it yields tells whether the signal
    came."""
    owner = os.getpid()
    received = threading.Event()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if os.getpid() != owner:  # a worker process inherited the handler and has nothing to clean up
            os._exit(128 + signal.SIGTERM)
        received.set()
        on_signal()
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, handle)
    try:
        yield received.is_set
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def ending_by_sigterm() -> Iterator[None]:
    """SIGTERM ends the process as it does by default, but only after the block is left."""
    with sigterm_interrupts() as is_terminated:
        try:
            yield
        except KeyboardInterrupt:
            if not is_terminated():
                raise
    if is_terminated():
        signal.raise_signal(signal.SIGTERM)
