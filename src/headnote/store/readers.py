"""Reading documents, chunks, the links between them, and vectors, in words that both databases understand.

A database says a few things in its own words: `IDS`, `JOIN`, where texts are, and how a row proves to be sound.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from headnote.extras import np
from headnote.sources.repository import ListedFile
from headnote.store.caching import ALL, DOCUMENTS_WITH_CHUNKS, Folders, Labels, folders_of, read_labels
from headnote.store.codec import (
    CHUNK_COLUMNS,
    escaped,
    parent,
    stored_chunk,
    stored_document,
    stored_file,
    stored_head,
    stored_headings,
    stored_link,
    stored_non_text,
    stored_place,
    stored_summaries,
    unescaped,
    unpacked_strings,
)
from headnote.store.filters import Filter
from headnote.store.integrity import integer
from headnote.store.quantized import ChunkVectors, PartSet, chunk_vectors, name_hash, names_of, part_set
from headnote.store.rows import (
    ChunkPlace,
    Claim,
    Counts,
    DocumentHead,
    DocumentRow,
    DocumentSummary,
    LinkRow,
    NonText,
    Parent,
    PendingText,
    PlacedHeading,
    StoredChunk,
)
from headnote.store.selecting import ChunkSelection
from headnote.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray


DOCUMENT_COLUMNS = "d.id, d.path, d.hash, d.title, d.metadata, d.tags, d.aliases, d.warning, d.mdx, d.comments"
"""All columns of a document but its text and what changes without the text."""
_DATES = "d.frontmatter_ns, d.git_ns, d.name_ns, d.dated_ns, d.dated_by"
LINK_COLUMNS = """
    l.document, l.chunk, l.line, l.kind, l.target, l.fragment, l.text, l.external, l.resolved, l.section,
    l.resolved_chunk
"""

_TAGS = "SELECT tag, count(*) AS documents FROM document_tags GROUP BY tag ORDER BY documents DESC, tag"
_TAGGED = "SELECT d.path, t.tag FROM document_tags t JOIN documents d ON d.id = t.document"
_SUMMARIES = """
SELECT path, title, (SELECT count(*) FROM chunks c WHERE c.document = d.id), warning, size, mtime_ns,
    dated_ns, dated_by
