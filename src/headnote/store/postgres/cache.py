"""What the readers of one schema share in memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from headnote.store.caching import Cache
from headnote.store.filters import Filter, Requirement
from headnote.store.labels import Labels
from headnote.store.quantized import ChunkVectors
from headnote.words.vocabulary import Vocabulary

MOST_TERMS = 5000
CAPACITY = 64 << 20
"""Bytes of the vocabularies, and of the parts."""
_OVERHEAD = 100
"""Bytes of an entry besides its value."""
ALL = "all"
"""The key of a cache that has one value."""


class Lengths(NamedTuple):
    """What the score of a word depends on besides the chunk itself."""

    chunks: int
    average: float
    """Terms of a chunk."""


class CachedModel(NamedTuple):
    """A model that has vectors."""

    number: int
    dims: int
    indexed: bool
    """Whether it has an HNSW index."""


class PostgresCaches:
    """One cache for each kind of value. A writer disables them: its changes may never be committed."""

    def __init__(self, *, enabled: bool = True) -> None:
        self.paths: Cache[str, list[tuple[int, str]]] = Cache(1 if enabled else 0)
        """(number, path) of all documents."""
        self.manifest: Cache[str, dict[str, str]] = Cache(1 if enabled else 0)
        self.chunk_count: Cache[str, int] = Cache(1 if enabled else 0)
        self.models: Cache[str, dict[str, CachedModel]] = Cache(1 if enabled else 0)
        """By name, in the order in which they came."""
        self.labels: Cache[str, Labels] = Cache(1 if enabled else 0)
        self.lengths: Cache[str, Lengths] = Cache(1 if enabled else 0)
        self.frequencies: Cache[str, int] = Cache(MOST_TERMS if enabled else 0)
        self.complete: Cache[tuple[str, Filter], bool] = Cache(1000 if enabled else 0)
        """(model, filter) → whether all chunks that pass have their vectors."""
        self.matching: Cache[Requirement, list[Any]] = Cache(
            CAPACITY if enabled else 0, lambda found: _OVERHEAD + 50 * len(found)
        )
        """Requirement → the chunks, documents or values that satisfy it, where they had to be looked at one by one."""
        self.parts: Cache[tuple[int, int], ChunkVectors | None] = Cache(
            CAPACITY if enabled else 0, lambda vectors: _OVERHEAD + (vectors.bytes if vectors else 0)
        )
        """(model, chunk) → the vectors of its names and parts; None if it has none."""
        self.vocabularies: Cache[str, Vocabulary] = Cache(CAPACITY if enabled else 0, lambda terms: terms.bytes)
        """Beginning → the terms that begin so."""
