"""The index in one SQLite file, `.headnote/index.db` below the root."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from headnote.errors import CorruptIndex, UnwritableIndex
from headnote.extras import load
from headnote.store.sqlite.connections import Identity, SqliteConnections, reported
from headnote.store.sqlite.doctor import complaints, renew, repair
from headnote.store.sqlite.documents import SqliteCaches
from headnote.store.sqlite.matrix import VectorFiles
from headnote.store.sqlite.schema import create_tables, is_older
from headnote.store.sqlite.sql import generation_of
from headnote.store.sqlite.writer import SqliteReader, SqliteWriter

FOLDER = ".headnote"
FILE = "index.db"


class SqliteStore:
    """Safe for threads; a fork makes connections of its own."""

    is_shared = False
    may_write = True
    max_text: int | None = None
    """Characters that are read for one answer; None for any number."""

    def __init__(self, connections: SqliteConnections) -> None:
        self._connections = connections
        self.file = connections.file
        self.place = str(connections.file.parent)
        self._caches: dict[tuple[int, ...], SqliteCaches] = {}
        """Of the file that was read last."""

    @classmethod
    def exists(cls, root: str | os.PathLike[str]) -> bool:
        return file_of(root).is_file()

    @classmethod
    def open(cls, root: str | os.PathLike[str], *, read_only: bool = False) -> SqliteStore:
        """The index of a folder, created if there is none, and made anew if its tables are those of an earlier version:
        the next update reads all documents and says why. With `read_only` it must exist, and stays as it is."""
        file = file_of(root)
        load("apsw", "an index")  # first: without it, no empty folder may be left behind
        if not read_only:
            _make_folder(file.parent)
        store = cls(SqliteConnections(file, read_only))
        try:
            store.generation()  # reports a bad file now, not later
        except UnwritableIndex:
            if read_only or not is_older(file):
                raise
            renew(file)
            store.generation()
        return store

    def reading(self) -> contextlib.AbstractContextManager[SqliteReader]:
        return self._reading()

    @contextlib.contextmanager
    def _reading(self, caches: SqliteCaches | None = None) -> Iterator[SqliteReader]:
        """With None, readers share what they have in memory."""
        with reported(self.file), self._connections.reader() as (identity, db):
            db.execute("BEGIN")
            yield SqliteReader(db, caches or self._caches_of(identity), self.max_text)
            if db.in_transaction:  # after an error the connection is closed
                db.execute("ROLLBACK")

    @contextlib.contextmanager
    def writing(self, wait: float = 10.0, *, concurrent: bool = False) -> Iterator[SqliteWriter]:  # noqa: ARG002
        """SQLite has one writer at a time, so `together` means nothing here."""
        with reported(self.file), self._connections.writer(wait) as db:
            writer = SqliteWriter(db)
            yield writer
            writer.finish()

    def generation(self) -> int:
        with reported(self.file), self._connections.reader() as (_, db):
            return generation_of(db)

    def check(self) -> list[str]:
        try:
            with self._reading(SqliteCaches(enabled=False)) as reader:  # what the file has, not what memory has
                return complaints(reader)
        except CorruptIndex as error:
            return [error.message]

    def repair(self) -> list[str]:
        self._connections.require_writing()
        self._connections.close()
        return repair(self.file)

    def close(self) -> None:
        self._connections.close()

    def _caches_of(self, identity: Identity) -> SqliteCaches:
        """Generations count from 0 in each file, so another file of the same name needs caches of its own."""
        caches = self._caches.get(identity.seen)
        if caches is None:
            caches = SqliteCaches(vector_files=VectorFiles(self.file, read_only=self._connections.read_only))
            self._caches = {identity.seen: caches}
        return caches


def file_of(root: str | os.PathLike[str]) -> Path:
    return Path(root) / FOLDER / FILE


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists() and not (folder / FILE).exists():
            ignore.write_text("*\n", encoding="utf-8")  # an index is rebuilt, not passed on
    except OSError as error:
        raise UnwritableIndex(
            f"cannot be created: {error.strerror}", path=str(folder), remedy="check the permissions of the folder"
        ) from error


# -- An index in memory, for texts that are searched and forgotten.


_NOWHERE = Path(":memory:")


class MemoryStore:
    """The tables of the file, in memory: what is found in them, and how it scores, is the same.

    It has one connection. Threads take turns, readers and writers alike."""

    def __init__(self) -> None:
        self._db = load("apsw", "an index").Connection(str(_NOWHERE))
        create_tables(self._db, _NOWHERE)
        self._caches = SqliteCaches()
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
