"""`headnote index --watch`: one line per update, until somebody ends it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from headnote.cli.index_progress import Bars
from headnote.cli.index_report import done_record, summary, update_line
from headnote.cli.terminal import complain, write_json, write_lines
from headnote.errors import LockedIndex, RateLimited, ServiceUnavailable, UnreachableIndex

if TYPE_CHECKING:
    from headnote.api import Index
    from headnote.cli.index_run import Run
    from headnote.index.task import Report

PAUSE = 5.0
"""Seconds until the next try, when something stands in the way that may go away by itself."""


def watch_folder(index: Index, run: Run) -> None:
    """Ends with KeyboardInterrupt, or quietly when the system asks it to end."""
    stop = threading.Event()
    with _ended_by_request(stop) as asked, Bars() as bars:
        show = _Show(index, run, bars)
        try:
            if run.rebuild:
                show(index.update(rebuild=True, on_progress=bars, **run.how))
            while not stop.is_set():
                _watch_on(index, run, stop, bars, show)
        except KeyboardInterrupt:
            if not asked():
                raise


def _watch_on(index: Index, run: Run, stop: threading.Event, bars: Bars, show: _Show) -> None:
    try:
        for report in index.watch(stop, on_progress=bars, **run.how):
            show(report)
    except (LockedIndex, RateLimited, ServiceUnavailable, UnreachableIndex) as error:
        bars.finish()
        complain(f"{error}; trying again")
        stop.wait(PAUSE)


class _Show:
    """The first update as a summary, every further one that did something as a line."""

    def __init__(self, index: Index, run: Run, bars: Bars) -> None:
        self._index, self._run, self._bars = index, run, bars
        self._is_first = True
        self._since = time.monotonic()

    def __call__(self, report: Report) -> None:
        self._bars.finish()
        if self._is_first or not report.plan.is_empty or report.embedded:
            self._write(report)
            # Whoever reads along through a pipe wants it now.
            sys.stdout.flush()
        self._is_first = False

    def _write(self, report: Report) -> None:
        root, seconds = self._run.root, time.monotonic() - self._since
        if self._run.as_json:
            write_json(done_record(report, self._index.status(), root, seconds if self._is_first else None))
        elif self._is_first:
            write_lines(summary(report, self._index.status(), root, seconds))
        else:
            write_lines([update_line(report, root)])


@contextmanager
def _ended_by_request(stop: threading.Event) -> Iterator[Callable[[], bool]]:
    """While inside, SIGTERM ends what goes on the way Ctrl-C does; the function says whether it came."""
    owner = os.getpid()
    came = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        if os.getpid() != owner:  # a worker has inherited this and has nothing to tidy up
            os._exit(128 + signal.SIGTERM)
        came.set()
        stop.set()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield came.is_set
    finally:
        signal.signal(signal.SIGTERM, before)
