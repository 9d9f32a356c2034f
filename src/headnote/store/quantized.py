"""Vectors of names and parts as bytes: each row is a scale and one signed byte per number."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from headnote.extras import np
from headnote.model import text_hash

if TYPE_CHECKING:
    from numpy.typing import NDArray


# -- The product of many rows with one vector.


_TOGETHER = 512
"""Rows per batch: as floats they fit in the cache of the processor. For more of them, the library of numpy starts
threads that wait for each other: where other programs run, that takes ten times as long as the sums."""


def products(rows: NDArray[Any], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum of each row times the vector. Rows are floats in single precision, or anything that becomes such."""
    sums = np.empty(len(rows), np.float32)
    is_ready = rows.dtype == np.float32
    floats = np.empty((0 if is_ready else min(_TOGETHER, len(rows)), len(vector)), np.float32)
    for start in range(0, len(rows), _TOGETHER):
        some = rows[start : start + _TOGETHER]
        if not is_ready:
            floats[: len(some)] = some
        np.dot(some if is_ready else floats[: len(some)], vector, out=sums[start : start + len(some)])
    return sums


# -- What a passage is called, which is often all that a question says of it.
#
# Many documents have their title in the frontmatter, so that neither the text of a chunk nor its breadcrumb contains
# it. Therefore names have vectors of their own: a chunk is near a question if its name is.


NAMES = 2
"""Number of names of a chunk."""
MAX_PARTS = 300
"""Characters of a name. A heading may be a page long and stand above many chunks, each of which has a name to embed."""


def names_of(title: str, heading_path: Sequence[str]) -> tuple[str, str]:
    """The title of the document alone, and with the headings above a chunk. A first heading that repeats the title
    counts once. Both names are the same for text above all headings. Longer names are cut."""
    headings = [heading for heading in heading_path if heading]
    if headings[:1] == [title]:
        del headings[0]
    return title[:MAX_PARTS], " > ".join((title, *headings))[:MAX_PARTS]


def name_hash(name: str) -> bytes:
    """The key under which the vector of a name is stored."""
    return bytes.fromhex(text_hash(name))


# -- The vectors of some chunks together: of their names, of their parts, and of each as a whole.


class PartSet(NamedTuple):
    """The vectors of the parts and names of some chunks. They are kept in steps, as they are stored: to compare them
    with a query, numbers of that size need not be made of all of them."""

    chunks: list[int]
    counts: list[int]
    """Number of parts of each chunk, at least one."""
    steps: NDArray[np.number]
    """A row for each name, two of a chunk, in the order of `names_of`; then a row for each part. Those of a chunk are
    together, in the order of the chunks. A name without vector is zeros."""
    scales: NDArray[np.float32]
    """What one step of each row is worth."""
    lengths: NDArray[np.float32]
    """Length of the sum of the parts of each chunk; 0 if they say nothing."""

    def floats(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The vectors as numbers: for each chunk a matrix of its names, and a row for each part."""
        floats: NDArray[np.float32] = self.steps.astype("float32")
        floats *= self.scales[:, None]
        names = NAMES * len(self.chunks)
        return floats[:names].reshape(len(self.chunks), NAMES, floats.shape[1]), floats[names:]

    def similarities(self, query: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The similarity of each name, a row for each chunk, and of each part."""
        similarities: NDArray[np.float32] = products(self.steps, query) * self.scales
        names = NAMES * len(self.chunks)
        return similarities[:names].reshape(-1, NAMES), similarities[names:]


# -- Vectors of names and parts as bytes


Key = TypeVar("Key", bound=Hashable)

_MAX_INT8 = 127
_MAX_SCALE = 1e6
"""The largest scale of a row. Vectors have length one, so a sound scale is at most 1; far beyond, sums overflow."""
SCALE_BYTES = 4


def packed_groups(matrix: NDArray[np.floating], counts: Sequence[int]) -> list[bytes]:
    """This many rows of a matrix for each group. They are packed together: one by one would take ten times as long."""
    data = packed_parts(matrix)
    width = SCALE_BYTES + matrix.shape[1]
    return [data[start * width : end * width] for start, end in pairwise(accumulate(counts, initial=0))]


def packed_parts(parts: NDArray[np.floating]) -> bytes:
    """The rows of a matrix, one after the other. The error is at most 1/254 of the largest number of the row."""
    if not len(parts):
        return b""
    matrix = np.asarray(parts, np.float32)
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    scale = np.where(largest > 0, largest / _MAX_INT8, 1).astype("<f4")
    rounded = np.rint(matrix / scale).astype(np.int8)
    together = np.concatenate([scale.view(np.int8), rounded], axis=1)
    data: bytes = together.tobytes()
    return data


def vector_rows(
    hashes: Sequence[str], matrix: NDArray[np.floating], parts: Sequence[NDArray[np.floating]] | None
) -> dict[bytes, tuple[NDArray[np.float16], bytes]]:
    """Hash → its vector and its parts, as they are stored. Without `parts`, each text is its only part."""
    if parts is None:
        parts = [row.reshape(1, -1) for row in matrix]
    rows = np.ascontiguousarray(matrix, np.float16)
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
        np.asarray([vectors.length for _, vectors in rows], "float32"),
    )


def _unpacked(data: bytes, width: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The rows, and what one step of each is worth."""
    together = np.frombuffer(data, np.int8).reshape(-1, width)
    scales = np.ascontiguousarray(together[:, :SCALE_BYTES]).view("<f4")[:, 0]
    if not (np.abs(scales) <= _MAX_SCALE).all():
        raise ValueError("the scale of a vector is out of range")
    return together[:, SCALE_BYTES:], scales


def _lengths(groups: Sequence[bytes], dimensions: int) -> list[float]:
    """How long the sum of the rows of each group is. Groups of one size are added at once: by `reduceat`, they take ten
    times as long."""
    width = SCALE_BYTES + dimensions
    lengths = np.empty(len(groups), np.float32)
    counts = [len(data) // width for data in groups]
    for count in set(counts):
        members = [place for place, own in enumerate(counts) if own == count]
        steps, scales = _unpacked(b"".join([groups[place] for place in members]), width)
        floats = steps.astype(np.float32) * scales[:, None]
        sums = floats.reshape(len(members), count, dimensions).sum(axis=1)
        lengths[members] = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    found: list[float] = lengths.tolist()
    return found
