"""Words that need no quotes: which of them are the query, and which is the folder.

The last of several arguments is the folder if it is one. More folders may stand before it, if they are written as
paths or the query is quoted. An option for them leaves no doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from headnote.errors import MissingSource

HERE = (Path(),)
_PATH_STARTS = ("/", "./", "../", ".\\", "..\\")
_PATH_ENDS = ("/", "\\")


class Understood(NamedTuple):
    """What the words mean."""

    text: str
    roots: tuple[Path, ...]
    note: str = ""
    """What else they could mean; empty if there is no doubt."""


def understand(words: Sequence[str], roots: Sequence[Path] = ()) -> Understood:
    """Tell the query and the folders apart. `roots` are those that options name."""
    if roots or len(words) < 2:
        return Understood(" ".join(words), tuple(roots) or HERE)
    if several := _folders_at_the_end(words):
        return Understood(" ".join(words[: -len(several)]), tuple(map(Path, several)))
    *others, last = words
    text = " ".join(others)
    folder = Path(last)
    if folder.is_file() and folder.name != last:
        return Understood(text, (folder,))  # whoever opens it has the error for a file
    if folder.is_dir():
        is_doubtful = len(others) > 1 and folder.name == last and last not in (".", "..")
        note = f"searching the folder {last} for {text!r}; if {last!r} is part of the query, add --root ."
        return Understood(text, (folder,), note if is_doubtful else "")
    if _must_be_a_path(last) or (len(others) == 1 and _was_quoted(text)):
        remedy = "check the path; if it is part of the query, add --root ."
        raise MissingSource("no such folder", path=last, remedy=remedy)
    return Understood(" ".join(words), HERE, _similar_folder(last))


def _folders_at_the_end(words: Sequence[str]) -> Sequence[str]:
    """Two folders or more, after one word at least; none if some of them may be words of the query."""
    first = len(words)
    while first > 1 and Path(words[first - 1]).is_dir():
        first -= 1
    folders = words[first:]
    is_plain = first == 1 and _was_quoted(words[0])
    if len(folders) < 2 or not (is_plain or all(map(_is_written_as_a_path, folders))):
        return ()
    return folders


def _is_written_as_a_path(word: str) -> bool:
    return _must_be_a_path(word) or "/" in word or "\\" in word or word.startswith("~")


def _must_be_a_path(word: str) -> bool:
    return word in (".", "..") or word.startswith(_PATH_STARTS) or word.endswith(_PATH_ENDS)


def _was_quoted(text: str) -> bool:
    """Shells take quotes away, and leave the blanks between them."""
    return len(text.split()) > 1


def _similar_folder(word: str) -> str:
    """A note if a folder here is spelt almost like the word."""
    try:
        folders = [path.name for path in Path().iterdir() if path.is_dir()]
    except OSError:
        return ""
    nearest = get_close_matches(word, folders, n=1, cutoff=0.75)
    return f"searching this folder; no folder {word!r}, did you mean {nearest[0]!r}?" if nearest else ""
