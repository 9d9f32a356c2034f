"""Running SQL: typed results, and the steps of an update, each of which happens as a whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from headnote.extras import load
from headnote.store.postgres.target import INSTALL

Connection = Any
"""Of psycopg, which need not be installed where this is read."""


def psycopg() -> Any:
    return load("psycopg", "an index in PostgreSQL", INSTALL)


Bindings = Sequence[Any] | Mapping[str, Any]


def rows(db: Connection, query: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = db.execute(query, bindings).fetchall()
    return found


def only_row(db: Connection, query: str, bindings: Bindings = ()) -> tuple[Any, ...]:
    """Of a query that always has one."""
    (row,) = rows(db, query, bindings)
    return row


def only_value(db: Connection, query: str, bindings: Bindings = ()) -> Any:
    return only_row(db, query, bindings)[0]


class Steps:
    """The part of a writer that keeps its steps whole, and knows whether anything has changed."""

    db: Connection
    together: bool
    """Whether others may be writing at the same time."""
    changes: int
    """Rows that were written or removed."""
    changed_models: set[int]
    """Models whose vectors are others now."""

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        changes = self.changes
        try:
            with self.db.transaction():
                yield
        except BaseException:
            self.changes = changes
            raise

    def change(self, query: str, bindings: Sequence[Any] = ()) -> int:
        changed: int = self.db.execute(query, bindings).rowcount
        self.changes += changed
        return changed

    def change_many(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        with self.db.cursor() as cursor:
            cursor.executemany(query, rows)
        self.changes += len(rows)

    def copy(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Many new rows at once. They are made first: what goes wrong with one must not go wrong on the way."""
        made = list(rows)
        if not made:
            return
        with self.db.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copying:
            for row in made:
                copying.write_row(row)
        self.changes += len(made)

    def copy_lines(self, table: str, lines: Sequence[str]) -> None:
        """The same of rows that are written already."""
        if lines:
            with self.db.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copying:
                copying.write("".join(lines))
            self.changes += len(lines)
