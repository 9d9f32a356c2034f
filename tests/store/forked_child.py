"""A store in a process that forks. Not a test: a test runs this file, since its own process has threads.

python forked_child.py ROOT TARGET
"""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

from store_samples import entry, paths, put, search_paths

from headnote.store.base import Store
from headnote.store.opening import open_store


def read_in_child(store: Store, answers: multiprocessing.queues.Queue[list[str]]) -> None:
    answers.put(search_paths(store, "alpha"))


def main(root: Path, target: str) -> None:
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.queues.Queue[list[str]] = context.Queue()
    gate = context.Event()
    store = open_store(root, target)
    put(store, entry("a.md", "alpha"))
    assert search_paths(store, "alpha") == ["a.md"]
    with store.writing() as writer:
        sleeper = context.Process(target=gate.wait)
        sleeper.start()
        writer.put([entry("b.md", "beta")])
    child = context.Process(target=read_in_child, args=(store, answers))
    child.start()
    assert answers.get(timeout=30) == ["a.md"]
    with store.writing(wait=0) as writer:  # the sleeper was forked while the lock was held, and does not hold it
        writer.put([entry("c.md", "gamma")])
    gate.set()
    for process in (child, sleeper):
        process.join()
    assert paths(store) == ["a.md", "b.md", "c.md"]
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
