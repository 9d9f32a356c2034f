"""`headnote chunk` for people: the view, colour, progress, and how a run is ended."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from terminals import read_all, without_colour

import headnote
from headnote.cli.chunk_view import bar, pieces_of
from headnote.cli.main import main

COMMAND = [sys.executable, "-m", "headnote", "chunk"]
PRESETS = tuple(headnote.presets())


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("HEADNOTE_", "MDVDB_")) or name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")


def on_a_terminal(*arguments: str | Path, stream: str = "stdout", **environment: str) -> tuple[str, int]:
    """What a terminal gets of one stream, and the exit code."""
    pty = pytest.importorskip("pty", reason="no pseudo terminals")
    ours, theirs = pty.openpty()
    streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    try:
        with subprocess.Popen(
            [*COMMAND, *map(str, arguments)], env={**os.environ, **environment}, **streams
        ) as process:
            os.close(theirs)
            output = read_all(ours)
        return output.replace("\r\n", "\n"), process.returncode
    finally:
        os.close(ours)


def test_the_view_shows_what_was_added(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", str(guide), "--view", "--max-tokens", "24", "--no-merge"]) == 0
    output = capsys.readouterr().out
    assert "── 0  Guide ──" in output
    assert "── 1  Guide > Code ──" in output
    assert "   guide.md:6-8  " in output
    assert " max 24  part 1 of 2\n" in output
    assert "│ one = 1\n" in output
    assert "\n+ ```python\n│ " in output
    assert "\n+ ```\n" in output


def test_the_view_marks_overlap(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide.write_text("One short paragraph.\n\nAnother short one.\n\n" * 4, encoding="utf-8")
    assert main(["chunk", str(guide), "--view", "--max-tokens", "16", "--overlap-tokens", "6"]) == 0
    assert re.search(r"\n┊ (One|Another) short[^\n]+\n│ ", capsys.readouterr().out)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_chunk_is_taken_apart_into_what_it_was_made_of(preset: str, handbook: Path) -> None:
    for file in sorted(handbook.glob("*.md*")):
        source = file.read_text(encoding="utf-8")
        for chunk in headnote.chunk_file(file, preset=preset, max_tokens=80, overlap_tokens=16):
            pieces = pieces_of(chunk)
            assert pieces.own == source[chunk.start : chunk.end]
            assert chunk.text.endswith(pieces.before + pieces.own + pieces.after)
            assert pieces.before.endswith(chunk.prefix)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_terminal_gets_the_view_in_colour(preset: str, handbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output, code = on_a_terminal(handbook, "--preset", preset, COLUMNS="80")
    assert code == 0
    assert "\x1b[" in output
    assert main(["chunk", str(handbook), "--preset", preset, "--view"]) == 0
    assert without_colour(output) == capsys.readouterr().out


def test_no_colour_when_the_user_says_so(guide: Path) -> None:
    output, code = on_a_terminal(guide, NO_COLOR="1")
    assert code == 0
    assert "\x1b" not in output
    assert output.startswith("── 0  Guide")


def test_json_on_a_terminal_is_plain(guide: Path) -> None:
    output, _ = on_a_terminal(guide, "--json")
    assert json.loads(output)["path"] == "guide.md"


def test_escape_sequences_do_not_reach_the_terminal(guide: Path) -> None:
    guide.write_text("# A\x1b]0;owned\x07\n\nB\x1b[2J\tC\u2028D\n", encoding="utf-8")
    output = without_colour(on_a_terminal(guide)[0])
    assert "\x1b" not in output
    assert "\x07" not in output
    assert "\t" not in output


def test_pictures_do_not_flood_the_view(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide.write_text(f"![x](data:image/png;base64,{'A' * 50_000})\n", encoding="utf-8")
    assert main(["chunk", str(guide), "--view", "--strategy", "none"]) == 0
    assert len(capsys.readouterr().out) < 1000


def test_the_view_of_a_file_without_text(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide.write_bytes(b"\n\n")
    assert main(["chunk", str(guide), "--view"]) == 0
    assert capsys.readouterr().out == "guide.md  no chunks: only blank lines\n\n"


@pytest.mark.parametrize(
    ("size", "shown"), [(0, ""), (1, "▏"), (8, "▌"), (16, "█"), (24, "█▌"), (32, "██"), (99, "██")]
)
def test_bars(size: int, shown: str) -> None:
    assert bar(size, 32, 2) == shown


# Many files


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for number in range(64):
        (tmp_path / f"{number:02}.md").write_text(f"# {number}\n\n" + "Some text.\n\n" * 400, encoding="utf-8")
    return tmp_path


def test_progress_is_shown_to_people_only(many: Path) -> None:
    output, code = on_a_terminal(many, many / "nope.md", "--json", stream="stderr")
    assert code == 2
    assert "64/65" in output or "65/65" in output
    assert f"error: {many}/nope.md: no such file or folder (check the path)\n" in without_colour(output)
    assert subprocess.run([*COMMAND, str(many)], capture_output=True).stderr == b""
    assert "files" not in on_a_terminal(many / "00.md", stream="stderr")[0]


@pytest.mark.skipif(os.name == "nt", reason="no such pipes")
def test_a_reader_that_leaves_is_no_error(many: Path) -> None:
    command = [*COMMAND, "--workers", "2", str(many)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.skipif(os.name == "nt", reason="no process groups")
@pytest.mark.parametrize("workers", ["1", "3"])
def test_interrupt_ends_all_workers_without_a_trace(workers: str, many: Path) -> None:
    # Tests that run in the background of a shell inherit that this signal is ignored.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{listen}; from headnote.cli.main import run; run()"]
    with subprocess.Popen(
        [*command, "chunk", "--workers", workers, str(many)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # It has begun to write and nobody reads on, so it waits in the middle of its work, and so do its workers.
        process.stdout.read(100)
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)
        # Every process of the group holds these two open. They end when the last one does.
        assert process.stderr.read() == b""
        process.stdout.read()
    assert process.returncode == 130
