"""The matrix of a model as a file beside the index, which processes map into memory and share.

The database has the vectors; the file is made from them by the first reader that needs it, and whoever finds none, or
cannot write one, has the same matrix in memory of its own. Its name has the stamp of the vectors that it was made from,
so a reader never takes it for another version of them. Files are written aside, moved to their name and never changed:
what is mapped stays as it is, also after the file is deleted.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from headnote.extras import load_numpy
from headnote.store.sqlite.matrix import Matrix

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

LEAST = 4_096
"""Vectors. Fewer are read from the database in a few milliseconds."""
_HEADER = struct.Struct("<8sQQdd")
"""Sign and version, rows, dimensions, error, length."""
_SIGN = b"hnVec\0\0\1"


class VectorFiles:
    """The files beside one index."""

    def __init__(self, index: Path, *, read_only: bool = False, least: int = LEAST) -> None:
        """With `read_only`, files of others are used, and none is written."""
        self._index = index
        self._read_only = read_only
        self._least = least

    def matrix(self, model: int, stamp: int, make: Callable[[], Matrix]) -> Matrix:
        """The mapped matrix of a model; `make` reads it from the database."""
        file = self._index.with_name(f"{self._index.name}-vectors-{model}-{stamp & (1 << 64) - 1:016x}")
        found = _mapped(file)
        if found is not None:
            return found
        matrix = make()
        if self._read_only or len(matrix.exact) < self._least:
            return matrix
        with contextlib.suppress(OSError):  # read-only, full or shared in some odd way
            _write(matrix, file, self._index.stat().st_mode & 0o777)  # who may read the index may read this
            self._delete_others(model, file)
            return _mapped(file) or matrix
        return matrix

    def _delete_others(self, model: int, newest: Path) -> None:
        """Windows refuses to delete what somebody has mapped; then it is done after the next change."""
        for other in self._index.parent.glob(f"{self._index.name}-vectors-{model}-*"):
            if other != newest:
                with contextlib.suppress(OSError):
                    other.unlink()


def _write(matrix: Matrix, file: Path, mode: int) -> None:
    """As a whole or not at all. What every query reads comes first."""
    with NamedTemporaryFile(dir=file.parent, prefix=f"{file.name}.", delete=False) as aside:
        try:
            aside.write(_HEADER.pack(_SIGN, *matrix.exact.shape, matrix.error, matrix.length))
            for array in (matrix.scales, matrix.rough, matrix.exact):
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


def _mapped(file: Path) -> Matrix | None:
    """None if there is no such file, or another one than it should be."""
    try:
        with file.open("rb") as opened:
            data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # an empty file cannot be mapped
        return None
    if len(data) < _HEADER.size:
        return None
    sign, size, dimensions, error, length = _HEADER.unpack_from(data)
    if sign != _SIGN or len(data) != _HEADER.size + size * (4 + 3 * dimensions):
        return None
    numpy = load_numpy()
    at = _HEADER.size

    def array(dtype: DTypeLike, *shape: int) -> Any:
        nonlocal at
        values = numpy.ndarray(shape, dtype, data, at)
        at += values.nbytes
        return values

    scales, rough = array("<f4", size), array("i1", size, dimensions)
    return Matrix(array("<f2", size, dimensions), rough, scales, error, length)
