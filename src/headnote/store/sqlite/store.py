"""The index in one SQLite file, `.headnote/index.db` below the root."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from headnote.errors import CorruptIndex, UnwritableIndex
from headnote.store.sqlite.connections import Connections, Identity, reported
from headnote.store.sqlite.doctor import complaints, repaired
from headnote.store.sqlite.kept import Kept
from headnote.store.sqlite.reader import SqliteReader
from headnote.store.sqlite.schema import MIGRATIONS, Migration
from headnote.store.sqlite.writer import SqliteWriter

FOLDER = ".headnote"
FILE = "index.db"


class SqliteStore:
    """Safe for threads; a fork makes connections of its own."""

    is_shared = False

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.file = connections.file
        self.place = str(connections.file.parent)
        self._kept: dict[tuple[int, ...], Kept] = {}

    @classmethod
    def exists(cls, root: str | os.PathLike[str]) -> bool:
        return file_of(root).is_file()

    @classmethod
    def open(
        cls, root: str | os.PathLike[str], migrations: Sequence[Migration] = MIGRATIONS, *, read_only: bool = False
    ) -> SqliteStore:
        """The index of a folder, made if there is none. With `read_only` there is one, and it stays as it is."""
        file = file_of(root)
        if not read_only:
            _make_folder(file.parent)
        store = cls(Connections(file, migrations, read_only))
        store.generation()  # what is wrong with the file shows now
        return store

    @contextlib.contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        with reported(self.file), self._connections.reader() as (identity, db):
            db.execute("BEGIN")
            try:
                reader = SqliteReader(db, self._kept_of(identity))
                reader.generation()  # the view begins with the first read
                yield reader
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextlib.contextmanager
    def writing(self, wait: float = 10.0, *, together: bool = False) -> Iterator[SqliteWriter]:  # noqa: ARG002
        """SQLite knows one writer at a time, whatever they say."""
        with reported(self.file), self._connections.writer(wait) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                writer = SqliteWriter(db)
                yield writer
                writer.commit()
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def generation(self) -> int:
        with reported(self.file), self._connections.reader() as (_, db):
            return SqliteReader(db).generation()

    def check(self) -> list[str]:
        try:
            with self.reading() as reader:
                return complaints(reader)
        except CorruptIndex as error:
            return [error.message]

    def repair(self) -> list[str]:
        self._connections.require_writing()
        self._connections.close()
        return repaired(self.file)

    def close(self) -> None:
        self._connections.close()

    def _kept_of(self, identity: Identity) -> Kept:
        """Generations count from 0 in each file, so what was kept of one says nothing about another of its name."""
        kept = self._kept.get(identity.seen)
        if kept is None:
            kept = Kept()
            self._kept = {identity.seen: kept}
        return kept


def file_of(root: str | os.PathLike[str]) -> Path:
    return Path(root) / FOLDER / FILE


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists() and not (folder / FILE).exists():
            ignore.write_text("*\n", encoding="utf-8")  # an index is made anew, not passed on
    except OSError as error:
        raise UnwritableIndex(
            f"cannot be made: {error.strerror}", path=str(folder), remedy="check the permissions of the folder"
        ) from error
