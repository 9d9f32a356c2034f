"""Connections to the file of an index: how they are opened and pooled, and what their failures mean."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from headnote.errors import CorruptIndex, HeadnoteError, IndexFailure, LockedIndex, UnwritableIndex
from headnote.extras import load
from headnote.store.codec import unescaped, unpacked_strings
from headnote.store.filters import path_matcher
from headnote.store.integrity import REPAIR, Damaged
from headnote.store.lock import older_index, read_only_index, writer_lock
from headnote.store.pool import Pool, closed_by_owner
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
        """In a read-only folder where nobody is writing, there is no log and none is needed."""
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
        """What our statements call."""
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
