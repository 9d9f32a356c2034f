"""How long the rest of a read takes, by the pace so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import accumulate

PER_FILE = 2000
"""Bytes that take as long as opening a file and storing it."""
_LEAST = 0.02
"""The share that must be done before the rest can be told."""


class Pace:
    """By size: a folder of long documents takes longer than one of short ones, wherever it comes in the order."""

    def __init__(self, sizes: Sequence[int]) -> None:
        """Of the files, in the order in which they are read."""
        self._done = list(accumulate((size + PER_FILE for size in sizes), initial=0))
        self._began = time.monotonic()

    def seconds_left(self, read: int) -> float | None:
        """After so many files; None if it is too early to tell."""
        done, total = self._done[read], self._done[-1]
        if done < _LEAST * total:
            return None
        return (time.monotonic() - self._began) / done * (total - done)
