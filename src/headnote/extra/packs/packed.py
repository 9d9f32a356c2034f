"""The index inside a pack: read in place, by any number of processes, with nothing written anywhere.

A pack may come from a stranger. So its tables must be exactly those that headnote makes, without a view or a trigger
that would run, and SQLite is told to trust nothing in it.
"""

from __future__ import annotations

import contextlib
import mmap
import struct
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from headnote.errors import CorruptIndex, IndexFailure, NewerIndex, UnwritableIndex
from headnote.extras import load
from headnote.store.integrity import Damaged, decoding, integer
from headnote.store.sharing import only_value, rows
from headnote.store.sqlite.connections import Identity, Opened, SqliteConnections, UnlockedFile, file_system_of
from headnote.store.sqlite.documents import SqliteCaches
from headnote.store.sqlite.schema import APPLICATION, VERSION, create_tables, version_of
from headnote.store.sqlite.store import SqliteStore
from headnote.store.sqlite.writer import SqliteReader, SqliteWriter

if TYPE_CHECKING:
    import apsw


# -- A database inside a file, whose blocks are compared with their digests when they are first read.
#
# Whoever opens the file checks only the digests. So a large file opens as fast as a small one, and no byte is used that
# was not checked.


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
        self._data = data
        self._name, self._vfs = file_system_of(lambda _: _VerifiedFile(data), read_only=True)

    def connect(self) -> Any:
        apsw = load("apsw", "an index")
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection("file:pack?mode=ro&immutable=1", flags=flags, vfs=self._name)

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


# -- The index inside a pack


_OUR_BYTES = 1 << 20
"""Bytes of the statements and values that we give ourselves."""
_MAX_REPEATED = 8
"""How often a statement may return the same bytes: a join has the path of a document with each of its links."""
_ROW_BYTES = 64
"""Bytes of a row, besides its text."""
_MIN_CHUNK_BYTES = 16
"""Minimum bytes of a chunk in all its tables: it has more than ten columns, and a row in the keyword index."""
GET_AGAIN = "get the pack again, or ask for it where it comes from"


class PackConnections(SqliteConnections):
    """Connections to the database of a pack."""

    def __init__(self, file: Path, data: VerifiedBytes) -> None:
        super().__init__(file, read_only=True)
        self._files = VerifiedFiles(data)
        self._size = data.size
        self._identity = Identity(file, readonly=True)

    def _take(self) -> Opened:
        """What was opened stays what it is, also after the file is replaced or removed."""
        for idle in self._pool.idle():
            return idle
        connection = self._open()
        connection.pragma("query_only", True)
        return Opened(self._identity, connection)

    def _open(self, locked: bool = False) -> apsw.Connection:
        del locked
        connection: apsw.Connection = self._files.connect()
        try:
            _distrust(connection, self._size)
            _check_tables(connection, self.file)
            _check_numbers(connection, self._size)
            self._add_functions(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        super().close()
        self._files.close()


class PackedStore(SqliteStore):
    """The store of a pack."""

    may_write = False
    max_text = 1 << 27

    def __init__(self, file: Path, data: VerifiedBytes) -> None:
        super().__init__(PackConnections(file, data))
        self.place = str(file)

    @contextlib.contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        try:
            with super().reading() as reader:
                yield reader
        except CorruptIndex as error:
            raise CorruptIndex(error.message, path=self.place, remedy=GET_AGAIN) from error

    @contextlib.contextmanager
    def writing(self, wait: float = 10.0, *, concurrent: bool = False) -> Iterator[SqliteWriter]:
        del wait, concurrent
        self._refuse()
        yield  # type: ignore[unreachable]  # makes it a context

    def repair(self) -> list[str]:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise read_only_pack(self.place)

    def _caches_of(self, identity: Identity) -> SqliteCaches:
        """Caches without a file of vectors beside the pack, where nothing is written."""
        return self._caches.setdefault(identity.seen, SqliteCaches())


def read_only_pack(place: str) -> IndexFailure:
    remedy = "change the folder it was made from, and run headnote pack there again"
    return UnwritableIndex("a pack is only read, and has no folder", path=place, remedy=remedy)


class _Meter:
    """Counts what each statement returns. Pages of a database may name the same bytes again and again, so that a small
    one returns more than fits in memory."""

    def __init__(self, size: int) -> None:
        self._most = _MAX_REPEATED * (size + _OUR_BYTES)
        self._returned = 0

    def begin(self, *_: object) -> bool:
        self._returned = 0
        return True

    def count(self, _: object, row: tuple[Any, ...]) -> tuple[Any, ...]:
        size = _ROW_BYTES
        for value in row:
            if value.__class__ is str or value.__class__ is bytes:  # for every row of every search
                size += len(value)
        self._returned += size
        if self._returned > self._most:
            raise Damaged("its tables return more than the pack holds")
        return row


def _distrust(connection: apsw.Connection, size: int) -> None:
    """Nothing in the file may run or lead to another one, no page is believed to be what it says, and no value is
    larger than the `size` of all of them: pages that lead in a circle could stand for any number of bytes."""
    apsw = load("apsw", "an index")
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    for setting in ("TRUSTED_SCHEMA", "ENABLE_TRIGGER", "ENABLE_VIEW", "ENABLE_LOAD_EXTENSION"):
        connection.config(getattr(apsw, f"SQLITE_DBCONFIG_{setting}"), 0)
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, size + _OUR_BYTES)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    connection.pragma("cell_size_check", True)
    meter = _Meter(size)
    connection.exec_trace, connection.row_trace = meter.begin, meter.count


@decoding
def _check_numbers(connection: apsw.Connection, size: int) -> None:
    """Scores are added up in one place for each number of a chunk, so that numbers must not be larger than chunks are
    many. They are not counted, which takes long."""
    last = only_value(connection, "SELECT coalesce(max(id), 0) FROM chunks")
    if not 0 <= integer(last) <= size // _MIN_CHUNK_BYTES:
        raise Damaged(f"a chunk has the number {last}")


@decoding
def _check_tables(connection: apsw.Connection, file: Path) -> None:
    """Raise unless the pack has the tables of this version, and no others."""
    version = version_of(connection)
    if connection.pragma("application_id") != APPLICATION:
        raise CorruptIndex("the pack has no index", path=str(file), remedy=GET_AGAIN)
    if version != VERSION:
        message = f"made by {{}} headnote (tables {version}, this one knows {VERSION})"
        if version > VERSION:
            raise NewerIndex(message.format("a newer"), path=str(file), remedy="update headnote")
        raise IndexFailure(message.format("an older"), path=str(file), remedy="make it again with headnote pack")
    with contextlib.closing(load("apsw", "an index").Connection(":memory:")) as empty:
        create_tables(empty, file)
        if _tables(connection) != _tables(empty):
            raise CorruptIndex("the pack has tables of its own", path=str(file), remedy=GET_AGAIN)


def _tables(connection: apsw.Connection) -> list[tuple[object, ...]]:
    """Everything that a database says about its own form."""
    return rows(connection, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
