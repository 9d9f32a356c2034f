"""The pictures of the docs: each is taken by the script, shown somewhere, and can be taken again."""

from __future__ import annotations

import re
import shutil
import struct
from pathlib import Path

import pytest

import pictures
from serving import NO_BROWSER, find_browser

SHOWN = re.compile(r"!\[[^\]]+\]\((?:docs/|\.\./)?pictures/([\w-]+)\.png\)")
LARGEST = 400_000
"""Bytes. People who read the page load all of them."""


def test_every_picture_is_shown_and_taken(repository: Path) -> None:
    pages = [repository / "README.md", *(repository / "docs").rglob("*.md")]
    shown = {name for page in pages for name in SHOWN.findall(page.read_text(encoding="utf-8"))}
    files = {file.stem for file in pictures.PICTURES.glob("*.png")}
    assert shown == files == pictures.TAKEN.keys()


def test_pictures_have_their_size() -> None:
    for name, picture in pictures.TAKEN.items():
        content = (pictures.PICTURES / f"{name}.png").read_bytes()
        assert struct.unpack(">II", content[16:24]) == picture.size, name
        assert len(content) < LARGEST, name


@pytest.fixture
def camera() -> None:
    """What pictures are taken with."""
    pytest.importorskip("playwright", reason="playwright is not installed: no browser to take pictures with")
    pytest.importorskip("nh3", reason="the server of the page is not installed")
    if not find_browser():
        pytest.skip(NO_BROWSER)


@pytest.mark.usefixtures("camera")
def test_every_state_can_be_looked_at(tmp_path: Path) -> None:
    looks = ["light", "print"]
    without_index = shutil.ignore_patterns(".headnote")  # that of the working copy belongs to its own folder
    folder = shutil.copytree(pictures.REPOSITORY / "examples/handbook", tmp_path / "handbook", ignore=without_index)
    pictures.take_states(list(pictures.STATES), looks, folder, tmp_path, "How do I replace a gauge?", "calibration.md")
    due = {f"{name}-{look}" for name, state in pictures.STATES.items() for look in looks if look in state.looks}
    assert {file.stem for file in tmp_path.glob("*.png")} == due


@pytest.mark.usefixtures("camera")
def test_pictures_can_be_taken_again(tmp_path: Path) -> None:
    pictures.take(list(pictures.TAKEN), tmp_path)
    for name, picture in pictures.TAKEN.items():
        content = (tmp_path / f"{name}.png").read_bytes()
        assert struct.unpack(">II", content[16:24]) == picture.size, name
