"""What PostgreSQL says in its own words about documents, chunks and links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from headnote.extras import np
from headnote.store.caching import ALL, Cache, Caches
from headnote.store.codec import escaped, unescaped
from headnote.store.filters import Filter, path_matcher
from headnote.store.postgres.sql import in_server_words
from headnote.store.readers import DocumentReader
from headnote.store.rows import Owners
from headnote.store.selecting import Condition
from headnote.store.sharing import Connection, rows
from headnote.words.terms import LANGUAGE_MARKS, languages_marked

_SIZE = """
SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
"""


class Lengths(NamedTuple):
    """What the score of a word depends on besides the chunk itself."""

    chunks: int
    average: float
    """Terms of a chunk."""
    chunks_of_document: float
    """On average, of those that have any."""


class CachedModel(NamedTuple):
    """A model that has vectors."""

    number: int
    dims: int
    indexed: bool
    """Whether it has an HNSW index."""


class PostgresCaches(Caches):
    """The caches of the readers of one schema."""

    def __init__(self, *, enabled: bool = True) -> None:
        super().__init__(enabled=enabled)
        self.paths: Cache[str, list[tuple[int, str]]] = self.of_number(1)
        """(number, path) of all documents."""
        self.models: Cache[str, dict[str, CachedModel]] = self.of_number(1)
        """By name, in the order in which they came."""
        self.lengths: Cache[str, Lengths] = self.of_number(1)


class PostgresDocuments(DocumentReader):
    """The server checks its rows itself, has arrays, and knows better which table to read first."""

    IDS = "unnest(?::bigint[]) WITH ORDINALITY w (value, key)"
    JOIN = "JOIN"
    TEXT = "d.text, NULL"
    WITH_TEXT = ""
    _caches: PostgresCaches

    def __init__(self, db: Connection, generation: int, caches: PostgresCaches, exact: int) -> None:
        """`exact`: see `vectors.EXACT`."""
        self.db = db
        self._exact = exact
        super().__init__(caches, generation)

    def select(self, query: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return rows(self.db, in_server_words(query), bindings)

    def array(self, numbers: Iterable[int]) -> list[int]:
        return list(map(int, numbers))

    def among(self, column: str, numbers: Collection[int]) -> Condition:
        return f"{column} = ANY(?::bigint[])", [self.array(numbers)]

    def among_texts(self, column: str, texts: Collection[str]) -> Condition:
        return f"{column} = ANY(?::text[])", [list(texts)]

    def passing_chunks(self, only: Filter) -> Condition:
        query, bindings = super().passing_chunks(only)
        return in_server_words(query), bindings

    def fitting(self, globs: tuple[str, ...]) -> Condition:
        """The server knows no globs like ours, so they are matched here."""
        fits = path_matcher(globs)
        paths = self._caches.paths.get(self._generation, ALL, self._paths)
        return "id = ANY(?)", [[number for number, path in paths if fits(path)]]

    def _paths(self) -> list[tuple[int, str]]:
        return [(number, unescaped(path)) for number, path in self.select("SELECT id, path FROM documents")]

    def with_terms(self, terms: Sequence[str]) -> Condition:
        return "id IN (SELECT chunk FROM postings WHERE word = ANY(?))", [list(map(escaped, terms))]

    def languages(self) -> list[str]:
        query = "SELECT DISTINCT word FROM postings WHERE word >= ? AND word < ?"
        return languages_marked(unescaped(word) for (word,) in self.select(query, LANGUAGE_MARKS))

    def owners(self, ids: Sequence[int]) -> Owners:
        query = """SELECT c.document, (SELECT max(number) + 1 FROM chunks o WHERE o.document = c.document)
        FROM unnest(?::bigint[]) WITH ORDINALITY w (value, key) JOIN chunks c ON c.id = w.value ORDER BY w.key"""
        found = np.array(self.select(query, (self.array(ids),)), np.int64).reshape(-1, 2)
        return Owners(found[:, 0], found[:, 1])

    def text_of(self, document: int, text: Any, checksum: int | None) -> str:
        del document, checksum
        return unescaped(text)

    def bytes_on_disk(self) -> int:
        return int(self._only_value(_SIZE))
