"""The index inside a pack: read in place, by any number of processes, with nothing written anywhere.

A pack may come from a stranger. So its tables must be exactly those that headnote makes, without a view or a trigger
that would run, and SQLite is told to trust nothing in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from headnote.errors import CorruptIndex, IndexFailure, NewerIndex, UnwritableIndex
from headnote.extra.packs.verified import VerifiedBytes, VerifiedFiles
from headnote.extras import load
from headnote.store.integrity import Damaged, decoding, integer
from headnote.store.sqlite.connections import Identity, Opened, SqliteConnections
from headnote.store.sqlite.documents import SqliteCaches
from headnote.store.sqlite.schema import APPLICATION, VERSION, create_tables, version_of
from headnote.store.sqlite.sql import only_value, rows
from headnote.store.sqlite.store import SqliteStore
from headnote.store.sqlite.writer import SqliteReader, SqliteWriter

if TYPE_CHECKING:
    import apsw

_OUR_BYTES = 1 << 20
"""Of the statements and values that we give ourselves."""
_MAX_REPEATED = 8
"""How often a statement may return the same bytes: a join has the path of a document with each of its links."""
_ROW_BYTES = 64
"""Of a row, besides its text."""
_MIN_CHUNK_BYTES = 16
"""Of a chunk in all its tables: it has more than ten columns, and a row in the keyword index."""
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
    def writing(self, wait: float = 10.0, *, together: bool = False) -> Iterator[SqliteWriter]:
        del wait, together
        self._refuse()
        yield  # type: ignore[unreachable]  # makes it a context

    def repair(self) -> list[str]:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise read_only_pack(self.place)

    def _caches_of(self, identity: Identity) -> SqliteCaches:
        """Without a file of vectors beside the pack, where nothing is written."""
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
