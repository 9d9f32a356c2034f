"""Connections that wait for their next use."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

from headnote.store.postgres.sql import Connection, psycopg

_MOST_IDLE = 8


class Pool:
    """Connections to one address. Safe for threads; a fork makes connections of its own."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._lock = Lock()
        self._idle: list[Connection] = []
        self._process = os.getpid()
        self._of_parent: list[object] = []
        """Connections of the parent process. A fork may neither use nor close them."""

    @contextlib.contextmanager
    def taken(self, first: str) -> Iterator[tuple[Connection, tuple[Any, ...]]]:
        """A connection, and the last row that the statements `first` return. After an error it is not used again."""
        connection, row = self._take(first)
        try:
            yield connection, row
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if len(self._idle) < _MOST_IDLE and self._process == os.getpid():
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        if self._process == os.getpid():
            for connection in idle:
                connection.close()

    def _take(self, first: str) -> tuple[Connection, tuple[Any, ...]]:
        if self._process != os.getpid():
            self._of_parent.append(self._idle)
            self._idle, self._process, self._lock = [], os.getpid(), Lock()
        while True:
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            connection = idle or self._connect()
            try:
                return connection, _last_row(connection, first)
            except BaseException as error:
                connection.close()
                # An idle one may be dead: the server has restarted.
                if idle is None or not isinstance(error, psycopg().OperationalError):
                    raise


def _last_row(connection: Connection, statements: str) -> tuple[Any, ...]:
    cursor = connection.execute(statements)
    while cursor.nextset():
        pass
    row: tuple[Any, ...] = cursor.fetchone()
    return row
