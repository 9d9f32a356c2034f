"""Paths → files → text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headnote.errors import MissingSource, NotAFile, NotText, SkippedSource, SourceError, UnreadableSource
from headnote.sources.discover import expand
from headnote.sources.files import read_source


def make(folder: Path, *names: str) -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"text\n")


def files_of(*paths: Path) -> list[Path]:
    """What paths stand for, all of which can be read."""
    files = list(expand(paths))
    assert not [file for file in files if isinstance(file, SourceError)]
    return [Path(str(file)) for file in files]


def test_reading_translates_no_line_end(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_source(file) == "\ufeffa\r\nb\rc\n"
    assert read_source(str(file)) == read_source(file)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MissingSource, match=r"nope\.md: no such file or folder"):
        read_source(tmp_path / "nope.md")


def test_a_name_below_a_file_is_missing(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    with pytest.raises(MissingSource):
        read_source(tmp_path / "a.md" / "b.md")


def test_a_name_no_file_can_have_is_missing() -> None:
    with pytest.raises(MissingSource):
        read_source("a\0b.md")


def test_a_name_too_long_is_unreadable() -> None:
    with pytest.raises(UnreadableSource, match="name too long"):
        read_source("a" * 5000)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(NotAFile, match="a folder, not a file"):
        read_source(tmp_path)


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="no device to name")
def test_a_device_is_not_a_file() -> None:
    with pytest.raises(NotAFile, match="a device or socket"):
        read_source(os.devnull)


def test_binary_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(bytes(range(256)))
    with pytest.raises(NotText, match=r"a\.md"):
        read_source(file)


def test_a_forbidden_file_or_folder_is_unreadable(tmp_path: Path) -> None:
    make(tmp_path, "closed/a.md", "b.md")
    (tmp_path / "b.md").chmod(0)
    if os.access(tmp_path / "b.md", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(UnreadableSource, match=r"b\.md: cannot be read: permission denied"):
        read_source(tmp_path / "b.md")
    (tmp_path / "closed").chmod(0)
    try:
        error, file = expand([tmp_path])
        assert isinstance(error, UnreadableSource)
        assert "closed: cannot be read: permission denied" in str(error)
        assert file == str(tmp_path / "b.md")
        assert files_of(tmp_path / "closed" / "a.md") == [tmp_path / "closed" / "a.md"]
        with pytest.raises(UnreadableSource, match=r"a\.md"):
            read_source(tmp_path / "closed" / "a.md")
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_a_folder_stands_for_its_markdown_and_plain_text(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a/z.MDX", "a/a.markdown", "a-b.md", "notes.txt", "picture.png")
    paths = [path.relative_to(tmp_path).as_posix() for path in files_of(tmp_path)]
    assert paths == ["a/a.markdown", "a/z.MDX", "a-b.md", "b.md", "notes.txt"]


def test_hidden_and_generated_folders_are_passed_over(tmp_path: Path) -> None:
    make(tmp_path, "a.md", ".git/b.md", "node_modules/x/c.md", ".hidden.md", "sub/.obsidian/d.md")
    assert files_of(tmp_path) == [tmp_path / "a.md"]


def test_what_is_named_is_never_passed_over(tmp_path: Path) -> None:
    make(tmp_path, ".notes/a.md", "node_modules/x/b.md", "c.txt")
    named = [tmp_path / ".notes", tmp_path / "node_modules", tmp_path / "c.txt"]
    assert [path.name for path in files_of(*named)] == ["a.md", "b.md", "c.txt"]


def test_each_file_comes_once(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "b.md")
    named = (tmp_path / "b.md", tmp_path, tmp_path / "a.md")
    assert files_of(*named) == [tmp_path / "b.md", tmp_path / "a.md"]


def test_a_file_by_two_names_comes_once_under_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md")
    monkeypatch.chdir(tmp_path)
    assert list(expand(["./a.md", "a.md", "."])) == ["./a.md"]


def test_a_link_that_leads_back_up_does_no_harm(tmp_path: Path) -> None:
    make(tmp_path, "sub/a.md")
    (tmp_path / "sub" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "sub" / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "sub" / "linked.md").symlink_to(tmp_path / "sub" / "a.md")
    skipped = [file for file in expand([tmp_path]) if isinstance(file, SkippedSource)]
    assert [Path(error.path).name for error in skipped] == ["gone.md", "linked.md", "up"]
    assert [Path(file).name for file in expand([tmp_path]) if isinstance(file, str)] == ["a.md"]


def test_a_folder_without_markdown_is_an_error_with_its_path(tmp_path: Path) -> None:
    make(tmp_path, "notes.png")
    [error] = expand([tmp_path])
    assert isinstance(error, MissingSource)
    assert error.path == str(tmp_path)
    assert ".markdown .md .mdx" in str(error)


def test_a_folder_named_like_a_file_is_walked_not_read(tmp_path: Path) -> None:
    make(tmp_path, "odd.md/a.md")
    assert files_of(tmp_path) == [tmp_path / "odd.md" / "a.md"]
