"""Cancelling a request from another thread.

A request can block in a read for minutes. The `Cancellation` that is active in the requesting thread knows how to end
each such wait: it shuts the connection down or cuts a pause short.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from threading import Event, Lock

Interrupt = Callable[[], None]
"""Ends another thread's wait and returns at once."""


class Cancelled(Exception):
    """The request was cancelled: nobody waits for its result any more."""


class Cancellation:
    """A switch that ends every request made while it is active."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._called = Event()
        self._interrupts: set[Interrupt] = set()

    def cancel(self) -> None:
        """End every wait, present and future."""
        with self._lock:
            self._called.set()
            interrupts, self._interrupts = self._interrupts, set()
        for interrupt in interrupts:
            interrupt()

    def check(self) -> None:
        if self._called.is_set():
            raise Cancelled

    def add(self, interrupt: Interrupt) -> None:
        """Register what `cancel` has to call. Raises `Cancelled` if it was called already."""
        with self._lock:
            self.check()
            self._interrupts.add(interrupt)

    def discard(self, interrupt: Interrupt) -> None:
        with self._lock:
            self._interrupts.discard(interrupt)

    def pause(self, seconds: float) -> None:
        self._called.wait(seconds)
        self.check()

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Inside the block, this thread's requests can be cancelled."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


def current_cancellation() -> Cancellation:
    """The cancellation active in this thread, or one that nobody can trigger."""
    return _current.get() or Cancellation()
