"""Compare the files that ship with the weights they were made from.

    python check.py instant|deep WEIGHTS.npz PAIRS.json.xz

It embeds queries and passages of the pairs with both. It fails if rounding to 8 bits turns a vector, or if queries find
their passages less well.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import numpy as np
import torch
from encoder import Encoder, Table
from epochs import LONGEST, pieces
from numpy.typing import NDArray
from pairs import Pairs, Row
from published import read_start
from train import SEED

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "src"), str(REPOSITORY / "models" / "deep" / "src")]

from headnote.embedding.registry import get_embedder  # noqa: E402

LEAST_COSINE = 0.99
"""Between a vector in 8 bits and the same in full precision; below that, something else than rounding is wrong."""
MOST_LOST = 0.01
"""How much of the mean reciprocal rank rounding may cost."""

Vectors = NDArray[np.float32]


def rows_of(file: Path, count: int) -> list[Row]:
    """Random rows of one epoch, from all sites. Their texts fit into the window of training: headnote reads longer ones
    in several windows."""
    generator = random.Random(SEED)
    rows = [row for of_site in Pairs(file).epoch(generator).values() for row in of_site]
    sample = generator.sample(rows, min(count, len(rows)))
    lengths = map(len, pieces([row.passage for row in sample]))
    return [row for row, length in zip(sample, lengths, strict=True) if length < LONGEST]


@torch.no_grad()
def embed_with(weights: Path, texts: list[str]) -> Vectors:
    """The vectors in full precision."""
    with np.load(weights) as stored:
        model = Table(stored["table"]) if "table" in stored.files else Encoder(read_start(weights))
    vectors: Vectors = model.eval()(pieces(texts)).numpy()
    return vectors


def reciprocal_rank(queries: Vectors, passages: Vectors) -> float:
    """The mean over the queries, each of which looks for the passage of the same row."""
    scores = queries @ passages.T
    ranks = 1 + (scores > np.diag(scores)[:, None]).sum(axis=1)
    return float(np.mean(1 / ranks))


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=["instant", "deep"])
    parser.add_argument("weights", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--count", type=int, default=500, help="rows to compare")
    arguments = parser.parse_args(words)
    rows = rows_of(arguments.pairs, arguments.count)
    queries, passages = [row.query for row in rows], [row.passage for row in rows]
    exact = embed_with(arguments.weights, queries), embed_with(arguments.weights, passages)
    embedder = get_embedder(arguments.model)
    shipped = embedder.embed(queries), embedder.embed(passages)
    cosines = np.concatenate([(a * b).sum(axis=1) for a, b in zip(exact, shipped, strict=True)])
    # A text that the model cannot read has no vector.
    cosines = cosines[np.concatenate([vectors.any(axis=1) for vectors in shipped])]
    before, after = reciprocal_rank(*exact), reciprocal_rank(*shipped)
    print(f"{len(cosines):,} vectors: cosine {cosines.mean():.4f} on average, {cosines.min():.4f} at worst")
    print(f"{len(rows):,} queries: mean reciprocal rank {before:.4f} before rounding, {after:.4f} after")
    if cosines.min() < LEAST_COSINE or after < before - MOST_LOST:
        sys.exit(f"{embedder.name} is not what {arguments.weights} says")


if __name__ == "__main__":
    main(sys.argv[1:])
