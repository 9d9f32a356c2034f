"""How far long work is, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage has come."""

    stage: str
    """`read`, `embed` or, of links, `check`."""
    done: int
    """How many are done."""
    total: int
    """How many there are; 0 while the files are still being listed."""
    seconds_left: float | None = None
    """About how long the rest of this stage takes, if that can be told."""


Watcher = Callable[[Progress], None]
