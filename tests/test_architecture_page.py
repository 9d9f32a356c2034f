"""ARCHITECTURE.md agrees with the packages: every file it names exists, every package has a section."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from test_architecture import LAYERS

SECTION = re.compile(r"^## `([^`]+)`", re.MULTILINE)
NAMED_PATH = re.compile(r"`([\w./-]+(?:\.(?:py|js|css|html|md)|/))`")


def sections(page: str) -> dict[str, str]:
    """Path in the heading → text below it, for every heading that begins with a path."""
    _, *parts = SECTION.split(page)
    # A section ends at the next heading, whether or not that names a path.
    return {
        path: re.split(r"^## ", text, flags=re.MULTILINE)[0] for path, text in zip(parts[::2], parts[1::2], strict=True)
    }


def folder_of(section: str, repository: Path) -> Path:
    package = repository / "src" / "headnote"
    return next((folder for folder in (package / section, repository / section) if folder.exists()), package)


def unknown_paths(page: str, repository: Path) -> list[str]:
    """The paths that lead nowhere, neither from the folder of their section nor from the root."""
    unknown = []
    for section, text in sections(page).items():
        folder = folder_of(section, repository)
        roots = [folder, *(inner for inner in folder.rglob("*") if inner.is_dir()), folder.parent, repository]
        if not (repository / "src" / "headnote" / section).exists() and not (repository / section).exists():
            unknown.append(section)
        unknown += [
            f"{section}: {path}"
            for path in NAMED_PATH.findall(text)
            if not any((root / path).exists() for root in roots)
        ]
    return unknown


def missing_sections(page: str, repository: Path) -> set[str]:
    """The packages and top-level modules without a heading; `__init__` and `__main__` are the package itself."""
    package = repository / "src" / "headnote"
    packages = {f"{file.parent.name}/" for file in package.glob("*/__init__.py")}
    modules = {file.name for file in package.glob("*.py") if not file.name.startswith("__")}
    return (packages | modules) - sections(page).keys()


def unmentioned_subpackages(page: str, repository: Path) -> set[str]:
    package = repository / "src" / "headnote"
    texts = sections(page)
    folders = [file.parent for file in package.glob("*/*/__init__.py")]
    return {
        f"{folder.parent.name}/{folder.name}/"
        for folder in folders
        if f"`{folder.name}/`" not in texts.get(f"{folder.parent.name}/", "")
    }


def layers_drawn(page: str) -> list[set[str]]:
    [line] = re.findall(r"^errors ← .*$", page, re.MULTILINE)
    return [set(layer.split(", ")) for layer in line.split(" ← ")]


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_path_on_the_page_exists(page: str, repository: Path) -> None:
    assert unknown_paths(page, repository) == []


def test_every_package_has_a_section(page: str, repository: Path) -> None:
    assert missing_sections(page, repository) == set()


def test_every_subpackage_is_named_in_the_section_of_its_package(page: str, repository: Path) -> None:
    assert unmentioned_subpackages(page, repository) == set()


def test_the_drawing_shows_the_layers(page: str) -> None:
    assert layers_drawn(page) == [layer - {"__main__"} for layer in LAYERS]


# The checks themselves, on a small repository with a page that is wrong.


@pytest.fixture
def small_repository(tmp_path: Path) -> Path:
    for name in ("__init__", "errors", "store/__init__", "store/rows", "store/sqlite/__init__", "store/sqlite/tables"):
        file = tmp_path / "src" / "headnote" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


def test_a_true_page_has_no_fault(small_repository: Path) -> None:
    page = "## `errors.py`: what?\n\n## `store/`: where?\n\n`rows.py` and `sqlite/`, where `tables.py` is.\n"
    assert unknown_paths(page, small_repository) == []
    assert missing_sections(page, small_repository) == set()
    assert unmentioned_subpackages(page, small_repository) == set()


@pytest.mark.parametrize(
    ("page", "unknown"),
    [
        ("## `store/`: where?\n\n`columns.py`\n", ["store/: columns.py"]),
        ("## `store/`: where?\n\n`postgres/`\n", ["store/: postgres/"]),
        ("## `store/`: where?\n\n`store/tables.py`\n", ["store/: store/tables.py"]),
        ("## `errors.py`: what?\n\n`rows.py`\n", ["errors.py: rows.py"]),
        ("## `search/`: which?\n", ["search/"]),
    ],
)
def test_a_path_that_leads_nowhere_is_seen(page: str, unknown: list[str], small_repository: Path) -> None:
    assert unknown_paths(page, small_repository) == unknown


def test_a_package_without_a_section_is_seen(small_repository: Path) -> None:
    assert missing_sections("## `errors.py`: what?\n\nNot `store/`.\n", small_repository) == {"store/"}
    assert missing_sections("## `store/`: where?\n", small_repository) == {"errors.py"}


def test_a_subpackage_nobody_mentions_is_seen(small_repository: Path) -> None:
    page = "## `errors.py`: what?\n\n`sqlite/`\n\n## `store/`: where?\n"
    assert unmentioned_subpackages(page, small_repository) == {"store/sqlite/"}


def test_a_drawing_that_is_wrong_is_seen() -> None:
    assert layers_drawn("errors ← model, extras ← cli") == [{"errors"}, {"model", "extras"}, {"cli"}]
