"""A model without layers: one vector per word piece, and the sum of them is the vector of a text.

It ships with headnote and needs numpy alone. A text takes microseconds, so every text of an index has its vector as
soon as it has its words.

The table is made of whole numbers: 8 bits, and a weight for each row. Their sums are exact, so a vector is the same on
every machine, whatever the order in which they are added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from headnote.embedding.windows import normalised, zeros
from headnote.embedding.wordpieces import Pieces, uncased
from headnote.numeric import np

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

DIMENSIONS = 256

DATA = Path(__file__).parent / "data"
"""Written by `models/workshop/quantise.py`."""

_MANY_TEXTS = 64
"""So many texts need most of the table, which is prepared faster as a whole than row by row."""
_WORDS = 1 << 15
"""Words that have a row of their own in memory: 32 MB."""
_MAX_PIECES = 16
"""Pieces of such a word."""
_BATCH_SIZE = 1 << 10
"""Rows that are added up in 32 bits, which could overflow with more of them."""


class InstantEmbedder:
    """Loads in milliseconds on first use; one object serves any number of threads."""

    dimensions = DIMENSIONS

    def __init__(self) -> None:
        fingerprint = (DATA / "fingerprint.txt").read_text(encoding="ascii").strip()
        self.name = f"instant:{fingerprint}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = zeros(len(texts), DIMENSIONS)
        if len(texts) >= _MANY_TEXTS:
            self._table.prepare_all()
        for row, text in enumerate(texts):
            if uncased().can_read(text):
                self._table.add_up(text, vectors[row])
        return normalised(vectors)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    @cached_property
    def _table(self) -> _WordTable:
        return _WordTable()

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker gets an embedder with every batch of files, and loads it once.
        return shared, ()

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"


@cache
def shared() -> InstantEmbedder:
    """The one of this process."""
    return InstantEmbedder()


class _WordTable:
    """The vector of each word piece, and of the words that texts repeat.

    Pieces are mapped into memory, and multiplied by their weights when they are first used: nothing waits for rows that
    no text needs. Most words have several pieces; it saves half of the time to add these up only once."""

    def __init__(self) -> None:
        self._stored = np.load(DATA / "rows.npy", mmap_mode="r").view(np.ndarray)
        self._weights = np.load(DATA / "weights.npy")
        self._pieces = len(self._stored)
        self._rows = np.empty((self._pieces + _WORDS, DIMENSIONS), "int32")  # takes memory only where it is written
        self._is_ready = bytearray(self._pieces)
        self._words = _WordRows(self._rows_of)
        self._own_rows = 0
        self._lock = Lock()

    def prepare_all(self) -> None:
        """Multiply all pieces by their weights."""
        with self._lock:
            if not all(self._is_ready):
                np.multiply(self._stored, self._weights[:, None], out=self._rows[: self._pieces])
                self._is_ready[:] = bytes([True]) * self._pieces

    def add_up(self, text: str, vector: Vectors) -> None:
        """Add the vectors of all word pieces of the text to a vector of zeros."""
        rows = chain.from_iterable(map(self._words.__getitem__, uncased().words(text)))
        numbers = np.fromiter(rows, "intp")
        for start in range(0, len(numbers), _BATCH_SIZE):
            vector += np.add.reduce(self._rows.take(numbers[start : start + _BATCH_SIZE], axis=0), dtype="int32")

    def _rows_of(self, word: str) -> Pieces:
        """The row of a word; those of its pieces if it has many of them, or if there is no room."""
        pieces = uncased().pieces_of(word)
        with self._lock:
            for piece in pieces:
                if not self._is_ready[piece]:
                    self._rows[piece] = self._stored[piece] * self._weights[piece]
                    self._is_ready[piece] = True
            if not 1 < len(pieces) <= _MAX_PIECES or self._own_rows == _WORDS:
                return pieces
            own = self._pieces + self._own_rows
            self._rows[own] = self._rows[list(pieces)].sum(axis=0, dtype="int32")
            self._own_rows += 1
            return (own,)


class _WordRows(dict[str, Pieces]):
    """Word → rows of the table. The first words are remembered: frequent ones are among them."""

    def __init__(self, rows_of: Callable[[str], Pieces]) -> None:
        super().__init__()
        self._rows_of = rows_of

    def __missing__(self, word: str) -> Pieces:
        rows = self._rows_of(word)
        if len(self) < 2 * _WORDS:
            self[word] = rows
        return rows
