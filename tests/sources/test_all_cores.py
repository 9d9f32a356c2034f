"""Work on all cores: in order, from any thread, and with a clear end when a worker ends before its time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ITEMS = 100
"""More than travel together."""

PROGRAM = """
import multiprocessing, os, signal, threading, time
from headnote.sources.chunks import on_all_cores

def how(item):
    return type(multiprocessing.current_process()).__name__

def end(item):
    os._exit(3)

def slow(item):
    time.sleep(0.03)

def main():
{body}

{guard}main()
"""


def run(folder: Path, body: str, guard: str = 'if __name__ == "__main__": ') -> subprocess.CompletedProcess[str]:
    """In a process of its own, which has no threads but those it starts."""
    program = folder / "program.py"
    program.write_text(PROGRAM.format(body="\n".join(f"    {line}" for line in body.splitlines()), guard=guard))
    command = [sys.executable, str(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


ALONE = f"print(set(on_all_cores(how, range({ITEMS}), 2)))"
BESIDE_A_THREAD = f"""\
ended = threading.Event()
threading.Thread(target=ended.wait).start()
try:
    {ALONE}
finally:
    ended.set()"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there it is safe at all")
def test_workers_are_forked_by_a_process_without_threads(tmp_path: Path) -> None:
    assert run(tmp_path, ALONE).stdout == "{'ForkProcess'}\n"
    assert run(tmp_path, ALONE, guard="").stdout == "{'ForkProcess'}\n", "which needs no guard around the program"


def test_workers_start_from_nothing_beside_other_threads(tmp_path: Path) -> None:
    """A fork waits for what a BLAS computes in another thread, which once hung a server for good."""
    done = run(tmp_path, BESIDE_A_THREAD)
    assert done.stdout == "{'SpawnProcess'}\n", done.stderr


def test_a_worker_that_ends_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    done = run(tmp_path, f"list(on_all_cores(end, range({ITEMS}), 2))")
    assert "HeadnoteError: a worker was killed" in done.stderr
    assert "workers=1" in done.stderr


def test_a_program_without_a_guard_is_told_what_it_needs(tmp_path: Path) -> None:
    done = run(tmp_path, BESIDE_A_THREAD, guard="")
    assert done.stdout == ""
    # Not always the last line: a tracker of the interpreter's may still have to say what the dead have left behind.
    [error] = [line for line in done.stderr.splitlines() if line.startswith("headnote.errors.HeadnoteError: ")]
    assert 'if __name__ == "__main__":' in error


INTERRUPTED_AT_THE_END = f"""\
results = on_all_cores(slow, range({ITEMS}), 2)
next(results)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    results.close()
except KeyboardInterrupt:
    print("interrupted,", len(multiprocessing.active_children()), "workers left")"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such timer")
def test_ctrl_c_while_the_workers_end_still_waits_for_them(tmp_path: Path) -> None:
    """Otherwise the interpreter may wake, at its own end, a thread that has just closed what wakes it."""
    done = run(tmp_path, INTERRUPTED_AT_THE_END)
    assert (done.stdout, done.stderr) == ("interrupted, 0 workers left\n", "")
