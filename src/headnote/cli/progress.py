"""Progress bars on standard error, drawn only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import chain, islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from headnote.index.task import Progress

Item = TypeVar("Item")

LONG = 0.4
"""Seconds. Anything faster needs no bar."""
MANY_FILES = 40
"""From this number of files on, `chunk` may take long enough to need a bar."""
_REDRAW_INTERVAL = 0.1
_TITLES = {"read": ("reading", "files"), "embed": ("vectors", "texts")}

# Rich takes longer to import than a short command runs, and most runs draw no bar: both functions import it late.


class UpdateBars:
    """Watches an update: a bar for the files being read, then one for the vectors.

    It draws only when called, so no second thread runs while worker processes are started.
    """

    def __init__(self, name: str = "") -> None:
        """`name`: which of several updates this is."""
        self._name = f"{name}: " if name else ""
        self._is_visible = sys.stderr.isatty()
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._started = self._drawn = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if not self._is_visible or now - self._started < LONG:
            return
        is_last = progress.done >= progress.total
        if progress.stage in self._tasks and now - self._drawn < _REDRAW_INTERVAL and not is_last:
            return
        self._drawn = now
        self._draw(progress)

    def _draw(self, progress: Progress) -> None:
        if self._bars is None:
            self._bars = _new_bars()
            self._bars.start()
        if progress.stage not in self._tasks:
            title, unit = _TITLES[progress.stage]
            self._tasks[progress.stage] = self._bars.add_task(
                self._name + title, total=progress.total, unit=unit, rate=""
            )
        task = self._tasks[progress.stage]
        self._bars.update(task, completed=progress.done, total=progress.total)
        speed = self._bars.tasks[task].speed
        if speed:
            self._bars.update(task, rate=f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.1f}/s")
        self._bars.refresh()

    def finish(self) -> None:
        """Remove the bars. The next update starts with new ones."""
        if self._bars is not None:
            self._bars.stop()
        self._bars, self._tasks = None, {}
        self._started = time.monotonic()

    def __enter__(self) -> UpdateBars:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()


def _new_bars() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}  {task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    return Progress(*columns, console=console, transient=True, redirect_stdout=False, auto_refresh=False)


def track_files(items: Iterator[Item], total: int) -> Iterator[Item]:
    """Yield the items, with a bar on standard error meanwhile.

    Do not use it while the items themselves go to a terminal: both would write to the same lines.
    """
    if total < MANY_FILES or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("files"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # The bar runs in a thread. Taking the first item starts the worker processes while there is only one thread.
    first = list(islice(items, 1))
    # Error lines go above the bar. Standard output is left alone: it carries the result.
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as progress:
        yield from progress.track(chain(first, items), total=total)
