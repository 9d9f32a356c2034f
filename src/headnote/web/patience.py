"""An end for work that may take forever: it looks at the clock itself, as a thread cannot be stopped from outside."""

from __future__ import annotations

import time


class TooSlow(Exception):
    """The time is up."""


class Patience:
    """So many seconds, from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        if time.monotonic() > self._end:
            raise TooSlow
