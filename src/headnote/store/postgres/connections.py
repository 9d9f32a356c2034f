"""Connections to the server: how they are opened, pooled and locked, and what their failures mean."""

from __future__ import annotations

import contextlib
import os
import socket
import zlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from headnote.errors import CorruptIndex, HeadnoteError, IndexFailure, LockedIndex, UnreachableIndex, UnwritableIndex
from headnote.store.integrity import REPAIR, Damaged
from headnote.store.postgres.schema import may_write, prepare
from headnote.store.postgres.sql import psycopg
from headnote.store.postgres.target import Target, without_secrets
from headnote.store.sharing import Connection, Pool, read_only_index

_CONNECT_SECONDS = 10
_MAX_NAME_CHARS = 63
_MIN_WAIT = 0.5
"""Seconds. The server needs a moment to notice that a writer was killed."""
_RENAME = "set_config('application_name', %s, false)"
_OURS = 1750036340
"""`hNot`: the first half of the number of every lock of ours."""

# Set for one transaction: behind a pooler, the next one may be on another connection, and this one somebody else's.
_READ = """
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL search_path TO {path}; SET LOCAL jit = off; SET LOCAL client_min_messages = warning;
SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0;
SELECT generation FROM state
"""
# A machine that vanished is noticed within a minute, not hours, and its lock released.
_SESSION = """
SET search_path TO {path}; SET jit = off; SET client_min_messages = warning;
SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0;
SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3
"""


class PostgresConnections:
    """Opens connections to one index. Reading needs single transactions, and writing a session that lasts."""

    def __init__(self, target: Target, create: bool = True, read_only: bool = False) -> None:
        self.target = target
        self._read_only = read_only
        self._readers = _Address(target, target.connection)
        self._writers = _Address(target, target.direct) if target.direct else self._readers
        with reported(target), self._readers.connected("SHOW server_encoding") as (first, (encoding,)):
            if encoding != "UTF8":
                raise UnwritableIndex(
                    f"the database is in {encoding}, not in UTF8",
                    path=target.shown,
                    remedy="create one with ENCODING 'UTF8'",
                )
            place = prepare(first, target, create, read_only)
            self.may_write = may_write(first, target)
        self._path = f"{target.schema}, {place}"

    @contextlib.contextmanager
    def reader(self) -> Iterator[tuple[Connection, int]]:
        """A connection inside a transaction that sees one moment and cannot write; the generation of that moment."""
        with reported(self.target), self._readers.connected(_READ.format(path=self._path)) as (db, (generation,)):
            yield db, generation
            db.execute("COMMIT")

    def generation(self) -> int:
        query = f"SELECT generation FROM {self.target.schema}.state"
        with reported(self.target), self._readers.connected(query) as (_, (generation,)):
            return int(generation)

    @contextlib.contextmanager
    def writer(self, wait: float, concurrent: bool = False) -> Iterator[Connection]:
        """A connection that has the right to write, through several transactions."""
        if self._read_only:
            raise read_only_index(self.target.shown)
        kind = "_shared" if concurrent else ""
        with (
            reported(self.target),
            self._writers.connected("SELECT pg_backend_pid(), current_user") as (db, (pid, user)),
        ):
            if not self.may_write:
                raise _reading_role(user, self.target)
            if not self.target.direct and pid != db.info.backend_pid:
                raise _pooled(self.target)
            db.execute(_SESSION.format(path=self._path))
            self._wait_for_turn(db, wait, kind)
            yield db
            db.execute(f"SELECT pg_advisory_unlock{kind}({_OURS}, %s), {_RENAME}", (self._number, _own_name()))

    def close(self) -> None:
        self._readers.close()
        self._writers.close()

    def _wait_for_turn(self, db: Connection, wait: float, kind: str) -> None:
        """The server releases the lock when the connection ends, however it ends."""
        milliseconds = int(max(wait, _MIN_WAIT) * 1000)
        try:
            db.execute(f"SET lock_timeout = {milliseconds}")
            db.execute(f"SELECT pg_advisory_lock{kind}({_OURS}, %s)", (self._number,))
        except psycopg().errors.LockNotAvailable as error:
            raise self._locked(db) from error
        db.execute("SET lock_timeout = 0")
        # In the name: the server knows only the start of the current transaction, and an update may have many.
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        db.execute(f"SELECT {_RENAME}", (f"{_own_name()} {since}",))

    @property
    def _number(self) -> int:
        """The number of this index, for its locks."""
        return zlib.crc32(self.target.schema.encode()) - (1 << 31)

    def _locked(self, db: Connection) -> LockedIndex:
        row = db.execute(
            """SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
            WHERE l.locktype = 'advisory' AND l.granted AND l.classid = %s AND l.objid::bigint = %s
            AND a.datname = current_database() ORDER BY a.pid LIMIT 1""",
            (_OURS, self._number % (1 << 32)),
        ).fetchone()
        name = (row[0] or "").split(" ") if row else []
        who = f"process {name[1]} on {name[2]} since {name[3]}" if len(name) == 4 else "an unknown process"
        remedy = "wait until it is done, then try again"
        return LockedIndex(f"being updated by {who}", path=self.target.shown, remedy=remedy)