FROM documents d
"""
_HEADINGS = """
SELECT d.path, c.start_line, c.heading_path, c.headings FROM chunks c JOIN documents d ON d.id = c.document
ORDER BY c.document, c.number
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
_NAMED = """
SELECT n.number, n.kind, c.id,
    (SELECT count(DISTINCT l.document) FROM links l WHERE l.resolved = d.path AND l.document <> d.id) AS linking
FROM {ids} {join} names n ON n.number = w.value {join} documents d ON d.id = n.document
{join} chunks c ON c.document = n.document AND c.number = n.chunk
ORDER BY n.kind, linking DESC, d.path, n.chunk
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
    def _read_spread(self, terms: list[str]) -> dict[str, NDArray[np.int64]]: ...

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
        """The row of a query that always returns one."""
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

    def passing_documents(self, only: Filter) -> list[str]:
        condition, bindings = self.of_documents(only)
        paths = self.select(f"SELECT path FROM documents WHERE {condition}", bindings)
        return sorted(unescaped(path) for (path,) in paths)

    def labels(self) -> Labels:
        return self._caches.labels.get(self._generation, ALL, lambda: read_labels(self.select))

    def folders(self) -> Folders:
        return self._caches.folders.get(self._generation, ALL, self._read_folders)

    def _read_folders(self) -> Folders:
        return folders_of(unescaped(path) for (path,) in self.select(DOCUMENTS_WITH_CHUNKS))

    def spread(self, terms: Iterable[str]) -> dict[str, NDArray[np.int64]]:
        return self._caches.spread.get_many(self._generation, terms, self._read_spread)

    def tags(self) -> dict[str, int]:
        return {unescaped(tag): int(count) for tag, count in self.select(_TAGS)}

    def field_names(self) -> list[str]:
        return [unescaped(key) for (key,) in self.select("SELECT DISTINCT key FROM fields ORDER BY key")]

    # -- documents

    def files(self) -> dict[str, ListedFile]:
        rows = self.select("SELECT path, size, mtime_ns, hash FROM documents ORDER BY path")
        return {file.path: file for file in map(stored_file, rows)}

    def stamps(self) -> set[tuple[str, int, int]]:
        return set(self.select("SELECT path, size, mtime_ns FROM documents"))

    def non_texts(self) -> dict[str, NonText]:
        rows = self.select("SELECT path, size, mtime_ns, reason FROM non_texts ORDER BY path")
        return {file.path: file for file in map(stored_non_text, rows)}

    def document(self, path: str) -> DocumentRow | None:
        rows = self.select(
            f"""SELECT d.size, d.mtime_ns, {_DATES}, {self.TEXT}, {self.DOCUMENT} FROM documents d {self.WITH_TEXT}
            WHERE d.path = ?""",
            (escaped(path),),
        )
        for size, mtime_ns, *own in rows:
            dates, (text, checksum), rest = own[:5], own[5:7], own[7:]
            number, found, digest, *names = self.sound("a document", rest)
            columns = (found, size, mtime_ns, digest, *names, *dates)
            return stored_document(columns, self.text_of(number, text, checksum))
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
        return self._summaries(self.select(_CONNECTIONS))

    def connected(self) -> tuple[list[DocumentSummary], list[tuple[str, str]]]:
        self.check_documents()
        connections = list(self.select(_CONNECTIONS))
        return self._summaries(connections), _unescaped_pairs(connections)

    def _summaries(self, connections: Iterable[Sequence[str]]) -> list[DocumentSummary]:
        return stored_summaries(self.select(_SUMMARIES), self.select(_TAGGED), connections)

    def headings(self) -> dict[str, list[PlacedHeading]]:
        return stored_headings(self.select(_HEADINGS))

    # -- chunks

    def chunks_of(self, path: str) -> list[StoredChunk]:
        query = f"""SELECT {self.CHUNK} FROM chunks c JOIN documents d ON d.id = c.document
        WHERE d.path = ? ORDER BY c.number"""
        return self._stored_chunks(self.select(query, (escaped(path),)))

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        query = f"SELECT {self.CHUNK} FROM {self.IDS} {self.JOIN} chunks c ON c.id = w.value ORDER BY w.key"
        return self._stored_chunks(self.select(query, (self.array(ids),)))

    def places(self, ids: Sequence[int]) -> list[ChunkPlace]:
        query = f"""SELECT c.id, d.path, c.start_line, d.dated_ns FROM {self.IDS} {self.JOIN} chunks c ON c.id = w.value
        {self.JOIN} documents d ON d.id = c.document ORDER BY w.key"""
        return [stored_place(row) for row in self.select(query, (self.array(ids),))]

    def _stored_chunks(self, rows: Iterable[tuple[Any, ...]]) -> list[StoredChunk]:
        found = [self.sound("a chunk", row) for row in rows]
        parents = self._caches.parents.get_many(self._generation, {row[1] for row in found}, self._read_parents)
        chunks = [stored_chunk(row, parents[row[1]]) for row in found]
        self._check_size(sum(chunk.row.end - chunk.row.start for chunk in chunks))
        return chunks

    def _read_parents(self, documents: list[int]) -> dict[int, Parent]:
        query = f"""SELECT {self.TEXT}, d.dated_ns, d.dated_by, {self.DOCUMENT} FROM {self.IDS}
        {self.JOIN} documents d ON d.id = w.value {self.WITH_TEXT}"""
        parents: dict[int, Parent] = {}
        size = 0
        for stored, checksum, dated_ns, dated_by, *rest in self.select(query, (self.array(documents),)):
            number, path, _, title, metadata, tags, aliases, *_, comments = self.sound("a document", rest)
            text = self.text_of(number, stored, checksum)
            parents[number] = parent((path, title, dated_ns, dated_by, metadata, tags, aliases, comments), text)
            size += len(text)
            self._check_size(size)
        return parents

    def _check_size(self, size: int) -> None:
        if self.max_text is not None and size > self.max_text:
            raise ValueError(f"more than {self.max_text:,} characters for one answer")

    def named(self, numbers: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
        return self._caches.named.get_many(self._generation, numbers, self._read_named)

    def _read_named(self, numbers: list[int]) -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = {number: [] for number in numbers}
        query = _NAMED.format(ids=self.IDS, join=self.JOIN)
        for number, kind, chunk, _ in self.select(query, (self.array(numbers),)):
            found[number].append((integer(kind), integer(chunk)))
        return found

    # -- links

    def links(self) -> list[LinkRow]:
        self.check_documents()
        return self._links("", ())

    def loose_links(self) -> list[LinkRow]:
        self.check_documents()
        return self._links(
            """LEFT JOIN documents t ON t.path = l.resolved
            WHERE NOT l.external AND (t.id IS NULL OR (l.section IS NULL AND l.fragment <> ''))""",
            (),
        )

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
        return _unescaped_pairs(self.select(_CONNECTIONS))

    def orphans(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in self.select(_ORPHANS))

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKED, chunks)

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKING, chunks)

    def _pairs(self, query: str, chunks: Sequence[int]) -> list[tuple[int, int]]:
        rows: Iterable[Any] = self.select(query.format(ids=self.IDS, join=self.JOIN), (self.array(chunks),))
        return list(dict.fromkeys(rows))


def _unescaped_pairs(rows: Iterable[Sequence[Any]]) -> list[tuple[str, str]]:
    return sorted((unescaped(path), unescaped(other)) for path, other in rows)


# -- Reading vectors, and what has none yet: the half that both databases say in the same words.

_PENDING_COUNT = """
SELECT (
    SELECT count(DISTINCT c.hash) FROM chunks c
    WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash)
) + (
    SELECT count(*) FROM (
        SELECT name FROM chunks UNION SELECT d.name FROM documents d WHERE d.id IN (SELECT document FROM chunks)
    ) names
    WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = name)
)
"""
"""Number of texts and names without a vector of a model."""

_PENDING_CHUNKS = """
WITH linked AS (
    SELECT resolved AS path, count(*) AS links FROM links WHERE resolved IS NOT NULL GROUP BY resolved
), places AS (
    SELECT d.id, row_number() OVER (ORDER BY d.dated_ns DESC, d.id) / (1.0 + coalesce(l.links, 0)) AS place
    FROM documents d LEFT JOIN linked l ON l.path = d.path
)
SELECT c.id FROM chunks c JOIN places p ON p.id = c.document
WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash)
AND (? OR NOT EXISTS (SELECT 1 FROM claims m WHERE m.model = ? AND m.hash = c.hash))
ORDER BY p.place, c.document, c.number LIMIT ?
"""
"""Chunks without a vector of a model, those of new and of much linked documents first. Bindings: whether claimed ones
count, the name of the model, how many."""

_WITHOUT_VECTOR = """
SELECT CASE WHEN EXISTS (
    SELECT 1 FROM chunks c WHERE {passing} c.name IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = c.name
    )
) THEN 1 WHEN EXISTS (
    SELECT 1 FROM chunks c WHERE {passing} NOT EXISTS (
        SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash
    )
) THEN 1 WHEN EXISTS (
    SELECT 1 FROM documents d WHERE d.name IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = d.name
    ) AND EXISTS (SELECT 1 FROM chunks c WHERE {passing} c.document = d.id)
) THEN 1 ELSE 0 END
"""
"""Whether a name, a text or a title has no vector of a model. It stops at the first one."""

_PENDING_NAMES = """
WITH missing AS (
    SELECT name FROM (SELECT name FROM chunks UNION SELECT name FROM documents) names
    WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = name)
)
SELECT d.title, c.heading_path FROM chunks c JOIN documents d ON d.id = c.document
WHERE c.name IN (SELECT name FROM missing)
UNION
SELECT d.title, '[]' FROM documents d
WHERE d.name IN (SELECT name FROM missing) AND d.id IN (SELECT document FROM chunks)
"""
"""Title and headings of each name without a vector of a model; no headings for the title alone."""


class VectorReader(DocumentReader):
    """The vectors of chunks, of their parts and of their names."""

    PARTS: ClassVar[str]
    """Chunk, the vectors of its parts, and those of its two names. Bindings: an array of chunks, and a model."""
    SECONDS_LEFT: ClassVar[str]
    """Seconds until a claim expires, by the clock that it was made with."""

    @abstractmethod
    def models(self) -> dict[str, int]:
        """Name of each model that has vectors → their length."""

    @abstractmethod
    def _number(self, model: str) -> int:
        """The number of a model, or one that no model has."""

    def parts(self, model: str, chunks: Sequence[int]) -> PartSet:
        number, dims = self._number(model), self.models().get(model, 0)
        keys = [(number, int(chunk)) for chunk in chunks]
        found = self._caches.parts.get_many(self._generation, keys, lambda missing: self._read_parts(missing, dims))
        return part_set([(key[1], vectors) for key in keys if (vectors := found[key])], dims)

    def _read_parts(self, keys: list[tuple[int, int]], dims: int) -> dict[tuple[int, int], ChunkVectors | None]:
        """(model, chunk) → its vectors; None for those that have no parts."""
        model = keys[0][0]
        rows = self.select(self.PARTS, (self.array(chunk for _, chunk in keys), model))
        stored = {(model, chunk): (parts, names) for chunk, parts, *names in rows}
        return dict.fromkeys(keys, None) | chunk_vectors(stored, dims)

    def has_all_vectors(self, model: str, only: Filter = Filter()) -> bool:  # noqa: B008  immutable
        return self._caches.complete.get(self._generation, (model, only), lambda: self._has_all(model, only))

    def _has_all(self, model: str, only: Filter) -> bool:
        condition, bindings = ("", []) if only.passes_all else self.passing_chunks(only)
        passing = f"c.id IN ({condition}) AND" if condition else ""
        query = _WITHOUT_VECTOR.format(passing=passing, model=self._number(model))
        return not self._only_value(query, 3 * bindings)

    def pending_count(self, model: str) -> int:
        def count() -> int:
            return int(self._only_value(_PENDING_COUNT.format(model=self._number(model))))

        return self._caches.numbers.get(self._generation, ("pending", model), count)

    def pending(self, model: str, limit: int, *, claimed: bool = False) -> list[PendingText]:
        query = _PENDING_CHUNKS.format(model=self._number(model))
        ids = [chunk for (chunk,) in self.select(query, (claimed, escaped(model), limit))]
        texts = {chunk.row.hash: chunk.embed_text for chunk in self.chunks(ids)}
        return [PendingText(*pair) for pair in texts.items()]

    def pending_names(self, model: str, *, claimed: bool = False) -> list[str]:
        missing = self.select(_PENDING_NAMES.format(model=self._number(model)))
        names = {names_of(unescaped(title), unpacked_strings(path))[-1] for title, path in missing}
        if claimed:
            return sorted(names)
        claims = self.select("SELECT hash FROM claims WHERE model = ?", (escaped(model),))
        taken = {bytes(digest) for (digest,) in claims}
        return sorted(name for name in names if name_hash(name) not in taken)

    def claims(self, model: str) -> list[Claim]:
        query = f"SELECT owner, {self.SECONDS_LEFT} FROM claims WHERE model = ? GROUP BY owner ORDER BY owner"
        return [Claim(unescaped(owner), left) for owner, left in self.select(query, (escaped(model),))]
