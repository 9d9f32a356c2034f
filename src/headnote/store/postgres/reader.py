"""One consistent view of the index: all that can be asked, inside the one transaction of a reader."""

from __future__ import annotations

from headnote.store.codec import unescaped
from headnote.store.damage import decodes_all
from headnote.store.postgres.documents import ReadsLinks
from headnote.store.postgres.keywords import ReadsKeywords
from headnote.store.postgres.remembered import Remembered
from headnote.store.postgres.sql import Connection, only_row, only_value, rows
from headnote.store.postgres.vectors import ReadsVectors
from headnote.store.queries import PENDING_COUNTS
from headnote.store.rows import Counts

_COUNTS = """
SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks), (SELECT count(*) FROM links), (
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
)::bigint, generation, updated_ns FROM state
"""


@decodes_all
class PostgresReader(ReadsVectors, ReadsKeywords, ReadsLinks):
    """Documents, links, keywords and vectors of one generation."""

    def __init__(self, db: Connection, remembered: Remembered, exact: int) -> None:
        self.db = db
        self.remembered = remembered
        self.exact = exact
        self._generation: int = only_value(db, "SELECT generation FROM state")
        """The view begins with this first read."""

    def generation(self) -> int:
        return self._generation

    def manifest(self) -> dict[str, str]:
        found = rows(self.db, "SELECT key, value FROM manifest ORDER BY key")
        return {unescaped(key): unescaped(value) for key, value in found}

    def chunk_count(self) -> int:
        return int(only_value(self.db, "SELECT count(*) FROM chunks"))

    def counts(self) -> Counts:
        documents, chunks, links, size, generation, updated_ns = only_row(self.db, _COUNTS)
        pending = {unescaped(name): missing for name, missing in rows(self.db, PENDING_COUNTS)}
        return Counts(documents, chunks, links, pending, size, generation, updated_ns)