class _Address:
    """One address of the server, and the connections to it."""

    def __init__(self, target: Target, address: str) -> None:
        self._target = target
        self._address = address
        self._pool: Pool[Connection] = Pool()

    @contextlib.contextmanager
    def connected(self, first: str) -> Iterator[tuple[Connection, tuple[Any, ...]]]:
        """A connection, and the last row that the statements `first` return."""
        connection, row = self._take(first)
        with self._pool.lending(connection):
            yield connection, row

    def close(self) -> None:
        self._pool.close()

    def _take(self, first: str) -> tuple[Connection, tuple[Any, ...]]:
        for idle in self._pool.idle():
            try:
                return idle, _last_row(idle, first)
            except psycopg().OperationalError:  # it may be dead: the server has restarted
                continue
        connection = self._connect()
        return connection, _last_row(connection, first)

    def _connect(self) -> Connection:
        # Statements are not prepared: behind a pooler, the connection that knows them may be somebody else's.
        options: dict[str, Any] = {"application_name": _own_name(), "autocommit": True, "prepare_threshold": None}
        if "connect_timeout" not in self._address:
            options["connect_timeout"] = _CONNECT_SECONDS
        try:
            return psycopg().connect(self._address, client_encoding="UTF8", **options)
        except psycopg().OperationalError as error:
            raise not_connected(error, self._target) from error


def _last_row(connection: Connection, statements: str) -> tuple[Any, ...]:
    """Closes the connection if they fail."""
    try:
        cursor = connection.execute(statements)
        while cursor.nextset():
            pass
        row: tuple[Any, ...] = cursor.fetchone()
    except BaseException:
        connection.close()
        raise
    return row


def _own_name() -> str:
    """How the server names this process. There is room for a time behind it."""
    name = f"headnote {os.getpid()} {socket.gethostname().replace(' ', '-')}"
    return name[: _MAX_NAME_CHARS - len(" 2000-01-01T00:00:00+00:00")]


def _reading_role(user: str, target: Target) -> UnwritableIndex:
    remedy = "write with a role that has the right to, or search with --no-update"
    return UnwritableIndex(f"the role {user} may read this index, not write it", path=target.shown, remedy=remedy)


def _pooled(target: Target) -> UnwritableIndex:
    """Its lock would stay with a connection that somebody else gets."""
    return UnwritableIndex(
        "this is the address of a connection pooler, and an update needs a session of its own",
        path=target.shown,
        remedy="add direct=HOST:PORT to the URL, the address of the server, or of a pooler with pool_mode = session",
    )


_LOST = ("08", "57P")
"""Classes of SQL states: connection failures, and an operator who stops the server."""
_FULL = ("53100", "54000")
_COLLIDED = ("40P01", "40001", "55P03")
_NOT_ALLOWED = ("42501", "25006")
_NOT_OURS = ("42P01", "42703", "3F000")


@contextlib.contextmanager
def reported(target: Target) -> Iterator[None]:
    """Turns failures of the server inside the block into errors of ours."""
    try:
        yield
    except HeadnoteError:
        raise
    except Damaged as error:
        raise CorruptIndex(f"damaged: {error}", path=target.shown, remedy=REPAIR) from error
    except psycopg().Error as error:
        failure = _failure(error, target)
        if failure is None:
            raise
        raise failure from error


def _failure(error: Any, target: Target) -> IndexFailure | None:
    state = error.sqlstate or ""
    reason = without_secrets(_in_one_line(error), target.connection)
    place = target.shown
    if state.startswith(_NOT_ALLOWED):
        remedy = f"ask for the right to create and write the schema {target.schema}"
        return UnwritableIndex(f"the server refuses: {reason}", path=place, remedy=remedy)
    if state.startswith(_FULL):
        return UnwritableIndex(f"no space left: {reason}", path=place, remedy="free some space, then try again")
    if state.startswith(_COLLIDED):
        return LockedIndex(f"conflict with another writer: {reason}", path=place, remedy="try again")
    if state.startswith(_NOT_OURS):
        remedy = f"drop the schema {target.schema} and index again: everything in it can be rebuilt"
        return CorruptIndex(f"not a headnote index: {reason}", path=place, remedy=remedy)
    if state.startswith(_LOST) or (not state and isinstance(error, psycopg().OperationalError)):
        remedy = "check that the server runs, then try again: committed work is safe, the rest is redone"
        return UnreachableIndex(f"the connection was lost: {reason}", path=place, remedy=remedy)
    return None


def not_connected(error: Any, target: Target) -> UnreachableIndex:
    """The error for a connection that could not be opened."""
    reason = without_secrets(_in_one_line(error), target.connection)
    return UnreachableIndex(f"cannot connect: {reason}", path=target.shown, remedy=_remedy(reason))


def _remedy(reason: str) -> str:
    if "password" in reason or "authentication" in reason or "pg_hba" in reason:
        return "check the user, and its password in PGPASSWORD or ~/.pgpass"
    if "database" in reason and "does not exist" in reason:
        return "create the database, or name another one"
    if "role" in reason and "does not exist" in reason:
        return "check the name of the user"
    if any(state in reason for state in ("recovery mode", "starting up", "shutting down")):
        return "try again in a moment"
    if "too many" in reason or "remaining connection slots" in reason:
        return "try again when others have finished"
    return "check host and port, and that the server runs"


def _in_one_line(error: Any) -> str:
    """The first line: later ones repeat it for other addresses or quote the statement."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    if first.endswith(":") and len(lines) > 1:
        first = f"{first} {lines[1].removeprefix('- ')}"
    return first.removeprefix("connection failed: ")
