"""Asking the database, with types a reader of the code can live with: a column is what the schema says it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Connection = Any
"""Of psycopg, which need not be installed where this is read."""

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
