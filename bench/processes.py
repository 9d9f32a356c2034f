"""Commands in processes of their own: how long they take, how much of the cores, and how much memory at most."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """One command that has ended."""

    output: str
    seconds: float
    """By the clock."""
    cores: float
    """Seconds of all cores together, which a busy machine does not change much."""
    memory: int
    """The most bytes that the process and its workers had at any moment, where the system tells."""
    code: int
    """What it ended with."""


def run(command: Sequence[str]) -> Run:
    """A command that must succeed."""
    done = run_anyway(command)
    if done.code:
        sys.exit(f"{' '.join(command)} failed")
    return done


def run_anyway(command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Run:
    """A command that may end with any code. Ctrl-C here ends it, with all that it has started."""
    begin, cores = time.perf_counter(), _of_children()
    # A group of its own, so that it can be ended as a whole.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment, start_new_session=True
    )
    peak = [0]
    watcher = threading.Thread(target=_watch_memory, args=(process, peak), daemon=True)
    with process:
        watcher.start()
        try:
            output, _ = process.communicate()
        except BaseException:
            _end(process)
            raise
        watcher.join()
    return Run(output, time.perf_counter() - begin, _of_children() - cores, peak[0], process.returncode)


def _end(process: subprocess.Popen[str]) -> None:
    """As Ctrl-C does, so that it can end what it has started in groups of their own; if it does not, for certain."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def core_seconds(process: int) -> float:
    """What a process and all that it has started have used so far of all cores together, where the system tells."""
    ticks = os.sysconf("SC_CLK_TCK")
    return sum(map(_ticks, _family(process))) / ticks


def _ticks(process: int) -> int:
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0
    return sum(map(int, fields[11:15]))  # its own, and those of what it has started that has ended


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch_memory(process: subprocess.Popen[str], peak: list[int]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(_resident, _family(process.pid))))
        time.sleep(0.05)


def _family(process: int) -> list[int]:
    """A process and its children, where the system tells."""
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
        children = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return []
    return [process, *(member for child in children for member in _family(child))]


def _resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
