"""A file that is open already, as a database to SQLite, which otherwise opens files by name: this one may have none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, FileIO
from typing import Any
from uuid import uuid4

from headnote.extras import load


@contextmanager
def opened_as_database(file: FileIO) -> Iterator[str]:
    """The address of the file, for connections that take addresses."""
    name = f"headnote-{uuid4().hex}"
    file_system = _file_system(load("apsw", "an index"), name, file)
    try:
        yield f"file:opened?vfs={name}"
    finally:
        file_system.unregister()


# Methods are named as SQLite names them.
# ruff: noqa: N802


class UnlockedFile:
    """What SQLite asks of a file that no two connections write: nobody has to wait for anybody."""

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


class _OpenedFile(UnlockedFile):
    """The file as SQLite uses it. Nobody else knows it, so nothing is locked."""

    def __init__(self, file: FileIO | BytesIO) -> None:
        self._file = file

    def xRead(self, amount: int, offset: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(amount)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._file.seek(offset)
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]

    def xTruncate(self, size: int) -> None:
        self._file.truncate(size)

    def xFileSize(self) -> int:
        return self._file.seek(0, 2)


def _file_system(apsw: Any, name: str, file: FileIO) -> Any:
    class OpenedFileSystem(apsw.VFS):  # type: ignore[misc]
        """Has one file, whatever it is called, and journals in memory."""

        def __init__(self) -> None:
            super().__init__(name, "")

        def xOpen(self, _name: Any, flags: list[int]) -> _OpenedFile:
            flags[1] = flags[0]
            # The journal of a new database is short, and of no use: a file that is not finished is thrown away.
            return _OpenedFile(file if flags[0] & apsw.SQLITE_OPEN_MAIN_DB else BytesIO())

        def xDelete(self, _path: str, _is_synced: bool) -> None:
            """A journal is gone when it is closed."""

        def xFullPathname(self, path: str) -> str:
            return path

        def xAccess(self, _path: str, _flags: int) -> bool:
            return False

    return OpenedFileSystem()
