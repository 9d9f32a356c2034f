"""A deadline for work that may take forever. The work checks it: a thread cannot be stopped from outside."""

from __future__ import annotations

import time


class DrawingTimeout(Exception):
    """The time is up."""


class Deadline:
    """So many seconds, from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise `DrawingTimeout` if the time is up."""
        if time.monotonic() > self._end:
            raise DrawingTimeout
