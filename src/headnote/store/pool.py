"""Connections that wait for their next use."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from threading import Lock
from typing import Generic, Protocol, TypeVar

_MAX_IDLE = 8


class Closable(Protocol):
    def close(self) -> None: ...


Lent = TypeVar("Lent", bound=Closable)


class Pool(Generic[Lent]):
    """Connections to one place. Safe for threads; a fork makes connections of its own, and neither uses nor closes
    those of its parent."""

    def __init__(self) -> None:
        self._of_parent: list[object] = []
        """Kept, since one that nobody has any more may close itself."""
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._idle: list[Lent] = []

    def idle(self) -> Iterator[Lent]:
        """Yield idle connections; the caller closes each one that it does not use."""
        self._leave_parent()
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return
            yield connection

    @contextlib.contextmanager
    def lending(self, connection: Lent) -> Iterator[None]:
        """Keeps the connection for its next use when the block is left. After an error it is not used again."""
        process = os.getpid()
        try:
            yield
        except BaseException:
            self._discard(connection, process)
            raise
        self._leave_parent()
        with self._lock:
            if len(self._idle) < _MAX_IDLE and process == os.getpid():
                self._idle.append(connection)
                return
        self._discard(connection, process)

    def close(self) -> None:
        self._leave_parent()
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _discard(self, connection: Lent, process: int) -> None:
        """`process`: to which it belongs."""
        if process == os.getpid():
            connection.close()
        else:
            self._of_parent.append(connection)

    def _leave_parent(self) -> None:
        """Not in the lock, which another thread of the parent may have held."""
        if self._process != os.getpid():
            self._of_parent.append(self._idle)
            self._start()


@contextlib.contextmanager
def closed_by_owner(connection: Closable) -> Iterator[None]:
    """Closes it when the block is left, but not in a fork that leaves it."""
    process = os.getpid()
    try:
        yield
    finally:
        if process == os.getpid():
            connection.close()
