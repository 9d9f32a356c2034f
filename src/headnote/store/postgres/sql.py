"""Running SQL in the words of the driver, and the steps of an update: each happens as a whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from headnote.extras import load
from headnote.store.document_writer import Update
from headnote.store.postgres.target import INSTALL
from headnote.store.rows import Row
from headnote.store.sharing import Connection


def psycopg() -> Any:
    return load("psycopg", "an index in PostgreSQL", INSTALL)


def in_server_words(query: str) -> str:
    """A query in the words that both databases understand, with the placeholders of the driver."""
    return query.replace("?", "%s")


class PostgresUpdate(Update):
    """An update that knows what has changed since it began."""

    def __init__(self, db: Connection, concurrent: bool) -> None:
        self.db = db
        self.concurrent = concurrent
        self.changes = 0
        """Rows that were written or removed."""
        self.changed_models: set[int] = set()
        """Models whose vectors have changed."""
        self.begin()

    def begin(self) -> None:
        self.db.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        self.changes = 0

    def end(self) -> None:
        self.db.execute("COMMIT")

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
        changed: int = self.db.execute(in_server_words(query), bindings).rowcount
        self.changes += changed
        return changed

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """All rows are computed first: an error in one must not interrupt the COPY."""
        computed = list(rows)
        if not computed:
            return
        with self.db.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copying:
            for row in computed:
                copying.write_row(row)
        self.changes += len(computed)

    def copy_bytes(self, table: str, rows: Iterable[Sequence[bytes]]) -> None:
        """The same in the binary format, for values that are ready as the server reads them. Nothing of it counts as a
        change: `table` is one that nobody else sees."""
        self._copy_binary(table, _binary(rows))

    def copy_records(self, table: str, records: Iterable[bytes], count: int) -> None:
        """The same for this many whole rows in the binary format."""
        self._copy_binary(table, records)
        self.changes += count

    def _copy_binary(self, table: str, records: Iterable[bytes]) -> None:
        computed = b"".join((_SIGNATURE, _FLAGS_AND_EXTENSION, *records, _END))
        with self.db.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copying:
            copying.write(computed)


_SIGNATURE = b"PGCOPY\n\xff\r\n\0"
_FLAGS_AND_EXTENSION = bytes(8)
_END = b"\xff\xff"


def _binary(rows: Iterable[Sequence[bytes]]) -> Iterator[bytes]:
    for row in rows:
        yield len(row).to_bytes(2, "big")
        for value in row:
            yield len(value).to_bytes(4, "big")
            yield value
