"""The memory of a process and of all that it started, from /proc."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType

INTERVAL = 1.0
"""Seconds between two looks."""


class PeakMemory:
    """While the block runs: the most memory that this process and all below it had together, in bytes.

    Memory that several processes share is counted once. Zero where there is no /proc.
    """

    def __init__(self) -> None:
        self.peak = 0
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._watcher.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._is_over.set()
        self._watcher.join()

    def _watch(self) -> None:
        while True:
            self.peak = max(self.peak, sum(map(_memory_of, _processes_below(os.getpid()))))
            if self._is_over.wait(INTERVAL):
                return


def _processes_below(root: int) -> list[int]:
    parents = {int(file.parent.name): _parent_of(file) for file in Path("/proc").glob("[0-9]*/stat")}
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def _parent_of(file: Path) -> int:
    try:
        # The name stands in brackets and may have spaces in it.
        return int(file.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def _memory_of(process: int) -> int:
    """Its own memory and its share of what it shares; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
