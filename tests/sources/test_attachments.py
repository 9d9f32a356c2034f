"""Files that belong to documents: those below the root that nobody ignores, and no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headnote.sources import tree
from headnote.sources.tree import read_attachment


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in (
        "a.png",
        "sub/b.png",
        "private/c.png",
        ".hidden/d.png",
        "build/e.png",
        "package.json",
        "sub/kept.png",
        "sub/build/g.png",
        "sub/f.tmp.png",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(name.encode())
    (root / ".gitignore").write_text("private/\n", encoding="utf-8")
    (root / "sub" / ".gitignore").write_text("*.tmp.png\n", encoding="utf-8")
    (tmp_path / "outside.png").write_bytes(b"outside")
    return root


def test_what_is_there_is_read(root: Path) -> None:
    assert read_attachment(root, "a.png") == b"a.png"
    assert read_attachment(root, "sub/b.png") == b"sub/b.png"
    assert read_attachment(str(root), "sub/kept.png") == b"sub/kept.png"
    assert read_attachment(root, "sub/build/g.png") == b"sub/build/g.png"


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            ".",
            "..",
            "/",
            "nothing.png",
            "sub",
            "sub/",
            "/a.png",
            "//a.png",
            "./a.png",
            "sub/../a.png",
            "sub//b.png",
        ),
        *(
            "../outside.png",
            "../root/a.png",
            "sub/../../outside.png",
            "..\\outside.png",
            "C:a.png",
            "a.png\0",
            "a.png/",
        ),
        *("private/c.png", ".hidden/d.png", "build/e.png", "sub/f.tmp.png", ".gitignore", "a" * 5000, "\ud800.png"),
    ],
)
def test_what_is_not_there_ignored_or_outside_is_not(root: Path, path: str) -> None:
    assert read_attachment(root, path) is None


def test_links_lead_to_what_could_be_read_anyway(root: Path, tmp_path: Path) -> None:
    for name, target in {
        "good.png": root / "sub" / "b.png",
        "out.png": tmp_path / "outside.png",
        "around.png": root / "private" / "c.png",
        "nowhere.png": root / "gone.png",
        "folder": tmp_path,
    }.items():
        (root / name).symlink_to(target)
    assert read_attachment(root, "good.png") == b"sub/b.png"
    for path in ("out.png", "around.png", "nowhere.png", "folder/outside.png"):
        assert read_attachment(root, path) is None


def test_the_index_of_the_folder_is_nobodys(root: Path) -> None:
    for folder in (".headnote", ".git"):
        (root / folder).mkdir()
        (root / folder / "x.png").write_bytes(b"x")
        (root / ".headnoteignore").write_text(f"!{folder}\n", encoding="utf-8")
        assert read_attachment(root, f"{folder}/x.png") is None


def test_globs_that_exclude(root: Path) -> None:
    assert read_attachment(root, "sub/b.png", exclude=["sub/"]) is None
    assert read_attachment(root, "a.png", exclude=["*.jpg"]) == b"a.png"


def test_too_large_or_no_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_ATTACHMENT_BYTES", 3)
    assert read_attachment(root, "a.png") is None
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "pipe.png")
        assert read_attachment(root, "pipe.png") is None
