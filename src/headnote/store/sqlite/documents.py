"""Reading documents, chunks and the links between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headnote.numeric import np
from headnote.store import queries
from headnote.store.codec import (
    escaped,
    packed_strings,
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
from headnote.store.filters import Filter, Requirement
from headnote.store.labelling import read_labels
from headnote.store.labels import Labels
from headnote.store.rows import (
    ChunkPlace,
    DocumentHead,
    DocumentRow,
    DocumentSummary,
    LinkRow,
    NonText,
    Parent,
    StoredChunk,
    StoredFile,
)
from headnote.store.selecting import Condition, passing_chunks
from headnote.store.sqlite.cache import ALL, SqliteCaches
from headnote.store.sqlite.checksums import CHECKED_CHUNK, CHECKED_DOCUMENT, CHECKED_LINK, sound, sound_text
from headnote.store.sqlite.sql import only_value, quoted
from headnote.words.terms import LANGUAGE_MARKS, languages_marked

if TYPE_CHECKING:
    import apsw
    from numpy.typing import NDArray

# Joins are crossed, which in SQLite fixes their order: the few chunks first.
_LINKED = """
SELECT f.id, t.id FROM json_each(?) w CROSS JOIN chunks f ON f.id = w.value
CROSS JOIN links l ON l.document = f.document AND l.chunk = f.number
CROSS JOIN documents d ON d.path = l.resolved
CROSS JOIN chunks t ON t.document = d.id AND t.number = coalesce(l.resolved_chunk, 0)
WHERE d.id <> f.document ORDER BY w.key, l.id
"""
_LINKING = """
SELECT t.id, f.id FROM json_each(?) w CROSS JOIN chunks t ON t.id = w.value
CROSS JOIN documents d ON d.id = t.document
CROSS JOIN links l ON l.resolved = d.path AND coalesce(l.resolved_chunk, t.number) = t.number
CROSS JOIN chunks f ON f.document = l.document AND f.number = l.chunk
WHERE l.document <> t.document ORDER BY w.key, l.id
"""


class SqliteDocuments:
    """See `base.Documents`."""

    def __init__(self, db: apsw.Connection, caches: SqliteCaches, generation: int, max_text: int | None = None) -> None:
        """`max_text`: characters of the documents and chunks that are read together, for one search."""
        self.db = db
        self._caches = caches
        self._generation = generation
        self._max_text = max_text

    # -- filters

    def passing_chunks(self, only: Filter) -> Condition:
        """A filter as a condition on the id of a chunk."""
        return passing_chunks(only, self)

    def fitting(self, globs: tuple[str, ...]) -> Condition:
        """`path_fits` is a function of ours."""
        return "path_fits(?, path)", [packed_strings(globs)]

    def among(self, column: str, values: Sequence[str] | Sequence[int]) -> Condition:
        return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(list(values))]

    def having(self, terms: Sequence[str]) -> Condition:
        match = " OR ".join(map(quoted, terms))
        return "id IN (SELECT rowid FROM keyword WHERE keyword MATCH ?)", [match]

    def select(self, query: str, bindings: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
        return self.db.execute(query, bindings)

    def values_of(self, field: str) -> list[str]:
        return [unescaped(value) for (value,) in self.db.execute(queries.VALUES, (escaped(field),))]

    def titles(self) -> list[tuple[int, str]]:
        return [(number, unescaped(title)) for number, title in self.db.execute(queries.TITLES)]

    def languages(self) -> list[str]:
        query = "SELECT term FROM vocabulary WHERE term >= ? AND term < ?"
        return languages_marked(unescaped(term) for (term,) in self.db.execute(query, LANGUAGE_MARKS))

    def matching(self, requirement: Requirement, find: Callable[[], list[Any]]) -> list[Any]:
        return self._caches.matching.get(self._generation, requirement, find)

    def has_any(self, only: Filter) -> bool:
        condition, bindings = self.passing_chunks(only)
        return bool(only_value(self.db, f"SELECT EXISTS ({condition})", bindings))

    def passing(self, only: Filter) -> NDArray[np.int64]:
        return self._caches.passing.get(self._generation, only, lambda: self._read_passing(only))

    def _read_passing(self, only: Filter) -> NDArray[np.int64]:
        ids = self.db.execute(*self.passing_chunks(only))
        array = np.fromiter((number for (number,) in ids), "int64")
        array.sort()
        return array

    def labels(self) -> Labels:
        return self._caches.labels.get(self._generation, ALL, lambda: read_labels(self.db.execute))

    def tags(self) -> dict[str, int]:
        return {unescaped(tag): int(count) for tag, count in self.db.execute(queries.TAGS)}

    def field_names(self) -> list[str]:
        return [unescaped(key) for (key,) in self.select(queries.FIELD_NAMES, ())]

    # -- documents

    def files(self) -> dict[str, StoredFile]:
        rows = self.db.execute("SELECT path, size, mtime_ns, hash FROM documents ORDER BY path")
        return {file.path: file for file in map(stored_file, rows)}

    def non_texts(self) -> dict[str, NonText]:
        rows = self.db.execute("SELECT path, size, mtime_ns, reason FROM non_texts ORDER BY path")
        return {file.path: file for file in map(stored_non_text, rows)}

    def document(self, path: str) -> DocumentRow | None:
        row = self.db.execute(
            f"""SELECT d.size, d.mtime_ns, t.text, t.checksum, {CHECKED_DOCUMENT}
            FROM documents d JOIN texts t ON t.document = d.id WHERE d.path = ?""",
            (escaped(path),),
        ).fetchone()
        if row is None:
            return None
        size, mtime_ns, text, checksum, *rest = row
        number, found, digest, *names = sound("a document", rest)
        return stored_document((found, size, mtime_ns, digest, *names), sound_text(number, text, checksum))

    def document_paths(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in self.db.execute("SELECT path FROM documents"))

    def heads(self) -> list[DocumentHead]:
        rows = (sound("a document", row) for row in self.db.execute(f"SELECT {CHECKED_DOCUMENT} FROM documents d"))
        heads = (stored_head((path, title, data, aliases)) for _, path, _, title, data, _, aliases, *_ in rows)
        return sorted(heads, key=lambda head: head.path)

    def summaries(self) -> list[DocumentSummary]:
        self._check_documents()
        columns = (self.db.execute(query) for query in (queries.SUMMARIES, queries.TAGGED, queries.CONNECTIONS))
        return stored_summaries(*columns)

    # -- chunks

    def chunks_of(self, path: str) -> list[StoredChunk]:
        rows = self.db.execute(
            f"""SELECT {CHECKED_CHUNK} FROM chunks c JOIN documents d ON d.id = c.document
            WHERE d.path = ? ORDER BY c.number""",
            (escaped(path),),
        )
        return self._stored_chunks(rows)

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        rows = self.db.execute(
            f"SELECT {CHECKED_CHUNK} FROM json_each(?) w JOIN chunks c ON c.id = w.value ORDER BY w.key",
            (as_array(ids),),
        )
        return self._stored_chunks(rows)

    def places(self, ids: Sequence[int]) -> list[ChunkPlace]:
        rows = self.db.execute(
            """SELECT c.id, d.path, c.start_line, d.mtime_ns FROM json_each(?) w
            CROSS JOIN chunks c ON c.id = w.value CROSS JOIN documents d ON d.id = c.document ORDER BY w.key""",
            (as_array(ids),),
        )
        return [stored_place(row) for row in rows]

    def _stored_chunks(self, rows: Iterable[tuple[Any, ...]]) -> list[StoredChunk]:
        found = [sound("a chunk", row) for row in rows]
        parents = self._caches.parents.get_many(self._generation, {row[1] for row in found}, self._read_parents)
        chunks = [stored_chunk(row, parents[row[1]]) for row in found]
        self._check_size(sum(chunk.row.end - chunk.row.start for chunk in chunks))
        return chunks

    def _read_parents(self, documents: list[int]) -> dict[int, Parent]:
        rows = self.db.execute(
            f"""SELECT t.text, t.checksum, d.mtime_ns, {CHECKED_DOCUMENT} FROM json_each(?) w
            CROSS JOIN documents d ON d.id = w.value CROSS JOIN texts t ON t.document = d.id""",
            (as_array(documents),),
        )
        parents: dict[int, Parent] = {}
        size = 0
        for number, found in map(_numbered_parent, rows):
            parents[number] = found
            size += len(found.text)
            self._check_size(size)
        return parents

    def _check_size(self, size: int) -> None:
        if self._max_text is not None and size > self._max_text:
            raise ValueError(f"more than {self._max_text:,} characters for one answer")

    def _check_documents(self) -> None:
        """Raise if a document is not what was stored. Once for each generation: lists show all of them."""

        def check() -> int:
            documents = self.db.execute(f"SELECT {CHECKED_DOCUMENT} FROM documents d")
            return sum(1 for row in documents if sound("a document", row))

        self._caches.numbers.get(self._generation, ("sound documents", ""), check)

    # -- links

    def links(self) -> list[LinkRow]:
        self._check_documents()
        return self._links("", ())

    def links_from(self, path: str) -> list[LinkRow]:
        return self._links("WHERE d.path = ?", (escaped(path),))

    def links_in(self, chunks: Sequence[int]) -> list[LinkRow]:
        return self._links(queries.LINKS_IN_CHUNKS + "IN (SELECT value FROM json_each(?))", (as_array(chunks),))

    def links_to(self, path: str) -> list[LinkRow]:
        return self._links("WHERE l.resolved = ?", (escaped(path),))

    def _links(self, condition: str, bindings: tuple[str, ...]) -> list[LinkRow]:
        links = f"SELECT d.path, {CHECKED_LINK} {queries.OF_LINKS}"
        rows = self.db.execute(links + condition + queries.LINKS_IN_ORDER, bindings)
        return [stored_link((path, *sound("a link", row)[1:])) for path, *row in rows]

    def targets_from_top(self) -> dict[str, int]:
        return {unescaped(target): int(count) for target, count in self.db.execute(queries.TARGETS_FROM_TOP)}

    def connections(self) -> list[tuple[str, str]]:
        return sorted((unescaped(path), unescaped(other)) for path, other in self.db.execute(queries.CONNECTIONS))

    def orphans(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in self.db.execute(queries.ORPHANS))

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKED, chunks)

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKING, chunks)

    def _pairs(self, query: str, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return list(dict.fromkeys(self.db.execute(query, (as_array(chunks),))))


def _numbered_parent(row: Sequence[Any]) -> tuple[int, Parent]:
    text, checksum, mtime_ns, *rest = row
    number, path, _, title, metadata, tags, aliases, *_ = sound("a document", rest)
    return number, parent((path, title, mtime_ns, metadata, tags, aliases), sound_text(number, text, checksum))


def as_array(numbers: Sequence[int]) -> str:
    """For `json_each`, which stands for the arrays that SQLite does not have."""
    return json.dumps(list(map(int, numbers)))
