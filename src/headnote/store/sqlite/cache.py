"""What the readers of one file share in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from headnote.store.caching import Cache, Caches
from headnote.store.filters import Filter
from headnote.store.rows import Weights
from headnote.store.sqlite.matrix import Matrix, Patched, VectorFiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


class SqliteCaches(Caches):
    """Of the readers of one file."""

    def __init__(self, *, enabled: bool = True, vector_files: VectorFiles | None = None) -> None:
        super().__init__(enabled=enabled)
        self.vector_files = vector_files
        """Where readers of a file find vectors in memory that they share with other processes."""
        self.matrices: Cache[str, Matrix | Patched] = self.of_number(2)
        """Model → all its vectors, of the two models that were searched last: an index has an instant and a deep one.
        The generation is that of the model."""
        self.postings: Cache[tuple[str, Weights], Posting] = self.of_size(lambda posting: posting.bytes)
        self.slots: Cache[tuple[str, Filter], NDArray[np.int64]] = self.of_size(lambda slots: slots.nbytes)
        """(model, filter) → the slots of their vectors."""
        self.chunks_of_slots: Cache[tuple[int, int], list[int]] = self.of_size(lambda chunks: 40 * len(chunks))
        """(model, slot) → the chunks whose vector it is, sorted."""
