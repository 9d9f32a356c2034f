"""A wrong path → the nearest ones."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from difflib import SequenceMatcher
from heapq import nlargest

MOST = 3
"""Paths that an error names."""
_ALIKE_NAMES, _ALIKE_PATHS = 0.6, 0.8
"""How alike two must be, of 1. Paths in the same folder are alike anyway."""
_CANDIDATES = 50
"""Paths that are compared letter by letter: that takes long, so a rough comparison chooses them."""
_LONGEST = 200
"""Characters that are compared."""


def without_suffix(path: str) -> str:
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
        self.name = without_suffix(posixpath.basename(self.whole.rstrip("/")))
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
