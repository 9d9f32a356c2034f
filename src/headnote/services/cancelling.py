"""Calling off what a thread waits for, from another thread.

Whoever asks a service may be blocked in a read for minutes. A `Cancellation` that is active in the asking thread knows
how to end each of these waits: lines are cut, pauses end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from threading import Event, Lock

End = Callable[[], None]
"""Ends a wait of another thread, and returns at once."""


class Cancelled(Exception):
    """Nobody waits for the answer any more."""


class Cancellation:
    """Whether somebody still waits for what is done in its name."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._called = Event()
        self._ends: set[End] = set()

    def cancel(self) -> None:
        """Ends every wait, now and to come."""
        with self._lock:
            self._called.set()
            ends, self._ends = self._ends, set()
        for end in ends:
            end()

    def check(self) -> None:
        if self._called.is_set():
            raise Cancelled

    def add(self, end: End) -> None:
        """What `cancel` has to do while a wait goes on; at once, if it was called already."""
        with self._lock:
            self.check()
            self._ends.add(end)

    def discard(self, end: End) -> None:
        with self._lock:
            self._ends.discard(end)

    def pause(self, seconds: float) -> None:
        self._called.wait(seconds)
        self.check()

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Inside the block, what this thread asks of services can be called off."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


def current_cancellation() -> Cancellation:
    """The one that is active in this thread, or one that nobody calls."""
    return _current.get() or Cancellation()
