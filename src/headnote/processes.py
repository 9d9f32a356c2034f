"""Processes of ours: how they start and end. None of them ever runs the program that called headnote."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from io import BytesIO
from multiprocessing import spawn
from multiprocessing.context import BaseContext, SpawnContext, SpawnProcess
from typing import Any

from headnote.errors import SettingsError, warn
from headnote.signals import signals_later

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
    what = "one process does all the work: the counter is part of the program, which other processes do not run"
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
