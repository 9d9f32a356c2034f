"""How far an update is, on terminals of any width and where there is none."""

from __future__ import annotations

import pytest

from headnote.cli.progress_bar import SAFE, TimeLeft, UpdateBars, progress_line
from headnote.model.results import Progress

Captured = pytest.CaptureFixture[str]

READING = Progress("read", 1_234, 6_591)


def test_at_80_columns() -> None:
    line = progress_line(READING, "about 50 s", 79)
    assert line == "reading ━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 1,234 of 6,591 files, about 50 s left, Ctrl-C is safe"


def test_at_50_columns() -> None:
    assert progress_line(READING, "about 50 s", 49) == "reading 1,234 of 6,591, 50 s left, Ctrl-C is safe"


@pytest.mark.parametrize("stage", ["read", "embed"])
@pytest.mark.parametrize(("done", "total"), [(0, 0), (0, 9), (1_234, 6_591), (6_591, 6_591)])
@pytest.mark.parametrize("left", ["", "about 50 s"])
def test_any_width_is_kept(stage: str, done: int, total: int, left: str) -> None:
    for columns in range(1, 140):
        line = progress_line(Progress(stage, done, total), left, columns)
        assert 0 < len(line) <= columns
        assert SAFE in line or columns < 60


def test_the_time_left_does_not_jump() -> None:
    shown = TimeLeft()
    estimates = (None, 130.0, 118.0, 122.0, 95.0, 88.0, 93.0, 61.0, 64.0, 40.0, 120.0, 12.0, 3.0, 0.0)
    assert [shown(estimate) for estimate in estimates] == [
        "",
        *("about 2 min",) * 3,
        "about 2 min",
        "about 90 s",
        "about 90 s",
        "about 60 s",
        "about 60 s",
        "about 40 s",
        "about 2 min",
        "about 10 s",
        "a few seconds",
        "a few seconds",
    ]


def test_without_a_terminal_there_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    now = [0.0]
    monkeypatch.setattr("headnote.cli.progress_bar.time.monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    with UpdateBars() as bars:
        for tenth in range(600):
            now[0] = tenth / 10
            bars(Progress("read", tenth, 600, 60 - tenth / 10))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "reading 10 of 600 files, about 60 s left, Ctrl-C is safe"
    assert [line.split()[1] for line in lines] == ["10", "60", "110", "160", "210", "263", "329", "412", "515"]


def test_little_work_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    now = [0.0]
    monkeypatch.setattr("headnote.cli.progress_bar.time.monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    with UpdateBars() as bars:
        bars(Progress("read", 0, 0))
        now[0] = 9.0
        bars(Progress("read", 3, 20))
        assert capsys.readouterr().err == ""
        now[0] = 11.0
        bars(Progress("read", 4, 20))
        assert capsys.readouterr().err == "reading 4 of 20 files, Ctrl-C is safe\n"


def test_something_is_seen_at_once_if_there_is_much_to_do(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "50")
    with UpdateBars(at_once=True) as bars:
        bars(Progress("read", 0, 0))
        assert capsys.readouterr().err == "\r" + "looking for files, Ctrl-C is safe".ljust(49)
        bars(Progress("read", 0, 6_591))
        assert capsys.readouterr().err == "\rreading ╌╌╌╌╌╌╌╌ 0 of 6,591 files, Ctrl-C is safe"
