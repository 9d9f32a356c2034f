"""What benchmarks write for programs: one record for each figure, and where it was measured."""

from __future__ import annotations

import json
import math
import platform
from pathlib import Path

import pytest

from report import Figure, machine, write_figures

KEYS = {"bench", "case", "metric", "unit", "value", "better"}


def test_every_figure_is_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["bench/chunk.py", "--quick"])
    figures = [Figure("notes", "speed", "MB/s", 3.5, "higher"), Figure("notes", "time", "s", 0.2)]
    write_figures(tmp_path / "figures.json", figures, machine(), {"headnote-md": "1"}, rounds=3)
    written = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert written["command"] == "python bench/chunk.py --quick"
    assert all(record.keys() == KEYS for record in written["records"])
    assert [(record["bench"], record["value"], record["better"]) for record in written["records"]] == [
        ("chunk", 3.5, "higher"),
        ("chunk", 0.2, "lower"),
    ]
    assert written["rounds"] == 3


def test_what_could_not_be_measured_is_no_record(tmp_path: Path) -> None:
    """JSON has no number for it."""
    write_figures(tmp_path / "figures.json", [Figure("notes", "exponent", "", math.nan)], {}, {})
    assert json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["records"] == []


def test_without_a_file_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_figures(None, [Figure("notes", "time", "s", 0.2)], {}, {})
    assert list(tmp_path.iterdir()) == []


def test_the_machine_says_what_was_measured_and_where() -> None:
    setting = machine()
    assert setting["python"].endswith(platform.python_version())
    assert setting.keys() == {"processor", "system", "python", "commit", "load"}
    assert all(setting.values())
