"""`headnote index --watch`: a line per update, and how it ends."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from folders import run

import headnote

pytest_plugins = ("folder_fixtures",)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="other signals")

# Tests that run in the background of a shell inherit that this signal is ignored.
_START = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from headnote.cli.main import run
run()
"""
PATIENCE = 60
"""Seconds for a line to come, on a machine that is busy with other tests."""


class Watching:
    """A command that runs, and what it says."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def line(self) -> str:
        return self._lines.get(timeout=PATIENCE)

    def line_with(self, text: str) -> str:
        """The next line that has it: what was written in two goes may be seen in two."""
        while text not in (line := self.line()):
            pass
        return line

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        code = self.process.wait(timeout=PATIENCE)
        assert self.process.stderr is not None
        return code, self.process.stderr.read()


@contextmanager
def watching(*arguments: str | Path) -> Iterator[Watching]:
    command = [sys.executable, "-c", _START, "index", "--watch", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield Watching(process)
        finally:
            process.kill()


def test_a_line_per_update_until_interrupted(docs: Path) -> None:
    with watching(docs) as watched:
        assert watched.line().startswith("docs  3 documents, 3 chunks")
        assert "3 added" in watched.line()
        (docs / "guide.md").write_text("# Guide\n\nAll new.\n", encoding="utf-8")
        assert re.fullmatch(r"\d\d:\d\d:\d\d  1 changed, 1 vector made  docs/guide.md\n", watched.line_with("changed"))
        (docs / "alone.md").unlink()
        assert re.fullmatch(r"\d\d:\d\d:\d\d  1 removed  docs/alone.md\n", watched.line_with("removed"))
        assert watched.end(signal.SIGINT) == (130, "")
    assert run("doctor", docs).returncode == 0
    with headnote.Index.open(docs) as index:
        assert index.documents() == ["guide.md", "notes/care.md"]


def test_it_ends_quietly_when_the_system_asks(docs: Path) -> None:
    with watching(docs, "--json", "--rebuild", "--no-vectors") as watched:
        first = json.loads(watched.line())
        assert (first["rebuilt"], first["total"]["pending"]) == ("as asked", 6)
        (docs / "new.md").write_text("# New\n", encoding="utf-8")
        second = json.loads(watched.line_with('"added": ["new.md"]'))
        # Only what was asked for once is done once.
        assert (second["rebuilt"], second["unchanged"], second["embedded"]) == ("", 3, 0)
        assert watched.end(signal.SIGTERM) == (0, "")


def test_a_change_during_the_first_update_is_seen(docs: Path) -> None:
    stop = threading.Event()
    with headnote.Index.open(docs) as index:
        reports = index.watch(stop, debounce_ms=20)
        next(reports)
        # As if the first update had taken long: nothing was watched yet when this happens.
        (docs / "late.md").write_text("# Late\n", encoding="utf-8")
        assert next(reports).plan.added == ["late.md"]
        stop.set()


def test_another_writer_does_not_end_it(docs: Path) -> None:
    with headnote.Index.open(docs) as index:
        index.update()
        with watching(docs, "--wait", "0") as watched:
            watched.line_with("unchanged")
            with index._store.writing():
                (docs / "new.md").write_text("# New\n", encoding="utf-8")
                assert watched.process.stderr is not None
                assert "being updated by process" in watched.process.stderr.readline()
            assert "1 added" in watched.line_with("new.md")
            assert watched.end(signal.SIGINT)[0] == 130


def test_the_folder_is_gone(docs: Path) -> None:
    with watching(docs) as watched:
        watched.line_with("3 added")
        docs.rename("elsewhere")
        assert watched.process.wait(timeout=PATIENCE + 60) == 2
        assert watched.process.stderr is not None
        assert watched.process.stderr.read().startswith("error: docs: no such file or folder")
