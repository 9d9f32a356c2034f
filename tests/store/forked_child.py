"""A store in a process that forks. Not a test: a test runs this file, since its own process has threads.

python forked_child.py ROOT TARGET read|close|leave_reading|leave_writing
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import apsw
from store_samples import entry, paths, put, search_paths

from headnote.store.interface import Store
from headnote.store.opening import open_store

_CONTEXT = multiprocessing.get_context("fork")


class OfOneProcess(apsw.Connection):
    """SQLite forbids a fork to touch a connection, but says nothing when it does; PostgreSQL ends the session."""

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.process = os.getpid()

    def close(self, force: bool = False) -> None:
        assert self.process == os.getpid()
        super().close(force)

    def execute(self, *given: Any, **options: Any) -> apsw.Cursor:
        assert self.process == os.getpid()
        return super().execute(*given, **options)


def read_in_child(store: Store) -> None:
    assert search_paths(store, "alpha") == ["a.md"]


def close_in_child(store: Store) -> None:
    store.close()
    assert search_paths(store, "alpha") == ["a.md"]
    store.close()


def read(store: Store) -> None:
    """The child reads, and another one sleeps that was forked while the parent had the right to write."""
    gate = _CONTEXT.Event()
    with store.writing() as writer:
        sleeper = _CONTEXT.Process(target=gate.wait)
        sleeper.start()
        writer.put([entry("b.md", "beta")])
    run_child(read_in_child, store)
    with store.writing(wait=0) as writer:  # the sleeper does not hold the lock
        writer.put([entry("c.md", "gamma")])
    gate.set()
    sleeper.join()
    assert paths(store) == ["a.md", "b.md", "c.md"]


def close(store: Store) -> None:
    """The child closes the store, once before and once after it has connections of its own."""
    with store.reading() as held:
        assert search_paths(store, "alpha") == ["a.md"]  # leaves a connection that is idle
        run_child(close_in_child, store)
        assert held.document_paths() == ["a.md"]
    assert paths(store) == ["a.md"]


def run_child(work: Callable[[Store], None], store: Store) -> None:
    child = _CONTEXT.Process(target=work, args=(store,))
    child.start()
    child.join()
    assert child.exitcode == 0


def leave_reading(store: Store) -> None:
    """An error leads the child out of a block that its parent entered."""
    try:
        with store.reading() as held:
            fork_and_fail()
            assert held.document_paths() == ["a.md"]
    except KeyboardInterrupt:
        os._exit(0 if search_paths(store, "alpha") == ["a.md"] else 1)
    assert paths(store) == ["a.md"]


def leave_writing(store: Store) -> None:
    """The same during an update, which goes on in the parent."""
    try:
        with store.writing() as writer:
            writer.put([entry("b.md", "beta")])
            fork_and_fail()
            writer.put([entry("c.md", "gamma")])
    except KeyboardInterrupt:
        os._exit(0 if search_paths(store, "alpha") == ["a.md"] else 1)
    assert paths(store) == ["a.md", "b.md", "c.md"]
    assert store.check() == []


def fork_and_fail() -> None:
    """Raises in the child; the parent waits until it has ended, and goes on."""
    child = os.fork()
    if not child:
        raise KeyboardInterrupt
    assert os.waitpid(child, 0)[1] == 0


CASES = {"read": read, "close": close, "leave_reading": leave_reading, "leave_writing": leave_writing}


def main(root: Path, target: str, what: str) -> None:
    with patch.object(apsw, "Connection", OfOneProcess):
        store = open_store(root, target)
        put(store, entry("a.md", "alpha"))
        assert search_paths(store, "alpha") == ["a.md"]
        CASES[what](store)
        store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
