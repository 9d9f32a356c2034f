"""`headnote presets`, and what a look at the commands costs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import headnote
from headnote.chunking.settings import FIELD_NAMES
from headnote.cli.main import main

PRESETS = tuple(headnote.presets())


def test_presets_show_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["presets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == list(PRESETS)
    cells = {line.split()[0]: line.split()[1:] for line in lines[1:] if line}
    assert cells["max_tokens"] == ["512", "512", "1500", "800", "1000"]
    assert "bias" not in cells
    assert [line.split()[0] for line in lines[-len(PRESETS) :]] == list(PRESETS)
    assert main(["presets", "--all"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line]
    assert [name for name in FIELD_NAMES if name not in names] == []


def test_presets_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["presets", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert list(shown) == list(PRESETS)
    for name, settings in headnote.presets().items():
        assert shown[name]["settings"]["max_tokens"] == settings.max_tokens
        assert list(shown[name]["settings"]) == list(FIELD_NAMES)
        assert shown[name]["stands_for"]
    assert shown["default"]["differs_in"] == []


def test_other_commands_do_not_load_the_settings() -> None:
    start = "import sys; from headnote.cli.main import main; main(['--help'])"
    code = f"{start}; assert 'headnote.chunking' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
