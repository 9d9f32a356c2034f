"""A tag releases a package: its version agrees, the links of its page work, and the workflow may do little."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from headnote import __version__
from headnote.extras import DISTRIBUTION

REPOSITORY = Path(__file__).resolve().parents[1]
ADDRESS = "https://host.example/owner/name"
TAG = f"{DISTRIBUTION}-v{__version__}"


def load_script() -> ModuleType:
    specification = importlib.util.spec_from_file_location("release_script", REPOSITORY / ".ci" / "release.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


release = load_script()
FOLDERS = [package.folder for package in release.packages()]


# -- the plan


def test_each_package_has_its_tag() -> None:
    tags = {package.folder: package.tag for package in release.packages()}
    assert tags["."] == TAG
    assert tags["models/deep"].startswith("headnote-md-deep-v")
    assert {*tags} == {".", "models/deep", "models/minilm", "models/quality"}


@pytest.mark.parametrize("tag", ["v1.0.0", "headnote-md-v99.0.0", "headnote-md-deep-v99.0.0", "headnote-v1.0.0"])
def test_a_tag_that_agrees_with_no_version_is_refused(tag: str) -> None:
    with pytest.raises(SystemExit, match=f"no package for the tag {tag}"):
        release.planned(tag)


def test_the_changelog_must_know_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    read = release.read
    without, released = "# Changelog\n\n## [Unreleased]\n", f"# Changelog\n\n## [{__version__}] - 2030-01-01\n"
    monkeypatch.setattr(release, "read", lambda name: without if name == "CHANGELOG.md" else read(name))
    with pytest.raises(SystemExit, match="says nothing about"):
        release.planned(TAG)
    monkeypatch.setattr(release, "read", lambda name: released if name == "CHANGELOG.md" else read(name))
    assert release.planned(TAG).folder == "."


def test_the_plan_is_printed_as_outputs_of_a_job() -> None:
    [package] = [package for package in release.packages() if package.folder == "models/deep"]
    command = [sys.executable, ".ci/release.py", "plan", package.tag]
    result = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert result.stdout.splitlines() == [
        "folder=models/deep",
        "name=headnote-md-deep",
        f"version={package.version}",
        "extras=",
    ]


def test_the_bill_of_materials_covers_extras_that_exist() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*release.EXTRAS.strip("[]").split(",")} <= project["optional-dependencies"].keys()


# -- links


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](docs/a.md)", f"[a]({ADDRESS}/blob/{TAG}/docs/a.md)"),
        (
            "[a](docs/a.md#b) and [c](LICENSE)",
            f"[a]({ADDRESS}/blob/{TAG}/docs/a.md#b) and [c]({ADDRESS}/blob/{TAG}/LICENSE)",
        ),
        ("![a](docs/a.png)", f"![a]({ADDRESS}/raw/{TAG}/docs/a.png)"),
        ("[![a](a.svg)](b.md)", f"[![a]({ADDRESS}/raw/{TAG}/a.svg)]({ADDRESS}/blob/{TAG}/b.md)"),
        ('<img src="a.png" alt="b">', f'<img src="{ADDRESS}/raw/{TAG}/a.png" alt="b">'),
        ("[a]: docs/a.md", f"[a]: {ADDRESS}/blob/{TAG}/docs/a.md"),
        ("[a](https://b.example/c)", None),
        ("[a](#b)", None),
        ("`[a](b.md)` and ``[a](b.md)``", None),
        ("```console\n[a](b.md)\n```\n", None),
        ("~~~\n```\n[a](b.md)\n~~~\n", None),
        ("", None),
    ],
)
def test_links_of_a_readme_lead_to_the_repository(text: str, expected: str | None) -> None:
    assert release.absolute_links(text, ".", ADDRESS, TAG) == (text if expected is None else expected)


def test_links_of_a_model_lead_out_of_its_folder() -> None:
    text = release.absolute_links("[a](../../docs/a.md)", "models/deep", ADDRESS, TAG)
    assert text == f"[a]({ADDRESS}/blob/{TAG}/docs/a.md)"


@given(st.text(alphabet='[]()`~#!a./:" \n-|'))
def test_once_absolute_links_stay_as_they_are(text: str) -> None:
    once = release.absolute_links(text, ".", ADDRESS, TAG)
    assert release.absolute_links(once, ".", ADDRESS, TAG) == once


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_released_leads_to_files_that_exist(folder: str, tmp_path: Path) -> None:
    for name in ("README.md", "pyproject.toml", *(["server.json"] if folder == "." else [])):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / folder / name, tmp_path / folder / name)
    release.prepare(tmp_path, folder, ADDRESS, TAG)
    project = tomllib.loads((tmp_path / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Source"] == ADDRESS
    readme = (tmp_path / folder / "README.md").read_text(encoding="utf-8")
    linked = re.findall(
        rf"{ADDRESS}/(?:blob|raw|tree)/{TAG}/([^)\"#\s]+)", "\n".join([readme, *project["urls"].values()])
    )
    assert [path for path in linked if not (REPOSITORY / path).exists()] == []
    assert len(linked) > 2


def test_the_server_is_registered_under_the_account_of_the_repository() -> None:
    server = (REPOSITORY / "server.json").read_text(encoding="utf-8")
    released = json.loads(release.with_account(server, ADDRESS))
    assert released == json.loads(server) | {"name": f"io.github.owner/{DISTRIBUTION}"}


# -- the workflow


@pytest.fixture(scope="module")
def workflow() -> dict[Any, Any]:
    loaded: dict[Any, Any] = yaml.safe_load((REPOSITORY / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    return loaded


def test_a_job_may_do_what_it_needs_and_nothing_else(workflow: dict[Any, Any]) -> None:
    assert workflow["permissions"] == {}
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == {
        "build": {"contents": "read"},
        "compiled": {"contents": "read"},
        "test": {"contents": "read"},
        "sbom": {"contents": "read"},
        "attest": {"attestations": "write", "id-token": "write"},
        "publish": {"id-token": "write"},
        "release": {"contents": "write"},
    }


def test_no_code_of_the_repository_runs_where_something_may_be_written(workflow: dict[Any, Any]) -> None:
    for job in workflow["jobs"].values():
        if "write" in job["permissions"].values():
            assert not [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
            assert not [
                step for step in job["steps"] if "python" in step.get("run", "") or "pip" in step.get("run", "")
            ]


def test_values_from_outside_reach_a_shell_as_variables_only(workflow: dict[Any, Any]) -> None:
    scripts = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert scripts
    assert [script for script in scripts if "${{" in script] == []


def test_packages_are_published_after_they_were_used(workflow: dict[Any, Any]) -> None:
    jobs = workflow["jobs"]
    assert {"build", "compiled", "test", "sbom"} <= {*jobs["attest"]["needs"]}
    assert "attest" in jobs["publish"]["needs"]
    assert jobs["release"]["needs"] == "publish"
    [tests] = [step for step in jobs["test"]["steps"] if "HEADNOTE_DIST" in step.get("env", {})]
    assert "tests/packages" in tests["run"]
    assert not [step for step in jobs["publish"]["steps"] if "password" in step.get("with", {})]
    assert jobs["publish"]["environment"]["name"] == "pypi"


def test_the_sdist_has_the_bundle_of_the_page_for_all_wheels(workflow: dict[Any, Any]) -> None:
    [build] = [step for step in workflow["jobs"]["build"]["steps"] if "python -m build" in step.get("run", "")]
    assert build["env"]["HEADNOTE_BUNDLE"] == "1"


def test_compiled_wheels_are_made_for_every_supported_python_and_published(workflow: dict[Any, Any]) -> None:
    pyproject = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    versions = re.findall(r"Python :: 3\.(\d+)", "\n".join(pyproject["project"]["classifiers"]))
    wheels = pyproject["tool"]["cibuildwheel"]
    assert wheels["build"] == [f"cp3{version}-*" for version in versions]
    assert wheels["environment"] == {"HEADNOTE_COMPILE": "1"}
    systems = {re.sub(r"-[\d.]+", "", system) for system in workflow["jobs"]["compiled"]["strategy"]["matrix"]["os"]}
    assert systems == {"ubuntu", "ubuntu-arm", "macos", "macos-intel", "windows", "windows-arm"}
    for name in ("attest", "publish", "release"):
        patterns = [step.get("with", {}).get("pattern") for step in workflow["jobs"][name]["steps"]]
        assert "compiled-*" in patterns


def test_the_tags_that_start_it_are_those_of_the_packages(workflow: dict[Any, Any]) -> None:
    # YAML reads the key `on` as true.
    patterns = [pattern.replace("*", ".*") for pattern in workflow[True]["push"]["tags"]]
    tags = [package.tag for package in release.packages()]
    assert [tag for tag in tags if not any(re.fullmatch(pattern, tag) for pattern in patterns)] == []


def test_its_versions_agree_with_the_rest(workflow: dict[Any, Any]) -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == [versions[0], versions[-1]]
    ci = yaml.safe_load((REPOSITORY / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["os"] == ci["jobs"]["test"]["strategy"]["matrix"]["os"]
    [weights] = [step for step in workflow["jobs"]["build"]["steps"] if "models/quality" in step.get("if", "")]
    readme = (REPOSITORY / "models" / "quality" / "README.md").read_text(encoding="utf-8")
    assert [line for line in weights["run"].splitlines() if f"$ {line}\n" not in readme] == []


# -- files for people who come by


def test_the_citation_agrees_with_the_project() -> None:
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["version"] == __version__
    assert citation["license"] == project["license"]
    assert citation["keywords"] == project["keywords"]
    assert citation["authors"] == project["authors"]


@pytest.mark.parametrize("name", ["bug", "feature", "question"])
def test_a_form_for_issues_is_valid(name: str) -> None:
    form = yaml.safe_load((REPOSITORY / ".github/ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf-8"))
    assert {*form} == {"name", "description", "labels", "body"}
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in fields} <= {"textarea", "input", "dropdown", "checkboxes"}
    assert len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)
