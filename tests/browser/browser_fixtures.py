"""Fixtures of the tests that use the page: one browser and one server for all of them.

A plugin, not a module to import from: a fixture that is imported is another one in every module.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_kit import Server, Visit, browser_path, copy_example, playwright, serve, visiting


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Not for longer than a module: while it is there, an event loop runs, and others could not run theirs."""
    path = browser_path()
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="session")
def handbook_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(copy_example("handbook", tmp_path_factory.mktemp("served"))) as server:
        yield server


@pytest.fixture
def visit(browser: Any, handbook_server: Server) -> Iterator[Visit]:
    """A page of the handbook; errors, dialogs and requests to strangers fail the test."""
    with visiting(browser, handbook_server) as opened:
        yield opened


@pytest.fixture
def artefacts(tmp_path: Path) -> Path:
    """Folder of the screenshots."""
    folder = Path(os.environ.get("HEADNOTE_ARTEFACTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
