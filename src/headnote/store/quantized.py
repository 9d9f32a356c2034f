"""Vectors of names and parts as bytes: each row is a scale and one signed byte per number."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from headnote.extras import load_numpy
from headnote.store.names import name_hash
from headnote.store.rows import PartSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST = 127
_LARGEST = 1e6
"""The largest scale of a row. Vectors have length one, so a sound scale is at most 1; far beyond, sums overflow."""
SCALE_BYTES = 4
NAMES = 2
"""Number of names of a chunk: see `names_of`."""


def packed_groups(matrix: NDArray[np.floating], counts: Sequence[int]) -> list[bytes]:
    """So many rows of a matrix for each group. All are packed together: one by one takes ten times as long."""
    data = packed_parts(matrix)
    width = SCALE_BYTES + matrix.shape[1]
    return [data[start * width : end * width] for start, end in pairwise(accumulate(counts, initial=0))]


def packed_parts(parts: NDArray[np.floating]) -> bytes:
    """The rows of a matrix, one after the other. The error is at most 1/254 of the largest number of the row."""
    numpy = load_numpy()
    if not len(parts):
        return b""
    matrix = numpy.asarray(parts, numpy.float32)
    largest = numpy.abs(matrix).max(axis=1, keepdims=True)
    scale = numpy.where(largest > 0, largest / _MOST, 1).astype("<f4")
    rounded = numpy.rint(matrix / scale).astype(numpy.int8)
    together = numpy.concatenate([scale.view(numpy.int8), rounded], axis=1)
    data: bytes = together.tobytes()
    return data


def vector_rows(
    hashes: Sequence[str], matrix: NDArray[np.floating], parts: Sequence[NDArray[np.floating]] | None
) -> dict[bytes, tuple[NDArray[np.float16], bytes]]:
    """Hash → its vector and its parts, as they are stored. Without `parts`, each text is its only part."""
    numpy = load_numpy()
    if parts is None:
        parts = [row.reshape(1, -1) for row in matrix]
    rows = numpy.ascontiguousarray(matrix, numpy.float16)
    if rows.ndim != 2 or not len(rows) == len(hashes) == len(parts):
        raise ValueError(f"{len(hashes)} hashes, a matrix of shape {rows.shape} and parts of {len(parts)}")
    return {
        bytes.fromhex(digest): (row, packed_parts(own)) for digest, row, own in zip(hashes, rows, parts, strict=True)
    }


def name_rows(names: Sequence[str], matrix: NDArray[np.floating]) -> dict[bytes, bytes]:
    """Hash of each name → its vector, as it is stored."""
    if len(names) != len(matrix):
        raise ValueError(f"{len(names)} names, a matrix of shape {matrix.shape}")
    return {name_hash(name): packed_parts(row.reshape(1, -1)) for name, row in zip(names, matrix, strict=True)}


def with_names(parts: bytes, names: Sequence[bytes | None], dimensions: int) -> bytes:
    """The names of a chunk, zeros for a name without vector, and then its parts."""
    nothing = bytes(SCALE_BYTES + dimensions)
    return b"".join([*(name or nothing for name in names), parts])


def part_set(rows: Sequence[tuple[int, bytes]], dimensions: int) -> PartSet:
    """(chunk, its names and parts as bytes) → all of them, unpacked together: one by one would take longer than the
    search."""
    numpy = load_numpy()
    width = SCALE_BYTES + dimensions
    front = NAMES * width
    # All names first, so that names and parts are slices of the matrix and not copies.
    data = b"".join([*(data[:front] for _, data in rows), *(data[front:] for _, data in rows)])
    together = numpy.frombuffer(data, numpy.int8).reshape(-1, width)
    scale = numpy.ascontiguousarray(together[:, :SCALE_BYTES]).view("<f4")
    if not (numpy.abs(scale) <= _LARGEST).all():
        raise ValueError("the scale of a vector is out of range")
    matrix: NDArray[np.float32] = together[:, SCALE_BYTES:].astype(numpy.float32)
    matrix *= scale
    names = matrix[: NAMES * len(rows)].reshape(len(rows), NAMES, dimensions)
    counts = [len(data) // width - NAMES for _, data in rows]
    return PartSet([chunk for chunk, _ in rows], counts, matrix[NAMES * len(rows) :], names)
