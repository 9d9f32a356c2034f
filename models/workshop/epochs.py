"""Epochs of training rows as word pieces, prepared by other processes while the GPU works."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pairs import Pairs, Row, batches
from tokenizers import Tokenizer

TOKENIZER = Path(__file__).resolve().parents[1] / "minilm" / "src" / "headnote_minilm" / "tokenizer.json"
LONGEST = 254
AHEAD = 12
"""Maximum number of epochs prepared at the same time."""

Words = NDArray[np.uint16]


class Batch(NamedTuple):
    queries: list[Words]
    passages: list[Words]
    chunks: NDArray[np.int64]
    """The chunk of each row. Rows of the same chunk are not negatives of each other."""


class Recipe(NamedTuple):
    """How to draw an epoch."""

    file: Path
    size: int
    """Rows per batch."""
    most: int | None = None
    """Maximum number of pairs, for a trial run."""


def epochs(recipe: Recipe, count: int, seed: int) -> Iterator[list[Batch]]:
    """Draw `count` epochs. The same seed gives the same epochs, whatever the number of cores."""
    workers = max(1, min(count, AHEAD, (os.cpu_count() or 1) - 2))
    # No fork: torch has started threads.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(_epoch, [recipe] * count, range(seed, seed + count))


def steps_of(recipe: Recipe, count: int) -> int:
    """Number of batches in `count` epochs. The number of rows varies slightly; that of whole batches does not."""
    return count * int(_pairs(recipe.file, recipe.most).expected_rows() // recipe.size)


def _epoch(recipe: Recipe, seed: int) -> list[Batch]:
    generator = random.Random(seed)
    rows = _pairs(recipe.file, recipe.most).epoch(generator)
    return [_batch(batch) for batch in batches(rows, recipe.size, generator)]


@cache
def _pairs(file: Path, most: int | None) -> Pairs:
    return Pairs(file, most)


def _batch(rows: list[Row]) -> Batch:
    return Batch(
        pieces([row.query for row in rows]),
        pieces([row.passage for row in rows]),
        np.array([row.chunk for row in rows]),
    )


def pieces(texts: list[str]) -> list[Words]:
    """Word pieces of each text, without the start and end markers."""
    encoded = tokenizer().encode_batch_fast(texts, add_special_tokens=False)
    lengths = [0, *np.cumsum([min(len(one.ids), LONGEST) for one in encoded]).tolist()]
    flat = np.fromiter((piece for one in encoded for piece in one.ids[:LONGEST]), np.uint16, lengths[-1])
    return [flat[start:end] for start, end in pairwise(lengths)]


@cache
def tokenizer() -> Tokenizer:
    loaded = Tokenizer.from_file(str(TOKENIZER))
    loaded.encode_special_tokens = True
    return loaded
