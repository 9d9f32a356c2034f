"""The interface of every embedder, what they share (windows over texts that are too long for a model, the arithmetic of
vectors), and the embedders without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from headnote.errors import SettingsError
from headnote.extras import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors.

    A vector depends on its text alone, never on the texts it is embedded with. Its length is one, so a dot product is a
    cosine. Only a blank text, or one that the model cannot read, has no direction and becomes zeros.
    """

    @property
    def name(self) -> str:
        """The model and whatever else changes vectors. Vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; 0 if there are no vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in their order."""

    def embed_query(self, text: str) -> Vectors:
        """One vector for a search query. Some models embed questions differently from passages."""


class NoEmbedder:
    """Makes rows of zero width: search by keywords only."""

    name = "none"
    dimensions = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 0), dtype="float32")

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector


# -- What embedders share: windows over texts that are too long for the model, and the arithmetic of vectors.


def windows(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Start and end of each window over a text of `length` tokens: as few as possible, all even but the last.

    Even windows cost less than full ones with a short remainder, and none of them lacks context.
    """
    if length <= size:
        return [(0, length)]
    count = -(-(length - overlap) // (size - overlap))
    even = -(-(length - overlap) // count) + overlap
    return [(start, min(length, start + even)) for start in range(0, length - overlap, even - overlap)]


def zeros(rows: int, dimensions: int) -> Vectors:
    return np.zeros((rows, dimensions), dtype="float32")


def normalised(vectors: Vectors) -> Vectors:
    """Each row scaled to length one; zeros stay zeros."""
    # Row by row and in double precision: the sum must not depend on how many rows there are.
    squares = np.array([np.dot(row, row) for row in vectors.astype("float64")])
    lengths = np.sqrt(squares).reshape(len(vectors), 1)
    unit: Vectors = (vectors / np.where(lengths > 0, lengths, 1)).astype("float32")
    return unit


def mean_of_windows(rows: int, dimensions: int, windows: Iterable[tuple[int, int, Vectors]]) -> Vectors:
    """One unit vector per text from the vectors of its windows, given as (row of the text, weight, vector).

    Windows of a text must come in a fixed order, because sums of floats depend on it. A text without any is zeros.
    """
    by_row: dict[int, list[tuple[int, Vectors]]] = {}
    for row, weight, vector in windows:
        by_row.setdefault(row, []).append((weight, vector))
    vectors = zeros(rows, dimensions)
    for row, weighted in by_row.items():
        vectors[row] = _weighted_mean([vector for _, vector in weighted], [weight for weight, _ in weighted])
    return normalised(vectors)


def _weighted_mean(vectors: Sequence[Vectors], weights: Sequence[int]) -> Vectors:
    if len(vectors) == 1:
        return vectors[0]
    return np.average(np.asarray(vectors), axis=0, weights=weights).astype("float32")


# -- Vectors without a model: each word and word pair is hashed to a dimension and a sign. Texts that share words are
# near each other, and a text has the same vector on every machine: enough to test everything around an embedder.

DIMENSIONS = 256

_WORD = re.compile(r"\w+")
_PAIR_WEIGHT = 0.5


class HashingEmbedder:
    """Feature hashing with any number of dimensions."""

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        if dimensions < 1:
            raise SettingsError(f"hashing cannot have {dimensions} dimensions", remedy="use at least 1")
        self.dimensions = dimensions
        self.name = f"hashing:{dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = zeros(len(texts), self.dimensions)
        for row, text in zip(vectors, texts, strict=True):
            if text.strip():
                self._fill(row, text)
        return normalised(vectors)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    def _fill(self, row: Vectors, text: str) -> None:
        for feature, weight in _features(text):
            dimension, sign = self._slot(feature)
            row[dimension] += sign * weight
        if not row.any():
            # No words, or signs that cancel out: the whole text is the feature.
            dimension, sign = self._slot(text)
            row[dimension] = sign

    def _slot(self, feature: str) -> tuple[int, int]:
        number = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        return (number >> 1) % self.dimensions, 1 if number & 1 else -1


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Words and word pairs with their weights. A repeated word weighs less than two different ones."""
    words = [word.lower() for word in _WORD.findall(text)]
    for word, times in Counter(words).items():
        yield word, times**0.5
    for (first, second), times in Counter(pairwise(words)).items():
        yield f"{first} {second}", _PAIR_WEIGHT * times**0.5
