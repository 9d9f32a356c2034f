"""A database inside a file, whose blocks are compared with their digests when they are first read.

Whoever opens the file checks only the digests. So a large file opens as fast as a small one, and no byte is used that
was not checked.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from headnote.extras import load

DIGEST = 32
"""Bytes of a digest."""


class VerifiedBytes:
    """The first bytes of a file, read through their digests. Threads may share it."""

    def __init__(self, file: Path, size: int, block: int, digests: bytes, refusal: Callable[[], Exception]) -> None:
        """`refusal` makes the error for a block that is not what it was."""
        with file.open("rb") as opened:
            self._data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        self.size = size
        self._block = block
        self._digests = digests
        self._refusal = refusal
        self._is_checked = bytearray(len(digests) // DIGEST)

    def read(self, amount: int, offset: int) -> bytes:
        """Fewer bytes than asked for at the end."""
        end = min(offset + amount, self.size)
        for number in range(offset // self._block, -(-end // self._block)):
            if not self._is_checked[number]:
                self._check(number)
        return self._data[offset:end]

    def check_all(self) -> None:
        for number in range(len(self._is_checked)):
            self._check(number)

    def _check(self, number: int) -> None:
        start = number * self._block
        expected = self._digests[number * DIGEST : (number + 1) * DIGEST]
        if sha256(self._data[start : min(start + self._block, self.size)]).digest() != expected:
            raise self._refusal()
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


class _File:
    """One open file. It cannot be written, so nobody has to wait for anybody."""

    def __init__(self, data: VerifiedBytes) -> None:
        self.xRead = data.read
        self._data = data

    def xFileSize(self) -> int:
        return self._data.size

    def xSectorSize(self) -> int:
        return 0

    def xDeviceCharacteristics(self) -> int:
        return 0

    def xFileControl(self, _operation: int, _pointer: int) -> bool:
        return False

    def xCheckReservedLock(self) -> bool:
        return False

    def xLock(self, _level: int) -> None: ...

    def xUnlock(self, _level: int) -> None: ...

    def xSync(self, _flags: int) -> None: ...

    def xClose(self) -> None: ...


def _file_system(apsw: Any, name: str, data: VerifiedBytes) -> Any:
    class FileSystem(apsw.VFS):  # type: ignore[misc]
        """Has one file, whatever it is called."""

        def __init__(self) -> None:
            super().__init__(name, "")

        def xOpen(self, _name: Any, flags: list[int]) -> _File:
            flags[1] = apsw.SQLITE_OPEN_READONLY
            return _File(data)

        def xFullPathname(self, path: str) -> str:
            return path

        def xAccess(self, _path: str, _flags: int) -> bool:
            return False

    return FileSystem()
