"""Keeps an index true in the background, for whatever serves it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from headnote.api import Index
from headnote.errors import HeadnoteError
from headnote.index.task import Progress, Watcher, ignore_progress

PAUSE_AFTER_FAILURE = 5.0
"""Seconds until a failed update is tried again."""


class _Ended(Exception):
    """The update is not wanted any more."""


class Keeper(threading.Thread):
    """Updates an index whenever files change. What goes wrong is kept to be told, and tried again."""

    def __init__(self, index: Index, options: Mapping[str, Any]) -> None:
        super().__init__(name="headnote keeper", daemon=True)
        self._index = index
        self._tell: Watcher = options.get("on_progress", ignore_progress)
        self._options = {**options, "on_progress": self._note}
        self._end = threading.Event()
        self.updated = threading.Event()
        """Set once the index has been brought up to date for the first time."""
        self.problem = ""
        """Why the index may not be up to date; empty if it is."""
        self.progress: Progress | None = None
        """How far the update is that is going on; None between updates. One object, replaced as a whole, so any thread
        may look."""

    def run(self) -> None:
        try:
            while not self._end.is_set():
                self._keep()
        finally:
            self.progress = None
            # Whatever ends this thread too early goes on to be reported; those who are served must know, too.
            self.problem = "" if self._end.is_set() else "the index is no longer kept up to date: start again"

    def _keep(self) -> None:
        try:
            for _ in self._index.watch(self._end, **self._options):
                self.progress = None
                self.problem = ""
                self.updated.set()
        except _Ended:
            pass
        except HeadnoteError as error:
            self.progress = None
            self.problem = str(error)
            self._end.wait(PAUSE_AFTER_FAILURE)

    @property
    def busy(self) -> bool:
        """Whether an update is going on."""
        return self.progress is not None or not (self.updated.is_set() or self.problem)

    def _note(self, progress: Progress) -> None:
        if self._end.is_set():
            # An update may take minutes, and nobody waits for it any more; what is stored stays.
            raise _Ended
        self.progress = progress
        self._tell(progress)

    def end(self) -> None:
        self._end.set()
        self.join()


@contextmanager
def keep_fresh(index: Index, **options: Any) -> Iterator[Keeper]:
    """While this lasts, a thread updates the index; `options` are those of `Index.update`. One that is read-only is
    served as it is."""
    keeper = Keeper(index, options)
    if index.read_only:
        keeper.updated.set()
        yield keeper
        return
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.end()
