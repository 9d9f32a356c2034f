"""Running SQL: typed results, and the steps of an update, each of which happens as a whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headnote.errors import UnwritableIndex
from headnote.store.codec import escaped
from headnote.store.document_writer import Update
from headnote.store.integrity import decoding
from headnote.store.rows import Row

if TYPE_CHECKING:
    import apsw


def rows(db: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    return db.execute(query, bindings).fetchall()


def only_row(db: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> tuple[Any, ...]:
    """Of a query that always has one."""
    (row,) = rows(db, query, bindings)
    return row


def only_value(db: apsw.Connection, query: str, bindings: Sequence[Any] = ()) -> Any:
    return only_row(db, query, bindings)[0]


@decoding
def generation_of(db: apsw.Connection) -> int:
    return int(only_value(db, "SELECT generation FROM state"))


class SqliteUpdate(Update):
    """See `Update`."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db
        self._changes_before = 0
        """Changes through this connection that readers need not notice."""
        self.begin()
        self.undone = 0
        """Steps that failed: what was known of the rows they wrote is no longer true."""

    def begin(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self._changes_before = self.db.total_changes()

    @property
    def has_changes(self) -> bool:
        return self.db.total_changes() != self._changes_before

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        self.require_transaction()
        self.db.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            self.undone += 1
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO step; RELEASE step")
            raise
        self.db.execute("RELEASE step")

    def change(self, query: str, bindings: Sequence[Any] = ()) -> int:
        self.db.execute(query, bindings)
        return self.db.changes()

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        computed = list(rows)
        if computed:
            self.db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(computed[0]))})", computed)

    @contextlib.contextmanager
    def unnoticed(self) -> Iterator[None]:
        """Changes that no reader can see, so that cached values stay valid."""
        before = self.db.total_changes()
        yield
        self._changes_before += self.db.total_changes() - before

    def require_transaction(self) -> None:
        """Some failures, such as a full disk, undo the whole update. Later steps would then commit by themselves."""
        if not self.db.in_transaction:
            raise UnwritableIndex("the update failed and was undone", path=self.db.filename, remedy="try again")


def quoted(term: str) -> str:
    """A string of the query language: nothing in it has a meaning."""
    return '"' + escaped(term).replace('"', '""') + '"'
