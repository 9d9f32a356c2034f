"""Keeps an index true in the background, for whatever serves it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from headnote.api import Index
from headnote.errors import HeadnoteError

PAUSE_AFTER_FAILURE = 5.0
"""Seconds until a failed update is tried again."""


class Keeper(threading.Thread):
    """Updates an index whenever files change. What goes wrong is kept to be told, and tried again."""

    def __init__(self, index: Index, options: Mapping[str, Any]) -> None:
        super().__init__(name="headnote keeper", daemon=True)
        self._index = index
        self._options = options
        self._end = threading.Event()
        self.updated = threading.Event()
        """Set once the index has been brought up to date for the first time."""
        self.problem = ""
        """Why the index may not be up to date; empty if it is."""

    def run(self) -> None:
        while not self._end.is_set():
            try:
                for _ in self._index.watch(self._end, **self._options):
                    self.problem = ""
                    self.updated.set()
            except HeadnoteError as error:
                self.problem = str(error)
                self._end.wait(PAUSE_AFTER_FAILURE)

    def end(self) -> None:
        self._end.set()
        self.join()


@contextmanager
def kept_fresh(index: Index, **options: Any) -> Iterator[Keeper]:
    """While this lasts, a thread updates the index; `options` are those of `Index.update`."""
    keeper = Keeper(index, options)
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.end()
