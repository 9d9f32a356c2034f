"""Who uses an index at the same time: one writer, nobody who opened it read-only, and connections, which run SQL and
wait for their next use.

The lock is one of the operating system, over threads and processes, on a file that names its holder. The system
releases it when the holder dies, however it dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from headnote.errors import LockedIndex, UnwritableIndex
from headnote.store.integrity import decoding

_FIRST_PAUSE = 0.01
_MAX_PAUSE = 0.1
_MAX_NAME_CHARS = 1000
"""Characters that are read of the name of a holder: the file may come from a stranger, with the folder."""

_held: set[int] = set()
"""Descriptors of the locks of this process."""


def _forget_in_child() -> None:
    """A fork shares the lock of its parent and would hold it after the parent has died."""
    while _held:
        os.close(_held.pop())


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30
    """A locked byte cannot be read on Windows, so it is one that is never written."""

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    os.register_at_fork(after_in_child=_forget_in_child)

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextlib.contextmanager
def writer_lock(file: Path, wait: float) -> Iterator[None]:
    """Holds the lock; after `wait` seconds without it, LockedIndex says who does."""
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise _unwritable(file, error) from error
    try:
        _acquire(descriptor, file, wait)
    except BaseException:
        os.close(descriptor)
        raise
    _held.add(descriptor)
    try:
        _name_holder(descriptor)
        yield
    finally:
        # In a child that was forked meanwhile the descriptor is closed, and its number may name another file.
        if descriptor in _held:
            _held.discard(descriptor)
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
            _unlock(descriptor)
            os.close(descriptor)


def _acquire(descriptor: int, file: Path, wait: float) -> None:
    deadline = time.monotonic() + wait
    pause = _FIRST_PAUSE
    while True:
        try:
            if _try_lock(descriptor):
                return
        except OSError as error:  # a file system without locks
            raise _unwritable(file, error) from error
        left = deadline - time.monotonic()
        if left <= 0:
            raise _locked(file)
        time.sleep(min(pause, left))
        pause = min(2 * pause, _MAX_PAUSE)


def _unwritable(file: Path, error: OSError) -> UnwritableIndex:
    reason = f"cannot be written: {error.strerror}"
    return UnwritableIndex(reason, path=str(file), remedy="check the disk and the permissions of the folder")


def _name_holder(descriptor: int) -> None:
    import socket  # late: who only reads holds nothing

    since = datetime.now().astimezone().isoformat(timespec="seconds")
    holder = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": since})
    with contextlib.suppress(OSError):  # only the lock counts; the name is a courtesy
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, holder.encode())


def _locked(file: Path) -> LockedIndex:
    try:
        with file.open(encoding="utf-8") as content:
            holder = json.loads(content.read(_MAX_NAME_CHARS))
        who = f"process {holder['pid']} on {holder['host']} since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "an unknown process"
    return LockedIndex(f"being updated by {who}", path=str(file.parent), remedy="wait until it is done, then try again")


def read_only_index(place: str) -> UnwritableIndex:
    return UnwritableIndex("opened read-only", path=place, remedy="leave out --read-only or --no-update to write")


def older_index(place: str, remedy: str = "run headnote index once to rebuild it") -> UnwritableIndex:
    """The error for an index with other tables that must not be rebuilt: it is read-only, or shared with others."""
    return UnwritableIndex("written by an older headnote", path=place, remedy=remedy)


# -- Running SQL at a connection, of whatever database.

Connection = Any
"""A connection of apsw or psycopg, which need not be installed where this module is imported."""


def rows(db: Connection, query: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = db.execute(query, bindings).fetchall()
    return found


def only_row(db: Connection, query: str, bindings: Sequence[Any] = ()) -> tuple[Any, ...]:
    """The row of a query that always returns one."""
    (row,) = rows(db, query, bindings)
    return row


def only_value(db: Connection, query: str, bindings: Sequence[Any] = ()) -> Any:
    return only_row(db, query, bindings)[0]


@decoding
def generation_of(db: Connection) -> int:
    return int(only_value(db, "SELECT generation FROM state"))


# -- Connections that wait for their next use.

_MAX_IDLE = 8


class Closable(Protocol):
    def close(self) -> None: ...


Lent = TypeVar("Lent", bound=Closable)


class Pool(Generic[Lent]):
    """Connections to one place. Safe for threads; a fork makes connections of its own, and neither uses nor closes
    those of its parent."""

    def __init__(self) -> None:
        self._of_parent: list[object] = []
        """Kept alive: a connection that is garbage-collected may close itself."""
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
        """Close it, unless it belongs to another `process`."""
        if process == os.getpid():
            connection.close()
        else:
            self._of_parent.append(connection)

    def _leave_parent(self) -> None:
        """Runs outside of the lock, which another thread of the parent may have held."""
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
