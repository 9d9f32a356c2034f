"""Ignore files as git reads them: compared with git itself, on trees and patterns made to confuse."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from gitrules import Tree, clear, lay_out, run_git, selected_by_git, trees
from hypothesis import HealthCheck, given, settings

from headnote.sources.discover import discover

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: nothing to compare with")


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty repository."""
    folder = tmp_path_factory.mktemp("repository")
    run_git(folder, "init", "--quiet")
    return folder


def selected_by_us(root: Path) -> list[str]:
    return sorted(file.path for file in discover(root).files)


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(tree=trees())
def test_generated_rules_keep_what_git_keeps(tree: Tree, top: Path) -> None:
    clear(top)
    lay_out(tree, top)
    assert selected_by_us(top) == selected_by_git(tree, top)


FILES = [
    "a.md",
    "b.md",
    "#a.md",
    "!a.md",
    "c d.md",
    "e /f.md",
    "docs/a.md",
    "docs/b.md",
    "docs/deep/er/a.md",
    "docs/deep/b.md",
    "out/a.md",
    "out/keep/a.md",
    "x*y/a.md",
    "é.md",
    "n\nn/a.md",
    "ab-c/1.md",
    "foo/x/y/bar/a.md",
    "foobar/a.md",
]

CASES = {
    "a name fits at any depth": b"a.md",
    "a slash in front holds it to the folder": b"/a.md",
    "a slash inside holds it too": b"docs/b.md",
    "a slash at the end means folders": b"a.md/\nout/\n",
    "a file comes back": b"*.md\n!b.md",
    "nothing comes back from a folder that is out": b"out/\n!out/keep/a.md",
    "a folder is out but for one": b"out/*\n!out/keep/",
    "white list": b"*\n!*/\n!a.md",
    "two stars in front": b"**/b.md",
    "two stars between": b"docs/**/a.md",
    "two stars at the end": b"docs/**\n!docs/deep/",
    "two stars alone": b"**",
    "folders at any depth": b"**/\n!docs/",
    "two stars in a name are one": b"docs/d**p/b.md",
    "two stars before a name are one": b"docs/**p/b.md\n/**oo/x\n",
    "two stars after plain text": b"foo**/bar",
    "three stars": b"foo/***/bar",
    "a question mark is one byte": b"?.md\n",
    "two question marks are a letter beyond ASCII": b"??.md",
    "a set": b"[!ab].md\n",
    "a range": b"[a-b]*-?/",
    "a named class": b"[[:digit:]].md",
    "a class that does not exist": b"[[:vowel:]].md\na.m[d",
    "a bracket in brackets": b"[]#]a.md",
    "a slash in brackets": b"docs[/x]a.md",
    "escapes": b"\\#a.md\n\\!a.md\nx\\*y",
    "comments": b"#a.md\n # b.md",
    "spaces at the end go": b"a.md   \nc d.md ",
    "a space that a backslash holds": b"e\\ \n",
    "a space that is lost": b"e \n",
    "a tab is no space": b"a.md\t\n",
    "a backslash at the end": b"a.md\\\nb.md\\\\",
    "lines of Windows": b"a.md\r\nout/\r\n",
    "a byte order mark": b"\xef\xbb\xbfa.md\n",
    "no line end at the end": b"b.md\na.md",
    "only signs": b"/\n!\n\\\n//\n!/\n",
    "two slashes": b"docs//a.md\n//b.md\nout//",
    "two exclamation marks": b"*\n!!a.md",
    "bytes that are no UTF-8": b"\xff*\n\xc3?.md",
    "a newline cannot be written, a star can": b"n*n/",
}


@pytest.mark.parametrize("rules", CASES.values(), ids=CASES.keys())
def test_rules_keep_what_git_keeps(rules: bytes, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet")
    tree = Tree(FILES, {"": rules, "docs/": b"!a.md\ndeep/b.md"}, b"foobar/\n")
    lay_out(tree, tmp_path)
    assert selected_by_us(tmp_path) == selected_by_git(tree, tmp_path)


CLASSES = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split()
SETS = [
    *(f"[[:{name}:]]" for name in CLASSES),
    "[!a-z]",
    "[^[:alnum:]_]",
    "[+--]",
    "[]-a]",
    "[\\]-_]",
    "[a\\-c]",
    "[%--]",
]


@pytest.mark.skipif(os.name == "nt", reason="no such names on Windows")
@pytest.mark.parametrize("brackets", SETS)
def test_brackets_hold_what_git_finds_in_them(brackets: str, top: Path) -> None:
    """One name for each byte that a name can have."""
    names = [os.fsdecode(b"x%c.md" % byte) for byte in range(1, 128) if byte != ord("/")]
    tree = Tree(names, {"": f"x{brackets}.md".encode()}, b"")
    clear(top)
    lay_out(tree, top)
    assert selected_by_us(top) == selected_by_git(tree, top)


def test_a_folder_of_a_repository_is_read_as_in_the_whole(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet")
    tree = Tree(FILES, {"": b"/docs/b.md\ndocs/deep/*\n!er", "docs/deep/": b"/er/*.txt"}, b"docs/a.md")
    lay_out(tree, tmp_path)
    selected = [file.removeprefix("docs/") for file in selected_by_git(tree, tmp_path) if file.startswith("docs/")]
    assert selected_by_us(tmp_path / "docs") == selected == ["deep/er/a.md"]
    assert discover(tmp_path / "docs").rules_from == [str(tmp_path / ".git" / "info"), str(tmp_path)]


@pytest.mark.skipif(os.name == "nt", reason="no such names on Windows")
def test_a_folder_named_in_no_encoding_is_ignored_as_in_git(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet")
    folder = tmp_path / os.fsdecode(b"\xff\xfe")
    folder.mkdir()
    (folder / "a.md").touch()
    assert [skipped.path for skipped in discover(tmp_path).skipped] == [r"\xff\xfe"]
    (tmp_path / ".gitignore").write_bytes(b"\xff?/\n")
    assert discover(tmp_path).skipped == []


def test_a_worktree_obeys_the_exclude_file_of_its_repository(tmp_path: Path) -> None:
    main, other = tmp_path / "main", tmp_path / "other"
    main.mkdir()
    run_git(main, "init", "--quiet")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    run_git(main, *who, "commit", "--quiet", "--allow-empty", "--message", "first")
    run_git(main, "worktree", "add", "--quiet", str(other))
    (main / ".git" / "info" / "exclude").write_bytes(b"a.md")
    for name in ("a.md", "b.md"):
        (other / name).touch()
    tree = Tree(["a.md", "b.md"], {}, b"")
    assert selected_by_us(other) == selected_by_git(tree, other) == ["b.md"]
