"""The matrix of a model as a file beside the index, which processes map into memory and share.

The database has the vectors; the file is made from them by the first reader that needs it, and whoever finds none, or
cannot write one, has the same matrix in memory of its own. Files are written aside, moved to their name and never
changed: what is mapped stays as it is, also after the file is deleted.

The database stamps each block of vectors with a random number when one of them changes, and a file has the stamps of
the blocks that it was made from. So a reader knows which blocks of whatever file it finds are out of date. It reads
these from the database, as long as they are few; a small update writes no file. When an eighth of the blocks is out of
date, the next reader writes a new one.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.extras import load_numpy
from headnote.store.sqlite.matrix import Matrix, Patched

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

BLOCK = 1024
"""Vectors in a block."""
LEAST = 4_096
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
    """Of all of them: no two versions have the same."""
    size: int
    """Slots."""
    dimensions: int
    blocks: Mapping[int, int]
    """Number of a block → its stamp."""
    read_all: Callable[[], Matrix]
    read_blocks: Callable[[Sequence[int], NDArray[np.int64]], Matrix]
    """Blocks and their slots → the rows of these."""


class _File(NamedTuple):
    """A mapped file."""

    matrix: Matrix
    blocks: dict[int, int]

    def as_stored(self, stored: StoredVectors) -> Matrix | Patched | None:
        """With the blocks that have changed since; None if it is no use."""
        if self.matrix.exact.shape[1] != stored.dimensions:
            return None
        changed = [number for number, stamp in stored.blocks.items() if self.blocks.get(number) != stamp]
        if len(changed) > max(len(stored.blocks) // 8, FEW_BLOCKS) or len(changed) == len(stored.blocks):
            return None
        if not changed and len(self.matrix.exact) == stored.size:
            return self.matrix
        numpy = load_numpy()
        ranges = [numpy.arange(number * BLOCK, min((number + 1) * BLOCK, stored.size)) for number in changed]
        slots = numpy.concatenate([numpy.empty(0, numpy.int64), *ranges])
        return Patched(self.matrix, stored.read_blocks(changed, slots), slots, stored.size)


class VectorFiles:
    """The files beside one index."""

    def __init__(self, index: Path, *, read_only: bool = False, least: int = LEAST) -> None:
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
            _write(_File(matrix, dict(stored.blocks)), file, mode)
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


def _write(content: _File, file: Path, mode: int) -> None:
    """As a whole or not at all. What every query reads comes first."""
    numpy = load_numpy()
    matrix = content.matrix
    blocks = numpy.asarray([*content.blocks.items()], "<i8").reshape(-1, 2)
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


def _mapped(file: Path) -> _File | None:
    """None if there is no such file, or another one than it should be."""
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
    numpy = load_numpy()
    at = _HEADER.size

    def array(dtype: DTypeLike, *shape: int) -> Any:
        nonlocal at
        values = numpy.ndarray(shape, dtype, data, at)
        at += values.nbytes
        return values

    stamps = dict(array("<i8", blocks, 2).tolist())
    scales, rough = array("<f4", size), array("i1", size, dimensions)
    return _File(Matrix(array("<f2", size, dimensions), rough, scales, error, length), stamps)
