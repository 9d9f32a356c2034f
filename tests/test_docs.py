"""The examples in the documentation work as shown."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest

import headnote
from headnote.cli.main import app, main
from headnote.sources.files import read_source

DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def code_blocks(path: Path) -> list[tuple[str, str]]:
    """Info string and content of every fenced block, read by our own scanner."""
    text = read_source(path)
    return [
        (block.info, "".join(text[block.start : block.end].splitlines(keepends=True)[1:-1]))
        for block in headnote.parse(text)
        if block.kind == "code"
    ]


@pytest.fixture
def readme(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The code blocks of the README, in a folder where its examples may leave an index behind."""
    shutil.copytree(repository / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".headnote"))
    monkeypatch.chdir(tmp_path)
    return code_blocks(repository / "README.md")


def test_python_in_the_readme_prints_what_it_says(readme: list[tuple[str, str]]) -> None:
    namespace: dict[str, Any] = {}
    shown = 0
    for (info, code), (next_info, expected) in pairwise(readme):
        if info != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), namespace)
        assert next_info == "text", "a python block is followed by what it prints"
        assert printed.getvalue() == expected
        shown += 1
    assert shown >= 2


def test_commands_in_the_readme_print_what_it_says(
    readme: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    sessions = [content for info, content in readme if info == "console"]
    assert len(sessions) >= 3
    for session in sessions:
        command, _, expected = session.partition("\n")
        prompt, name, *arguments = shlex.split(command)
        assert (prompt, name) == ("$", "headnote")
        main(arguments)
        output = capsys.readouterr()
        assert output.out + output.err == expected


def test_every_command_and_option_is_in_the_readme(repository: Path) -> None:
    readme = (repository / "README.md").read_text(encoding="utf-8")
    context = click.Context(app)
    names = app.list_commands(context)
    assert "outline" in names
    for name in names:
        command = app.get_command(context, name)
        assert command is not None
        [row] = re.findall(rf"^\| `headnote {name} .*$", readme, re.MULTILINE)
        shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
        options = [option for parameter in shown for option in parameter.opts if "--" in option]
        assert [option for option in options if option not in row] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_in_the_documents_lead_somewhere(document: str, repository: Path) -> None:
    text = (repository / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (repository / target).exists(), f"{document} links to {target}"
