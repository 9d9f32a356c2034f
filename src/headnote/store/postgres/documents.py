"""Reading documents, chunks and the links between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headnote.numeric import np
from headnote.store import queries
from headnote.store.codec import (
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    PARENT_COLUMNS,
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
from headnote.store.filters import Filter, Requirement, path_matcher
from headnote.store.labelling import read_labels
from headnote.store.labels import Labels
from headnote.store.postgres.cache import ALL, PostgresCaches
from headnote.store.postgres.sql import Connection, rows
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
from headnote.words.terms import LANGUAGE_MARKS, languages_marked

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LINKED = """
SELECT f.id, t.id FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place) JOIN chunks f ON f.id = w.id
JOIN links l ON l.document = f.document AND l.chunk = f.number
JOIN documents d ON d.path = l.resolved
JOIN chunks t ON t.document = d.id AND t.number = coalesce(l.resolved_chunk, 0)
WHERE d.id <> f.document ORDER BY w.place, l.id
"""
_LINKING = """
SELECT t.id, f.id FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place) JOIN chunks t ON t.id = w.id
JOIN documents d ON d.id = t.document
JOIN links l ON l.resolved = d.path AND coalesce(l.resolved_chunk, t.number) = t.number
JOIN chunks f ON f.document = l.document AND f.number = l.chunk
WHERE l.document <> t.document ORDER BY w.place, l.id
"""


class PostgresDocuments:
    """See `base.Documents`."""

    def __init__(self, db: Connection, caches: PostgresCaches, generation: int) -> None:
        self.db = db
        self._caches = caches
        self._generation = generation

    # -- filters

    def passing_chunks(self, only: Filter) -> Condition:
        """A filter as a condition on the id of a chunk."""
        query, bindings = passing_chunks(only, self)
        return query.replace("?", "%s"), bindings

    def fitting(self, globs: tuple[str, ...]) -> Condition:
        """The server knows no globs like ours, so they are matched here."""
        fits = path_matcher(globs)
        paths = self._caches.paths.get(self._generation, ALL, self._paths)
        return "id = ANY(?)", [[number for number, path in paths if fits(path)]]

    def among(self, column: str, values: Sequence[str] | Sequence[int]) -> Condition:
        kind = "bigint" if column == "id" else "text"
        return f"{column} = ANY(?::{kind}[])", [list(values)]

    def having(self, terms: Sequence[str]) -> Condition:
        return "id IN (SELECT chunk FROM postings WHERE word = ANY(?))", [list(map(escaped, terms))]

    def select(self, query: str, bindings: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
        return rows(self.db, query.replace("?", "%s"), bindings)

    def values_of(self, field: str) -> list[str]:
        return [unescaped(value) for (value,) in self.select(queries.VALUES, (escaped(field),))]

    def titles(self) -> list[tuple[int, str]]:
        return [(number, unescaped(title)) for number, title in rows(self.db, queries.TITLES)]

    def languages(self) -> list[str]:
        query = "SELECT DISTINCT word FROM postings WHERE word >= ? AND word < ?"
        return languages_marked(unescaped(word) for (word,) in self.select(query, LANGUAGE_MARKS))

    def matching(self, requirement: Requirement, find: Callable[[], list[Any]]) -> list[Any]:
        return self._caches.matching.get(self._generation, requirement, find)

    def has_any(self, only: Filter) -> bool:
        condition, bindings = self.passing_chunks(only)
        ((found,),) = rows(self.db, f"SELECT EXISTS ({condition})", bindings)
        return bool(found)

    def passing(self, only: Filter) -> NDArray[np.int64]:
        ids = rows(self.db, *self.passing_chunks(only))
        return np.fromiter((number for (number,) in ids), "int64")

    def labels(self) -> Labels:
        return self._caches.labels.get(self._generation, ALL, lambda: read_labels(lambda query: rows(self.db, query)))

    def tags(self) -> dict[str, int]:
        return {unescaped(tag): int(count) for tag, count in rows(self.db, queries.TAGS)}

    def _paths(self) -> list[tuple[int, str]]:
        return [(number, unescaped(path)) for number, path in rows(self.db, "SELECT id, path FROM documents")]

    def field_names(self) -> list[str]:
        return [unescaped(key) for (key,) in self.select(queries.FIELD_NAMES, ())]

    # -- documents

    def files(self) -> dict[str, StoredFile]:
        columns = rows(self.db, "SELECT path, size, mtime_ns, hash FROM documents ORDER BY path")
        return {file.path: file for file in map(stored_file, columns)}

    def non_texts(self) -> dict[str, NonText]:
        columns = rows(self.db, "SELECT path, size, mtime_ns, reason FROM non_texts ORDER BY path")
        return {file.path: file for file in map(stored_non_text, columns)}

    def document(self, path: str) -> DocumentRow | None:
        row = self.db.execute(
            f"SELECT {DOCUMENT_COLUMNS}, d.text FROM documents d WHERE d.path = %s", (escaped(path),)
        ).fetchone()
        return stored_document(row[:-1], unescaped(row[-1])) if row else None

    def document_paths(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in rows(self.db, "SELECT path FROM documents"))

    def heads(self) -> list[DocumentHead]:
        columns = rows(self.db, "SELECT path, title, metadata, aliases FROM documents")
        return sorted(map(stored_head, columns), key=lambda head: head.path)

    def summaries(self) -> list[DocumentSummary]:
        columns = (rows(self.db, query) for query in (queries.SUMMARIES, queries.TAGGED, queries.CONNECTIONS))
        return stored_summaries(*columns)

    # -- chunks

    def chunks_of(self, path: str) -> list[StoredChunk]:
        columns = rows(
            self.db,
            f"""SELECT {CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document
            WHERE d.path = %s ORDER BY c.number""",
            (escaped(path),),
        )
        return self._stored_chunks(columns)

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        columns = rows(
            self.db,
            f"""SELECT {CHUNK_COLUMNS} FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place)
            JOIN chunks c USING (id) ORDER BY w.place""",
            (list(map(int, ids)),),
        )
        return self._stored_chunks(columns)

    def places(self, ids: Sequence[int]) -> list[ChunkPlace]:
        columns = rows(
            self.db,
            """SELECT c.id, d.path, c.start_line, d.mtime_ns FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place)
            JOIN chunks c USING (id) JOIN documents d ON d.id = c.document ORDER BY w.place""",
            (list(map(int, ids)),),
        )
        return [stored_place(row) for row in columns]

    def _stored_chunks(self, chunks: list[tuple[Any, ...]]) -> list[StoredChunk]:
        parents = self._parents({row[1] for row in chunks})
        return [stored_chunk(row, parents[row[1]]) for row in chunks]

    def _parents(self, documents: Iterable[int]) -> dict[int, Parent]:
        columns = rows(
            self.db,
            f"SELECT d.id, {PARENT_COLUMNS}, d.text FROM documents d WHERE d.id = ANY(%s)",
            (list(documents),),
        )
        return {number: parent(rest, unescaped(text)) for number, *rest, text in columns}

    # -- links

    def links(self) -> list[LinkRow]:
        return self._links("", ())

    def links_from(self, path: str) -> list[LinkRow]:
        return self._links("WHERE d.path = %s", (escaped(path),))

    def links_in(self, chunks: Sequence[int]) -> list[LinkRow]:
        return self._links(queries.LINKS_IN_CHUNKS + "= ANY(%s::bigint[])", (list(map(int, chunks)),))

    def links_to(self, path: str) -> list[LinkRow]:
        return self._links("WHERE l.resolved = %s", (escaped(path),))

    def _links(self, condition: str, bindings: tuple[str | list[int], ...]) -> list[LinkRow]:
        columns = rows(self.db, queries.LINKS + condition + queries.LINKS_IN_ORDER, bindings)
        return [stored_link(row) for row in columns]

    def targets_from_top(self) -> dict[str, int]:
        return {unescaped(target): int(count) for target, count in rows(self.db, queries.TARGETS_FROM_TOP)}

    def connections(self) -> list[tuple[str, str]]:
        return sorted((unescaped(path), unescaped(other)) for path, other in rows(self.db, queries.CONNECTIONS))

    def orphans(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in rows(self.db, queries.ORPHANS))

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKED, chunks)

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKING, chunks)

    def _pairs(self, query: str, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return list(dict.fromkeys(rows(self.db, query, (list(map(int, chunks)),))))
