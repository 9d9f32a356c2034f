"""Connections to the file of an index: how they are opened and pooled, what their failures mean, and how SQL runs.

A file that is open already can be the database, too: SQLite otherwise opens files by name, and that one may have none.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

from headnote.errors import CorruptIndex, HeadnoteError, IndexFailure, LockedIndex, UnwritableIndex
from headnote.extras import load
from headnote.store.codec import escaped, unescaped, unpacked_strings
from headnote.store.document_writer import Update
from headnote.store.filters import path_matcher
from headnote.store.integrity import REPAIR, Damaged
from headnote.store.rows import Row
from headnote.store.sharing import Pool, closed_by_owner, older_index, read_only_index, writer_lock
from headnote.store.sqlite.schema import create_tables, is_new

if TYPE_CHECKING:
    import apsw


_BUSY_SECONDS = 10
"""Writers have a lock of their own. Only creation or recovery of the file, or another program, can make one wait."""
_READER_CACHE = -8_000
_WRITER_CACHE = -64_000
"""Kilobytes. An update that fits in the cache writes each page once."""
_LOG_BYTES = 8 << 20
"""Size to which the write-ahead log shrinks after a large update."""


@contextlib.contextmanager
def reported(file: Path) -> Iterator[None]:
    """Turns failures of the database inside the block into errors of ours."""
    try:
        yield
    except HeadnoteError:
        raise
    except Exception as error:
        failure = _failure(error, file)
        if failure is None:
            raise
        raise failure from error


def _failure(error: Exception, file: Path) -> IndexFailure | None:
    apsw = _apsw()
    reason, place = " ".join(str(error).split()), str(file)
    if isinstance(error, Damaged) or _is_damage(error, file):
        return CorruptIndex(f"damaged: {reason}", path=place, remedy=REPAIR)
    if isinstance(error, apsw.FullError):
        return UnwritableIndex(f"no space left: {reason}", path=place, remedy="free some space, then try again")
    if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError | apsw.IOError):
        remedy = "check the disk and the permissions of the folder"
        return UnwritableIndex(f"the system refuses: {reason}", path=place, remedy=remedy)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return LockedIndex(f"in use by another program: {reason}", path=place, remedy="try again when it is done")
    return None


def _is_damage(error: Exception, file: Path) -> bool:
    """Whether the database fails on what it reads. Our statements are valid, so an SQL error means that tables or
    columns have changed, and a broken constraint that rows have."""
    apsw = _apsw()
    if isinstance(error, apsw.CorruptError | apsw.NotADBError | apsw.FormatError):
        return True
    if isinstance(
        error, apsw.TooBigError | apsw.SQLError | apsw.SchemaChangeError | apsw.ConstraintError | apsw.MismatchError
    ):
        return True
    # A damaged header can say that the file must not be written.
    return isinstance(error, apsw.ReadOnlyError) and os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def _apsw() -> Any:
    return load("apsw", "an index")


class SqliteConnections:
    """Opens connections to one file and pools idle ones for the next reader."""

    def __init__(self, file: Path, read_only: bool = False) -> None:
        self.file = file
        self.read_only = read_only
        self._pool: Pool[Opened] = Pool()

    @contextlib.contextmanager
    def reader(self) -> Iterator[Opened]:
        """A connection that cannot write, for one thread at a time."""
        opened = self._take()
        with self._pool.lending(opened):
            yield opened

    @contextlib.contextmanager
    def writer(self, wait: float) -> Iterator[apsw.Connection]:
        """A connection for the only writer. What it has not committed is undone when it is closed."""
        self.require_writing()
        with writer_lock(lock_of(self.file), wait):
            connection = self._open(locked=True)
            with closed_by_owner(connection):
                connection.pragma("cache_size", _WRITER_CACHE)
                yield connection
                self._shorten_log(connection)

    def require_writing(self) -> None:
        """Raises if the index was opened read-only."""
        if self.read_only:
            raise read_only_index(str(self.file.parent))

    def _shorten_log(self, connection: apsw.Connection) -> None:
        """Truncates the log after a large update. If a reader still needs it, a later update does."""
        apsw = _apsw()
        if size_of(_log_of(self.file)) > _LOG_BYTES:
            connection.set_busy_timeout(0)
            with contextlib.suppress(apsw.Error):  # the update is already committed
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def close(self) -> None:
        self._pool.close()

    def _take(self) -> Opened:
        for idle in self._pool.idle():
            if idle.identity.is_current(self.file):
                return idle
            idle.close()  # the file was replaced by another one
        connection = self._open()
        connection.pragma("cache_size", _READER_CACHE)
        connection.pragma("query_only", True)
        return Opened(Identity(self.file, connection.readonly("main")), connection)

    def _open(self, locked: bool = False) -> apsw.Connection:
        """Open a connection. In a read-only folder where nobody is writing, there is no log and none is needed."""
        apsw = _apsw()
        try:
            return self._prepared(apsw.Connection(str(self.file)), locked)
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            if not self.file.exists() or _log_of(self.file).exists() or os.access(self.file.parent, os.W_OK):
                raise
        name = f"file:{quote(str(self.file.absolute()))}?immutable=1"
        return self._prepared(apsw.Connection(name, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI), locked)

    def _prepared(self, connection: apsw.Connection, locked: bool) -> apsw.Connection:
        try:
            connection.set_busy_timeout(int(_BUSY_SECONDS * 1000))
            if is_new(connection, self.file):
                if self.read_only:
                    raise older_index(str(self.file.parent))
                with contextlib.nullcontext() if locked else writer_lock(lock_of(self.file), _BUSY_SECONDS):
                    connection.pragma("journal_mode", "wal")
                    create_tables(connection, self.file)
            connection.pragma("synchronous", "full")
            connection.pragma("foreign_keys", True)
            connection.pragma("journal_size_limit", _LOG_BYTES)
            self._add_functions(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @staticmethod
    def _add_functions(connection: apsw.Connection) -> None:
        """Register the functions that our statements call."""
        connection.create_scalar_function("path_fits", _path_fits, 2, deterministic=True)


class Identity:
    """The file that a connection was opened to, to see whether its name still means the same file."""

    def __init__(self, file: Path, readonly: bool) -> None:
        self._readonly = readonly
        self.seen = self._look(file)
        """Equal for two connections to the same file."""

    def is_current(self, file: Path) -> bool:
        try:
            return self.seen == self._look(file)
        except OSError:
            return False

    def _look(self, file: Path) -> tuple[int, ...]:
        status = file.stat()
        if not self._readonly:
            return status.st_dev, status.st_ino
        # Without a log, a connection does not notice what others write.
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, _log_of(file).exists()


class Opened(NamedTuple):
    """A connection, and the file that it leads to."""

    identity: Identity
    connection: apsw.Connection

    def close(self) -> None:
        self.connection.close()


def size_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def lock_of(file: Path) -> Path:
    return file.with_name("lock")


def _log_of(file: Path) -> Path:
    return file.with_name(file.name + "-wal")


def companions_of(file: Path) -> list[Path]:
    """The files beside the database while it is open."""
    return [_log_of(file), file.with_name(file.name + "-shm")]


def _path_fits(*arguments: Any) -> bool:
    globs, path = arguments
    return _matcher(globs)(unescaped(path))


@lru_cache(maxsize=256)
def _matcher(globs: str) -> Callable[[str], bool]:
    return path_matcher(unpacked_strings(globs))


# -- A file that is open already, as a database to SQLite, which otherwise opens files by name: this one may have none.


@contextmanager
def opened_as_database(file: FileIO) -> Iterator[str]:
    """The address of the file, for connections that take addresses."""
    # The journal of a new database is short, and of no use: a file that is not finished is thrown away.
    main = _apsw().SQLITE_OPEN_MAIN_DB
    name, file_system = file_system_of(lambda flags: _OpenedFile(file if flags & main else BytesIO()))
    try:
        yield f"file:opened?vfs={name}"
    finally:
        file_system.unregister()


# Methods are named as SQLite names them.
# ruff: noqa: N802


class UnlockedFile:
    """The locking methods of a file that has a single writer: no connection ever waits."""

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


def file_system_of(opened: Callable[[int], UnlockedFile], read_only: bool = False) -> tuple[str, Any]:
    """A file system with one file, whatever that is called, and its name. `opened` makes the file from flags."""
    sqlite = _apsw()
    name = f"headnote-{uuid4().hex}"

    class OpenedFileSystem(sqlite.VFS):  # type: ignore[misc, name-defined]
        """Its methods are called in place of the operating system."""

        def __init__(self) -> None:
            super().__init__(name, "")

        def xOpen(self, _name: Any, flags: list[int]) -> UnlockedFile:
            flags[1] = sqlite.SQLITE_OPEN_READONLY if read_only else flags[0]
            return opened(flags[0])

        def xDelete(self, _path: str, _is_synced: bool) -> None:
            """A journal is gone when it is closed."""

        def xFullPathname(self, path: str) -> str:
            return path

        def xAccess(self, _path: str, _flags: int) -> bool:
            return False

    return name, OpenedFileSystem()


# -- The steps of an update, each of which happens as a whole or not at all.


class SqliteUpdate(Update):
    """See `Update`."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db
        self._changes_before = 0
        """Number of changes through this connection that readers need not notice."""
        self.begin()
        self.undone = 0
        """Steps that failed: what was known of the rows they wrote is no longer true."""

    def begin(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self._changes_before = self.db.total_changes()

    @property
    def has_changes(self) -> bool:
        return self.db.total_changes() != self._changes_before

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        self.require_transaction()
        self.db.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            self.undone += 1
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO step; RELEASE step")
            raise
        self.db.execute("RELEASE step")

    def change(self, query: str, bindings: Sequence[Any] = ()) -> int:
        self.db.execute(query, bindings)
        return self.db.changes()

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        computed = list(rows)
        if computed:
            self.db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(computed[0]))})", computed)

    @contextlib.contextmanager
    def unnoticed(self) -> Iterator[None]:
        """Changes that no reader can see, so that cached values stay valid."""
        before = self.db.total_changes()
        yield
        self._changes_before += self.db.total_changes() - before

    def require_transaction(self) -> None:
        """Some failures, such as a full disk, undo the whole update. Later steps would then commit by themselves."""
        if not self.db.in_transaction:
            raise UnwritableIndex("the update failed and was undone", path=self.db.filename, remedy="try again")


def quoted(term: str) -> str:
    """Quote a string for the query language, so that nothing in it has a special meaning."""
    return '"' + escaped(term).replace('"', '""') + '"'
