"""One consistent view of the index, inside the one transaction of a reader."""

from __future__ import annotations

from headnote.store.codec import unescaped
from headnote.store.damage import decodes_all
from headnote.store.postgres.cache import Caches
from headnote.store.postgres.documents import Documents
from headnote.store.postgres.keywords import Keywords
from headnote.store.postgres.sql import Connection, generation_of, only_row, only_value, rows
from headnote.store.postgres.vectors import Vectors
from headnote.store.reader import CompositeReader
from headnote.store.rows import Counts

_COUNTS = """
SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks), (SELECT count(*) FROM links), (
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
)::bigint, generation, updated_ns FROM state
"""


@decodes_all
class PostgresReader(CompositeReader):
    """Documents, links, keywords and vectors of one generation."""

    def __init__(self, db: Connection, caches: Caches, exact: int) -> None:
        self.db = db
        self._generation = generation_of(db)  # the view begins with this first read
        documents = Documents(db, caches, self._generation)
        super().__init__(
            documents,
            Keywords(db, documents, caches, self._generation),
            Vectors(db, documents, caches, self._generation, exact),
        )

    def generation(self) -> int:
        return self._generation

    def manifest(self) -> dict[str, str]:
        entries = rows(self.db, "SELECT key, value FROM manifest ORDER BY key")
        return {unescaped(key): unescaped(value) for key, value in entries}

    def chunk_count(self) -> int:
        return int(only_value(self.db, "SELECT count(*) FROM chunks"))

    def counts(self) -> Counts:
        documents, chunks, links, size, generation, updated_ns = only_row(self.db, _COUNTS)
        return Counts(
            documents=documents,
            chunks=chunks,
            links=links,
            bytes_on_disk=size,
            generation=generation,
            updated_ns=updated_ns,
        )
