"""Arithmetic that all embedders share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headnote.extras import load_numpy

if TYPE_CHECKING:
    from headnote.embedding.base import Vectors


def zeros(rows: int, dimensions: int) -> Vectors:
    vectors: Vectors = load_numpy().zeros((rows, dimensions), dtype="float32")
    return vectors


def normalised(vectors: Vectors) -> Vectors:
    """Each row at length one; zeros stay zeros."""
    numpy = load_numpy()
    # Each row by itself and in double precision: the sum must not depend on how many rows there are.
    lengths = numpy.array([[numpy.sqrt(numpy.dot(row, row))] for row in vectors.astype("float64")])
    lengths = lengths.reshape(len(vectors), 1)
    unit: Vectors = (vectors / numpy.where(lengths > 0, lengths, 1)).astype("float32")
    return unit


def weighted_mean(vectors: Sequence[Vectors], weights: Sequence[int]) -> Vectors:
    """One vector for the parts of a text, larger parts counting for more."""
    numpy = load_numpy()
    if len(vectors) == 1:
        return vectors[0]
    mean: Vectors = numpy.average(numpy.asarray(vectors), axis=0, weights=weights).astype("float32")
    return mean
