"""Words that need no quotes: which of them are the query, and which is the folder.

The last of several arguments is the folder if it is one. An option for it leaves no doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from headnote.errors import MissingSource

HERE = Path()
_PATH_STARTS = ("/", "./", "../", ".\\", "..\\")
_PATH_ENDS = ("/", "\\")


class Understood(NamedTuple):
    """What the words mean."""

    text: str
    root: Path
    note: str = ""
    """What else they could mean; empty if there is no doubt."""


def understand(words: Sequence[str], root: Path | None = None) -> Understood:
    """Tell the query and the folder apart. `root` is the folder that an option names."""
    if root is not None or len(words) < 2:
        return Understood(" ".join(words), root or HERE)
    *others, last = words
    text = " ".join(others)
    folder = Path(last)
    if folder.is_file() and folder.name != last:
        return Understood(text, folder)  # whoever opens it has the error for a file
    if folder.is_dir():
        is_doubtful = len(others) > 1 and folder.name == last and last not in (".", "..")
        note = f"searching the folder {last} for {text!r}; if {last!r} is part of the query, add --root ."
        return Understood(text, folder, note if is_doubtful else "")
    if _must_be_a_path(last) or (len(others) == 1 and _was_quoted(text)):
        remedy = "check the path; if it is part of the query, add --root ."
        raise MissingSource("no such folder", path=last, remedy=remedy)
    return Understood(" ".join(words), HERE, _similar_folder(last))


def _must_be_a_path(word: str) -> bool:
    return word in (".", "..") or word.startswith(_PATH_STARTS) or word.endswith(_PATH_ENDS)


def _was_quoted(text: str) -> bool:
    """Shells take quotes away, and leave the blanks between them."""
    return len(text.split()) > 1


def _similar_folder(word: str) -> str:
    """A note if a folder here is spelt almost like the word."""
    try:
        folders = [path.name for path in HERE.iterdir() if path.is_dir()]
    except OSError:
        return ""
    nearest = get_close_matches(word, folders, n=1, cutoff=0.75)
    return f"searching this folder; no folder {word!r}, did you mean {nearest[0]!r}?" if nearest else ""
