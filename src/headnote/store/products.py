"""The product of many rows with one vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headnote.extras import load_numpy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TOGETHER = 512
"""Rows at once. As floats they stay in the cache of the processor. For more of them numpy's library starts threads that
wait for each other: where other programs run, that takes ten times as long as the sums."""


def products(rows: NDArray[Any], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum of each row times the vector. Rows are floats in single precision, or anything that becomes such."""
    numpy = load_numpy()
    sums: NDArray[np.float32] = numpy.empty(len(rows), numpy.float32)
    is_ready = rows.dtype == numpy.float32
    floats = numpy.empty((0 if is_ready else min(_TOGETHER, len(rows)), len(vector)), numpy.float32)
    for start in range(0, len(rows), _TOGETHER):
        some = rows[start : start + _TOGETHER]
        if not is_ready:
            floats[: len(some)] = some
        numpy.dot(some if is_ready else floats[: len(some)], vector, out=sums[start : start + len(some)])
    return sums
