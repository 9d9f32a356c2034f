"""Changing the index, inside the transactions of an update."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from headnote.model import file_name
from headnote.store import codec
from headnote.store.codec import columns_of, escaped, unescaped
from headnote.store.integrity import decodes_all
from headnote.store.interface import DOCUMENTS_TOGETHER
from headnote.store.keyword_fields import keyword_fields_of
from headnote.store.postgres.cache import ALL, PostgresCaches
from headnote.store.postgres.documents import PostgresDocuments
from headnote.store.postgres.keywords import PostgresKeywords, delete_keywords, insert_keywords
from headnote.store.postgres.sql import Connection, PostgresUpdate, generation_of, only_row, only_value, rows
from headnote.store.postgres.vectors import PostgresVectors, PostgresVectorWriter
from headnote.store.reader import CompositeReader
from headnote.store.rows import Columns, Counts, DocumentEntry, LinkRow, NonText, PackedVectors, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# -- One consistent view of the index, inside the one transaction of a reader.


_COUNTS = """
SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks), (SELECT count(*) FROM links), (
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
)::bigint, generation, updated_ns FROM state
"""


@decodes_all
class PostgresReader(CompositeReader):
    """Documents, links, keywords and vectors of one generation."""

    def __init__(self, db: Connection, generation: int, caches: PostgresCaches, exact: int) -> None:
        self.db = db
        self._generation = generation
        self._caches = caches
        documents = PostgresDocuments(db, caches, self._generation)
        super().__init__(
            documents,
            PostgresKeywords(db, documents, caches, self._generation),
            PostgresVectors(db, documents, caches, self._generation, exact),
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


# -- Changing the index, inside the transactions of an update


_MANY = 500
"""Documents after which the server renews its statistics, so that it uses its indexes well."""

_LINK_COLUMNS = (
    "links (document, chunk, line, kind, target, fragment, text, external, resolved, section, resolved_chunk)"
)
_DOCUMENT_COLUMNS = (
    "documents (id, path, size, mtime_ns, hash, title, metadata, tags, aliases, warning, mdx, name, text)"
)

Numbered = tuple[int, Sequence[int], Columns]
"""Number of a document, ids of its chunks, and its columns."""


class PostgresWriter(PostgresReader):
    """One update. After an error that leaves it, nothing of it is stored but what was committed."""

    def __init__(self, db: Connection, exact: int, together: bool) -> None:
        self.update = PostgresUpdate(db, together)
        super().__init__(db, generation_of(db), PostgresCaches(enabled=False), exact)
        self.vectors = PostgresVectorWriter(self.update, exact)
        self._put_documents = 0

    def commit(self) -> None:
        self._end()
        self.update.begin()
        self._generation = generation_of(self.db)

    def finish(self) -> None:
        """Ends the update."""
        if not self.update.together:
            self.vectors.build_indexes()
        if self._put_documents >= _MANY and not self.update.together:
            self.db.execute("ANALYZE documents, chunks, links, postings, lengths, document_tags, fields")
        self._end()

    def _end(self) -> None:
        """Ends the transaction. One that changed nothing leaves the generation as it was."""
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

    # -- documents

    def put(self, entries: Iterable[DocumentEntry | Columns]) -> None:
        source = map(columns_of, entries)
        vectors: list[PackedVectors] = []
        with self.update.step():
            while batch := list(islice(source, DOCUMENTS_TOGETHER)):
                # Of several entries with one path, the last one counts.
                self._put(list({own.path: own for own in batch}.values()))
                vectors += (own.vectors for own in batch if own.vectors)
                if not self.update.together:
                    self.vectors.add_packed(vectors)
                    vectors = []
            # Writers who write together take all hashes in one order: see `add_packed`.
            self.vectors.add_packed(vectors)

    def _put(self, batch: list[Columns]) -> None:
        paths = [own.path for own in batch]
        self._lock_paths(paths)
        self._forget_places(paths)
        self._delete(paths)
        numbers = self._take_numbers("documents", len(batch))
        ids = self._take_numbers("chunks", sum(len(own.chunks) for own in batch))
        numbered: list[Numbered] = [
            (number, list(islice(ids, len(own.chunks))), own) for number, own in zip(numbers, batch, strict=True)
        ]
        self._insert(numbered)
        self._put_documents += len(batch)

    def _insert(self, batch: list[Numbered]) -> None:
        documents: list[Row] = []
        chunks: list[Row] = []
        links: list[Row] = []
        for number, ids, own in batch:
            documents.append((number, *own.document, escaped(own.text)))
            chunks += ((one, number, *row) for one, row in zip(ids, own.chunks, strict=True))
            links += ((number, *row) for row in own.links)
        self.update.copy(_DOCUMENT_COLUMNS, documents)
        self.update.copy("chunks", chunks)
        self.update.copy(_LINK_COLUMNS, links)
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
        self.update.copy("document_tags", document_tags)
        self.update.copy("fields", fields)

    def _renew_keywords(self, path: str) -> None:
        """After the file name has changed, which is one of the names a document is found by."""
        chunks = self.chunks_of(path)
        ids = [chunk.id for chunk in chunks]
        delete_keywords(self.update, ids)
        insert_keywords(self.update, zip(ids, keyword_fields_of(chunks), strict=True))

    def remove(self, paths: Iterable[str]) -> None:
        removed = list(paths)
        with self.update.step():
            self._lock_paths(removed)
            self._lose_links_to(removed)
            self._delete(removed)

    def rename(self, old: str, new: str) -> None:
        if old == new:
            return
        with self.update.step():
            self._lock_paths([old, new])
            self.remove([new])
            self._lose_links_to([old])
            self.update.change("UPDATE documents SET path = %s WHERE path = %s", (escaped(new), escaped(old)))
            if file_name(old) != file_name(new):
                self._renew_keywords(new)

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        with self.update.step():
            self.update.change(
                "UPDATE documents SET size = %s, mtime_ns = %s WHERE path = %s", (size, mtime_ns, escaped(path))
            )

    def set_links(self, links: Mapping[str, Iterable[LinkRow]]) -> None:
        with self.update.step():
            query = "SELECT path, id FROM documents WHERE path = ANY(%s)"
            numbers = {unescaped(path): number for path, number in self.db.execute(query, (list(map(escaped, links)),))}
            self.update.change("DELETE FROM links WHERE document = ANY(%s)", (list(numbers.values()),))
            new = ((numbers[path], *codec.link_row(link)) for path in links if path in numbers for link in links[path])
            self.update.copy(_LINK_COLUMNS, new)

    def set_non_texts(self, files: Iterable[NonText]) -> None:
        by_path = {file.path: file for file in files}
        if by_path == self.non_texts():
            return
        with self.update.step():
            self.update.change("DELETE FROM non_texts")
            self.update.copy("non_texts", map(codec.non_text_row, by_path.values()))

    def set_manifest(self, values: Mapping[str, str]) -> None:
        if values == self.manifest():
            return
        with self.update.step():
            self.update.change("DELETE FROM manifest")
            self.update.copy("manifest", [(escaped(key), escaped(value)) for key, value in values.items()])

    def clear(self) -> None:
        with self.update.step():
            # Not TRUNCATE, which would make readers wait.
            self.db.execute("DELETE FROM postings")
            self.update.change("DELETE FROM documents")
            self.update.change("DELETE FROM non_texts")

    def _lock_paths(self, paths: Iterable[str]) -> None:
        """Where others write too, each document belongs to one writer until it is done."""
        if self.update.together:
            self.db.execute(
                """SELECT pg_advisory_xact_lock(number) FROM (
                    SELECT DISTINCT hashtextextended(current_schema() || '/' || path, 0) AS number
                    FROM unnest(%s::text[]) path ORDER BY number
                ) numbers""",
                (list(map(escaped, paths)),),
            )

    def _delete(self, paths: Iterable[str]) -> None:
        """Foreign keys take the rows of a document with it; postings have none."""
        bindings = (list(map(escaped, paths)),)
        self.db.execute(
            """DELETE FROM postings WHERE chunk IN (
                SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE d.path = ANY(%s)
            )""",
            bindings,
        )
        self.update.change("DELETE FROM documents WHERE path = ANY(%s)", bindings)

    def _forget_places(self, paths: Iterable[str]) -> None:
        self.update.change(
            "UPDATE links SET resolved_chunk = NULL WHERE resolved = ANY(%s) AND resolved_chunk IS NOT NULL",
            (list(map(escaped, paths)),),
        )

    def _lose_links_to(self, paths: Iterable[str]) -> None:
        self.update.change(
            "UPDATE links SET resolved = NULL, section = NULL, resolved_chunk = NULL WHERE resolved = ANY(%s)",
            (list(map(escaped, paths)),),
        )

    def _take_numbers(self, table: str, count: int) -> Iterator[int]:
        query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        return iter([number for (number,) in rows(self.db, query, (table, count))])

    # -- vectors

    def add_vectors(
        self,
        model: str,
        hashes: Sequence[str],
        matrix: NDArray[np.floating],
        parts: Sequence[NDArray[np.floating]] | None = None,
    ) -> None:
        self.vectors.add_vectors(model, hashes, matrix, parts)

    def add_names(self, model: str, names: Sequence[str], matrix: NDArray[np.floating]) -> None:
        self.vectors.add_names(model, names, matrix)

    def add_packed(self, vectors: Iterable[PackedVectors]) -> None:
        self.vectors.add_packed(vectors)

    def claim(self, model: str, hashes: Sequence[str], owner: str, seconds: float, *, names: bool = False) -> set[str]:
        return self.vectors.claim(model, hashes, owner, seconds, names=names)

    def release(self, owner: str) -> None:
        self.vectors.release(owner)

    def sweep(self, models: Collection[str] | None = None) -> int:
        return self.vectors.sweep(models)
