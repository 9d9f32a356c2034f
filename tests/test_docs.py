"""The examples in the documentation work as shown."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import headnote
from headnote.cli.main import main
from headnote.sources.files import read_source
from running_pages import fences

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


def test_the_first_commands_of_the_readme_need_no_release(repository: Path) -> None:
    """`.ci/run` runs that line from a fresh clone."""
    info, first = code_blocks(repository / "README.md")[0]
    assert info == "bash"
    assert re.fullmatch(r'pip install -e "\.\[search\]" && headnote search ".+" examples/handbook\n', first)
    installs = [code for _, code in code_blocks(repository / "docs" / "install.md") if code.startswith("pip install")]
    assert installs[:2] == ['pip install -e ".[search]"\n', 'pip install "headnote-md[search]"\n']


def test_nothing_has_a_placeholder_for_an_account(repository: Path) -> None:
    """Whoever copies a line must be able to use it as it is."""
    folders = ("docs", "examples", "skills", ".claude-plugin", ".github", "models")
    files = [*(file for folder in folders for file in (repository / folder).rglob("*")), *repository.glob("*")]
    names = (".md", ".mdx", ".json", ".yml", ".yaml", ".toml", ".cff", "Dockerfile")
    texts = {file: file.read_text(encoding="utf-8") for file in files if file.is_file() and file.name.endswith(names)}
    assert len(texts) > 100
    assert [str(file) for file, text in texts.items() if re.search(r"\bOWNER\b|<owner>|your-(org|name)\b", text)] == []


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


SPAWNED = """\
import multiprocessing, os
from headnote import processes

multiprocessing.set_start_method("spawn")
processes._FILE_BATCH = 1  # so that a few files are work for several processes, too
os.cpu_count = lambda: 2
"""


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/recipes/rag.md"])
def test_python_is_a_program_as_it_stands(page: str, repository: Path) -> None:
    """Saved as a file and run where processes are spawned, without a guard around it."""
    code, expected = [SPAWNED], []
    for fence, after in pairwise(fences((repository / page).read_text(encoding="utf-8"))):
        if fence.name:
            Path(fence.name).parent.mkdir(parents=True, exist_ok=True)
            Path(fence.name).write_text(fence.content, encoding="utf-8")
        elif fence.language == "python":
            code.append(fence.content)
            expected.append(after.content)
    Path("program.py").write_text("\n".join(code), encoding="utf-8")
    done = subprocess.run([sys.executable, "program.py"], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("".join(expected), "")


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
