"""How far an update is, in one line of at most so many columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headnote.index.task import Progress

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
    stage, done, total, _ = progress
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
