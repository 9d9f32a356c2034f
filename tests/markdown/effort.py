"""How much work something is: counted, never timed, so that a busy machine fails no test."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

# What happens inside one call to C, as in a regex, is not counted. If that looked again at what it has read, it would
# take minutes instead of a second. So there is a stop for what would not end: in seconds of our own processor time,
# which a busy machine does not use up, and many times what it takes.
GIVE_UP_AFTER = 20


def counted_steps(run: Callable[[], object]) -> int:
    """Lines of Python that ran and functions that were called, those written in C included."""
    steps = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace

    def profile(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal steps
        steps += event in {"call", "c_call"}

    tracer, profiler = sys.gettrace(), sys.getprofile()
    sys.setprofile(profile)
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(tracer)
        sys.setprofile(profiler)
    return steps


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
