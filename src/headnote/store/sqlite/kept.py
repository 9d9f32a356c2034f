"""What readers of one file hold in memory together, so that a search that follows another reads little."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from headnote.store.rows import Weights
from headnote.store.sqlite.matrices import Matrices
from headnote.store.sqlite.recent import Recent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_BYTES = 64 << 20
"""Of each kind but the vectors of whole chunks, which are all there."""
OVERHEAD = 100
"""What keeping anything takes, even that there is nothing."""


class Posting(NamedTuple):
    """The chunks that have a term, and what it adds to the score of each."""

    chunks: NDArray[np.int64]
    scores: NDArray[np.float64]

    @property
    def bytes(self) -> int:
        return self.chunks.nbytes + self.scores.nbytes


class Kept:
    """Vectors, what terms are worth and how many chunks have them, and parts of chunks."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.matrices = Matrices()
        self.postings: Recent[tuple[str, Weights], Posting] = Recent(most, lambda posting: OVERHEAD + posting.bytes)
        self.frequencies: Recent[str, int] = Recent(most, lambda _: OVERHEAD)
        self.parts: Recent[tuple[int, int], bytes] = Recent(most, lambda data: OVERHEAD + len(data))
        """(model, chunk) → the vectors of its names and parts; empty if it has none."""
