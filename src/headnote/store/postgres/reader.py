"""One consistent view of the index, inside the one transaction of a reader."""

from __future__ import annotations

from headnote.store.codec import unescaped
from headnote.store.damage import decodes_all
from headnote.store.postgres.cache import ALL, Caches
from headnote.store.postgres.documents import Documents
from headnote.store.postgres.keywords import Keywords
from headnote.store.postgres.sql import Connection, only_row, only_value, rows
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

    def __init__(self, db: Connection, generation: int, caches: Caches, exact: int) -> None:
        self.db = db
        self._generation = generation
        self._caches = caches
        documents = Documents(db, caches, self._generation)
        super().__init__(
            documents,
            Keywords(db, documents, caches, self._generation),
            Vectors(db, documents, caches, self._generation, exact),
        )

    def generation(self) -> int:
        return self._generation

    def manifest(self) -> dict[str, str]:
        return dict(self._caches.manifest.get(self._generation, ALL, self._read_manifest))

    def _read_manifest(self) -> dict[str, str]:
        entries = rows(self.db, "SELECT key, value FROM manifest ORDER BY key")
        return {unescaped(key): unescaped(value) for key, value in entries}

    def chunk_count(self) -> int:
        count = self._caches.chunk_count.get(
            self._generation, ALL, lambda: only_value(self.db, "SELECT count(*) FROM chunks")
        )
        return int(count)

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
