"""All vectors of a model in two precisions, and the nearest of them to a query.

One byte per number is enough to tell which rows may be among the nearest, and it is a quarter of the memory to read.
How far such a row can be from the exact one is known, so no row that might be among them is left out; these few are
compared in the precision in which they are stored. The answer is that of comparing all rows exactly.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.extras import np
from headnote.store.quantized import products

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


_MAX_INT8 = 127
_TOGETHER = 512
"""Rows that are rounded together: as floats they fit in the cache of the processor."""
_SIGN_AND_VALUE = -0x70002000
"""The bits that hold a number in half precision after it is moved: its sign once, and its value."""
_ROUNDING = 1e-4
"""More than the rounding error of sums of floats."""


class Matrix(NamedTuple):
    """A row for each slot, zeros for those that are free."""

    exact: NDArray[np.float16]
    rough: NDArray[np.int8]
    scales: NDArray[np.float32]
    """What one step of a rough row is worth."""
    error: float
    """The largest distance of a rough row from the exact one."""
    length: float
    """Of the longest rough row."""

    @property
    def size(self) -> int:
        """Slots."""
        return len(self.exact)

    def roughly(self, query: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
        """The similarity of each slot, and by how much it may be wrong."""
        similarities, loss = rough_similarities(self, query, _simsimd())
        return similarities, self.error * float(np.linalg.norm(query)) + loss + _ROUNDING

    def rows(self, slots: NDArray[np.int64]) -> NDArray[np.float16]:
        return self.exact[slots]


class Patched(NamedTuple):
    """A matrix in which some slots have changed."""

    base: Matrix
    patch: Matrix
    slots: NDArray[np.int64]
    """The slots of the rows of the patch, sorted."""
    size: int
    """Slots there are now."""

    def roughly(self, query: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
        kept, margin = self.base.roughly(query)
        changed, other_margin = self.patch.roughly(query)
        similarities = np.zeros(self.size, np.float32)
        similarities[: len(kept)] = kept[: self.size]
        similarities[self.slots] = changed
        return similarities, max(margin, other_margin)

    def rows(self, slots: NDArray[np.int64]) -> NDArray[np.float16]:
        if not len(self.slots):
            return self.base.rows(slots)
        places = np.searchsorted(self.slots, slots).clip(max=len(self.slots) - 1)
        is_changed = self.slots[places] == slots
        rows = np.empty((len(slots), self.base.exact.shape[1]), np.float16)
        rows[~is_changed] = self.base.exact[slots[~is_changed]]
        rows[is_changed] = self.patch.exact[places[is_changed]]
        return rows


def nearest(
    matrix: Matrix | Patched, query: NDArray[np.float32], depth: int, allowed: NDArray[np.bool_] | None = None
) -> list[tuple[int, float]]:
    """The nearest slots with their similarity to the query, best first; only those above 0, and of equals the first."""
    depth = min(depth, matrix.size)
    if not depth:
        return []
    similarities, margin = matrix.roughly(query)
    if allowed is not None:
        similarities[~allowed] = -1.0
    # Rows may be off by the margin in either direction: the last one of the best, and the one that is compared.
    last = np.partition(similarities, len(similarities) - depth)[-depth]
    candidates = np.flatnonzero(similarities >= max(float(last), 0.0) - 2 * margin)
    if allowed is not None:
        candidates = candidates[allowed[candidates]]
    exact = products(floats_of(matrix.rows(candidates)), query)
    order = np.lexsort((candidates, -exact))[:depth]
    order = order[exact[order] > 0]
    return list(zip(candidates[order].tolist(), exact[order].tolist(), strict=True))


def floats_of(halves: NDArray[np.float16]) -> NDArray[np.float32]:
    """Finite numbers in single precision, exactly. Numpy needs three times as long, since it turns one at a time.

    Sign, exponent and fraction are moved to where single precision has them; then only the exponent is off by 112."""
    bits = np.ascontiguousarray(halves).view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _SIGN_AND_VALUE
    floats: NDArray[np.float32] = bits.view(np.float32)
    floats *= np.float32(2.0**112)
    return floats


def rough_similarities(matrix: Matrix, query: NDArray[np.float32], simsimd: Any) -> tuple[NDArray[np.float32], float]:
    """Similarities, and how much the query loses when it is rounded. `simsimd` is the package of that name, or None."""
    if simsimd is None or not len(matrix.rough):  # it refuses to compare with nothing
        return products(matrix.rough, query) * matrix.scales, 0.0
    step = float(np.abs(query).max()) / _MAX_INT8 or 1.0
    rounded = np.rint(query / step).astype(np.int8)
    sums = np.asarray(simsimd.cdist(rounded[None, :], matrix.rough, metric="dot", out_dtype="f32"), np.float32)[0]
    lost = matrix.length * float(np.linalg.norm(query - rounded * np.float32(step)))
    sums *= matrix.scales * np.float32(step)
    return sums, lost


def matrix_of(size: int, dimensions: int, blocks: Iterable[tuple[int, bytes]], free: list[int]) -> Matrix:
    """The matrix of this many slots, from (first slot, rows in half precision)."""
    exact = np.zeros((size, dimensions), np.float16)
    rough = np.zeros((size, dimensions), np.int8)
    scales = np.zeros(size, np.float32)
    for start, data in blocks:
        rows = np.frombuffer(data, np.float16).reshape(-1, dimensions)
        exact[start : start + len(rows)] = rows[: max(size - start, 0)]
    exact[free] = 0
    error = length = 0.0
    for start in range(0, size, _TOGETHER):
        rows = exact[start : start + _TOGETHER].astype(np.float32)
        largest = np.abs(rows).max(axis=1)
        if not np.isfinite(largest).all():
            raise ValueError("a vector contains NaN")
        steps = np.where(largest > 0, largest / _MAX_INT8, 1).astype(np.float32)
        rounded = np.rint(rows / steps[:, None])
        rough[start : start + _TOGETHER] = rounded
        scales[start : start + _TOGETHER] = steps
        rounded *= steps[:, None]
        error = max(error, float(np.linalg.norm(rows - rounded, axis=1).max()))
        length = max(length, float(np.linalg.norm(rounded, axis=1).max()))
    return Matrix(exact, rough, scales, error, length)


@cache
def _simsimd() -> Any:
    """Compares bytes three times as fast as numpy, which has to turn them into floats; None where it is missing."""
    try:
        import simsimd
    except ImportError:
        return None
    return simsimd


# -- The matrix of a model as a file beside the index, which processes map into memory and share.
#
# The database has the vectors; the file is made from them by the first reader that needs it, and whoever finds none, or
# cannot write one, has the same matrix in memory of its own. Files are written aside, moved to their name and never
# changed: what is mapped stays as it is, also after the file is deleted.
#
# The database stamps each block of vectors with a random number when one of them changes, and a file has the stamps of
# the blocks that it was made from. So a reader knows which blocks of whatever file it finds are out of date. It reads
# these from the database, as long as they are few; a small update writes no file. When an eighth of the blocks is out
# of date, the next reader writes a new one.


BLOCK = 1024
"""Vectors in a block."""
MIN_ROWS = 4_096
"""Vectors. Fewer are read from the database in a few milliseconds."""
FEW_BLOCKS = 4
"""Blocks that are read from the database however few there are in all."""
_HEADER = struct.Struct("<8sQQQdd")
"""Sign and version, rows, dimensions, blocks, error, length."""
_SIGN = b"hnVec\0\0\2"


class StoredVectors(NamedTuple):
    """The vectors of a model as the database has them."""

    model: int
    stamp: int
    """Stamp of all vectors: no two versions have the same."""
    size: int
    """Slots."""
    dimensions: int
    blocks: Mapping[int, int]
    """Number of a block → its stamp."""
    read_all: Callable[[], Matrix]
    read_blocks: Callable[[Sequence[int], NDArray[np.int64]], Matrix]
    """Blocks and their slots → the rows of these."""


class _VectorFile(NamedTuple):
    """A mapped file."""

    matrix: Matrix
    blocks: dict[int, int]

    def as_stored(self, stored: StoredVectors) -> Matrix | Patched | None:
        """The matrix with the blocks that have changed since; None if the file is no use."""
        if self.matrix.exact.shape[1] != stored.dimensions:
            return None
        changed = [number for number, stamp in stored.blocks.items() if self.blocks.get(number) != stamp]
        if len(changed) > max(len(stored.blocks) // 8, FEW_BLOCKS) or len(changed) == len(stored.blocks):
            return None
        if not changed and len(self.matrix.exact) == stored.size:
            return self.matrix
        ranges = [np.arange(number * BLOCK, min((number + 1) * BLOCK, stored.size)) for number in changed]
        slots = np.concatenate([np.empty(0, np.int64), *ranges])
        return Patched(self.matrix, stored.read_blocks(changed, slots), slots, stored.size)


class VectorFiles:
    """The files beside one index."""

    def __init__(self, index: Path, *, read_only: bool = False, least: int = MIN_ROWS) -> None:
        """With `read_only`, files of others are used, and none is written."""
        self._index = index
        self._read_only = read_only
        self._least = least

    def matrix(self, stored: StoredVectors) -> Matrix | Patched:
        """All vectors of a model, most of them mapped."""
        for file in self._files(stored.model):
            mapped = _mapped(file)
            found = mapped.as_stored(stored) if mapped else None
            if found is not None:
                return found
        matrix = stored.read_all()
        if self._read_only or len(matrix.exact) < self._least:
            return matrix
        file = self._index.with_name(f"{self._prefix(stored.model)}{stored.stamp & (1 << 64) - 1:016x}")
        with contextlib.suppress(OSError):  # read-only, full or shared in some odd way
            mode = self._index.stat().st_mode & 0o777  # who may read the index may read this
            _write(_VectorFile(matrix, dict(stored.blocks)), file, mode)
            self._delete_others(stored.model, file)
            mapped = _mapped(file)
            return mapped.matrix if mapped else matrix
        return matrix

    def _prefix(self, model: int) -> str:
        return f"{self._index.name}-vectors-{model}-"

    def _files(self, model: int) -> list[Path]:
        return sorted(self._index.parent.glob(f"{self._prefix(model)}*"))

    def _delete_others(self, model: int, newest: Path) -> None:
        """Windows refuses to delete what somebody has mapped; then it is done after the next change."""
        for other in self._files(model):
            if other != newest:
                with contextlib.suppress(OSError):
                    other.unlink()


def _write(content: _VectorFile, file: Path, mode: int) -> None:
    """Write the file as a whole or not at all. What every query reads comes first."""
    from tempfile import NamedTemporaryFile  # late: a search only reads

    matrix = content.matrix
    blocks = np.asarray([*content.blocks.items()], "<i8").reshape(-1, 2)
    with NamedTemporaryFile(dir=file.parent, prefix=f"{file.name}.", delete=False) as aside:
        try:
            aside.write(_HEADER.pack(_SIGN, *matrix.exact.shape, len(blocks), matrix.error, matrix.length))
            for array in (blocks, matrix.scales, matrix.rough, matrix.exact):
                aside.write(array.data)
            aside.flush()
            os.fsync(aside.fileno())  # a crash must not leave a file that has its length and no content
            aside.close()
            Path(aside.name).chmod(mode)
            Path(aside.name).replace(file)
        except BaseException:
            aside.close()
            Path(aside.name).unlink(missing_ok=True)
            raise


def _mapped(file: Path) -> _VectorFile | None:
    """Map the file; None if it does not exist or is not the right one."""
    try:
        with file.open("rb") as opened:
            data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # an empty file cannot be mapped
        return None
    if len(data) < _HEADER.size:
        return None
    sign, size, dimensions, blocks, error, length = _HEADER.unpack_from(data)
    if sign != _SIGN or len(data) != _HEADER.size + 16 * blocks + size * (4 + 3 * dimensions):
        return None
    at = _HEADER.size

    def array(dtype: DTypeLike, *shape: int) -> Any:
        nonlocal at
        values = np.ndarray(shape, dtype, data, at)
        at += values.nbytes
        return values

    stamps = dict(array("<i8", blocks, 2).tolist())
    scales, rough = array("<f4", size), array("i1", size, dimensions)
    return _VectorFile(Matrix(array("<f2", size, dimensions), rough, scales, error, length), stamps)
