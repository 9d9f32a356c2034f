"""From a setting to a store: empty for the file below the folder, a URL for a database."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from headnote.errors import IndexFailure, MissingIndex, SettingsError
from headnote.store.interface import Store

EMBEDDED = ("", "sqlite")


def open_store(root: Path, target: str = "", *, create: bool = True, read_only: bool = False) -> Store:
    """The index of a folder: in `.headnote` below it, or at a URL. Without `create`, a missing index raises
    MissingIndex; with `read_only`, nothing is ever written."""
    check_target(target)
    if target in EMBEDDED:
        from headnote.store.sqlite.store import SqliteStore

        if (read_only or not create) and not SqliteStore.exists(root):
            raise _missing(root)
        return SqliteStore.open(root, read_only=read_only)
    from headnote.store.postgres.store import PostgresStore

    return PostgresStore.open(root, target, create=create, read_only=read_only)


def has_store(root: Path, target: str = "") -> bool:
    """Whether there is an index, sound or not."""
    if target in EMBEDDED:
        from headnote.store.sqlite.store import SqliteStore

        return SqliteStore.exists(root)
    try:
        open_store(root, target, create=False, read_only=True).close()
    except MissingIndex:
        return False
    except IndexFailure:
        return True
    return True


def repair_store(root: Path, target: str = "") -> list[str]:
    """Repairs an index, even one too damaged to open; says what it did."""
    if target in EMBEDDED:
        from headnote.store.sqlite.store import SqliteStore, file_of, repair

        if not SqliteStore.exists(root):
            raise _missing(root)
        return repair(file_of(root))
    with contextlib.closing(open_store(root, target, create=False)) as store:
        return store.repair()


def _missing(root: Path) -> MissingIndex:
    return MissingIndex("no index here", path=str(root), remedy=f"run headnote index {root}")


def check_target(target: str) -> None:
    """Raises unless this is the setting of a store."""
    if target in EMBEDDED:
        return
    from headnote.store.postgres.target import is_postgres

    if not is_postgres(target):
        scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)", target)
        kind = scheme[0] if scheme else "this"  # the rest may contain a password
        raise SettingsError(f"{kind} is not a store", remedy="use sqlite, or postgresql://USER@HOST/DATABASE")


def check_schema(schema: str) -> None:
    """Raises unless this is a valid name of a schema."""
    from headnote.store.postgres.target import check_schema as check

    check(schema)


def with_schema(target: str, schema: str) -> str:
    """The same store with this schema, unless it is empty. A file has none."""
    if target in EMBEDDED or not schema:
        return target
    from headnote.store.postgres.target import with_schema as joined

    return joined(target, schema)


def schema_of(root: Path, target: str) -> str:
    """The schema that holds the index of a folder; empty for a file."""
    if target in EMBEDDED:
        return ""
    from headnote.store.postgres.target import target_of

    return target_of(root, target).schema


def names_schema(target: str) -> bool:
    """Whether the setting names a schema itself, so that the folder's name does not matter."""
    if target in EMBEDDED:
        return False
    from headnote.store.postgres.target import schema_in

    return bool(schema_in(target))


def shown_store(target: str) -> str:
    """The store as people see it, without password."""
    if target in EMBEDDED:
        return "sqlite"
    from headnote.store.postgres.target import shown_target

    return shown_target(target)
