"""The two ways of looking: by words and by meaning. Each gives chunks with their scores, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headnote.index.store.base import Reader
from headnote.index.store.filters import Filter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Found = list[tuple[int, float]]


def by_words(reader: Reader, terms: list[str], depth: int, only: Filter) -> Found:
    """Chunks that have at least one of the terms."""
    return [(hit.chunk, hit.score) for hit in reader.keyword(terms, depth, only=only)]


def by_meaning(reader: Reader, model: str, query: NDArray[np.float32], depth: int, only: Filter) -> Found:
    """Chunks whose vectors point where the query's does."""
    return reader.nearest(model, query, depth, only)
