"""Fixtures of the tests of the web server and its page: a small folder with an index, a client, and a compiler of
JavaScript."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from web_folder import client_of, write_files

from headnote import Index
from headnote.api.keeper import KeeperState, Served

TYPESCRIPT = "5.9.3"


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


@pytest.fixture(scope="session")
def compiler(pytestconfig: pytest.Config) -> Path:
    """The TypeScript compiler, from npm, once, in the cache of pytest."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("no node or npm on the path: types of JavaScript are not checked")
    assert pytestconfig.cache is not None
    folder = pytestconfig.cache.mkdir(f"typescript-{TYPESCRIPT}")
    compiler = folder / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder)]
        result = subprocess.run([*command, f"typescript@{TYPESCRIPT}"], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            pytest.skip(f"npm cannot install typescript {TYPESCRIPT}: {result.stderr.strip()[-200:]}")
    return compiler
