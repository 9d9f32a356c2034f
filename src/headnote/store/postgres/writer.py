"""Changing the index, inside the transactions of an update."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from headnote.store.codec import escaped
from headnote.store.document_reader import LINK_COLUMNS
from headnote.store.interface import decodes_all
from headnote.store.postgres.documents import PostgresCaches
from headnote.store.postgres.keywords import PostgresKeywords, insert_keywords
from headnote.store.postgres.sql import Connection, PostgresUpdate, generation_of, only_value, rows
from headnote.store.postgres.vectors import PostgresVectors, PostgresVectorWriter
from headnote.store.rows import Columns, KeywordFields, Row

# -- One consistent view of the index, inside the one transaction of a reader.


@decodes_all
class PostgresReader(PostgresKeywords, PostgresVectors):
    """Documents, links, keywords and vectors of one generation."""


# -- Changing the index, inside the transactions of an update


_MANY = 500
"""Documents after which the server renews its statistics, so that it uses its indexes well."""

_DOCUMENT_COLUMNS = (
    "documents (id, path, size, mtime_ns, hash, title, metadata, tags, aliases, warning, mdx, name, text)"
)

Numbered = tuple[int, Sequence[int], Columns]
"""Number of a document, ids of its chunks, and its columns."""


class PostgresWriter(PostgresVectorWriter, PostgresReader):
    """One update."""

    LINKS = f"links ({LINK_COLUMNS.replace('l.', '')})"

    def __init__(self, db: Connection, exact: int, concurrent: bool) -> None:
        self.update = PostgresUpdate(db, concurrent)
        super().__init__(db, generation_of(db), PostgresCaches(enabled=False), exact)
        self._put_documents = 0

    def finish(self) -> None:
        if not self.update.concurrent:
            self.build_indexes()
        if self._put_documents >= _MANY and not self.update.concurrent:
            self.db.execute("ANALYZE documents, chunks, links, postings, lengths, document_tags, fields")
        self._end()

    def _end(self) -> None:
        if self.update.changes:
            self._raise_generation()
        self.update.end()

    def _raise_generation(self) -> None:
        # Last of all: from here on, other writers have to wait.
        generation = only_value(
            self.db,
            "UPDATE state SET generation = generation + 1, updated_ns = %s RETURNING generation",
            (time.time_ns(),),
        )
        self.db.execute(
            "UPDATE models SET changed = %s WHERE id = ANY(%s)", (generation, list(self.update.changed_models))
        )

    def _put(self, batch: list[Columns]) -> None:
        paths = [own.path for own in batch]
        self.update.change(
            "UPDATE links SET resolved_chunk = NULL WHERE resolved = ANY(?) AND resolved_chunk IS NOT NULL",
            (list(map(escaped, paths)),),
        )
        self._delete(paths)
        numbers = self._take_numbers("documents", len(batch))
        ids = self._take_numbers("chunks", sum(len(own.chunks) for own in batch))
        self._insert(
            [(number, list(islice(ids, len(own.chunks))), own) for number, own in zip(numbers, batch, strict=True)]
        )
        self._put_documents += len(batch)

    def _insert(self, batch: list[Numbered]) -> None:
        documents: list[Row] = []
        chunks: list[Row] = []
        links: list[Row] = []
        for number, ids, own in batch:
            documents.append((number, *own.document, escaped(own.text)))
            chunks += ((one, number, *row) for one, row in zip(ids, own.chunks, strict=True))
            links += ((number, *row) for row in own.links)
        self.update.insert(_DOCUMENT_COLUMNS, documents)
        self.update.insert("chunks", chunks)
        self.update.insert(self.LINKS, links)
        self.insert_derived(batch)

    def insert_derived(self, batch: Iterable[Numbered]) -> None:
        """The keyword index and what filters look at."""
        words: list[tuple[int, Sequence[str]]] = []
        document_tags: list[Row] = []
        fields: list[Row] = []
        for number, ids, own in batch:
            words += zip(ids, own.keywords, strict=True)
            document_tags += ((number, tag) for tag in own.tags)
            fields += ((number, *field) for field in own.fields)
        insert_keywords(self.update, words)
        self.update.insert("document_tags", document_tags)
        self.update.insert("fields", fields)

    def _insert_keywords(self, chunks: Sequence[int], keywords: Sequence[KeywordFields]) -> None:
        insert_keywords(self.update, zip(chunks, keywords, strict=True))

    def _delete_keywords(self, chunks: Sequence[int] | None = None) -> None:
        """Not TRUNCATE, which would make readers wait."""
        if chunks is None:
            self.db.execute("DELETE FROM postings")
            return
        for table in ("postings", "lengths"):
            self.db.execute(f"DELETE FROM {table} WHERE chunk = ANY(%s)", (chunks,))

    def _set_path(self, old: str, new: str) -> None:
        self.update.change("UPDATE documents SET path = ? WHERE path = ?", (escaped(new), escaped(old)))

    def _lock_paths(self, paths: Iterable[str]) -> None:
        if self.update.concurrent:
            self.db.execute(
                """SELECT pg_advisory_xact_lock(number) FROM (
                    SELECT DISTINCT hashtextextended(current_schema() || '/' || path, 0) AS number
                    FROM unnest(%s::text[]) path ORDER BY number
                ) numbers""",
                (list(map(escaped, paths)),),
            )

    def _delete(self, paths: Collection[str]) -> None:
        """Foreign keys take the rows of a document with it; postings have none."""
        bindings = (list(map(escaped, paths)),)
        self.db.execute(
            """DELETE FROM postings WHERE chunk IN (
                SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE d.path = ANY(%s)
            )""",
            bindings,
        )
        self.update.change("DELETE FROM documents WHERE path = ANY(?)", bindings)

    def _lose_links_to(self, paths: Iterable[str]) -> None:
        self.update.change(
            "UPDATE links SET resolved = NULL, section = NULL, resolved_chunk = NULL WHERE resolved = ANY(?)",
            (list(map(escaped, paths)),),
        )

    def _take_numbers(self, table: str, count: int) -> Iterator[int]:
        query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        return iter([number for (number,) in rows(self.db, query, (table, count))])
