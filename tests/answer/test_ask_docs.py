"""The output in docs/ask.md is real."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest

from headnote.answer.citations import SHARE
from headnote.cli.main import main


@pytest.fixture
def page(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    handbook = Path("examples/handbook")
    shutil.copytree(repository / handbook, handbook, ignore=shutil.ignore_patterns(".headnote"))
    return (repository / "docs" / "ask.md").read_text(encoding="utf-8")


def test_the_command_prints_what_the_page_says(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    [session] = re.findall(r"^````console\n(.*?)^````\n", page, re.MULTILINE | re.DOTALL)
    command, _, expected = session.partition("\n")
    main(shlex.split(command)[2:])
    output = capsys.readouterr()
    assert output.out + output.err == expected


def test_the_program_prints_what_the_page_says(page: str) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```\n", page, re.MULTILINE | re.DOTALL)
    [expected] = re.findall(r"^```text\n(.*?)^```\n", page, re.MULTILINE | re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "docs/ask.md", "exec"), {})
    assert printed.getvalue() == expected


def test_the_share_is_the_one_in_force(page: str) -> None:
    assert "three in ten" in page
    assert SHARE == 0.3
