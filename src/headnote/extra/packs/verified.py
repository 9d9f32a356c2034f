"""A database inside a file, whose blocks are compared with their digests when they are first read.

Whoever opens the file checks only the digests. So a large file opens as fast as a small one, and no byte is used that
was not checked.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from headnote.extras import load
from headnote.store.sqlite.opened_files import UnlockedFile

DIGEST = 32
"""Bytes of a digest."""
_MIN_PAGE = 512
_HEADER = 100
"""Bytes of the file before its first page."""
_NO_TREE = "its pages are no tree"
_INTERIOR = (2, 5)
"""The first byte of pages that lead to others."""


class VerifiedBytes:
    """The first bytes of a file, read through their digests. Threads may share it."""

    def __init__(self, file: Path, size: int, block: int, digests: bytes, refusal: Callable[[str], Exception]) -> None:
        """`refusal` makes an error of the reason why bytes are not used."""
        with file.open("rb") as opened:
            self._data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        self.size = size
        self._block = block
        self._digests = digests
        self._refusal = refusal
        self._is_checked = bytearray(len(digests) // DIGEST)
        self._parents: dict[int, int] = {}
        """Page of the database → the one that leads to it."""

    def read(self, amount: int, offset: int) -> bytes:
        """Fewer bytes than asked for at the end."""
        end = min(offset + amount, self.size)
        for number in range(offset // self._block, -(-end // self._block)):
            if not self._is_checked[number]:
                self._check(number)
        data = self._data[offset:end]
        # A page is read as a whole. The first one begins with the header of the file.
        if len(data) >= _MIN_PAGE and data[0 if offset else _HEADER] in _INTERIOR:
            self._check_tree(data, offset)
        return data

    def _check_tree(self, page: bytes, offset: int) -> None:
        """Each page has one page above it. If several led to the same one, a few could stand for a tree without end."""
        header = 0 if offset else _HEADER
        try:
            (cells,) = struct.unpack_from(">H", page, header + 3)
            places = struct.unpack_from(f">{cells}H", page, header + 12)
            children = [struct.unpack_from(">I", page, place)[0] for place in (header + 8, *places)]
        except struct.error:
            raise self._refusal(_NO_TREE) from None
        is_tree = len(set(children)) == len(children)
        if not is_tree or any(self._parents.setdefault(child, offset) != offset for child in children):
            raise self._refusal(_NO_TREE)

    def check_all(self) -> None:
        for number in range(len(self._is_checked)):
            self._check(number)

    def _check(self, number: int) -> None:
        start = number * self._block
        expected = self._digests[number * DIGEST : (number + 1) * DIGEST]
        if sha256(self._data[start : min(start + self._block, self.size)]).digest() != expected:
            raise self._refusal("its contents do not match their checksums")
        self._is_checked[number] = 1

    def close(self) -> None:
        self._data.close()


class VerifiedFiles:
    """Opens connections that read such bytes. SQLite calls this in place of the operating system."""

    def __init__(self, data: VerifiedBytes) -> None:
        self._apsw = load("apsw", "an index")
        self._data = data
        self._name = f"headnote-{uuid4().hex}"
        self._vfs = _file_system(self._apsw, self._name, data)

    def connect(self) -> Any:
        flags = self._apsw.SQLITE_OPEN_READONLY | self._apsw.SQLITE_OPEN_URI
        return self._apsw.Connection("file:pack?mode=ro&immutable=1", flags=flags, vfs=self._name)

    def close(self) -> None:
        self._vfs.unregister()
        self._data.close()


# Methods are named as SQLite names them.
# ruff: noqa: N802


class _VerifiedFile(UnlockedFile):
    """One open file. It cannot be written."""

    def __init__(self, data: VerifiedBytes) -> None:
        self.xRead = data.read
        self._data = data

    def xFileSize(self) -> int:
        return self._data.size


def _file_system(apsw: Any, name: str, data: VerifiedBytes) -> Any:
    class VerifiedFileSystem(apsw.VFS):  # type: ignore[misc]
        """Has one file, whatever it is called."""

        def __init__(self) -> None:
            super().__init__(name, "")

        def xOpen(self, _name: Any, flags: list[int]) -> _VerifiedFile:
            flags[1] = apsw.SQLITE_OPEN_READONLY
            return _VerifiedFile(data)

        def xFullPathname(self, path: str) -> str:
            return path

        def xAccess(self, _path: str, _flags: int) -> bool:
            return False

    return VerifiedFileSystem()
