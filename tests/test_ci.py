"""What CI runs is what the README tells people to run."""

from __future__ import annotations

import os
import re
from pathlib import Path


def test_ci_runs_the_test_command_of_the_readme(repository: Path) -> None:
    script = (repository / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    readme = (repository / "README.md").read_text(encoding="utf-8")
    [command] = re.findall(r"^(pip install .*pytest.*)$", readme, re.MULTILINE)
    assert command in script
    contributing = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert command in contributing


def test_ci_is_executable_and_stops_at_the_first_failure(repository: Path) -> None:
    script = repository / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in lines
