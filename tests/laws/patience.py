"""A stop for work that would not end: in seconds of our own processor time, which a busy machine does not use up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

GIVE_UP_AFTER = 20


@contextmanager
def stop_of_endless_work() -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"still at work after {GIVE_UP_AFTER} seconds of processor time")

    if not hasattr(signal, "setitimer"):
        yield
        return
    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, GIVE_UP_AFTER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
