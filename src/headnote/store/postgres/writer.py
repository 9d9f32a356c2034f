"""Changing the index, inside the one transaction of an update."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from headnote.store import codec
from headnote.store.codec import escaped
from headnote.store.postgres.keywords import word_counts
from headnote.store.postgres.reader import PostgresReader
from headnote.store.postgres.remembered import Remembered
from headnote.store.postgres.sql import Connection, only_value, rows
from headnote.store.postgres.vectors import WritesVectors
from headnote.store.rows import ChunkRow, DocumentRow, Entry, KeywordFields, LinkRow, NonText
from headnote.store.terms import file_name, keyword_fields, keyword_fields_of

_AT_ONCE = 64
"""Documents that are written together: enough for long runs of the same statement, few enough to hold in memory."""
_MANY = 500
"""Documents after which the server looks again how much there is of what, so that it asks its indexes well."""
_MOST = 32_767
"""What a small number holds. A word that is more often in one chunk counts no more."""

_LINK_COLUMNS = (
    "links (document, chunk, line, kind, target, fragment, text, external, resolved, section, resolved_chunk)"
)
_DOCUMENT_COLUMNS = (
    "documents (id, path, size, mtime_ns, hash, title, metadata, tags, aliases, warning, mdx, name, text)"
)

Numbered = tuple[int, Entry, list[tuple[int, ChunkRow]]]
"""A document with its number, and its chunks with theirs."""


class PostgresWriter(WritesVectors, PostgresReader):
    """One update. After an error inside of it, nothing of it can be kept any more."""

    def __init__(self, db: Connection, exact: int, together: bool) -> None:
        # What it would remember is not true before it is committed, and may never be.
        super().__init__(db, _Forgetful(), exact)
        self.together = together
        self.changes = 0
        self.changed_models = set()
        self._put_documents = 0

    def finish(self) -> None:
        """What belongs to the end of an update. One that changed nothing leaves the generation as it was."""
        if not self.together:
            self.make_indexes()
        if self._put_documents >= _MANY and not self.together:
            self.db.execute("ANALYZE documents, chunks, links, postings, lengths, document_tags, chunk_tags, fields")
        if not self.changes:
            return
        # Last of all: from here on others who write together have to wait.
        generation = only_value(
            self.db,
            "UPDATE state SET generation = generation + 1, updated_ns = %s RETURNING generation",
            (time.time_ns(),),
        )
        self.db.execute("UPDATE models SET changed = %s WHERE id = ANY(%s)", (generation, list(self.changed_models)))

    def put(self, entries: Iterable[Entry]) -> None:
        source = iter(entries)
        with self.step():
            while batch := list(islice(source, _AT_ONCE)):
                # The last of several with one path is the one that counts.
                self._put(list({entry.document.path: entry for entry in batch}.values()))

    def _put(self, batch: list[Entry]) -> None:
        paths = [entry.document.path for entry in batch]
        self._claim(paths)
        self._forget_places(paths)
        self._delete(paths)
        numbers = self._take_numbers("documents", len(batch))
        ids = self._take_numbers("chunks", sum(len(entry.chunks) for entry in batch))
        numbered: list[Numbered] = [
            (number, entry, [(next(ids), chunk) for chunk in entry.chunks])
            for number, entry in zip(numbers, batch, strict=True)
        ]
        self._insert(numbered)
        self._put_documents += len(batch)

    def _insert(self, batch: list[Numbered]) -> None:
        documents: list[codec.Row] = []
        chunks: list[codec.Row] = []
        links: list[codec.Row] = []
        for number, entry, numbered in batch:
            documents.append((number, *codec.document_row(entry.document), escaped(entry.document.text)))
            chunks += codec.chunk_rows(number, entry.document, numbered)
            links += codec.link_rows(number, entry.links)
        self.copy(_DOCUMENT_COLUMNS, documents)
        self.copy("chunks", chunks)
        self.copy(_LINK_COLUMNS, links)
        self.insert_derived((number, entry.document, numbered, entry.keywords) for number, entry, numbered in batch)

    def insert_derived(
        self, batch: Iterable[tuple[int, DocumentRow, list[tuple[int, ChunkRow]], Sequence[KeywordFields] | None]]
    ) -> None:
        """What can be made anew from the rest: the keyword index and what filters ask for."""
        words: list[tuple[int, KeywordFields]] = []
        document_tags: list[codec.Row] = []
        chunk_tags: list[codec.Row] = []
        fields: list[codec.Row] = []
        for number, document, chunks, keywords in batch:
            known = keywords if keywords is not None else keyword_fields(document, (chunk for _, chunk in chunks))
            words += ((identity, of_chunk) for (identity, _), of_chunk in zip(chunks, known, strict=True))
            document_tags += codec.document_tag_rows(number, document)
            chunk_tags += codec.chunk_tag_rows(document, chunks)
            fields += codec.field_rows(number, document)
        self._insert_keywords(words)
        self.copy("document_tags", document_tags)
        self.copy("chunk_tags", chunk_tags)
        self.copy("fields", fields)

    def _insert_keywords(self, keywords: Iterable[tuple[int, KeywordFields]]) -> None:
        postings: list[str] = []
        lengths: list[codec.Row] = []
        for chunk, fields in keywords:
            length, lines = posting_lines(chunk, fields)
            lengths.append((chunk, length))
            postings += lines
        self.copy_lines("postings (chunk, length, title, headings, text, aliases, tags, word)", postings)
        self.copy("lengths", lengths)

    def _renew_keywords(self, path: str) -> None:
        """After the name of the file has changed, which is one of the names a document is found by."""
        chunks = self.chunks_of(path)
        ids = [chunk.id for chunk in chunks]
        for table in ("postings", "lengths"):
            self.db.execute(f"DELETE FROM {table} WHERE chunk = ANY(%s)", (ids,))
        self._insert_keywords(zip(ids, keyword_fields_of(chunks), strict=True))

    def remove(self, paths: Iterable[str]) -> None:
        wanted = list(paths)
        with self.step():
            self._claim(wanted)
            self._lose_links_to(wanted)
            self._delete(wanted)

    def rename(self, old: str, new: str) -> None:
        if old == new:
            return
        with self.step():
            self._claim([old, new])
            self.remove([new])
            self._lose_links_to([old])
            self.change("UPDATE documents SET path = %s WHERE path = %s", (escaped(new), escaped(old)))
            if file_name(old) != file_name(new):
                self._renew_keywords(new)

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        with self.step():
            self.change(
                "UPDATE documents SET size = %s, mtime_ns = %s WHERE path = %s", (size, mtime_ns, escaped(path))
            )

    def set_links(self, path: str, links: Iterable[LinkRow]) -> None:
        row = self.db.execute("SELECT id FROM documents WHERE path = %s", (escaped(path),)).fetchone()
        if row:
            with self.step():
                self.change("DELETE FROM links WHERE document = %s", row)
                self.copy(_LINK_COLUMNS, codec.link_rows(row[0], links))

    def set_non_texts(self, files: Iterable[NonText]) -> None:
        wanted = {file.path: file for file in files}
        if wanted == self.non_texts():
            return
        with self.step():
            self.change("DELETE FROM non_texts")
            self.copy("non_texts", map(codec.non_text_row, wanted.values()))

    def set_manifest(self, values: Mapping[str, str]) -> None:
        if values == self.manifest():
            return
        with self.step():
            self.change("DELETE FROM manifest")
            self.copy("manifest", [(escaped(key), escaped(value)) for key, value in values.items()])

    def clear(self) -> None:
        with self.step():
            # Not TRUNCATE, which would make readers wait.
            self.db.execute("DELETE FROM postings")
            self.change("DELETE FROM documents")
            self.change("DELETE FROM non_texts")

    def _claim(self, paths: Iterable[str]) -> None:
        """Where others write too, each document is for one of them until it is done."""
        if self.together:
            self.db.execute(
                """SELECT pg_advisory_xact_lock(number) FROM (
                    SELECT DISTINCT hashtextextended(current_schema() || '/' || path, 0) AS number
                    FROM unnest(%s::text[]) path ORDER BY number
                ) numbers""",
                (list(map(escaped, paths)),),
            )

    def _delete(self, paths: Iterable[str]) -> None:
        """Everything that hangs on a document goes with it; only the keyword index has to be told."""
        wanted = (list(map(escaped, paths)),)
        self.db.execute(
            """DELETE FROM postings WHERE chunk IN (
                SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE d.path = ANY(%s)
            )""",
            wanted,
        )
        self.change("DELETE FROM documents WHERE path = ANY(%s)", wanted)

    def _forget_places(self, paths: Iterable[str]) -> None:
        self.change(
            "UPDATE links SET resolved_chunk = NULL WHERE resolved = ANY(%s) AND resolved_chunk IS NOT NULL",
            (list(map(escaped, paths)),),
        )

    def _lose_links_to(self, paths: Iterable[str]) -> None:
        self.change(
            "UPDATE links SET resolved = NULL, section = NULL, resolved_chunk = NULL WHERE resolved = ANY(%s)",
            (list(map(escaped, paths)),),
        )

    def _take_numbers(self, table: str, count: int) -> Iterator[int]:
        query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        return iter([number for (number,) in rows(self.db, query, (table, count))])


class _Forgetful(Remembered):
    """Remembers nothing."""

    def _turn_to(self, generation: int) -> bool:  # noqa: ARG002
        return False


def posting_lines(chunk: int, fields: Sequence[str]) -> tuple[int, list[str]]:
    """How many terms a chunk has, and its lines in the form of COPY: there are many, and this is ten times as fast as
    the driver. Words have no blanks, so nothing in them means anything there but a backslash."""
    counts = word_counts(fields)
    length = sum(sum(numbers) for numbers in counts.values())
    lines = []
    for word, numbers in counts.items():
        often = "\t".join([str(min(number, _MOST)) for number in numbers])
        written = escaped(word).replace("\\", "\\\\")
        lines.append(f"{chunk}\t{length}\t{often}\t{written}\n")
    return length, lines
