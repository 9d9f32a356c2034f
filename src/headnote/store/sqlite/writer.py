"""Changing the index, inside the transactions of an update."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain, count, islice, pairwise, repeat, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headnote.model import file_name
from headnote.store import codec
from headnote.store.codec import columns_of, escaped, unescaped
from headnote.store.integrity import decodes_all, decoding, integer
from headnote.store.interface import DOCUMENTS_TOGETHER
from headnote.store.keyword_fields import keyword_fields_of
from headnote.store.reader import CompositeReader
from headnote.store.rows import Columns, Counts, DocumentEntry, LinkRow, NonText, PackedVectors
from headnote.store.sqlite.cache import SqliteCaches
from headnote.store.sqlite.checksums import (
    CHECKED_DOCUMENT,
    CHECKED_LINK,
    checksum_of,
    chunk_row,
    document_checksum,
    sound,
    text_row,
    with_checksum,
)
from headnote.store.sqlite.connections import size_of
from headnote.store.sqlite.documents import SqliteDocuments
from headnote.store.sqlite.keywords import (
    INSERT_KEYWORDS,
    SqliteKeywords,
    delete_all_keywords,
    delete_keywords,
    insert_keywords,
)
from headnote.store.sqlite.sql import SqliteUpdate, generation_of, only_row, only_value, rows
from headnote.store.sqlite.vectors import SqliteVectors, SqliteVectorWriter

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray


# -- One consistent view of the index, inside the one transaction of a reader.


@decodes_all
class SqliteReader(CompositeReader):
    """Documents, links, keywords and vectors of one generation."""

    def __init__(self, db: apsw.Connection, caches: SqliteCaches, max_text: int | None = None) -> None:
        self.db = db
        self._caches = caches
        self._generation = generation_of(db)  # the view begins with this first read
        documents = SqliteDocuments(db, caches, self._generation, max_text)
        super().__init__(
            documents,
            SqliteKeywords(db, documents, caches, self._generation),
            SqliteVectors(db, documents, caches, self._generation),
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


# -- Changing the index, inside the transactions of an update


_INSERT_DOCUMENT = f"INSERT INTO documents VALUES ({', '.join('?' * 13)})"
_INSERT_TEXT = "INSERT INTO texts VALUES (?, ?, ?)"
_INSERT_CHUNK = f"INSERT INTO chunks VALUES ({', '.join('?' * 20)})"
_INSERT_LINK = f"INSERT INTO links VALUES (NULL, {', '.join('?' * 12)})"

RowsOf = Callable[[int, Sequence[int], Columns], Iterable[Sequence[Any]]]
"""Number of a document, ids of its chunks, and its columns → rows of a table."""

_TABLES: tuple[tuple[str, RowsOf], ...] = (
    (_INSERT_DOCUMENT, lambda number, _, own: [(number, *own.document, document_checksum(number, own.document))]),
    (_INSERT_TEXT, lambda number, _, own: [text_row(number, own.text)]),
    (_INSERT_CHUNK, lambda number, ids, own: map(chunk_row, ids, repeat(number), own.chunks)),
    (_INSERT_LINK, lambda number, _, own: (with_checksum((number, *row)) for row in own.links)),
    (INSERT_KEYWORDS, lambda _, ids, own: ((one, *terms) for one, terms in zip(ids, own.keywords, strict=True))),
    ("INSERT INTO document_tags VALUES (?, ?)", lambda number, _, own: ((number, tag) for tag in own.tags)),
    ("INSERT INTO fields VALUES (?, ?, ?)", lambda number, _, own: ((number, *field) for field in own.fields)),
)
"""Table by table, so that the rows of many documents go into one table at once."""


class SqliteWriter(SqliteReader):
    """One update. After an error that leaves it, nothing of it is stored but what was committed."""

    def __init__(self, db: apsw.Connection) -> None:
        self._update = SqliteUpdate(db)
        super().__init__(db, SqliteCaches(enabled=False))
        self.vectors = SqliteVectorWriter(self._update)

    def commit(self) -> None:
        self.finish()
        self._update.begin()
        self._generation = generation_of(self.db)

    def finish(self) -> None:
        """Ends the transaction. One that changed nothing leaves the generation as it was."""
        self._update.require_transaction()
        if self._update.has_changes:
            self.db.execute("UPDATE state SET generation = generation + 1, updated_ns = ?", (time.time_ns(),))
        self.db.execute("COMMIT")

    # -- documents

    def put(self, entries: Iterable[DocumentEntry | Columns]) -> None:
        source = map(columns_of, entries)
        with self._update.step():
            while batch := list(islice(source, DOCUMENTS_TOGETHER)):
                # Of several entries with one path, the last one counts.
                self._put(list({own.path: own for own in batch}.values()))

    def _put(self, batch: list[Columns]) -> None:
        self._delete([own.path for own in batch])
        ends = accumulate((len(own.chunks) for own in batch), initial=self._next("chunks"))
        ids = [range(*bounds) for bounds in pairwise(ends)]
        numbered = list(zip(count(self._next("documents")), ids, batch, strict=False))
        for insert, rows_of in _TABLES:
            self.db.executemany(insert, chain.from_iterable(starmap(rows_of, numbered)))
        self.vectors.add_packed(own.vectors for own in batch if own.vectors)

    def remove(self, paths: Iterable[str]) -> None:
        gone = list(paths)
        with self._update.step():
            for path in gone:
                self._lose_links_to(path)
            self._delete(gone)

    def rename(self, old: str, new: str) -> None:
        if old == new:
            return
        with self._update.step():
            self.remove([new])
            self._lose_links_to(old)
            self._set_path(old, new)
            if file_name(old) != file_name(new):
                self._renew_keywords(new)

    @decoding
    def _set_path(self, old: str, new: str) -> None:
        for row in rows(self.db, f"SELECT {CHECKED_DOCUMENT} FROM documents d WHERE d.path = ?", (escaped(old),)):
            number, _, *rest = sound("a document", row)
            checksum = checksum_of((number, escaped(new), *rest))
            self.db.execute(
                "UPDATE documents SET path = ?, checksum = ? WHERE id = ?", (escaped(new), checksum, number)
            )

    def _renew_keywords(self, path: str) -> None:
        """After the file name has changed, which is one of the names a document is found by."""
        chunks = self.chunks_of(path)
        ids = [chunk.id for chunk in chunks]
        delete_keywords(self.db, ids)
        insert_keywords(self.db, ids, keyword_fields_of(chunks))

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        with self._update.step():
            self.db.execute(
                "UPDATE documents SET size = ?, mtime_ns = ? WHERE path = ?", (size, mtime_ns, escaped(path))
            )

    def set_links(self, links: Mapping[str, Iterable[LinkRow]]) -> None:
        with self._update.step():
            numbers = self._numbers_of(links)
            self.db.executemany("DELETE FROM links WHERE document = ?", ((number,) for number in numbers.values()))
            new = ((number, *codec.link_row(link)) for path, number in numbers.items() for link in links[path])
            self.db.executemany(_INSERT_LINK, map(with_checksum, new))

    def set_non_texts(self, files: Iterable[NonText]) -> None:
        by_path = {file.path: file for file in files}
        if by_path == self.non_texts():
            return
        with self._update.step():
            self.db.execute("DELETE FROM non_texts")
            self.db.executemany("INSERT INTO non_texts VALUES (?, ?, ?, ?)", map(codec.non_text_row, by_path.values()))

    def set_manifest(self, values: Mapping[str, str]) -> None:
        if values == self.manifest():
            return
        with self._update.step():
            self.db.execute("DELETE FROM manifest")
            self.db.executemany(
                "INSERT INTO manifest VALUES (?, ?)", ((escaped(key), escaped(value)) for key, value in values.items())
            )

    def clear(self) -> None:
        with self._update.step():
            delete_all_keywords(self.db)
            self.db.execute("DELETE FROM documents")
            self.db.execute("DELETE FROM non_texts")

    def _delete(self, paths: Collection[str]) -> None:
        """Foreign keys take the rows of a document with it; the keyword index has none. Links into the document forget
        the chunk."""
        for path, number in self._numbers_of(paths).items():
            self._forget_places(path)
            chunks = rows(self.db, "SELECT id FROM chunks WHERE document = ?", (number,))
            delete_keywords(self.db, [chunk for (chunk,) in chunks])
            self.db.execute("DELETE FROM documents WHERE id = ?", (number,))

    def _numbers_of(self, paths: Collection[str]) -> dict[str, int]:
        """Path → number, of those among them that are documents, in this order."""
        query = "SELECT path, id FROM documents WHERE path IN (SELECT value FROM json_each(?))"
        found = dict(rows(self.db, query, (json.dumps([escaped(path) for path in paths]),)))
        return {path: found[escaped(path)] for path in paths if escaped(path) in found}

    def _forget_places(self, path: str) -> None:
        self._change_links_to(path, "AND l.resolved_chunk IS NOT NULL", lambda resolved, section: (resolved, section))

    def _lose_links_to(self, path: str) -> None:
        self._change_links_to(path, "", lambda *_: (None, None))

    @decoding
    def _change_links_to(
        self, path: str, which: str, place: Callable[[str | None, str | None], tuple[str | None, str | None]]
    ) -> None:
        """They lead to another place, and to no chunk of it."""
        query = f"SELECT l.id, {CHECKED_LINK} FROM links l WHERE l.resolved = ? {which}"
        changed = []
        for number, *row in rows(self.db, query, (escaped(path),)):
            *own, resolved, section, _ = sound("a link", row)
            there = (*place(resolved, section), None)
            changed.append((*there, checksum_of((*own, *there)), number))
        update = "UPDATE links SET resolved = ?, section = ?, resolved_chunk = ?, checksum = ? WHERE id = ?"
        self.db.executemany(update, changed)

    def _next(self, table: str) -> int:
        return int(only_value(self.db, f"SELECT coalesce(max(id), 0) + 1 FROM {table}"))

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
