"""The vectors of all pages in clusters of what is alike, and the table of the model by its word pieces."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from headnote.embedding.instant import DATA
from headnote.embedding.wordpieces import VOCABULARY
from headnote.extra.export.encoding import number, text
from headnote.numeric import np
from headnote.store.quantized import PartSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLUSTER = 64
"""Chunks of a cluster, about."""
MOST_IN_CLUSTER = 96
_ROUNDS = 8
NAME_SHARES = (0.15, 0.3)
"""What the names of a chunk, title and headings, add to its vector. Measured: without them, seven of the ten nearest
chunks are those of the index; with them, seven and a half."""
ROWS = 16
"""Rows of the model in a shard: a query needs as many shards as it has words."""
VOCABULARY_SHARD = 3_000


class Clusters(NamedTuple):
    """Chunks by what they are about."""

    order: list[int]
    """Rows of the matrix, cluster by cluster."""
    sizes: list[int]
    centres: NDArray[np.float32]


def mixed(parts: PartSet) -> NDArray[np.float32]:
    """One vector for each chunk: of its text, and a little of its names."""
    counts = np.asarray(parts.counts)
    names, texts = parts.floats()
    wholes = _normal(np.add.reduceat(texts, np.cumsum(counts) - counts))
    for name, share in enumerate(NAME_SHARES):
        wholes = wholes + share * names[:, name]
    return _normal(wholes)


def clusters_of(matrix: NDArray[np.float32]) -> Clusters:
    """Spherical k-means from evenly spread rows, so that the same pages give the same clusters."""
    size = len(matrix)
    count = max(1, round(size / CLUSTER))
    centres = matrix[np.linspace(0, size - 1, count).astype(int)]
    nearest = np.zeros(size, int)
    for _ in range(_ROUNDS):
        nearest = np.concatenate([(rows @ centres.T).argmax(axis=1) for rows in _slices(matrix)])
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, matrix)
        centres = np.where(sums.any(axis=1)[:, None], _normal(sums), centres)
    groups = [group for cluster in range(count) for group in _small(np.flatnonzero(nearest == cluster).tolist())]
    means = _normal(np.stack([matrix[group].sum(axis=0) for group in groups]))
    return Clusters([row for group in groups for row in group], [len(group) for group in groups], means)


def _small(group: list[int]) -> Iterator[list[int]]:
    pieces = -(-len(group) // MOST_IN_CLUSTER)
    for piece in range(pieces):
        yield group[piece * len(group) // pieces : (piece + 1) * len(group) // pieces]


def _slices(matrix: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    return (matrix[start : start + 4096] for start in range(0, len(matrix), 4096))


def _normal(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    normal: NDArray[np.float32] = (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return normal


def row_shards() -> list[bytes]:
    """The rows of the model, each with its weight."""
    rows, weights = np.load(DATA / "rows.npy", mmap_mode="r"), np.load(DATA / "weights.npy")
    entries = [struct.pack("<i", weight) + row.tobytes() for weight, row in zip(weights, rows, strict=True)]
    return [b"".join(entries[start : start + ROWS]) for start in range(0, len(entries), ROWS)]


def vocabulary_shards() -> tuple[list[bytes], list[str]]:
    """The word pieces, by their first two letters: all pieces that a word may begin with are in one shard, or are one
    letter. Pieces that continue a word begin with `##`. Returns the shards, and the first key of each."""
    pieces = VOCABULARY.read_text(encoding="utf-8").split("\n")[:-1]
    by_key: dict[str, list[int]] = {}
    for row, piece in enumerate(pieces):
        if not piece.startswith("["):
            by_key.setdefault(piece_key(piece), []).append(row)
    shards: list[bytes] = []
    first_keys: list[str] = []
    for key in sorted(by_key, key=lambda one: one.encode("utf-16-be")):
        entry = b"".join(text(pieces[row]) + number(row) for row in by_key[key])
        if not shards or len(shards[-1]) + len(entry) > VOCABULARY_SHARD:
            shards.append(b"")
            first_keys.append(key)
        shards[-1] += entry
    return shards, first_keys


def piece_key(piece: str) -> str:
    """Single letters are together, because a word may have to fall back on them."""
    start = "##" if piece.startswith("##") else ""
    letters = piece.removeprefix("##")
    return start + (letters[:2] if len(letters) > 1 else "")
