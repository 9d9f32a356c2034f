"""Words that need no quotes: which of them are the query, and which is the folder.

The last of several arguments is the folder if it is one. More folders may stand before it, if they are written as
paths or the query is quoted. One that looks like a path, or is spelt almost like a folder here, and does not exist is
an error: to take it for a word would be to read another folder, which may be large. An option leaves no doubt.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from headnote.errors import MissingSource
from headnote.extra.packs.format import SUFFIX as PACK
from headnote.sources.files import SUFFIXES

HERE = (Path(),)
_PATH_STARTS = ("/", "./", "../", ".\\", "..\\")
_PATH_ENDS = ("/", "\\")
_FILE_ENDS = (*SUFFIXES, PACK)


class UnderstoodWords(NamedTuple):
    """What the words mean."""

    text: str
    roots: tuple[Path, ...]
    note: str = ""
    """What else they could mean; empty if there is no doubt."""


def understand(words: Sequence[str], roots: Sequence[Path] = ()) -> UnderstoodWords:
    """Tell the query and the folders apart. `roots` are those that options name."""
    if roots or len(words) < 2:
        return UnderstoodWords(" ".join(words), tuple(roots) or HERE)
    if several := _folders_at_the_end(words):
        return UnderstoodWords(" ".join(words[: -len(several)]), tuple(map(Path, several)))
    *others, last = words
    text = " ".join(others)
    folder = Path(last)
    if os.path.isfile(last) and folder.name != last:
        return UnderstoodWords(text, (folder,))  # whoever opens it has the error for a file
    if os.path.isdir(last):
        is_doubtful = len(others) > 1 and folder.name == last and last not in (".", "..")
        note = f"searching the folder {last} for {text!r}; if {last!r} is part of the query, add --root ."
        return UnderstoodWords(text, (folder,), note if is_doubtful else "")
    near = _similar_folders(last)
    if near or _looks_like_a_path(last) or (len(others) == 1 and _was_quoted(text)):
        check = f"did you mean {near[0]}" if near else "check the path"
        remedy = f"{check}; if it is part of the query, put the query in quotes or add --root ."
        raise MissingSource("no such folder", path=last, remedy=remedy)
    return UnderstoodWords(" ".join(words), HERE)


def _folders_at_the_end(words: Sequence[str]) -> Sequence[str]:
    """Two folders or more, after one word at least; none if some of them may be words of the query."""
    first = len(words)
    while first > 1 and os.path.isdir(words[first - 1]):
        first -= 1
    folders = words[first:]
    is_plain = first == 1 and _was_quoted(words[0])
    if len(folders) < 2 or not (is_plain or all(map(_is_written_as_a_path, folders))):
        return ()
    return folders


def _is_written_as_a_path(word: str) -> bool:
    return _must_be_a_path(word) or "/" in word or "\\" in word or word.startswith("~")


def _looks_like_a_path(word: str) -> bool:
    return _is_written_as_a_path(word) or (word.lower().endswith(_FILE_ENDS) and not os.path.isfile(word))


def _must_be_a_path(word: str) -> bool:
    return word in (".", "..") or word.startswith(_PATH_STARTS) or word.endswith(_PATH_ENDS)


def _was_quoted(text: str) -> bool:
    """Shells take quotes away, and leave the blanks between them."""
    return len(text.split()) > 1


def _similar_folders(word: str) -> list[str]:
    """The folders and packs here that are spelt almost like the word, the nearest first."""
    from difflib import get_close_matches  # late: only mistakes need it

    try:
        entries = [path.name for path in Path().iterdir() if path.suffix == PACK or path.is_dir()]
    except OSError:
        return []
    return get_close_matches(word, [name for name in entries if not name.startswith(".")], cutoff=0.75)
