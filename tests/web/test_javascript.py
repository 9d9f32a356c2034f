"""The JavaScript of the page and of static search: types, line length and files.

The types are in comments, and TypeScript checks them by `jsconfig.json`. It comes from npm, once, into the cache of
pytest; without node or a network the test is skipped.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytest_plugins = ("web_fixtures",)

LONGEST_LINE = 120
SHORTEST_FILE = 40
SHORT_FOR_A_REASON = ["assets.js", "early.js"]
"""Workers and frames load the first; the second runs before the page is painted."""


def test_types_hold(compiler: Path, repository: Path) -> None:
    command = ["node", str(compiler), "--project", str(repository / "jsconfig.json")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "")


@pytest.fixture(scope="module")
def scripts(repository: Path) -> dict[Path, list[str]]:
    """Our own files, with their lines."""
    package = repository / "src" / "headnote"
    paths = sorted([*(package / "web/static/js").rglob("*.js"), *(package / "extra/export/static").glob("*.js")])
    assert paths
    return {path: path.read_text(encoding="utf-8").splitlines() for path in paths}


def test_lines_are_short(scripts: dict[Path, list[str]]) -> None:
    long = [
        f"{path.name}:{number}"
        for path, lines in scripts.items()
        for number, line in enumerate(lines, 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []


def test_a_file_name_means_one_file(scripts: dict[Path, list[str]]) -> None:
    names = [path.name for path in scripts]
    assert sorted(names) == sorted(set(names))


def test_a_file_is_no_fragment(scripts: dict[Path, list[str]]) -> None:
    short = [path.name for path, lines in scripts.items() if len(lines) < SHORTEST_FILE]
    assert short == SHORT_FOR_A_REASON
