"""How far an update is: a bar for the files that are read, then one for the vectors."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headnote.index.task import Progress

LONG = 0.4
"""Seconds. What is done sooner needs no bar."""
_BETWEEN_LOOKS = 0.1
_TITLES = {"read": ("reading", "files"), "embed": ("vectors", "texts")}


class Bars:
    """Watches an update, and draws on standard error if somebody is there to see it.

    It draws only when it is told something, so there is no second thread while processes are started.
    """

    def __init__(self) -> None:
        self._wanted = sys.stderr.isatty()
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._started = self._drawn = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if not self._wanted or now - self._started < LONG:
            return
        is_last = progress.done >= progress.total
        if progress.stage in self._tasks and now - self._drawn < _BETWEEN_LOOKS and not is_last:
            return
        self._drawn = now
        self._draw(progress)

    def _draw(self, progress: Progress) -> None:
        if self._bars is None:
            self._bars = _new_bars()
            self._bars.start()
        if progress.stage not in self._tasks:
            title, unit = _TITLES[progress.stage]
            self._tasks[progress.stage] = self._bars.add_task(title, total=progress.total, unit=unit, rate="")
        task = self._tasks[progress.stage]
        self._bars.update(task, completed=progress.done, total=progress.total)
        speed = self._bars.tasks[task].speed
        if speed:
            self._bars.update(task, rate=f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.1f}/s")
        self._bars.refresh()

    def finish(self) -> None:
        """Take the bars away, and begin anew with the next update."""
        if self._bars is not None:
            self._bars.stop()
        self._bars, self._tasks = None, {}
        self._started = time.monotonic()

    def __enter__(self) -> Bars:
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
