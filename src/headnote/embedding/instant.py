"""A model without layers: one vector per word piece, and the sum of them is the vector of a text.

It ships with headnote and needs numpy alone. A text takes microseconds, so every text of an index has its vector as
soon as it has its words.

The table is made of whole numbers: 8 bits, and a weight for each row. Their sums are exact, so a vector is the same on
every machine, whatever the order in which they are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headnote.embedding.embedder import normalised, zeros
from headnote.embedding.wordpieces import NUMBER, NUMBER_BYTES, uncased
from headnote.extras import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from headnote.embedding.embedder import Vectors

DIMENSIONS = 256

DATA = Path(__file__).parent / "data"
"""Written by `models/workshop/quantise.py`."""

_MANY_TEXTS = 64
"""So many texts are worth a table that is prepared for them: 31 MB."""
_BATCH_SIZE = 1 << 10
"""Rows that are added up at once, in 32 bits, which could overflow with more than 25,000 of them."""
_BATCH_BYTES = NUMBER_BYTES * _BATCH_SIZE


class InstantEmbedder:
    """Loads in milliseconds on first use; one object serves any number of threads."""

    dimensions = DIMENSIONS

    def __init__(self) -> None:
        fingerprint = (DATA / "fingerprint.txt").read_text(encoding="ascii").strip()
        self.name = f"instant:{fingerprint}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = zeros(len(texts), DIMENSIONS)
        table = self._table
        if len(texts) >= _MANY_TEXTS:
            table.prepare()
        pieces = uncased()
        for row, text in enumerate(texts):
            if pieces.can_read(text):
                vectors[row] = table.sum_of(pieces.packed(text))
        return normalised(vectors)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    @cached_property
    def _table(self) -> _PieceRows:
        return _PieceRows()

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker gets an embedder with every batch of files, and loads it once.
        return shared, ()

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"


@cache
def shared() -> InstantEmbedder:
    """The one of this process."""
    return InstantEmbedder()


class _PieceRows:
    """The vector of each word piece.

    Its rows are mapped into memory, and multiplied by their weights when they are used: a query waits for no rows but
    its own. For many texts all of them are multiplied once."""

    def __init__(self) -> None:
        self._steps = np.load(DATA / "rows.npy", mmap_mode="r").view(np.ndarray)
        self._weights = np.load(DATA / "weights.npy")
        self._rows: NDArray[np.int32] | None = None

    def prepare(self) -> None:
        """Multiply all rows by their weights."""
        if self._rows is None:
            self._rows = self._steps * self._weights[:, None]

    def sum_of(self, packed: bytes) -> NDArray[np.int64]:
        """The sum of the rows of these pieces."""
        total = self._sum_of_batch(packed[:_BATCH_BYTES])
        for start in range(_BATCH_BYTES, len(packed), _BATCH_BYTES):
            total = total + self._sum_of_batch(packed[start : start + _BATCH_BYTES])
        return total

    def _sum_of_batch(self, packed: bytes) -> NDArray[np.int64]:
        total = np.empty(DIMENSIONS, "int64")
        if self._rows is not None:
            sum_rows(packed, self._rows, total)
        else:
            numbers = np.frombuffer(packed, NUMBER)
            np.add.reduce(self._steps.take(numbers, axis=0) * self._weights.take(numbers)[:, None], axis=0, out=total)
        return total


def plain_sum_rows(numbers: bytes, rows: NDArray[np.int32], sums: NDArray[np.int64]) -> None:
    """Write the sum of the rows with these numbers."""
    sums[:] = np.add.reduce(rows.take(np.frombuffer(numbers, NUMBER), axis=0), axis=0, dtype="int32")


if TYPE_CHECKING:
    sum_rows = plain_sum_rows
else:
    try:
        from headnote.native import sum_rows
    except ImportError:  # a build that is not compiled
        sum_rows = plain_sum_rows
