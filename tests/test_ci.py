"""CI runs the commands the README gives, on every system and Python the project supports; hooks run the same tools."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from marks import NEEDS, SLOW

REPOSITORY = Path(__file__).resolve().parents[1]
HOOKS: list[dict[str, Any]] = [
    hook
    for repo in yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    for hook in repo["hooks"]
]


def test_ci_runs_both_commands_of_the_readme(repository: Path) -> None:
    script = (repository / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    readme = (repository / "README.md").read_text(encoding="utf-8")
    [search] = re.findall(r"^(pip install -e .*headnote search.*)$", readme, re.MULTILINE)
    [tests] = re.findall(r"^(pip install -e .*pytest.*)$", readme, re.MULTILINE)
    assert [line for line in script if line in (search, tests)] == [search, tests]
    contributing = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert tests in contributing


def test_ci_is_executable_and_stops_at_the_first_failure(repository: Path) -> None:
    script = repository / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in lines


def test_ci_is_a_valid_script(repository: Path) -> None:
    result = subprocess.run(["bash", "-n", str(repository / ".ci" / "run")], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_wheel_lacks_nothing_that_is_compiled(repository: Path) -> None:
    script = repository / ".ci" / "compiled.py"
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == "not compiled: headnote.markdown.scanner, headnote.native\n"


@pytest.mark.parametrize("folder", ["bin", "Scripts"])
def test_ci_finds_the_environment_of_every_system(folder: str, repository: Path, tmp_path: Path) -> None:
    """With stand-ins for Python, pip and uv that print their arguments; on Windows `venv` makes Scripts, not bin."""
    programs = tmp_path / "programs"
    programs.mkdir()
    python = f"""#!/usr/bin/env bash
if [ "$2" = venv ]; then mkdir -p "$3/{folder}" && echo 'echo activated' > "$3/{folder}/activate"
else echo "python $*"; fi
"""
    for name, code in {
        "python3": python,
        "python": python,
        "pip": '#!/usr/bin/env bash\necho "pip $*"\n',
        "uv": '#!/usr/bin/env bash\necho "uv $*"\n',
        "headnote": '#!/usr/bin/env bash\necho "headnote $*"\n',
        "id": "#!/usr/bin/env bash\necho 1000\n",
    }.items():
        (programs / name).write_text(code, encoding="utf-8")
        (programs / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHON", None)
    command = ["bash", str(repository / ".ci" / "run")]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    *readme, last = [line for line in result.stdout.splitlines() if not line.startswith("could not install")]
    assert readme[:5] == [
        "activated",
        "pip install -e .[search]",
        "headnote search why does a gauge go silent examples/handbook",
        "pip install -e .[test]",
        "python -m pytest -n auto",
    ]
    assert re.fullmatch(
        r"python -m pytest -n \d+ -m browser or postgres or process or corpus or slow --durations=30", last
    )


def test_ci_fails_if_the_compiler_does(repository: Path) -> None:
    """What runs beside others has its status when it is waited for, and nothing else asks for it."""
    script = (repository / ".ci" / "run").read_text(encoding="utf-8")
    [started] = re.findall(r"^ *HEADNOTE_COMPILE=1 .* &$", script, re.MULTILINE)
    assert re.search(r'^ *wait "\$compiling"$', script[script.index(started) :], re.MULTILINE)


def test_workflows_name_what_they_run_besides_the_quick_tests(repository: Path) -> None:
    """Tests that are slow are left out unless they are asked for."""
    workflows = (repository / ".github" / "workflows").iterdir()
    commands = [
        line for file in workflows for line in file.read_text(encoding="utf-8").splitlines() if "pytest" in line
    ]
    assert commands
    assert [line for line in commands if any(f"tests/{name}" in line for name in SLOW) and " -m slow" not in line] == []


def test_ci_runs_what_the_readme_leaves_out(repository: Path) -> None:
    options = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"][
        "ini_options"
    ]
    left_out = options["addopts"][options["addopts"].index("-m") + 1].removeprefix("not (").removesuffix(")")
    assert set(left_out.split(" or ")) == set(NEEDS)
    last = (repository / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1]
    assert last == f'python -m pytest -n "$((cores + cores / 2))" -m "{left_out}" --durations=30'


# The workflow


@pytest.fixture(scope="module")
def workflow(repository: Path) -> dict[Any, Any]:
    loaded = yaml.safe_load((repository / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_the_workflow_runs_every_supported_python_on_every_system(workflow: dict[Any, Any], repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert versions
    assert project["requires-python"] == f">={versions[0]}"
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == versions
    systems = {re.sub(r"-[\d.]+", "", system) for system in matrix["os"]}
    assert systems == {"ubuntu", "ubuntu-arm", "macos", "windows"}


def test_the_workflow_runs_the_script_in_bash(workflow: dict[Any, Any]) -> None:
    job = workflow["jobs"]["test"]
    assert job["defaults"]["run"]["shell"] == "bash"
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]


def test_the_workflow_may_only_read(workflow: dict[Any, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in workflow["jobs"].values())


@pytest.mark.parametrize("file", sorted((REPOSITORY / ".github" / "workflows").iterdir()), ids=lambda file: file.stem)
def test_actions_are_those_we_know_at_a_commit(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]
    actions = [step["uses"] for step in steps if "uses" in step]
    known = r"(?:actions/[\w-]+|pypa/gh-action-pypi-publish)@[0-9a-f]{40}"
    assert [action for action in actions if not re.fullmatch(known, action)] == []
    # The comment says which version the commit is; the same commit is the same version everywhere.
    assert text.count("uses: ") == len(re.findall(rf"uses: {known} # v\d+\.\d+\.\d+$", text, re.MULTILINE))
    for step in steps:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"] == {"persist-credentials": False}


# The hooks


def test_hooks_download_nothing(repository: Path) -> None:
    config = yaml.safe_load((repository / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert {repo["repo"] for repo in config["repos"]} == {"local"}
    assert {hook["language"] for hook in HOOKS} == {"system"}


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_the_command_of_a_hook_works(hook: dict[str, Any], repository: Path, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""A module."""\n', encoding="utf-8")
    arguments = {
        "ruff-check": [str(module)],
        "ruff-format": [str(module)],
        "mypy": ["--version"],
        "tests": ["--collect-only", "-q", "-p", "no:cacheprovider", "tests/test_ci.py"],
    }[hook["id"]]
    python, *rest = shlex.split(hook["entry"])
    assert python == "python"
    result = subprocess.run([sys.executable, *rest, *arguments], cwd=repository, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
