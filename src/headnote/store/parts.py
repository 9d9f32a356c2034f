"""The vectors of some chunks together: of their names, of their parts, and of each as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from headnote.store.names import NAMES
from headnote.store.products import products

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PartSet(NamedTuple):
    """The vectors of the parts and names of some chunks. They are kept in steps, as they are stored: to compare them
    with a query, numbers of that size need not be made of all of them."""

    chunks: list[int]
    counts: list[int]
    """Number of parts of each chunk, at least one."""
    steps: NDArray[np.number]
    """A row for each name, two of a chunk, in the order of `names_of`; then a row for each part. Those of a chunk are
    together, in the order of the chunks. A name without vector is zeros."""
    scales: NDArray[np.float32]
    """What one step of each row is worth."""
    lengths: NDArray[np.float32]
    """Of the sum of the parts of each chunk; 0 if they say nothing."""

    def floats(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The vectors as numbers: for each chunk a matrix of its names, and a row for each part."""
        floats: NDArray[np.float32] = self.steps.astype("float32")
        floats *= self.scales[:, None]
        names = NAMES * len(self.chunks)
        return floats[:names].reshape(len(self.chunks), NAMES, floats.shape[1]), floats[names:]

    def similarities(self, query: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Of each name, a row for each chunk, and of each part."""
        similarities: NDArray[np.float32] = products(self.steps, query) * self.scales
        names = NAMES * len(self.chunks)
        return similarities[:names].reshape(-1, NAMES), similarities[names:]
