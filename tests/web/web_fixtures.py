"""Fixtures of the tests of the web server: a small folder with an index, and a client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from web_folder import client_of, write_files

from headnote import Index
from headnote.api.keeper import KeeperState, Served


@pytest.fixture(scope="session")
def served_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("web") / "folder")


@pytest.fixture(scope="session")
def index(served_root: Path) -> Iterator[Index]:
    with Index.open(served_root, embedder="hashing:64") as opened:
        opened.update()
        yield opened


@pytest.fixture(scope="session")
def served(index: Index) -> Served:
    return Served(index, KeeperState)


@pytest.fixture
def client(served: Served) -> TestClient:
    return client_of(served)
