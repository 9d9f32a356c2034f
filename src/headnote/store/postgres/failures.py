"""What the server or the way to it does wrong, in our words: what happened and what to do about it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from headnote.errors import (
    CorruptIndex,
    HeadnoteError,
    IndexFailure,
    LockedIndex,
    UnreachableIndex,
    UnwritableIndex,
)
from headnote.extras import load
from headnote.store.damage import REPAIR, Damaged
from headnote.store.postgres.target import INSTALL, Target, without_secrets

_LOST = ("08", "57P")
"""Classes of states: the connection, and an operator who stops the server."""
_FULL = ("53100", "54000")
_COLLIDED = ("40P01", "40001", "55P03")
_NOT_ALLOWED = ("42501", "25006")
_NOT_OURS = ("42P01", "42703", "3F000")


def psycopg() -> Any:
    return load("psycopg", "an index in PostgreSQL", INSTALL)


@contextlib.contextmanager
def reported(target: Target) -> Iterator[None]:
    """Failures of the server inside the block become ours."""
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
        return UnwritableIndex(f"no room to write: {reason}", path=place, remedy="make room, then try again")
    if state.startswith(_COLLIDED):
        return LockedIndex(f"another writer was in the way: {reason}", path=place, remedy="try again")
    if state.startswith(_NOT_OURS):
        remedy = f"drop the schema {target.schema} and index again: it holds nothing but what can be made anew"
        return CorruptIndex(f"not an index of headnote: {reason}", path=place, remedy=remedy)
    if state.startswith(_LOST) or (not state and isinstance(error, psycopg().OperationalError)):
        remedy = "see that the server runs, then try again: what was committed is there, the rest is done anew"
        return UnreachableIndex(f"the connection was lost: {reason}", path=place, remedy=remedy)
    return None


def not_connected(error: Any, target: Target) -> UnreachableIndex:
    """No connection came about."""
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
        return "try again when others are done"
    return "check host and port, and see that the server runs"


def _in_one_line(error: Any) -> str:
    """The first thing it says; later lines repeat it for other addresses or quote the statement."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[0] if lines else type(error).__name__
    if said.endswith(":") and len(lines) > 1:
        said = f"{said} {lines[1].removeprefix('- ')}"
    return said.removeprefix("connection failed: ")
