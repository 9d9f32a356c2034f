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

import pytest

import headnote
from headnote.cli.main import main
from headnote.sources.files import read_source

DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
PAGES_WITH_PYTHON = ["README.md", "docs/chunks.md"]


def code_blocks(path: Path) -> list[tuple[str, str]]:
    """Info string and content of every fenced block, read by our own scanner."""
    text = read_source(path)
    return [
        (block.info, "".join(text[block.start : block.end].splitlines(keepends=True)[1:-1]))
        for block in headnote.parse(text)
        if block.kind == "code"
    ]


@pytest.fixture
def examples(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder where examples may leave an index behind. Pages of the site call the handbook by its own name."""
    ignored = shutil.ignore_patterns(".headnote")
    shutil.copytree(repository / "examples", tmp_path / "examples", ignore=ignored)
    shutil.copytree(repository / "examples" / "handbook", tmp_path / "handbook", ignore=ignored)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("page", PAGES_WITH_PYTHON)
def test_python_prints_what_the_page_says(page: str, repository: Path) -> None:
    namespace: dict[str, Any] = {}
    shown = 0
    for (info, code), (next_info, expected) in pairwise(code_blocks(repository / page)):
        if info != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), namespace)
        assert next_info == "text", "a python block is followed by what it prints"
        assert printed.getvalue() == expected
        shown += 1
    assert shown >= 2


@pytest.mark.usefixtures("examples")
def test_commands_in_the_readme_print_what_it_says(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands of the pages in docs/ are run by test_strategy_docs.py."""
    sessions = [content for info, content in code_blocks(repository / "README.md") if info == "console"]
    assert sessions
    for session in sessions:
        command, _, expected = session.partition("\n")
        prompt, name, *arguments = shlex.split(command)
        assert (prompt, name) == ("$", "headnote")
        main(arguments)
        output = capsys.readouterr()
        assert output.out + output.err == expected


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_in_the_documents_lead_somewhere(document: str, repository: Path) -> None:
    text = (repository / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (repository / target).exists(), f"{document} links to {target}"
