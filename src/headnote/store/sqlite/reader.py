"""One consistent view of the index: all that can be asked, inside the one transaction of a reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headnote.store.codec import unescaped
from headnote.store.damage import decodes_all
from headnote.store.queries import PENDING_COUNTS
from headnote.store.rows import Counts
from headnote.store.sqlite.connections import size_of
from headnote.store.sqlite.documents import ReadsLinks
from headnote.store.sqlite.kept import Kept
from headnote.store.sqlite.keywords import ReadsKeywords
from headnote.store.sqlite.sql import only_row, rows
from headnote.store.sqlite.vectors import ReadsVectors

if TYPE_CHECKING:
    import apsw


@decodes_all
class SqliteReader(ReadsVectors, ReadsKeywords, ReadsLinks):
    """Documents, links, keywords and vectors of one generation."""

    def __init__(self, db: apsw.Connection, kept: Kept | None = None) -> None:
        self.db = db
        self.kept = kept or Kept(most=0)  # one that keeps nothing sees its own changes

    def manifest(self) -> dict[str, str]:
        found = rows(self.db, "SELECT key, value FROM manifest ORDER BY key")
        return {unescaped(key): unescaped(value) for key, value in found}

    def chunk_count(self) -> int:
        (count,) = only_row(self.db, "SELECT count(*) FROM chunks")
        return int(count)

    def counts(self) -> Counts:
        documents, chunks, links, generation, updated_ns = only_row(
            self.db,
            """SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks), (SELECT count(*) FROM links),
            generation, updated_ns FROM state""",
        )
        pending = {unescaped(name): missing for name, missing in rows(self.db, PENDING_COUNTS)}
        file = Path(self.db.filename)
        size = sum(map(size_of, file.parent.glob(f"{file.name}*")))
        return Counts(documents, chunks, links, pending, size, generation, updated_ns)
