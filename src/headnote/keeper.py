"""Keeps an index up to date in the background, for servers."""

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


class _Stopped(Exception):
    """The keeper was stopped during an update."""


class Keeper(threading.Thread):
    """A thread that updates an index whenever files change. It reports a failed update and tries again."""

    def __init__(self, index: Index, options: Mapping[str, Any]) -> None:
        super().__init__(name="headnote keeper", daemon=True)
        self._index = index
        self._on_progress: Watcher = options.get("on_progress", ignore_progress)
        self._options = {**options, "on_progress": self._record}
        self._stopping = threading.Event()
        self.updated = threading.Event()
        """Set after the first update."""
        self.problem = ""
        """Why the index may not be up to date; empty if it is."""
        self.progress: Progress | None = None
        """Progress of the running update; None between updates. Replaced as a whole, so any thread may read it."""

    def run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._watch()
        finally:
            self.progress = None
            # An unexpected error is raised as usual; the clients of the server must learn of it as well.
            self.problem = "" if self._stopping.is_set() else "the index is no longer kept up to date: start again"

    def _watch(self) -> None:
        try:
            for _ in self._index.watch(self._stopping, **self._options):
                self.progress = None
                self.problem = ""
                self.updated.set()
        except _Stopped:
            pass
        except HeadnoteError as error:
            self.progress = None
            self.problem = str(error)
            self._stopping.wait(PAUSE_AFTER_FAILURE)

    @property
    def busy(self) -> bool:
        """Whether an update is running."""
        return self.progress is not None or not (self.updated.is_set() or self.problem)

    def _record(self, progress: Progress) -> None:
        if self._stopping.is_set():
            # An update may take minutes. Stopping it loses nothing that is stored.
            raise _Stopped
        self.progress = progress
        self._on_progress(progress)

    def end(self) -> None:
        self._stopping.set()
        self.join()


@contextmanager
def keep_fresh(index: Index, **options: Any) -> Iterator[Keeper]:
    """Update the index in a thread while the context lasts. `options` are those of `Index.update`. A read-only index
    stays as it is."""
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
