"""The hook, run as its users run it: pre-commit clones the last commit of this repository and installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from artefacts import REPOSITORY, clean, needs_pypi, run

pytest.importorskip("pre_commit", reason="pre-commit is not installed: nothing to run the hook with")

CONFIG = """\
repos:
  - repo: {repository}
    rev: {commit}
    hooks:
      - id: headnote-links
        args: [docs]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository that has the hook, and a link that leads nowhere."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not a clone: pre-commit has nothing to fetch")
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "index.md").write_text("# Start\n\nSee [the guide](guide.md).\n", encoding="utf-8")
    (folder / "notes.md").write_text("[not checked](nowhere.md)\n", encoding="utf-8")
    commit = run("git", "rev-parse", "HEAD", cwd=REPOSITORY).strip()
    config = CONFIG.format(repository=REPOSITORY.as_posix(), commit=commit)
    (folder / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", ".", cwd=folder)
    return folder


@needs_pypi
def test_the_hook_stops_a_broken_link_and_lets_a_mended_one_pass(project: Path, tmp_path: Path) -> None:
    environment = clean() | {"PRE_COMMIT_HOME": str(tmp_path / "environments")}

    def hook() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", "run", "--color=never", "--verbose"]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)

    stopped = hook()
    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    found = [line for line in stopped.stdout.splitlines() if "  page  " in line]
    assert found == [f"{Path('docs', 'index.md')}:3:5  page  no document guide.md"]
    assert [file.name for file in (project / "docs").iterdir()] == ["index.md"], "nothing is written"

    # The file that mends it is the only one of the commit, and the link is in another.
    (project / "docs" / "guide.md").write_text("# Guide\n", encoding="utf-8")
    run("git", "add", ".", cwd=project)
    passed = hook()
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "no findings: 1 link checked in 2 documents" in passed.stdout
