"""What the readers of one file share in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.store.caching import Cache
from headnote.store.filters import Filter, Requirement
from headnote.store.labels import Labels
from headnote.store.quantized import ChunkVectors
from headnote.store.rows import Parent, Weights
from headnote.store.sqlite.matrix import Matrix, Patched, VectorFiles
from headnote.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = "all"
"""The key of a cache that has one value."""
CAPACITY = 64 << 20
"""Bytes of each cache but the matrix."""
_OVERHEAD = 100
"""Bytes of an entry besides its value."""


class Posting(NamedTuple):
    """The chunks that have a term, and what it adds to the score of each."""

    chunks: NDArray[np.int64]
    """Sorted."""
    scores: NDArray[np.float64]

    @property
    def bytes(self) -> int:
        return self.chunks.nbytes + self.scores.nbytes

    def among(self, chunks: Sequence[int]) -> list[int]:
        """Those of the chunks that have the term."""
        if not len(self.chunks):
            return []
        places = self.chunks.searchsorted(chunks).clip(max=len(self.chunks) - 1)
        return [chunk for chunk, found in zip(chunks, self.chunks[places].tolist(), strict=True) if chunk == found]

    def times(self, share: float) -> Posting:
        """What a share of the term adds."""
        return self if share == 1.0 else Posting(self.chunks, self.scores * share)


class SqliteCaches:
    """One cache for each kind of value. A writer disables them: its changes may never be committed."""

    def __init__(self, *, enabled: bool = True, vector_files: VectorFiles | None = None) -> None:
        capacity = CAPACITY if enabled else 0
        self.vector_files = vector_files
        """Where readers of a file find vectors in memory that they share with other processes."""
        self.matrices: Cache[str, Matrix | Patched] = Cache(2 if enabled else 0)
        """Model → all its vectors, of the two models that were searched last: an index has an instant and a deep one.
        The generation is that of the model."""
        self.labels: Cache[str, Labels] = Cache(1 if enabled else 0)
        self.postings: Cache[tuple[str, Weights], Posting] = Cache(capacity, lambda posting: _OVERHEAD + posting.bytes)
        self.frequencies: Cache[str, int] = Cache(capacity, lambda _: _OVERHEAD)
        self.complete: Cache[tuple[str, Filter], bool] = Cache(1000 if enabled else 0)
        """(model, filter) → whether all chunks that pass have their vectors."""
        self.passing: Cache[Filter, NDArray[np.int64]] = Cache(capacity, lambda ids: _OVERHEAD + ids.nbytes)
        """Filter → the chunks that pass, sorted."""
        self.slots: Cache[tuple[str, Filter], NDArray[np.int64]] = Cache(
            capacity, lambda slots: _OVERHEAD + slots.nbytes
        )
        """(model, filter) → the slots of their vectors."""
        self.chunks_of_slots: Cache[tuple[int, int], list[int]] = Cache(
            capacity, lambda chunks: _OVERHEAD + 40 * len(chunks)
        )
        """(model, slot) → the chunks whose vector it is, sorted."""
        self.matching: Cache[Requirement, list[Any]] = Cache(capacity, lambda found: _OVERHEAD + 50 * len(found))
        """Requirement → the chunks, documents or values that satisfy it, where they had to be looked at one by one."""
        self.numbers: Cache[tuple[str, str], int] = Cache(1000 if enabled else 0)
        """(what is counted, of which model if of one) → how many there are."""
        self.parents: Cache[int, Parent] = Cache(capacity, lambda parent: _OVERHEAD + 2 * len(parent.text))
        """Number of a document → what its chunks need of it."""
        self.vocabularies: Cache[str, Vocabulary] = Cache(capacity, lambda terms: _OVERHEAD + terms.bytes)
        """Beginning → the terms that begin so."""
        self.parts: Cache[tuple[int, int], ChunkVectors | None] = Cache(
            capacity, lambda vectors: _OVERHEAD + (vectors.bytes if vectors else 0)
        )
        """(model, chunk) → the vectors of its names and parts; None if it has none."""
