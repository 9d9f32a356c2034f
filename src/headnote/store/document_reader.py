"""Reading documents, chunks and the links between them, in words that both databases understand.

A database says a few things in its own words: `IDS`, `JOIN`, where texts are, and how a row proves to be sound.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from headnote.numeric import np
from headnote.sources.repository import ListedFile
from headnote.store.caching import ALL
from headnote.store.codec import (
    CHUNK_COLUMNS,
    escaped,
    parent,
    stored_chunk,
    stored_document,
    stored_file,
    stored_head,
    stored_link,
    stored_non_text,
    stored_place,
    stored_summaries,
    unescaped,
)
from headnote.store.filters import Filter
from headnote.store.integrity import integer
from headnote.store.labels import Labels, read_labels
from headnote.store.rows import (
    ChunkPlace,
    Counts,
    DocumentHead,
    DocumentRow,
    DocumentSummary,
    LinkRow,
    NonText,
    Parent,
    StoredChunk,
)
from headnote.store.selecting import ChunkSelection
from headnote.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

DOCUMENT_COLUMNS = "d.id, d.path, d.hash, d.title, d.metadata, d.tags, d.aliases, d.warning, d.mdx"
"""All of a document but its text and what changes without the text."""
LINK_COLUMNS = """
    l.document, l.chunk, l.line, l.kind, l.target, l.fragment, l.text, l.external, l.resolved, l.section,
    l.resolved_chunk
