"""A wrong path finds what it means, or the nearest paths."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.errors import MissingSource
from headnote.sources.files import MAX_SUGGESTIONS, nearest_paths, read_source
from headnote.sources.tree import Tree, meant_path

DOCUMENTS = [
    "README.md",
    "guide/install.md",
    "guide/first steps.mdx",
    "guide/Uninstall.md",
    "api/install.txt",
    "v1.2.md",
]

names = st.text("abcABC. -é", min_size=1, max_size=8).filter(lambda name: name.strip(". ") == name and name != "")
paths = st.lists(names, min_size=1, max_size=3).map(lambda parts: "/".join(parts) + ".md")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("guide/install.md", "guide/install.md"),
        ("./guide/install.md", "guide/install.md"),
        ("/guide/install.md", "guide/install.md"),
        ("docs/guide/install.md", "guide/install.md"),
        ("guide/../README.md", "README.md"),
        ("guide\\install.md", "guide/install.md"),
        ("guide/install", "guide/install.md"),
        ("guide/install/", "guide/install.md"),
        ("readme", "README.md"),
        ("GUIDE/First Steps", "guide/first steps.mdx"),
        ("v1.2", "v1.2.md"),
        ("install.md", None),
        ("guide/instal.md", None),
        ("../docs/guide/install.md", None),
        ("", None),
        ("/", None),
        ("guide", None),
    ],
)
def test_a_path_as_people_write_it(written: str, meant: str | None, tmp_path: Path) -> None:
    assert meant_path(written, Tree.of_folder(tmp_path / "docs"), DOCUMENTS) == meant


def test_an_absolute_path_inside_the_root(tmp_path: Path) -> None:
    root = tmp_path / "real"
    root.mkdir()
    linked = tmp_path / "linked"
    linked.symlink_to(root)
    for folder in (root, linked):
        assert meant_path(f"{folder}/guide/install.md", Tree.of_folder(linked), DOCUMENTS) == "guide/install.md"
    assert meant_path("/elsewhere/guide/install.md", Tree.of_folder(root), DOCUMENTS) is None


def test_no_guess_between_two(tmp_path: Path) -> None:
    assert meant_path("a", Tree.of_folder(tmp_path), ["a.md", "a.mdx"]) is None
    assert meant_path("A.md", Tree.of_folder(tmp_path), ["a.md", "A.md"]) == "A.md"
    assert meant_path("A", Tree.of_folder(tmp_path), ["a.md", "A.md"]) == "A.md"
    assert meant_path("aB.md", Tree.of_folder(tmp_path), ["Ab.md", "AB.md"]) is None


@given(st.sets(paths, min_size=1, max_size=5))
def test_every_document_is_found_by_its_own_path(documents: set[str]) -> None:
    for document in documents:
        assert meant_path(document, Tree.of_folder(Path("nowhere")), sorted(documents)) == document
        assert nearest_paths(document, sorted(documents))[0].casefold() == document.casefold()


@given(st.text(max_size=30), st.lists(paths, max_size=20, unique=True))
def test_no_path_is_too_strange(written: str, documents: list[str]) -> None:
    near = nearest_paths(written, documents)
    assert len(near) <= MAX_SUGGESTIONS
    assert set(near) <= set(documents)
    assert meant_path(written, Tree.of_folder(Path()), documents) in {None, *documents}


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("guide/instal.md", ["guide/install.md", "guide/Uninstall.md", "api/install.txt"]),
        ("instlal.md", ["guide/install.md", "api/install.txt", "guide/Uninstall.md"]),
        ("install.md", ["guide/install.md", "api/install.txt", "guide/Uninstall.md"]),
        ("guide/first-stpes.mdx", ["guide/first steps.mdx"]),
        ("zebra.md", []),
    ],
)
def test_the_nearest_come_first(written: str, near: list[str]) -> None:
    assert nearest_paths(written, DOCUMENTS) == near


def test_a_missing_file_names_those_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "install.md").write_text("# Install\n", encoding="utf-8")
    (tmp_path / "instal.png").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    for folder in ("", "./", f"{tmp_path}/"):
        with pytest.raises(MissingSource) as caught:
            read_source(f"{folder}instal.md")
        assert caught.value.remedy == f"nearest: {folder}install.md"
    with pytest.raises(MissingSource, match="check the path"):
        read_source("gone/install.md")
    with pytest.raises(MissingSource, match=r"nearest: install\.md"):
        read_source("in\0stall.md")
