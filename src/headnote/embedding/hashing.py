"""Vectors without a model: each word and word pair is hashed to a dimension and a sign.

Texts that share words are near each other, and a text has the same vector on every machine. That is enough to test
everything around an embedder; it knows nothing of meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

from headnote.embedding.embedder import normalised, zeros
from headnote.errors import SettingsError

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

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
