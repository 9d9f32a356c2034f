"""The index in a schema of a PostgreSQL database: how it is changed inside the transactions of an update, checked and
opened. The server holds most invariants; the others are checked here, and derived data is rebuilt."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from headnote.store.codec import columns_of, escaped, unescaped
from headnote.store.integrity import INSTANT
from headnote.store.interface import decodes_all
from headnote.store.invariants import (
    COUNTED,
    Check,
    bad_documents,
    filter_check,
    missing_vectors,
    relations,
    source_checks,
)
from headnote.store.keyword_fields import keyword_fields
from headnote.store.postgres.connections import PostgresConnections
from headnote.store.postgres.documents import PostgresCaches
from headnote.store.postgres.keywords import PostgresKeywords, insert_keywords, word_counts
from headnote.store.postgres.sql import PostgresUpdate
from headnote.store.postgres.target import target_of
from headnote.store.postgres.vectors import EXACT, PostgresVectors, PostgresVectorWriter, index_of
from headnote.store.quantized import SCALE_BYTES
from headnote.store.readers import LINK_COLUMNS
from headnote.store.rows import Columns, DocumentEntry, DocumentRow, KeywordFields, Row, StoredChunk
from headnote.store.sharing import Connection, generation_of, only_value, rows

# -- One consistent view of the index, inside the one transaction of a reader.


@decodes_all
class PostgresReader(PostgresKeywords, PostgresVectors):
    """Documents, links, keywords and vectors of one generation."""


# -- Changing the index, inside the transactions of an update


_MANY = 500
"""Documents after which the server renews its statistics, so that it uses its indexes well."""

_DOCUMENT_COLUMNS = (
    "documents (id, path, size, mtime_ns, hash, title, metadata, tags, aliases, warning, mdx, comments, name, "
    "frontmatter_ns, git_ns, name_ns, dated_ns, dated_by, text)"
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
            self.db.execute("ANALYZE documents, chunks, links, postings, lengths, document_tags, fields, names")
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
        """The keyword index, what filters look at, and what a query may name."""
        words: list[tuple[int, Sequence[str]]] = []
        document_tags: list[Row] = []
        fields: list[Row] = []
        names: list[Row] = []
        for number, ids, own in batch:
            words += zip(ids, own.keywords, strict=True)
            document_tags += ((number, tag) for tag in own.tags)
            fields += ((number, *field) for field in own.fields)
            names += ((number, *name) for name in own.names)
        insert_keywords(self.update, words)
        self.update.insert("document_tags", document_tags)
        self.update.insert("fields", fields)
        self.update.insert("names", names)

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


# -- The index in a schema of a PostgreSQL database. The server holds most invariants; the others are checked here, and
# derived data is rebuilt.

_COUNTED: dict[str, str] = COUNTED | {
    "chunks that the keyword index does not have": "SELECT id FROM chunks EXCEPT SELECT chunk FROM lengths",
    "words of the keyword index without a chunk": "SELECT DISTINCT chunk FROM postings EXCEPT SELECT id FROM chunks",
    "vectors of the wrong length": """
        SELECT v.id FROM vectors v JOIN models m ON m.id = v.model WHERE vector_dims(v.embedding) <> m.dims""",
    "parts of vectors of the wrong size": f"""
        SELECT v.id FROM vectors v JOIN models m ON m.id = v.model
        WHERE length(v.parts) = 0 OR length(v.parts) %% ({SCALE_BYTES} + m.dims) <> 0""",
    "indexes of vectors that are broken or missing": """
        SELECT m.id FROM models m LEFT JOIN pg_index i ON i.indexrelid = to_regclass('vectors_of_model_' || m.id)
        WHERE m.indexed AND i.indisvalid IS NOT TRUE""",
}


_POSTINGS = """
SELECT chunk, word, length, title, headings, text, aliases, tags FROM postings WHERE chunk = ANY(%s)
"""


def complaints(reader: PostgresReader) -> list[str]:
    checks: list[Check] = [*source_checks(reader), partial(filter_check, reader), partial(_terms, reader.db)]
    return [*relations(reader, _COUNTED), *missing_vectors(reader), *bad_documents(reader, checks).values()]


def _terms(db: Connection, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    ids = [chunk.id for chunk in chunks]
    lengths = dict(rows(db, "SELECT chunk, length FROM lengths WHERE chunk = ANY(%s)", (ids,)))
    postings: dict[int, dict[str, list[int]]] = {identity: {} for identity in ids}
    for chunk, word, *counts in rows(db, _POSTINGS, (ids,)):
        postings[chunk][unescaped(word)] = counts
    for chunk, fields in zip(chunks, keyword_fields(document, (chunk.row for chunk in chunks)), strict=True):
        if chunk.id not in lengths:
            return "a chunk is not in the keyword index"
        length = sum(len(field.split()) for field in fields)
        expected = {word: [length, *counts] for word, counts in word_counts(fields).items()}
        if postings[chunk.id] != expected or lengths[chunk.id] != length:
            return "the keyword index has other terms than the text"
    return ""


_DANGLING = """
UPDATE links SET resolved_chunk = NULL WHERE resolved_chunk IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM documents d JOIN chunks c ON c.document = d.id
    WHERE d.path = links.resolved AND c.number = links.resolved_chunk
)
"""
_WRONG_LENGTH = f"""
DELETE FROM vectors v USING models m WHERE m.id = v.model AND (
    vector_dims(v.embedding) <> m.dims OR length(v.parts) = 0 OR length(v.parts) %% ({SCALE_BYTES} + m.dims) <> 0
)
"""
_WRONG_NAMES = f"""
DELETE FROM name_vectors n USING models m WHERE m.id = n.model AND length(n.data) <> {SCALE_BYTES} + m.dims
"""


def repair(writer: PostgresWriter) -> list[str]:
    """Removes what is damaged and rebuilds derived data; says what it did."""
    update = writer.update
    actions = []
    removed = update.change(_WRONG_LENGTH) + update.change(_WRONG_NAMES)
    if removed:
        actions.append(f"vectors: {removed} of the wrong length removed")
        # Without this entry, the next update makes what is missing.
        writer.set_manifest({key: entry for key, entry in writer.manifest().items() if key != INSTANT})
    bad = bad_documents(writer, source_checks(writer))
    writer.remove(bad)
    actions += [f"{complaint}: removed, to be read again" for complaint in bad.values()]
    update.change(_DANGLING)
    for number, indexed in rows(writer.db, "SELECT id, indexed FROM models"):
        update.changed_models.add(number)
        if indexed:  # it is built again when the update ends
            writer.db.execute(f"DROP INDEX IF EXISTS {index_of(number)}")
            update.change("UPDATE models SET indexed = false WHERE id = %s", (number,))
            actions.append("index of vectors rebuilt")
    _derive(writer)
    actions.append("keyword index, tags, fields and names rebuilt")
    return actions


def _derive(writer: PostgresWriter) -> None:
    for table in ("postings", "lengths", "document_tags", "fields", "names"):
        writer.update.change(f"DELETE FROM {table}")
    for number, path in rows(writer.db, "SELECT id, path FROM documents ORDER BY id"):
        document = writer.document(unescaped(path))
        assert document is not None
        chunks = writer.chunks_of(document.path)
        columns = columns_of(DocumentEntry(document, [chunk.row for chunk in chunks]))
        writer.insert_derived([(number, [chunk.id for chunk in chunks], columns)])


# -- The index in a schema of a PostgreSQL database.


class PostgresStore:
    """Safe for threads; a fork makes connections of its own."""

    folder: Path | None = None
    is_shared = True

    def __init__(self, connections: PostgresConnections, exact: int = EXACT) -> None:
        self._connections = connections
        self._caches = PostgresCaches()
        self._exact = exact
        self.target = connections.target
        self.place = connections.target.shown
        self.may_write = connections.may_write

    @classmethod
    def open(
        cls, root: str | os.PathLike[str], url: str, *, create: bool = True, read_only: bool = False, exact: int = EXACT
    ) -> PostgresStore:
        """The index of a folder at this place. With `create`, a missing one is created; with `read_only`, it stays as
        it is."""
        return cls(PostgresConnections(target_of(Path(root), url), create, read_only), exact)

    def reading(self) -> contextlib.AbstractContextManager[PostgresReader]:
        return self._reading(self._caches)

    @contextlib.contextmanager
    def _reading(self, caches: PostgresCaches) -> Iterator[PostgresReader]:
        with self._connections.reader() as (db, generation):
            yield PostgresReader(db, generation, caches, self._exact)

    @contextlib.contextmanager
    def writing(self, wait: float = 10.0, *, concurrent: bool = False) -> Iterator[PostgresWriter]:
        with self._connections.writer(wait, concurrent) as db:
            writer = PostgresWriter(db, self._exact, concurrent)
            yield writer
            writer.finish()

    def generation(self) -> int:
        return self._connections.generation()

    def check(self) -> list[str]:
        with self._reading(PostgresCaches(enabled=False)) as reader:  # what the server has, not what memory has
            return complaints(reader)

    def repair(self) -> list[str]:
        with self.writing() as writer:
            return repair(writer)

    def close(self) -> None:
        self._connections.close()
