"""What each term of a query is worth in each chunk that has it.

The keyword index scores every chunk that has one of the terms, for every query again. What a term adds to the score of
a chunk does not depend on the other terms, so the index is asked for each term once, and queries add up what is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from headnote.extras import load_numpy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Posting(NamedTuple):
    """The chunks that have a term, and what it adds to the score of each."""

    chunks: NDArray[np.int64]
    scores: NDArray[np.float64]

    @property
    def bytes(self) -> int:
        return self.chunks.nbytes + self.scores.nbytes


def best_sums(postings: Sequence[Posting], limit: int, allowed: NDArray[np.int64] | None) -> list[tuple[int, float]]:
    """(chunk, sum of its scores), best first, of equals the chunk with the lower number. Without a list, all of them
    are allowed."""
    numpy = load_numpy()
    chunks = numpy.concatenate([posting.chunks for posting in postings])
    if not len(chunks):
        return []
    sums = numpy.bincount(chunks, numpy.concatenate([posting.scores for posting in postings]))
    has_any = _marked(chunks, len(sums))
    found = numpy.flatnonzero(has_any if allowed is None else has_any & _marked(allowed, len(sums)))
    if len(found) > limit:
        # The best ones in any order first, which is linear; only these are sorted.
        cut = len(found) - limit
        least = numpy.partition(sums[found], cut)[cut]
        found = found[sums[found] >= least]
    order = numpy.lexsort((found, -sums[found]))[:limit]
    return [(int(found[at]), float(sums[found[at]])) for at in order]


def _marked(numbers: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    numpy = load_numpy()
    marks: NDArray[np.bool_] = numpy.zeros(size, dtype=bool)
    marks[numbers[numbers < size]] = True
    return marks
