"""The stores that every test of a store runs on. A new store is one more name here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headnote.store import opening
from headnote.store.interface import Store

pytest_plugins = ("postgres_fixtures",)

OpenStore = Callable[[], Store]
"""Opens the store of this test, once more at every call, as another process would."""


@pytest.fixture(params=["sqlite", "postgres"])
def store_target(request: pytest.FixtureRequest) -> str:
    """What `--store` would say."""
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture(params=["sqlite", "postgres"])
def everywhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test runs on each store in turn, and so do the processes that it starts."""
    if request.param == "postgres":
        monkeypatch.setenv("HEADNOTE_STORE", request.getfixturevalue("postgres_database"))


@pytest.fixture
def open_store(store_target: str, tmp_path: Path) -> Iterator[OpenStore]:
    opened: list[Store] = []

    def open_once_more() -> Store:
        opened.append(opening.open_store(tmp_path, store_target))
        return opened[-1]

    yield open_once_more
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()
