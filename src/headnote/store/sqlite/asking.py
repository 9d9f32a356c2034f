"""Asking the database, with types a reader of the code can live with: a column is what the schema says it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
