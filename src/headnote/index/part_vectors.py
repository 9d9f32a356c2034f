"""Texts → the vectors of their parts, and one vector for the whole of each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from headnote.embedding.vectors import normalised
from headnote.extras import load_numpy
from headnote.index.parts import parts_of

if TYPE_CHECKING:
    from headnote.embedding.base import Embedder, Vectors


def embed_in_parts(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """For each text a matrix with a row for each of its parts."""
    cut = [parts_of(text) for text in texts]
    rows = embedder.embed([part for parts in cut for part in parts])
    ends = accumulate((len(parts) for parts in cut), initial=0)
    return [rows[start:end] for start, end in pairwise(ends)]


def whole(parts: Sequence[Vectors]) -> Vectors:
    """A row for each text: the direction its parts have in common."""
    numpy = load_numpy()
    return normalised(numpy.stack([rows.mean(axis=0) for rows in parts]))
