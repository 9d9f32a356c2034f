"""Keeps an index up to date behind a server, which answers at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from headnote.api import Index
from headnote.errors import HeadnoteError, IndexFailure, LockedIndex
from headnote.index.plan import FilesRead, ignore_progress
from headnote.model.results import Progress, Watcher

PAUSE_AFTER_FAILURE = 5.0
"""Seconds until what failed is tried again: opening the index, or an update."""
PATIENCE = 2.0
"""Seconds after the start that a question waits for: most updates are done by then."""
FIRST_PATIENCE = 8.0
"""Seconds that a question waits if nothing is stored yet. Those who ask may give up after ten."""
_LOOK_EVERY = 0.05


class KeeperState(NamedTuple):
    """How far an index is, for those who ask it."""

    problem: str = ""
    """Why the index may not be up to date; empty if it is."""
    busy: bool = False
    """Whether an update is running."""
    progress: Progress | None = None
    """Progress of the running update; None between updates."""
    files_read: FilesRead | None = None
    """How much of the folder can be searched; None if all of it can."""
    elsewhere: str = ""
    """Which other process is updating the index, such as "being updated by process 7"; empty if none is. That is no
    problem: what it writes is found here as well."""

    @property
    def note(self) -> str:
        """What that means for an answer; empty if nothing is missing. Without the problem, which may name files and
        repeat what a service says: here are headnote's own words only."""
        if self.files_read is None:
            return ""
        read = str(self.files_read) if self.files_read.total else "indexing has not started"
        return f"{read}; results may be incomplete; ask again"


@dataclass(frozen=True, slots=True)
class Served:
    """What a server answers from."""

    index: Index
    state: Callable[[], KeeperState] = KeeperState
    editor: str = ""
    """Editor to open documents in, by its name or address; empty for none."""


def files_read_of(index: Index, progress: Progress | None) -> FilesRead | None:
    """How much of the folder can be searched, while an update is that far; None if all of it can."""
    read = index.files_read
    if read is None and index.generation == 0:
        # Nothing is stored yet, not even how much there is.
        return FilesRead(0, progress.total if progress else 0)
    return read


class _Stopped(Exception):
    """The keeper was stopped during an update."""


class Keeper(threading.Thread):
    """A thread that opens an index and updates it whenever files change. It reports what fails, and tries again."""

    def __init__(self, open_index: Callable[[], Index], options: Mapping[str, Any]) -> None:
        super().__init__(name="headnote keeper", daemon=True)
        self._open_index = open_index
        self._on_progress: Watcher = options.get("on_progress", ignore_progress)
        self._options = {**options, "on_progress": self._record}
        self._index: Index | None = None
        self._failure: HeadnoteError | None = None
        self._began = time.monotonic()
        self._tried = threading.Event()
        """Set once the index was opened, or could not be."""
        self._stopping = threading.Event()
        self._read = threading.Event()
        """Set once all files were read, or could not be."""
        self.updated = threading.Event()
        """Set after the first update."""
        self.problem = ""
        """Why the index may not be up to date; empty if it is."""
        self.elsewhere = ""
        """Which other process is updating the index; empty if none is."""
        self.progress: Progress | None = None
        """Progress of the running update; None between updates. Replaced as a whole, so any thread may read it."""

    def run(self) -> None:
        try:
            index = self._opened()
            if index is not None and index.read_only:
                self.updated.set()
                return
            while index is not None and not self._stopping.is_set():
                self._watch(index)
        except BaseException:
            # It is raised as usual; the clients of the server must learn of it as well.
            self.problem = "the index is no longer kept up to date: start again"
            raise
        finally:
            self.progress = None
            self._tried.set()
            self._read.set()

    def _opened(self) -> Index | None:
        """The index, as soon as it can be opened; None if the keeper is stopped before."""
        while not self._stopping.is_set():
            try:
                self._index = self._open_index()
            except HeadnoteError as error:
                self._failure = error
                self._tried.set()
                self._stopping.wait(PAUSE_AFTER_FAILURE)
            else:
                self._failure = None
                self._tried.set()
                return self._index
        return None

    def _watch(self, index: Index) -> None:
        try:
            # Without the vectors of the deep model, which may take an hour.
            index.update(vectors=False, **self._options)
            self._set_obstacle()
            self._read.set()
            for _ in index.watch(self._stopping, **self._options):
                self.progress = None
                self._set_obstacle()
                self.updated.set()
        except _Stopped:
            pass
        except HeadnoteError as error:
            self.progress = None
            self._set_obstacle(error)
            self._read.set()
            self._stopping.wait(PAUSE_AFTER_FAILURE)

    def _set_obstacle(self, error: HeadnoteError | None = None) -> None:
        is_locked = isinstance(error, LockedIndex)
        self.elsewhere = error.message if error and is_locked else ""
        self.problem = str(error) if error and not is_locked else ""

    def _record(self, progress: Progress) -> None:
        if self._stopping.is_set():
            # An update may take minutes. Stopping it loses nothing that is stored.
            raise _Stopped
        self.progress = progress
        self._on_progress(progress)

    @property
    def busy(self) -> bool:
        """Whether an update is running."""
        return self.progress is not None or not (self.updated.is_set() or self.problem or self.elsewhere)

    def work(self) -> KeeperState:
        """What the keeper does, without what is stored."""
        return KeeperState(self.problem, self.busy, self.progress, elsewhere=self.elsewhere)

    def state(self) -> KeeperState:
        work = self.work()
        return work._replace(files_read=files_read_of(self._index, work.progress) if self._index else FilesRead(0, 0))

    def open(self) -> Index:
        """The index. Raises why it cannot be opened."""
        self._tried.wait()
        return self._index_or_failure()

    def served(self) -> Served:
        """What to answer a question from; right after the start, once the first files are read, or in a moment.

        Raises why the index cannot be opened.
        """
        began = time.monotonic()
        self._tried.wait(FIRST_PATIENCE)
        index = self._index_or_failure()
        while not self._read.wait(_LOOK_EVERY):
            now = time.monotonic()
            if now - self._began > PATIENCE and (index.generation > 0 or now - began > FIRST_PATIENCE):
                break
        return Served(index, self.state)

    def _index_or_failure(self) -> Index:
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        if self._index is None:
            raise IndexFailure(self.problem or "the index is still being opened", remedy="ask again")
        return self._index

    def end(self) -> None:
        self._stopping.set()
        self.join()
        if self._index is not None:
            self._index.close()


@contextmanager
def keep_fresh(open_index: Callable[[], Index], **options: Any) -> Iterator[Keeper]:
    """Open an index in a thread, and update it there while the context lasts. `options` are those of `Index.update`. A
    read-only index stays as it is."""
    keeper = Keeper(open_index, options)
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.end()
