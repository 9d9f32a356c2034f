"""What readers of one file hold in memory together, so that a search that follows another reads little."""

from __future__ import annotations

from headnote.store.rows import Weights
from headnote.store.sqlite.matrices import Matrices
from headnote.store.sqlite.postings import Posting
from headnote.store.sqlite.recent import Recent

MOST_BYTES = 64 << 20
"""Of each kind but the vectors of whole chunks, which are all there."""
OVERHEAD = 100
"""What keeping anything takes, even that there is nothing."""


class Kept:
    """Vectors, what terms are worth and how many chunks have them, and parts of chunks."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.matrices = Matrices()
        self.postings: Recent[tuple[str, Weights], Posting] = Recent(most, lambda posting: OVERHEAD + posting.bytes)
        self.frequencies: Recent[str, int] = Recent(most, lambda _: OVERHEAD)
        self.parts: Recent[tuple[int, int], bytes] = Recent(most, lambda data: OVERHEAD + len(data))
        """(model, chunk) → the vectors of its names and parts; empty if it has none."""
