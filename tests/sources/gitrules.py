"""Folders full of odd names and ignore files full of odd patterns, and what git makes of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from headnote.sources.ignore import FETCHED_FOLDERS, OUTPUT_FOLDERS

NAMES = [
    "a",
    "b",
    "ab",
    "ba",
    "aab",
    "c d",
    "e ",
    "#a",
    "!a",
    "a-b",
    "[a]",
    "a]",
    "A",
    "x*y",
    "q?",
    "é",
    "1",
    "\\",
    "n\nn",
    "\t",
]
PIECES = [
    "a",
    "b",
    "ab",
    "*",
    "?",
    "**",
    "/",
    "/**/",
    "**/",
    "/**",
    ".md",
    "*.md",
    "a*",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
]
RARE = [
    "[]-a]",
    "[[:alpha:]]",
    "[[:punct:]]",
    "[![:digit:]]",
    "[[:nope:]]",
    "[a",
    "[]",
    "[!]a]",
    "[\\]]",
    "[a-",
    "[b-a]",
    "[[:]",
]
SIGNS = [
    "\\",
    "\\ ",
    "\\*",
    "\\?",
    "\\[",
    "\\#",
    "\\!",
    "\\a",
    "\\/",
    " ",
    "  ",
    "\t",
    "#",
    "!",
    "-",
    "]",
    "é",
    "***",
    "\r",
    "n\nn",
]


class Tree(NamedTuple):
    files: list[str]
    """Paths from the root."""
    rules: dict[str, bytes]
    """Folder with a slash at the end, or empty → its `.gitignore`."""
    exclude: bytes


def _patterns(folders: list[str]) -> st.SearchStrategy[str]:
    odd = st.lists(st.sampled_from(PIECES * 3 + RARE + SIGNS + NAMES), min_size=1, max_size=5).map("".join)
    name = st.sampled_from(NAMES)
    near = st.builds(
        "{}{}{}".format, st.sampled_from(["", "/", "**/", "*/"]), name, st.sampled_from(["", "/", ".md", "/*", "/**"])
    )
    whole = st.sampled_from([*folders, "*"])
    pattern = st.one_of(odd, near, near, whole)
    return st.builds(
        "{}{}{}".format, st.sampled_from(["", "", "!"]), pattern, st.sampled_from(["", "", "", "/", " ", "\r"])
    )


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    names = st.sampled_from(NAMES)
    folders = draw(
        st.lists(
            st.lists(names, max_size=3).map(lambda parts: "".join(f"{part}/" for part in parts)),
            min_size=2,
            max_size=6,
            unique=True,
        )
    )
    files = draw(
        st.lists(st.builds("{}{}.md".format, st.sampled_from(folders), names), min_size=3, max_size=14, unique=True)
    )
    lines = st.lists(_patterns(folders), min_size=1, max_size=5).map(lambda lines: "\n".join(lines).encode())
    places = sorted({"", *(file.rpartition("/")[0] + "/" for file in files if "/" in file)})
    rules = draw(st.dictionaries(st.sampled_from(places), lines, min_size=1, max_size=3))
    exclude = draw(st.one_of(st.just(b""), lines))
    return Tree(files, rules, exclude)


def lay_out(tree: Tree, top: Path) -> None:
    """Writes the tree into an empty repository."""
    for file in tree.files:
        (top / file).parent.mkdir(parents=True, exist_ok=True)
        (top / file).touch()
    for folder, rules in tree.rules.items():
        (top / folder / ".gitignore").write_bytes(rules)
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "exclude").write_bytes(tree.exclude)


def clear(top: Path) -> None:
    for entry in top.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()


def run_git(top: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Git with no settings but the repository's own."""
    nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": os.devnull}
    done = subprocess.run(["git", *arguments], cwd=top, input=given, capture_output=True, env=os.environ | nothing)
    # 1 is how `check-ignore` says that nothing is ignored.
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def selected_by_git(tree: Tree, top: Path) -> list[str]:
    given = b"".join(os.fsencode(file) + b"\0" for file in tree.files)
    ignored = run_git(top, "check-ignore", "--no-index", "--stdin", "-z", given=given)
    return sorted(set(tree.files) - set(os.fsdecode(ignored).split("\0")))


assert not {name.encode() for name in NAMES}.intersection(FETCHED_FOLDERS, OUTPUT_FOLDERS), "git knows nothing of these"
