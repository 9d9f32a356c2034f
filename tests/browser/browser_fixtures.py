"""Fixtures of the tests that use the page: one browser and one server for all of them.

A plugin, not a module to import from: a fixture that is imported is another one in every module.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from browser_kit import Server, Visit, browser_path, copy_example, playwright, serve, visiting

kept = ExitStack()
browsers: list[Any] = []
"""The one that runs."""


@pytest.fixture
def browser() -> Any:
    """The same for all tests of a worker that follow each other."""
    if not (browsers and browsers[-1].is_connected()):
        close_browser()
        started = kept.enter_context(playwright.sync_playwright())
        browsers.append(started.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"]))
        kept.callback(browsers[-1].close)
    return browsers[-1]


def close_browser() -> None:
    browsers.clear()
    kept.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """While there is a browser, an event loop runs, and tests without one could not run theirs."""
    if "browser" not in getattr(item, "fixturenames", ()):
        close_browser()


def pytest_sessionfinish() -> None:
    close_browser()


@pytest.fixture(scope="session")
def handbook_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(copy_example("handbook", tmp_path_factory.mktemp("served"))) as server:
        yield server


@pytest.fixture
def visit(browser: Any, handbook_server: Server) -> Iterator[Visit]:
    """A page of the handbook; errors, dialogs and requests to strangers fail the test."""
    with visiting(browser, handbook_server) as opened:
        yield opened
