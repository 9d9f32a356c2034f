"""No test forks a process that has threads: see `refuse_fork_beside_threads` in conftest.py."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@pytest.fixture
def _other_thread() -> Iterator[None]:
    finished = threading.Event()
    thread = threading.Thread(target=finished.wait)
    thread.start()
    yield
    finished.set()
    thread.join()


@pytest.mark.usefixtures("_other_thread")
def test_a_fork_beside_threads_is_refused() -> None:
    with pytest.raises(RuntimeError, match="fork beside threads"):
        os.fork()


@pytest.mark.usefixtures("_other_thread")
def test_multiprocessing_cannot_fork_beside_threads() -> None:
    with pytest.raises(RuntimeError, match="fork beside threads"):
        multiprocessing.get_context("fork").Process(target=print).start()
