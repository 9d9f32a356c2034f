"""Work on all cores: in order, from any thread, and with a clear end when a worker ends before its time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ITEMS = 100
"""More than travel together."""

WORK = """
import multiprocessing, os, time

def how(item):
    return type(multiprocessing.current_process()).__name__

def end(item):
    os._exit(3)

def slow(item):
    time.sleep(0.03)
"""
PROGRAM = """
import multiprocessing, signal, threading
from headnote.processes import on_all_cores
from work import end, how, slow

def how_here(item):
    return how(item)

print("begins")
{body}
"""
"""A plain script: whoever imports it runs it."""


def run(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which has no threads but those it starts."""
    (folder / "work.py").write_text(WORK)
    program = folder / "program.py"
    program.write_text(PROGRAM.format(body=body))
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
    both = f"{ALONE}\n{ALONE.replace('how', 'how_here')}"
    done = run(tmp_path, both)
    assert (done.stdout, done.stderr) == ("begins\n{'ForkProcess'}\n{'ForkProcess'}\n", "")


@pytest.mark.parametrize("body", [BESIDE_A_THREAD, f"multiprocessing.set_start_method('spawn')\n{ALONE}"])
def test_workers_start_from_nothing_and_leave_the_program_alone(body: str, tmp_path: Path) -> None:
    """Beside threads a fork waits for what a BLAS computes in another one, which once hung a server for good. A
    program that has no guard around it would begin again in every worker."""
    done = run(tmp_path, body)
    assert (done.stdout, done.stderr) == ("begins\n{'WorkerProcess'}\n", "")


def test_what_only_the_program_knows_is_done_by_one_process_with_a_note(tmp_path: Path) -> None:
    done = run(tmp_path, BESIDE_A_THREAD.replace("how", "how_here"))
    assert done.stdout == "begins\n{'_MainProcess'}\n"
    assert "RuntimeWarning: one process does all the work: the counter is defined in your script" in done.stderr


def test_the_processes_of_the_program_still_know_it(tmp_path: Path) -> None:
    body = f"""\
if __name__ == "__main__":
    {BESIDE_A_THREAD.replace(chr(10), chr(10) + "    ")}
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(how_here, [1]))"""
    done = run(tmp_path, body)
    assert (done.stdout, done.stderr) == ("begins\n{'WorkerProcess'}\nbegins\n['SpawnProcess']\n", "")


def test_a_worker_that_ends_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    done = run(tmp_path, f"list(on_all_cores(end, range({ITEMS}), 2))")
    assert "HeadnoteError: a worker was killed" in done.stderr
    assert "workers=1" in done.stderr


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
    assert (done.stdout, done.stderr) == ("begins\ninterrupted, 0 workers left\n", "")
