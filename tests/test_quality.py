"""Linting, formatting and type checks are part of the tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "--diff", "."],
    "types": ["mypy"],
}


@pytest.mark.parametrize("check", ["lint", "format", "types"])
def test_tool_has_no_complaint(check: str, repository: Path) -> None:
    command = [sys.executable, "-m", *CHECKS[check]]
    result = subprocess.run(command, cwd=repository, capture_output=True, text=True)
    assert result.returncode == 0, f"{' '.join(CHECKS[check])}\n{result.stdout}{result.stderr}"
