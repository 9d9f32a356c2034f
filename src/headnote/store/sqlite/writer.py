"""Changing the index, inside the transactions of an update."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate, chain, count, pairwise, repeat, starmap
from typing import TYPE_CHECKING, Any

from headnote.store.codec import escaped
from headnote.store.integrity import decoding
from headnote.store.interface import decodes_all
from headnote.store.readers import LINK_COLUMNS
from headnote.store.rows import Columns, KeywordFields, Row
from headnote.store.sharing import rows
from headnote.store.sqlite.connections import SqliteUpdate
from headnote.store.sqlite.documents import (
    CHECKED_DOCUMENT,
    CHECKED_LINK,
    SqliteCaches,
    checksum_of,
    chunk_row,
    document_checksum,
    sound,
    text_row,
    with_checksum,
)
from headnote.store.sqlite.keywords import INSERT_KEYWORDS, SqliteKeywords
from headnote.store.sqlite.vectors import SqliteVectors, SqliteVectorWriter

if TYPE_CHECKING:
    import apsw


# -- One consistent view of the index, inside the one transaction of a reader.


@decodes_all
class SqliteReader(SqliteKeywords, SqliteVectors):
    """Documents, links, keywords and vectors of one generation."""


# -- Changing the index, inside the transactions of an update


_INSERT_DOCUMENT = f"INSERT INTO documents VALUES ({', '.join('?' * 19)})"
_INSERT_TEXT = "INSERT INTO texts VALUES (?, ?, ?)"
_INSERT_CHUNK = f"INSERT INTO chunks VALUES ({', '.join('?' * 21)})"
_LINKS = f"links ({LINK_COLUMNS.replace('l.', '')}, checksum)"
_INSERT_LINK = f"INSERT INTO {_LINKS} VALUES ({', '.join('?' * 12)})"

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
    ("INSERT INTO names VALUES (?, ?, ?, ?)", lambda number, _, own: ((number, *name) for name in own.names)),
)
"""Table by table, so that the rows of many documents go into one table at once."""


class SqliteWriter(SqliteVectorWriter, SqliteReader):
    """One update."""

    LINKS = _LINKS

    def __init__(self, db: apsw.Connection) -> None:
        self.update = SqliteUpdate(db)
        self._slots_of = {}
        super().__init__(db, SqliteCaches(enabled=False))

    def finish(self) -> None:
        self._end()

    def _end(self) -> None:
        self.update.require_transaction()
        if self.update.has_changes:
            self.db.execute("UPDATE state SET generation = generation + 1, updated_ns = ?", (time.time_ns(),))
        self.db.execute("COMMIT")

    def _put(self, batch: list[Columns]) -> None:
        self._delete([own.path for own in batch])
        ends = accumulate((len(own.chunks) for own in batch), initial=self._next("chunks"))
        ids = [range(*bounds) for bounds in pairwise(ends)]
        numbered = list(zip(count(self._next("documents")), ids, batch, strict=False))
        for insert, rows_of in _TABLES:
            self.db.executemany(insert, chain.from_iterable(starmap(rows_of, numbered)))

    def _next(self, table: str) -> int:
        return int(self._only_value(f"SELECT coalesce(max(id), 0) + 1 FROM {table}"))

    @decoding
    def _set_path(self, old: str, new: str) -> None:
        for row in rows(self.db, f"SELECT {CHECKED_DOCUMENT} FROM documents d WHERE d.path = ?", (escaped(old),)):
            number, _, *rest = sound("a document", row)
            checksum = checksum_of((number, escaped(new), *rest))
            self.db.execute(
                "UPDATE documents SET path = ?, checksum = ? WHERE id = ?", (escaped(new), checksum, number)
            )

    def _insert_keywords(self, chunks: Sequence[int], keywords: Sequence[KeywordFields]) -> None:
        self.db.executemany(INSERT_KEYWORDS, ((chunk, *own) for chunk, own in zip(chunks, keywords, strict=True)))

    def _delete_keywords(self, chunks: Sequence[int] | None = None) -> None:
        if chunks is None:
            self.db.execute("INSERT INTO keyword (keyword) VALUES ('delete-all')")
        else:
            self.db.executemany("DELETE FROM keyword WHERE rowid = ?", ((chunk,) for chunk in chunks))

    def _delete(self, paths: Collection[str]) -> None:
        """Foreign keys take the rows of a document with it; the keyword index has none. Links into the document forget
        the chunk."""
        for path, number in self._numbers_of(paths).items():
            self._change_links_to(path, "AND l.resolved_chunk IS NOT NULL", lambda *place: place)
            chunks = rows(self.db, "SELECT id FROM chunks WHERE document = ?", (number,))
            self._delete_keywords([chunk for (chunk,) in chunks])
            self.db.execute("DELETE FROM documents WHERE id = ?", (number,))

    def _lose_links_to(self, paths: Iterable[str]) -> None:
        for path in paths:
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

    def _link_row(self, row: Row) -> Row:
        return with_checksum(row)
