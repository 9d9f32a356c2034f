"""Markdown → HTML that is safe to show, even from untrusted documents, and within a deadline."""

from __future__ import annotations

import time

from headnote.extras import install

INSTALL = install("search", "server")
"""How to install the whole web page: nobody shows documents without it."""


class DrawingTimeout(Exception):
    """The time is up."""


class Deadline:
    """A deadline this many seconds from now. The work checks it: a thread cannot be stopped from outside."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise `DrawingTimeout` if the time is up."""
        if time.monotonic() > self._end:
            raise DrawingTimeout
