"""The summary at the end of a run says how many tests were skipped, and why."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SKIPS = """\
import pytest


@pytest.mark.parametrize("number", range(3))
def test_many(number):
    pytest.skip("no network")


@pytest.mark.skip(reason="not on this system")
def test_one():
    pass


def test_shared(shared):
    pass
"""
ENVIRONMENT = os.environ | {"HEADNOTE_SHARED": "/nonexistent"}
MODULE = 'import pytest\n\npytest.importorskip("no_such_package", reason="needs no_such_package")\n'


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["alone", "xdist"])
def test_skips_are_counted_by_reason(tmp_path: Path, repository: Path, options: list[str]) -> None:
    for name in ("conftest.py", "marks.py"):
        (tmp_path / name).write_bytes((repository / "tests" / name).read_bytes())
    (tmp_path / "test_skips.py").write_text(SKIPS, encoding="utf-8")
    (tmp_path / "test_module.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:schemathesis", "-p", "no:langsmith_plugin", *options]
    result = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.findall(r"^\d+ skipped: .*$", result.stdout, re.MULTILINE) == [
        "3 skipped: no network",
        "1 skipped: needs no_such_package",
        "1 skipped: no shared test data beside the working copy (set HEADNOTE_SHARED)",
        "1 skipped: not on this system",
    ]
