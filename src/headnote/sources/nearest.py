"""A wrong path, or a wrong name → the nearest ones."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from heapq import nlargest

MOST = 3
"""Paths that an error names."""
_ALIKE_NAMES, _ALIKE_PATHS = 0.6, 0.8
"""How alike two must be, of 1. Paths in the same folder are alike anyway."""
_CANDIDATES = 50
"""Paths that are compared letter by letter: that takes long, so a rough comparison chooses them."""
_LONGEST = 200
"""Characters that are compared."""
_ROUGH = 8
"""Names that are compared letter by letter with a wrong one."""
MOST_LOOKED_AT = 1000
"""Names, each counted once for every pair of letters, that are looked at for one name. So many wrong names take no more
time in a large folder than in a small one."""


def without_suffix(path: str) -> str:
    return posixpath.splitext(path)[0]


def nearest_paths(written: str, documents: Sequence[str]) -> list[str]:
    """The paths most like one that is wrong, by the name of the file and by the whole path."""
    wanted = _Shape(written.replace("\\", "/"))
    shapes = nlargest(_CANDIDATES, map(_Shape, documents), wanted.roughly_like)
    likeness = {shape.path: wanted.like(shape) for shape in shapes}
    near = [path for path, (names, paths) in likeness.items() if names >= _ALIKE_NAMES or paths >= _ALIKE_PATHS]
    return sorted(near, key=lambda path: (-sum(likeness[path]), path))[:MOST]


class SimilarNames:
    """A name → the one that is most like it. Comparing letter by letter takes long, so only names are compared that
    share most pairs of letters, and of these the rarest count: they say most."""

    def __init__(self, names: Iterable[str], alike: float) -> None:
        """`alike` is how alike two names must be, of 1."""
        self._alike = alike
        self._known: dict[str, str] = {}
        self._with: dict[str, list[str]] = defaultdict(list)
        for name in names:
            for pair in _pairs(name):
                self._with[pair].append(name)

    def like(self, name: str) -> str:
        """The most similar one; empty if none is alike."""
        if name not in self._known:
            found = get_close_matches(name, self._roughly_like(name), 1, self._alike)
            self._known[name] = found[0] if found else ""
        return self._known[name]

    def _roughly_like(self, name: str) -> list[str]:
        shared: Counter[str] = Counter()
        left = MOST_LOOKED_AT
        for pair in sorted(_pairs(name) & self._with.keys(), key=lambda pair: (len(self._with[pair]), pair)):
            shared.update(self._with[pair][:left])
            left -= len(self._with[pair])
            if left <= 0:
                break
        return nlargest(_ROUGH, shared, lambda other: (shared[other] / (len(other) + len(name)), other))


def _pairs(name: str) -> set[str]:
    return set(map(str.__add__, name, name[1:]))


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
    return {*text, *_pairs(text)}


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(len(one | other), 1)
