"""A wrong path → the path that is meant, or the nearest ones."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from pathlib import Path

MOST = 3
"""Paths that an error names."""
_ALIKE_NAMES, _ALIKE_PATHS = 0.6, 0.8
"""How alike two must be, of 1. Paths in the same folder are alike anyway."""
_CANDIDATES = 50
"""Paths that are compared letter by letter: that takes long, so a rough comparison chooses them."""
_LONGEST = 200
"""Characters that are compared."""


def meant_path(written: str, root: Path, documents: Sequence[str]) -> str | None:
    """The one document that a path means: from the root or from above it, absolute, with or without its suffix, in any
    case. None if there is none, or more than one."""
    spellings = set(_spellings(written, root))
    for fold in (str, str.casefold):
        wanted = set(map(fold, spellings))
        for cut in (str, _without_suffix):  # every document has a suffix
            matches = {document for document in documents if fold(cut(document)) in wanted}
            if matches:
                return matches.pop() if len(matches) == 1 else None
    return None


def _spellings(written: str, root: Path) -> Iterator[str]:
    """A path as the index may name it."""
    path = written.replace("\\", "/")
    if not path.strip("/"):
        return
    for folder in (os.path.realpath(root), os.path.abspath(root)):  # noqa: PTH100  Path.absolute keeps `..`
        path = path.removeprefix(f"{folder}/".replace("\\", "/"))
    path = posixpath.normpath(path.lstrip("/"))
    yield path
    yield path.removeprefix(f"{Path(os.path.realpath(root)).name}/")


def _without_suffix(path: str) -> str:
    return posixpath.splitext(path)[0]


def nearest_paths(written: str, documents: Sequence[str]) -> list[str]:
    """The paths most like one that is wrong, by the name of the file and by the whole path."""
    wanted = _Shape(written.replace("\\", "/"))
    shapes = nlargest(_CANDIDATES, map(_Shape, documents), wanted.roughly_like)
    likeness = {shape.path: wanted.like(shape) for shape in shapes}
    near = [path for path, (names, paths) in likeness.items() if names >= _ALIKE_NAMES or paths >= _ALIKE_PATHS]
    return sorted(near, key=lambda path: (-sum(likeness[path]), path))[:MOST]


class _Shape:
    """A path to be compared with others."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.whole = path.casefold()[:_LONGEST]
        self.name = _without_suffix(posixpath.basename(self.whole.rstrip("/")))
        self._of_name = _pieces(self.name)
        self._of_whole = _pieces(self.whole)

    def roughly_like(self, other: _Shape) -> float:
        return _shared(self._of_name, other._of_name) + _shared(self._of_whole, other._of_whole)

    def like(self, other: _Shape) -> tuple[float, float]:
        """How alike the names and the paths are."""
        names = SequenceMatcher(None, self.name, other.name).ratio()
        return names, SequenceMatcher(None, self.whole, other.whole).ratio()


def _pieces(text: str) -> set[str]:
    """Letters, and pairs of them: two letters that changed places still count for something."""
    return {*text, *map(str.__add__, text, text[1:])}


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(len(one | other), 1)
