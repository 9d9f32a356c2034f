"""A real PostgreSQL with pgvector: one server for all tests of a process, one schema for each test."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import start_server

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Its URL. Not below the folder of pytest: the name of a socket may have a hundred characters only."""
    folder = Path(tempfile.mkdtemp(prefix="headnote-pg-"))
    try:
        server = start_server(folder)
        rules = folder / "pg_hba.conf"
        with_password = "local all locked_out,headnote scram-sha-256\nlocal headnote headnote_reader scram-sha-256\n"
        rules.write_text(with_password + rules.read_text())
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
def postgres_database(postgres_server: str) -> Iterator[str]:
    """A URL of an empty database, in which every folder has the schema of its name."""
    import psycopg

    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield postgres_server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Of an index that nobody has made yet."""
    import psycopg

    schema = f"test_{next(_numbers)}"
    yield f"{postgres_server}{'&' if '?' in postgres_server else '?'}schema={schema}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
