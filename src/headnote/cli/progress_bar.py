"""How far a long command is, on standard error: a line that is redrawn on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from itertools import chain, islice
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from headnote.cli.terminal import harmless, is_ascii_only, write_message

if TYPE_CHECKING:
    from headnote.model.results import Progress


# -- How far an update is, in one line of at most so many columns.


SAFE = "Ctrl-C is safe"
_WORDS = {
    "read": ("reading", "files"),
    "embed": ("embedding", "vectors"),
    "ask": ("asking", "questions"),
    "check": ("checking", "links"),
}
_BAR_COLUMNS = range(8, 25)


def progress_line(progress: Progress, left: str, columns: int, bar: str = "━╌") -> str:
    """The longest text that fits, with a bar if there is room. `bar` has the signs of what is done and of the rest."""
    texts = _texts(progress, left)
    text = next((text for text in texts if len(text) <= columns), texts[-1][:columns])
    room = min(columns - len(text) - 1, _BAR_COLUMNS[-1])
    if not bar or room < _BAR_COLUMNS[0] or " of " not in text:
        return text
    title, _, rest = text.partition(" ")
    filled = room * progress.done // progress.total
    return f"{title} {bar[0] * filled}{bar[1] * (room - filled)} {rest}"


def _texts(progress: Progress, left: str) -> list[str]:
    """The same from the longest to the shortest."""
    stage, done, total = progress.stage, progress.done, progress.total
    title, unit = _WORDS[stage]
    if not total:
        return [f"looking for files, {SAFE}", "looking for files"]
    if done >= total and stage == "read":
        return [f"{total:,} files read, finishing, {SAFE}", f"{total:,} files read"]
    count = f"{title} {done:,} of {total:,}"
    until = f", {left} left" if left else ""
    shorter = until.replace("about ", "")
    return [
        f"{count} {unit}{until}, {SAFE}",
        f"{count}{until}, {SAFE}",
        f"{count}{shorter}, {SAFE}",
        f"{count}{shorter}",
        f"{done:,} of {total:,}",
    ]


class TimeLeft:
    """The time left in round figures. It goes down; it goes up only if the estimate was clearly too low."""

    def __init__(self) -> None:
        self._shown: int | None = None

    def __call__(self, seconds: float | None) -> str:
        """For an estimate, which may waver; empty if there is none."""
        if seconds is None:
            return ""
        rounded = _rounded(seconds)
        if self._shown is None or rounded < self._shown or seconds > 1.3 * self._shown:
            self._shown = rounded
        return _in_words(self._shown)


def _rounded(seconds: float) -> int:
    step = 60 if seconds > 90 else 10 if seconds > 30 else 5
    return max(round(seconds / step), 1) * step


def _in_words(seconds: int) -> str:
    if seconds <= 5:
        return "a few seconds"
    if seconds <= 90:
        return f"about {seconds} s"
    minutes = seconds // 60
    return f"about {minutes} min" if minutes < 90 else f"about {round(minutes / 60)} h"


# -- How far a long command is, on standard error


Item = TypeVar("Item")

LONG = 0.4
"""Seconds. Anything faster needs no bar."""
MANY_FILES = 40
"""From this number of files on, `chunk` may take long enough to need a bar."""
_REDRAW_INTERVAL = 0.1
_QUIET = 1.0
"""Seconds until the first line where nobody sees a bar."""
_QUIET_WITH_FEW = 10.0
_MANY = 200
"""Files or vectors: fewer take a moment, and a script need not hear of them."""
_MIN_INTERVAL, _MAX_INTERVAL = 5.0, 60.0
"""Seconds between two such lines: a long run needs fewer."""
_ANY_COLUMNS = 1000


class UpdateBars:
    """Watches an update: the files being read, then the vectors being made.

    It draws only when called, so no second thread runs while worker processes are started.
    """

    def __init__(self, at_once: bool = False) -> None:
        """With `at_once`, a terminal shows something from the start."""
        self.name = ""
        """Which of several updates this is."""
        self._at_once = at_once
        self._is_terminal = sys.stderr.isatty()
        self._bar = "" if is_ascii_only(sys.stderr) else "━╌"
        self._begin()

    def _begin(self) -> None:
        self._started = self._drawn = time.monotonic()
        self._next_line = 0.0
        self._stage = ""
        self._time_left = TimeLeft()
        self._is_visible = False

    @property
    def are_busy(self) -> bool:
        """Whether an update is under way: it has begun, and `finish` was not called."""
        return self._stage != ""

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        is_new_stage = progress.stage != self._stage
        if is_new_stage:
            self._stage, self._time_left = progress.stage, TimeLeft()
        left = self._time_left(progress.seconds_left)
        if self._is_terminal:
            # The first of a stage, before work begins, and the last, after it, may stand for long.
            is_pause = is_new_stage or not progress.done or progress.done >= progress.total
            self._draw(progress, left, now, is_pause)
        elif progress.done < progress.total:
            self._say(progress, left, now)

    def _draw(self, progress: Progress, left: str, now: float, is_pause: bool) -> None:
        is_early = not self._is_visible and not self._at_once and now - self._started < LONG
        is_soon = self._is_visible and not is_pause and now - self._drawn < _REDRAW_INTERVAL
        if is_early or is_soon:
            return
        self._drawn, self._is_visible = now, True
        columns = _columns()
        name = f"{self.name}: " if self.name else ""
        line = name + progress_line(progress, left, columns - len(name), self._bar)
        sys.stderr.write(f"\r{harmless(line[:columns]):<{columns}}")
        sys.stderr.flush()

    def _say(self, progress: Progress, left: str, now: float) -> None:
        quiet = _QUIET if progress.total >= _MANY else _QUIET_WITH_FEW
        if now < max(self._started + quiet, self._next_line):
            return
        elapsed = now - self._started
        self._next_line = now + min(max(_MIN_INTERVAL, elapsed / 4), _MAX_INTERVAL)
        name = f"{self.name}: " if self.name else ""
        write_message(name + progress_line(progress, left, _ANY_COLUMNS, ""))

    def finish(self) -> None:
        """Remove the bar. The next update starts with a new one."""
        if self._is_visible:
            sys.stderr.write(f"\r{'':<{_columns()}}\r")
            sys.stderr.flush()
        self._begin()

    def __enter__(self) -> UpdateBars:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()


def _columns() -> int:
    """Without the last one, where some terminals begin a new line."""
    told = os.environ.get("COLUMNS", "")
    if told.isdigit():
        return max(int(told) - 1, 1)
    try:
        return max(os.get_terminal_size(sys.stderr.fileno()).columns - 1, 1)
    except OSError:
        return 79


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
