"""The JavaScript of the page: types and line length.

The types are in comments, and TypeScript checks them by `jsconfig.json`. It comes from npm, once, into the cache of
pytest; without node or a network the test is skipped.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

TYPESCRIPT = "5.9.3"
LONGEST_LINE = 120


@pytest.fixture(scope="module")
def compiler(pytestconfig: pytest.Config) -> Path:
    """The TypeScript compiler."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("no node or npm on the path: types of JavaScript are not checked")
    assert pytestconfig.cache is not None
    folder = pytestconfig.cache.mkdir(f"typescript-{TYPESCRIPT}")
    compiler = folder / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder)]
        result = subprocess.run([*command, f"typescript@{TYPESCRIPT}"], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            pytest.skip(f"npm cannot install typescript {TYPESCRIPT}: {result.stderr.strip()[-200:]}")
    return compiler


def test_types_hold(compiler: Path, repository: Path) -> None:
    command = ["node", str(compiler), "--project", str(repository / "jsconfig.json")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "")


def test_lines_are_short(repository: Path) -> None:
    package = repository / "src" / "headnote"
    scripts = sorted([*(package / "web/static/js").rglob("*.js"), *(package / "extra/export/static").glob("*.js")])
    assert scripts
    lines = [
        f"{script.name}:{number}"
        for script in scripts
        for number, line in enumerate(script.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert lines == []