"""

_TAGS = "SELECT tag, count(*) AS documents FROM document_tags GROUP BY tag ORDER BY documents DESC, tag"
_TAGGED = "SELECT d.path, t.tag FROM document_tags t JOIN documents d ON d.id = t.document"
_SUMMARIES = """
SELECT path, title, (SELECT count(*) FROM chunks c WHERE c.document = d.id), warning, size, mtime_ns FROM documents d
"""
_CONNECTIONS = """
SELECT DISTINCT d.path, t.path
FROM links l JOIN documents d ON d.id = l.document JOIN documents t ON t.path = l.resolved
WHERE t.id <> d.id
"""
_TARGETS_FROM_TOP = """
SELECT target, count(*) FROM links WHERE target >= '/' AND target < '0' AND NOT external GROUP BY target
"""
"""`0` is the character after the slash."""
_ORPHANS = """
SELECT d.path FROM documents d
WHERE NOT EXISTS (SELECT 1 FROM links l WHERE l.resolved = d.path AND l.document <> d.id)
AND NOT EXISTS (
    SELECT 1 FROM links l JOIN documents t ON t.path = l.resolved WHERE l.document = d.id AND t.id <> d.id
)
"""
_LINKED = """
SELECT f.id, t.id FROM {ids} {join} chunks f ON f.id = w.value
{join} links l ON l.document = f.document AND l.chunk = f.number
{join} documents d ON d.path = l.resolved
{join} chunks t ON t.document = d.id AND t.number = coalesce(l.resolved_chunk, 0)
WHERE d.id <> f.document ORDER BY w.key, l.id
"""
_LINKING = """
SELECT t.id, f.id FROM {ids} {join} chunks t ON t.id = w.value
{join} documents d ON d.id = t.document
{join} links l ON l.resolved = d.path AND coalesce(l.resolved_chunk, t.number) = t.number
{join} chunks f ON f.document = l.document AND f.number = l.chunk
WHERE l.document <> t.document ORDER BY w.key, l.id
"""


class DocumentReader(ChunkSelection):
    """The index at one moment, but for words and vectors. See `interface.Reader`."""

    IDS: ClassVar[str]
    """A table `w` with the `value` of each id of an array, and its place as `key`."""
    JOIN: ClassVar[str]
    """Joins tables in the order in which they are written: the few chunks first."""
    TEXT: ClassVar[str]
    """The text of a document, and its checksum."""
    WITH_TEXT: ClassVar[str]
    """Joins documents with their texts."""
    DOCUMENT: ClassVar[str] = DOCUMENT_COLUMNS
    CHUNK: ClassVar[str] = CHUNK_COLUMNS
    LINK: ClassVar[str] = LINK_COLUMNS
    """The columns of a row that is read to be shown."""

    max_text: int | None = None
    """Characters of the documents and chunks that are read together, for one search; None for any number."""

    # -- what each database says in its own words

    @abstractmethod
    def array(self, numbers: Iterable[int]) -> Any:
        """The binding of `IDS`."""

    @abstractmethod
    def text_of(self, document: int, text: Any, checksum: int | None) -> str:
        """A text, from the columns of `TEXT`."""

    @abstractmethod
    def bytes_on_disk(self) -> int: ...

    @abstractmethod
    def _read_frequencies(self, terms: list[str]) -> dict[str, int]: ...

    @abstractmethod
    def _read_vocabulary(self, beginning: str) -> dict[str, int]: ...

    def sound(self, what: str, row: Sequence[Any]) -> Sequence[Any]:
        """The columns of a row that is read to be shown. Raises if they are not what was stored."""
        del what
        return row

    def check_documents(self) -> None:
        """Raise if a document is not what was stored, before all of them are shown."""

    # -- the whole

    def generation(self) -> int:
        return self._generation

    def manifest(self) -> dict[str, str]:
        return dict(self._caches.manifest.get(self._generation, ALL, self._read_manifest))

    def _read_manifest(self) -> dict[str, str]:
        entries = self.select("SELECT key, value FROM manifest ORDER BY key")
        return {unescaped(key): unescaped(value) for key, value in entries}

    def chunk_count(self) -> int:
        return self._count("chunks")

    def counts(self) -> Counts:
        generation, updated_ns = self._only_row("SELECT generation, updated_ns FROM state")
        return Counts(
            documents=self._count("documents"),
            chunks=self._count("chunks"),
            links=self._count("links"),
            bytes_on_disk=self.bytes_on_disk(),
            generation=integer(generation),
            updated_ns=None if updated_ns is None else integer(updated_ns),
        )

    def _count(self, table: str) -> int:
        """Databases count rows by looking at each of them."""
        count = partial(self._only_value, f"SELECT count(*) FROM {table}")
        return int(self._caches.numbers.get(self._generation, (table, ""), count))

    def _only_row(self, query: str, bindings: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Of a query that always has one."""
        (row,) = self.select(query, bindings)
        return row

    def _only_value(self, query: str, bindings: Sequence[Any] = ()) -> Any:
        return self._only_row(query, bindings)[0]

    # -- terms

    def term_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return self._caches.frequencies.get_many(self._generation, terms, self._read_frequencies)

    def vocabulary(self, beginning: str) -> Vocabulary:
        return self._caches.vocabularies.get(
            self._generation, beginning, lambda: Vocabulary(self._read_vocabulary(escaped(beginning)))
        )

    # -- filters

    def has_any(self, only: Filter) -> bool:
        condition, bindings = self.passing_chunks(only)
        return bool(self._only_value(f"SELECT EXISTS ({condition})", bindings))

    def passing(self, only: Filter) -> NDArray[np.int64]:
        return self._caches.passing.get(self._generation, only, lambda: self._read_passing(only))

    def _read_passing(self, only: Filter) -> NDArray[np.int64]:
        array = np.fromiter((number for (number,) in self.select(*self.passing_chunks(only))), "int64")
        array.sort()
        return array

    def labels(self) -> Labels:
        return self._caches.labels.get(self._generation, ALL, lambda: read_labels(self.select))

    def tags(self) -> dict[str, int]:
        return {unescaped(tag): int(count) for tag, count in self.select(_TAGS)}

    def field_names(self) -> list[str]:
        return [unescaped(key) for (key,) in self.select("SELECT DISTINCT key FROM fields ORDER BY key")]

    # -- documents

    def files(self) -> dict[str, ListedFile]:
        rows = self.select("SELECT path, size, mtime_ns, hash FROM documents ORDER BY path")
        return {file.path: file for file in map(stored_file, rows)}

    def non_texts(self) -> dict[str, NonText]:
        rows = self.select("SELECT path, size, mtime_ns, reason FROM non_texts ORDER BY path")
        return {file.path: file for file in map(stored_non_text, rows)}

    def document(self, path: str) -> DocumentRow | None:
        rows = self.select(
            f"""SELECT d.size, d.mtime_ns, {self.TEXT}, {self.DOCUMENT} FROM documents d {self.WITH_TEXT}
            WHERE d.path = ?""",
            (escaped(path),),
        )
        for size, mtime_ns, text, checksum, *rest in rows:
            number, found, digest, *names = self.sound("a document", rest)
            return stored_document((found, size, mtime_ns, digest, *names), self.text_of(number, text, checksum))
        return None

    def document_paths(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in self.select("SELECT path FROM documents"))

    def heads(self) -> list[DocumentHead]:
        rows = self.sound_documents()
        heads = (stored_head((path, title, data, aliases)) for _, path, _, title, data, _, aliases, *_ in rows)
        return sorted(heads, key=lambda head: head.path)

    def sound_documents(self) -> Iterator[Sequence[Any]]:
        """The columns of all documents."""
        return (self.sound("a document", row) for row in self.select(f"SELECT {self.DOCUMENT} FROM documents d"))

    def summaries(self) -> list[DocumentSummary]:
        self.check_documents()
        return stored_summaries(*map(self.select, (_SUMMARIES, _TAGGED, _CONNECTIONS)))

    # -- chunks

    def chunks_of(self, path: str) -> list[StoredChunk]:
        query = f"""SELECT {self.CHUNK} FROM chunks c JOIN documents d ON d.id = c.document
        WHERE d.path = ? ORDER BY c.number"""
        return self._stored_chunks(self.select(query, (escaped(path),)))

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        query = f"SELECT {self.CHUNK} FROM {self.IDS} {self.JOIN} chunks c ON c.id = w.value ORDER BY w.key"
        return self._stored_chunks(self.select(query, (self.array(ids),)))

    def places(self, ids: Sequence[int]) -> list[ChunkPlace]:
        query = f"""SELECT c.id, d.path, c.start_line, d.mtime_ns FROM {self.IDS} {self.JOIN} chunks c ON c.id = w.value
        {self.JOIN} documents d ON d.id = c.document ORDER BY w.key"""
        return [stored_place(row) for row in self.select(query, (self.array(ids),))]

    def _stored_chunks(self, rows: Iterable[tuple[Any, ...]]) -> list[StoredChunk]:
        found = [self.sound("a chunk", row) for row in rows]
        parents = self._caches.parents.get_many(self._generation, {row[1] for row in found}, self._read_parents)
        chunks = [stored_chunk(row, parents[row[1]]) for row in found]
        self._check_size(sum(chunk.row.end - chunk.row.start for chunk in chunks))
        return chunks

    def _read_parents(self, documents: list[int]) -> dict[int, Parent]:
        query = f"""SELECT {self.TEXT}, d.mtime_ns, {self.DOCUMENT} FROM {self.IDS}
        {self.JOIN} documents d ON d.id = w.value {self.WITH_TEXT}"""
        parents: dict[int, Parent] = {}
        size = 0
        for stored, checksum, mtime_ns, *rest in self.select(query, (self.array(documents),)):
            number, path, _, title, metadata, tags, aliases, *_ = self.sound("a document", rest)
            text = self.text_of(number, stored, checksum)
            parents[number] = parent((path, title, mtime_ns, metadata, tags, aliases), text)
            size += len(text)
            self._check_size(size)
        return parents

    def _check_size(self, size: int) -> None:
        if self.max_text is not None and size > self.max_text:
            raise ValueError(f"more than {self.max_text:,} characters for one answer")

    # -- links

    def links(self) -> list[LinkRow]:
        self.check_documents()
        return self._links("", ())

    def links_from(self, path: str) -> list[LinkRow]:
        return self._links("WHERE d.path = ?", (escaped(path),))

    def links_in(self, chunks: Sequence[int]) -> list[LinkRow]:
        condition, bindings = self.among("c.id", chunks)
        return self._links(
            f"JOIN chunks c ON c.document = l.document AND c.number = l.chunk WHERE {condition}", bindings
        )

    def links_to(self, path: str) -> list[LinkRow]:
        return self._links("WHERE l.resolved = ?", (escaped(path),))

    def _links(self, which: str, bindings: Sequence[Any]) -> list[LinkRow]:
        query = f"SELECT d.path, {self.LINK} FROM links l JOIN documents d ON d.id = l.document {which}"
        rows = self.select(f"{query} ORDER BY d.path, l.id", bindings)
        return [stored_link((path, *self.sound("a link", row)[1:])) for path, *row in rows]

    def targets_from_top(self) -> dict[str, int]:
        return {unescaped(target): int(count) for target, count in self.select(_TARGETS_FROM_TOP)}

    def connections(self) -> list[tuple[str, str]]:
        return sorted((unescaped(path), unescaped(other)) for path, other in self.select(_CONNECTIONS))

    def orphans(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in self.select(_ORPHANS))

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKED, chunks)

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKING, chunks)

    def _pairs(self, query: str, chunks: Sequence[int]) -> list[tuple[int, int]]:
        rows: Iterable[Any] = self.select(query.format(ids=self.IDS, join=self.JOIN), (self.array(chunks),))
        return list(dict.fromkeys(rows))
