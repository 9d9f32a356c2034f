"""The wheels and the sdist: what they contain, and what they say of themselves."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest
from artefacts import MODELS, PROJECTS, Packages, needs_pypi, run
from packaging.metadata import Metadata

pytestmark = needs_pypi


def package_files(folder: Path) -> set[str]:
    return {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_the_wheel_holds_the_package_and_nothing_else(packages: Packages, repository: Path) -> None:
    with zipfile.ZipFile(packages.wheel) as archive:
        names = archive.namelist()
    inside = {name for name in names if ".dist-info/" not in name}
    # A wheel that is not compiled has no use for C.
    assert inside == {name for name in package_files(repository / "src") if not name.endswith(".c")}
    assert {"headnote/py.typed", "headnote/embedding/data/rows.npy"} <= inside
    assert packages.wheel.stat().st_size < 12_000_000
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_sdist_holds_what_is_kept_and_nothing_stray(packages: Packages, repository: Path) -> None:
    with tarfile.open(packages.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "src/headnote/py.typed",
        "tests/packages/test_artefacts.py",
    } <= names
    if not (repository / ".git").exists():
        pytest.skip("no repository to compare with")
    tracked = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=repository).splitlines()
    assert names - {*tracked} == {"PKG-INFO"}
    assert package_files(repository / "src") == {name.removeprefix("src/") for name in names if name[:4] == "src/"}


@pytest.mark.parametrize("model", MODELS)
def test_the_wheel_of_a_model_holds_its_data(model: str, packages: Packages, repository: Path) -> None:
    folder = repository / "models" / model / "src"
    with zipfile.ZipFile(packages.model(model)) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    data = {f"headnote_{model}/{name}" for name in ("model.onnx", "fingerprint.txt", "py.typed")}
    assert {name for name in sizes if ".dist-info/" not in name} == package_files(folder) | data
    # The weights may have been built elsewhere.
    assert {name: sizes[name] for name in data if (folder / name).exists()} == {
        name: (folder / name).stat().st_size for name in data if (folder / name).exists()
    }
    assert {Path(name).name for name in sizes if "licenses/" in name} == {"LICENSE", "NOTICE"}


# -- metadata


@pytest.mark.parametrize("project", PROJECTS)
def test_the_metadata_is_valid_and_complete(project: str, packages: Packages) -> None:
    with zipfile.ZipFile(packages.built(project, "whl")) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Metadata.from_email(archive.read(name), validate=True)
    assert (metadata.name, metadata.metadata_version) == (project, "2.4")
    assert metadata.description_content_type == "text/markdown"
    assert metadata.description is not None
    assert metadata.description.startswith("# ")
    assert metadata.license_expression
    assert metadata.license_files
    assert metadata.requires_python == ">=3.11"
    assert "Typing :: Typed" in (metadata.classifiers or [])
