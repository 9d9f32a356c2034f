"""How much work something is: counted, never timed, so that a busy machine fails no test."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from cProfile import Profile
from types import FrameType
from typing import Any

import pytest

# What happens inside one call to C, as in a regex, is not counted. If that looked again at what it has read, it would
# take minutes instead of a second. So there is a stop for what would not end: in seconds of our own processor time,
# which a busy machine does not use up, and many times what it takes.
GIVE_UP_AFTER = 20


def counted_steps(run: Callable[[], object]) -> int:
    """Lines of Python that ran and functions that were called, those written in C included."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal lines
        if event == "line":
            lines += 1

    def enter(_frame: FrameType, _event: str, _argument: Any) -> Any:
        return count

    # It counts calls in C: a function of ours would be called twice for each.
    profile = Profile(builtins=True)
    tracer = sys.gettrace()
    profile.enable()
    sys.settrace(enter)
    try:
        run()
    finally:
        sys.settrace(tracer)
        profile.disable()
    return lines + sum(entry.callcount for entry in profile.getstats())


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
