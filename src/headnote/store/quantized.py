"""Vectors of names and parts as bytes: each row is a scale and one signed byte per number."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from headnote.extras import load_numpy
from headnote.store.names import name_hash
from headnote.store.parts import PartSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Key = TypeVar("Key", bound=Hashable)

_MOST = 127
_LARGEST = 1e6
"""The largest scale of a row. Vectors have length one, so a sound scale is at most 1; far beyond, sums overflow."""
SCALE_BYTES = 4


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


class ChunkVectors(NamedTuple):
    """The vectors of one chunk as they are stored, and what of them no query changes."""

    names: bytes
    """Zeros for a name without vector."""
    parts: bytes
    length: float
    """Of the sum of its parts."""

    @property
    def bytes(self) -> int:
        return len(self.names) + len(self.parts)


def chunk_vectors(
    stored: Mapping[Key, tuple[bytes, Sequence[bytes | None]]], dimensions: int
) -> dict[Key, ChunkVectors]:
    """Parts and names as they are stored → the vectors of each chunk."""
    nothing = bytes(SCALE_BYTES + dimensions)
    for parts, names in stored.values():
        if not parts or len(parts) % len(nothing) or any(name and len(name) != len(nothing) for name in names):
            raise ValueError(f"vectors that have other lengths than {dimensions} numbers need")
    lengths = _lengths([parts for parts, _ in stored.values()], dimensions)
    return {
        key: ChunkVectors(b"".join([name or nothing for name in names]), parts, length)
        for (key, (parts, names)), length in zip(stored.items(), lengths, strict=True)
    }


def part_set(rows: Sequence[tuple[int, ChunkVectors]], dimensions: int) -> PartSet:
    """(chunk, its vectors) → all of them together: to compare them one by one would take longer than the search."""
    width = SCALE_BYTES + dimensions
    # All names first, so that names and parts are slices and not copies.
    data = b"".join([*(vectors.names for _, vectors in rows), *(vectors.parts for _, vectors in rows)])
    steps, scales = _unpacked(data, width)
    return PartSet(
        [chunk for chunk, _ in rows],
        [len(vectors.parts) // width for _, vectors in rows],
        steps,
        scales,
        load_numpy().asarray([vectors.length for _, vectors in rows], "float32"),
    )


def _unpacked(data: bytes, width: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The rows, and what one step of each is worth."""
    numpy = load_numpy()
    together = numpy.frombuffer(data, numpy.int8).reshape(-1, width)
    scales: NDArray[np.float32] = numpy.ascontiguousarray(together[:, :SCALE_BYTES]).view("<f4")[:, 0]
    if not (numpy.abs(scales) <= _LARGEST).all():
        raise ValueError("the scale of a vector is out of range")
    return together[:, SCALE_BYTES:], scales


def _lengths(groups: Sequence[bytes], dimensions: int) -> list[float]:
    """How long the sum of the rows of each group is. Groups of one size are added at once: by `reduceat`, they take ten
    times as long."""
    numpy = load_numpy()
    width = SCALE_BYTES + dimensions
    lengths = numpy.empty(len(groups), numpy.float32)
    counts = [len(data) // width for data in groups]
    for count in set(counts):
        members = [place for place, own in enumerate(counts) if own == count]
        steps, scales = _unpacked(b"".join([groups[place] for place in members]), width)
        floats = steps.astype(numpy.float32) * scales[:, None]
        sums = floats.reshape(len(members), count, dimensions).sum(axis=1)
        lengths[members] = numpy.sqrt(numpy.einsum("ij,ij->i", sums, sums))
    found: list[float] = lengths.tolist()
    return found
