"""An index in memory, for texts that are searched and forgotten."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from headnote.extras import load
from headnote.store.sqlite.cache import Caches
from headnote.store.sqlite.connections import reported
from headnote.store.sqlite.reader import SqliteReader
from headnote.store.sqlite.schema import migrate
from headnote.store.sqlite.writer import SqliteWriter

_NOWHERE = Path(":memory:")


class MemoryStore:
    """The tables of the file, in memory: what is found in them, and how it scores, is the same.

    It has one connection. Threads take turns, readers and writers alike."""

    def __init__(self) -> None:
        self._db = load("apsw", "an index").Connection(str(_NOWHERE))
        migrate(self._db, _NOWHERE)
        self._caches = Caches()
        self._turn = Lock()

    @contextlib.contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        with self._turn, reported(_NOWHERE):
            yield SqliteReader(self._db, self._caches)

    @contextlib.contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        with self._turn, reported(_NOWHERE):
            try:
                writer = SqliteWriter(self._db)
                yield writer
                writer.finish()
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
