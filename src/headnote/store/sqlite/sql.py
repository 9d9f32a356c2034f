"""Running SQL: typed results, and the steps of an update, each of which happens as a whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headnote.errors import UnwritableIndex
from headnote.store import queries
from headnote.store.codec import packed_strings
from headnote.store.filters import Filter

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


def passing_chunks(only: Filter) -> queries.Condition:
    """A filter as a condition on the id of a chunk; `path_fits` is a function of ours."""
    return queries.passing_chunks(only, lambda globs: ("path_fits(?, path)", packed_strings(globs)))


class Steps:
    """The part of a writer that keeps its steps whole."""

    db: apsw.Connection
    changes_before: int
    """How often anything was changed through this connection before the update, or is no news for readers."""

    @contextlib.contextmanager
    def no_news(self) -> Iterator[None]:
        """Changes of which readers see nothing, so that what they keep in memory still holds."""
        before = self.db.total_changes()
        yield
        self.changes_before += self.db.total_changes() - before

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        self.require_transaction()
        self.db.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO step; RELEASE step")
            raise
        self.db.execute("RELEASE step")

    def require_transaction(self) -> None:
        """Some failures, such as a full disk, undo the whole update. What came after would be written by itself."""
        if not self.db.in_transaction:
            raise UnwritableIndex("the update failed and was undone", path=self.db.filename, remedy="try again")
