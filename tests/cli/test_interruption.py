"""Ctrl-C on a terminal, a timeout, a pipe: what people and scripts are told of a read that takes long."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from folders import FAST

import headnote
from headnote.api import Index

pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")

FILES = 400
PATIENCE = 120.0
"""Seconds until a test gives up: far more than is ever needed."""
SLOWLY = """
from headnote.cli import progress_bar as progress
from headnote.cli.main import run
from headnote.index import applying
applying.FEW, applying.FIRST, applying.MAX_SECONDS = 0, 0.0, 0.0
progress._QUIET = progress._MIN_INTERVAL = 0.0
run()
"""
"""The command, with a commit after every document, which also makes it slow."""
AT_A_TERMINAL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
"""Makes its input the terminal that Ctrl-C is pressed at."""
PRESSED_EARLY = """
import signal, sys
from headnote.cli.handover import run
module = sys.argv.pop()
class Finger:
    def find_spec(self, name, *_):
        if name == module:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finger())
run()
"""
"""The command, with Ctrl-C while it loads a module."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADNOTE_EMBEDDER", FAST)
    for number in range(FILES):
        (tmp_path / f"{number:03}.md").write_text(f"# Page {number}\n\nLighthouse [[{number + 1:03}]].\n" * 5)
    return tmp_path


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, *arguments: str, columns: int = 80) -> None:
        self._terminal, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"{AT_A_TERMINAL}\n{SLOWLY}", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "COLUMNS": str(columns)},
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def read(self) -> bool:
        """Some more of its output; whether there was any."""
        try:
            piece = os.read(self._terminal, 65536)
        except OSError:  # how Linux says that the other side is closed
            piece = b""
        self.shown += piece.decode(errors="replace")
        return bool(piece)

    def wait_for(self, pattern: str) -> None:
        while not re.search(pattern, self.shown):
            assert self.read(), self.shown

    def press_ctrl_c(self) -> int:
        """Returns the exit code."""
        os.write(self._terminal, b"\x03")
        while self.read():
            pass
        os.close(self._terminal)
        return self._process.wait()

    def has_left_processes(self) -> bool:
        """Whether any of its session is still there, a moment after its end."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                os.killpg(self._process.pid, 0)
            except ProcessLookupError:
                return False
            time.sleep(0.01)
        return True


def read_of(root: Path) -> headnote.FilesRead | None:
    with Index.open(root, embedder=FAST) as index:
        assert index.check() == []
        return index.files_read


@pytest.mark.parametrize("columns", [80, 50])
@pytest.mark.parametrize("command", [("index",), ("search", "lighthouse"), ("ask", "lighthouse", "--no-model")])
def test_ctrl_c_says_what_was_done_and_how_to_go_on(command: Sequence[str], columns: int, root: Path) -> None:
    terminal = Terminal(*command, str(root), columns=columns)
    terminal.wait_for(r"looking for files, Ctrl-C is safe")
    terminal.wait_for(r"reading (?:[━╌]+ )?\d\d+ of 400\b.*Ctrl-C is safe")
    assert terminal.press_ctrl_c() == 130
    read = read_of(root)
    assert read is not None
    assert 9 <= read.done < read.total == FILES
    last = terminal.shown.rstrip().rpartition("\r")[2]
    assert last == f"interrupted: {read} and searchable; run the same command to go on", terminal.shown
    assert "Traceback" not in terminal.shown
    lines = re.split(r"\r\n?", terminal.shown.replace("^C", ""))[:-2]
    assert all(len(line) < columns for line in lines)
    assert not terminal.has_left_processes()


@pytest.mark.parametrize("module", ["headnote.cli.main", "headnote.cli.terminal", "click"])
def test_ctrl_c_is_quiet_while_the_command_is_loaded(module: str) -> None:
    process = subprocess.run([sys.executable, "-c", PRESSED_EARLY, module], capture_output=True, text=True)
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "")


def test_a_timeout_keeps_what_was_read(root: Path) -> None:
    command = [sys.executable, "-c", SLOWLY, "index", str(root)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if re.match(r"reading \d\d+ of 400 files", line):
                process.send_signal(signal.SIGTERM)
                break
    read = read_of(root)
    assert read is not None
    assert 9 <= read.done < FILES


def test_a_piped_search_is_not_silent_on_its_first_run(root: Path) -> None:
    command = [sys.executable, "-c", SLOWLY, "search", "lighthouse", str(root), "--json"]
    process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert process.returncode == 0
    assert json.loads(process.stdout)["hits"]
    lines = [line for line in process.stderr.splitlines() if line.startswith("reading")]
    assert len(lines) > 2
    assert all(re.fullmatch(r"reading \d+ of 400 files(, [\w ]+ left)?, Ctrl-C is safe", line) for line in lines)


def test_others_search_what_has_been_read_and_are_told_so(root: Path) -> None:
    reader = subprocess.Popen([sys.executable, "-c", SLOWLY, "index", str(root)], stderr=subprocess.PIPE, text=True)
    assert reader.stderr is not None
    for line in reader.stderr:
        if re.match(r"reading \d\d+ of 400 files", line):
            break
    reader.send_signal(signal.SIGSTOP)
    try:
        command = [sys.executable, "-m", "headnote", "search", "lighthouse", str(root)]
        process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    finally:
        reader.kill()
        reader.communicate()
    assert process.returncode == 0, process.stderr
    assert re.search(rf"note: only \d+ of 400 files read, so .*by process {reader.pid} ", process.stderr)
    assert "Lighthouse" in process.stdout
