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

from headnote.embedding.vectors import normalised, zeros
from headnote.embedding.wordpieces import uncased
from headnote.extras import load_numpy

if TYPE_CHECKING:
    from headnote.embedding.base import Vectors

DIMENSIONS = 256

DATA = Path(__file__).parent / "data"
"""Written by `models/workshop/quantise.py`."""

_AT_ONCE = 1 << 13
"""Pieces that are added up in 32 bits, which could overflow with more of them."""


class InstantEmbedder:
    """Loads in milliseconds on first use; one object serves any number of threads."""

    dimensions = DIMENSIONS

    def __init__(self) -> None:
        fingerprint = (DATA / "fingerprint.txt").read_text(encoding="ascii").strip()
        self.name = f"instant:{fingerprint}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = zeros(len(texts), DIMENSIONS)
        words, table = uncased(), self._table
        for row, text in enumerate(texts):
            pieces = words.readable_ids(text)
            vectors[row] = table.add_up(pieces[:_AT_ONCE])
            for start in range(_AT_ONCE, len(pieces), _AT_ONCE):
                vectors[row] += table.add_up(pieces[start : start + _AT_ONCE])
        return normalised(vectors)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    @cached_property
    def _table(self) -> _Table:
        return _Table()

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker gets an embedder with every batch of files, and loads it once.
        return shared, ()

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"


@cache
def shared() -> InstantEmbedder:
    """The one of this process."""
    return InstantEmbedder()


class _Table:
    """The vector of each word piece. It is mapped into memory, and a row is multiplied by its weight when it is first
    used: nothing waits for rows that no text needs."""

    def __init__(self) -> None:
        numpy = self._numpy = load_numpy()
        self._stored = numpy.load(DATA / "rows.npy", mmap_mode="r")
        self._weights = numpy.load(DATA / "weights.npy")[:, None]
        self._rows = numpy.empty(self._stored.shape, "int32")  # takes memory only where it is written
        self._is_ready = numpy.zeros(len(self._rows), "bool")

    def add_up(self, pieces: list[int]) -> Any:
        numpy = self._numpy
        numbers = numpy.fromiter(pieces, "intp", len(pieces))
        is_ready = self._is_ready.take(numbers)
        if not is_ready.all():
            first = numbers[~is_ready]
            self._rows[first] = self._stored[first] * self._weights[first]
            self._is_ready[first] = True
        return numpy.add.reduce(self._rows.take(numbers, axis=0), axis=0, dtype="int32")
