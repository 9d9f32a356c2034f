"""Changing the index, inside the one transaction of an update."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING

from headnote.store import codec
from headnote.store.codec import escaped
from headnote.store.rows import ChunkRow, DocumentRow, Entry, KeywordFields, LinkRow, NonText
from headnote.store.sqlite.reader import SqliteReader
from headnote.store.sqlite.sql import only_value
from headnote.store.sqlite.vectors import WritesVectors
from headnote.store.terms import file_name, keyword_fields, keyword_fields_of

if TYPE_CHECKING:
    import apsw

_AT_ONCE = 64
"""Documents that are written together: enough for long runs of the same statement, few enough to hold in memory."""

_INSERT_DOCUMENT = f"INSERT INTO documents VALUES ({', '.join('?' * 12)})"
_INSERT_TEXT = "INSERT INTO texts VALUES (?, ?)"
_INSERT_CHUNK = f"INSERT INTO chunks VALUES ({', '.join('?' * 19)})"
_INSERT_KEYWORD = "INSERT INTO keyword (rowid, title, headings, text, aliases, tags) VALUES (?, ?, ?, ?, ?, ?)"
_DELETE_KEYWORD = "DELETE FROM keyword WHERE rowid = ?"
_INSERT_LINK = """
INSERT INTO links (document, chunk, line, kind, target, fragment, text, external, resolved, section, resolved_chunk)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

Numbered = tuple[int, Entry, list[tuple[int, ChunkRow]]]
"""A document with its number, and its chunks with theirs."""


