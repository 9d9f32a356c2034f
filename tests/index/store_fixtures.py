"""The stores that every test of a store runs on. A new store is one more name here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headnote.index.store.base import Store
from headnote.index.store.sqlite.store import SqliteStore

OpenStore = Callable[[], Store]
"""Opens the store of this test, once more at every call, as another process would."""


@pytest.fixture(params=["sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    opened: list[Store] = []

    def open_once_more() -> Store:
        assert request.param == "sqlite"
        opened.append(SqliteStore.open(tmp_path))
        return opened[-1]

    yield open_once_more
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()
