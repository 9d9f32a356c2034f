"""One consistent view of the index, inside the one transaction of a reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headnote.store.codec import unescaped
from headnote.store.damage import decodes_all, integer
from headnote.store.reader import CompositeReader
from headnote.store.rows import Counts
from headnote.store.sqlite.cache import Caches
from headnote.store.sqlite.connections import size_of
from headnote.store.sqlite.documents import Documents
from headnote.store.sqlite.keywords import Keywords
from headnote.store.sqlite.sql import generation_of, only_row, only_value, rows
from headnote.store.sqlite.vectors import Vectors

if TYPE_CHECKING:
    import apsw


@decodes_all
class SqliteReader(CompositeReader):
    """Documents, links, keywords and vectors of one generation."""

    def __init__(self, db: apsw.Connection, caches: Caches, max_text: int | None = None) -> None:
        self.db = db
        self._caches = caches
        self._generation = generation_of(db)  # the view begins with this first read
        documents = Documents(db, caches, self._generation, max_text)
        super().__init__(
            documents,
            Keywords(db, documents, caches, self._generation),
            Vectors(db, documents, caches, self._generation),
        )

    def generation(self) -> int:
        return self._generation

    def manifest(self) -> dict[str, str]:
        return manifest_of(self.db)

    def chunk_count(self) -> int:
        return self._count("chunks")

    def counts(self) -> Counts:
        generation, updated_ns = only_row(self.db, "SELECT generation, updated_ns FROM state")
        file = Path(self.db.filename)
        return Counts(
            documents=self._count("documents"),
            chunks=self._count("chunks"),
            links=self._count("links"),
            bytes_on_disk=sum(map(size_of, file.parent.glob(f"{file.name}*"))),
            generation=integer(generation),
            updated_ns=None if updated_ns is None else integer(updated_ns),
        )

    def _count(self, table: str) -> int:
        """SQLite counts rows by looking at each of them."""
        return self._caches.numbers.get(
            self._generation, (table, ""), lambda: int(only_value(self.db, f"SELECT count(*) FROM {table}"))
        )


def manifest_of(db: apsw.Connection) -> dict[str, str]:
    entries = rows(db, "SELECT key, value FROM manifest ORDER BY key")
    return {unescaped(key): unescaped(value) for key, value in entries}