class SqliteWriter(WritesVectors, SqliteReader):
    """One update. After an error inside of it, nothing of it can be kept any more."""

    def __init__(self, db: apsw.Connection) -> None:
        super().__init__(db)
        self.changes_before = db.total_changes()

    def commit(self) -> None:
        """Ends the update. One that changed nothing leaves the generation as it was."""
        self.require_transaction()
        if self.db.total_changes() != self.changes_before:
            self.db.execute("UPDATE state SET generation = generation + 1, updated_ns = ?", (time.time_ns(),))
        self.db.execute("COMMIT")

    def put(self, entries: Iterable[Entry]) -> None:
        source = iter(entries)
        with self.step():
            while batch := list(islice(source, _AT_ONCE)):
                # The last of several with one path is the one that counts.
                self._put(list({entry.document.path: entry for entry in batch}.values()))

    def _put(self, batch: list[Entry]) -> None:
        for entry in batch:
            self._forget_places(entry.document.path)
            self._delete(entry.document.path)
        numbers = count(self._next("documents"))
        ids = count(self._next("chunks"))
        numbered: list[Numbered] = [
            (number, entry, [(next(ids), chunk) for chunk in entry.chunks])
            for number, entry in zip(numbers, batch, strict=False)
        ]
        self._insert(numbered)

    def _insert(self, batch: list[Numbered]) -> None:
        many = self.db.executemany
        many(_INSERT_DOCUMENT, ((number, *codec.document_row(entry.document)) for number, entry, _ in batch))
        many(_INSERT_TEXT, ((number, codec.text_bytes(entry.document.text)) for number, entry, _ in batch))
        for number, entry, chunks in batch:
            many(_INSERT_CHUNK, codec.chunk_rows(number, entry.document, chunks))
            many(_INSERT_LINK, codec.link_rows(number, entry.links))
            self.insert_derived(number, entry.document, chunks, entry.keywords)

    def insert_derived(
        self,
        number: int,
        document: DocumentRow,
        chunks: list[tuple[int, ChunkRow]],
        keywords: Sequence[KeywordFields] | None = None,
    ) -> None:
        """What can be made anew from the rest: the keyword index and what filters ask for."""
        if keywords is None:
            keywords = keyword_fields(document, (chunk for _, chunk in chunks))
        many = self.db.executemany
        self._insert_keywords([identity for identity, _ in chunks], keywords)
        many("INSERT INTO document_tags VALUES (?, ?)", codec.document_tag_rows(number, document))
        many("INSERT INTO chunk_tags VALUES (?, ?)", codec.chunk_tag_rows(document, chunks))
        many("INSERT INTO fields VALUES (?, ?, ?)", codec.field_rows(number, document))

    def _insert_keywords(self, chunks: Sequence[int], keywords: Sequence[KeywordFields]) -> None:
        self.db.executemany(_INSERT_KEYWORD, ((chunk, *fields) for chunk, fields in zip(chunks, keywords, strict=True)))

    def _renew_keywords(self, path: str) -> None:
        """After the name of the file has changed, which is one of the names a document is found by."""
        chunks = self.chunks_of(path)
        self.db.executemany(_DELETE_KEYWORD, ((chunk.id,) for chunk in chunks))
        self._insert_keywords([chunk.id for chunk in chunks], keyword_fields_of(chunks))

    def remove(self, paths: Iterable[str]) -> None:
        with self.step():
            for path in paths:
                self._lose_links_to(path)
                self._delete(path)

    def rename(self, old: str, new: str) -> None:
        if old == new:
            return
        with self.step():
            self.remove([new])
            self._lose_links_to(old)
            self.db.execute("UPDATE documents SET path = ? WHERE path = ?", (escaped(new), escaped(old)))
            if file_name(old) != file_name(new):
                self._renew_keywords(new)

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        with self.step():
            self.db.execute(
                "UPDATE documents SET size = ?, mtime_ns = ? WHERE path = ?", (size, mtime_ns, escaped(path))
            )

    def set_links(self, path: str, links: Iterable[LinkRow]) -> None:
        row = self.db.execute("SELECT id FROM documents WHERE path = ?", (escaped(path),)).fetchone()
        if row:
            with self.step():
                self.db.execute("DELETE FROM links WHERE document = ?", row)
                self.db.executemany(_INSERT_LINK, codec.link_rows(row[0], links))

    def set_non_texts(self, files: Iterable[NonText]) -> None:
        wanted = {file.path: file for file in files}
        if wanted == self.non_texts():
            return
        with self.step():
            self.db.execute("DELETE FROM non_texts")
            self.db.executemany("INSERT INTO non_texts VALUES (?, ?, ?, ?)", map(codec.non_text_row, wanted.values()))

    def set_manifest(self, values: Mapping[str, str]) -> None:
        if values == self.manifest():
            return
        with self.step():
            self.db.execute("DELETE FROM manifest")
            self.db.executemany(
                "INSERT INTO manifest VALUES (?, ?)", ((escaped(key), escaped(value)) for key, value in values.items())
            )

    def clear(self) -> None:
        with self.step():
            self.db.execute("INSERT INTO keyword (keyword) VALUES ('delete-all')")
            self.db.execute("DELETE FROM documents")
            self.db.execute("DELETE FROM non_texts")

    def _delete(self, path: str) -> None:
        """Everything that hangs on a document goes with it; only the keyword index has to be told."""
        row = self.db.execute("SELECT id FROM documents WHERE path = ?", (escaped(path),)).fetchone()
        if row:
            ids = self.db.execute("SELECT id FROM chunks WHERE document = ?", row).fetchall()
            self.db.executemany(_DELETE_KEYWORD, ids)
            self.db.execute("DELETE FROM documents WHERE id = ?", row)

    def _forget_places(self, path: str) -> None:
        self.db.execute(
            "UPDATE links SET resolved_chunk = NULL WHERE resolved = ? AND resolved_chunk IS NOT NULL", (escaped(path),)
        )

    def _lose_links_to(self, path: str) -> None:
        self.db.execute(
            "UPDATE links SET resolved = NULL, section = NULL, resolved_chunk = NULL WHERE resolved = ?",
            (escaped(path),),
        )

    def _next(self, table: str) -> int:
        return int(only_value(self.db, f"SELECT coalesce(max(id), 0) + 1 FROM {table}"))
