"""The results of a function for each word, remembered: texts repeat their words.

Nearly all of the time that words take is spent in one loop, which cuts a text at its blanks and looks up what stands
between them. A compiled build has that loop in C (`native.c`), which does the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

LONGEST = 128
"""Maximum bytes of a word that is remembered. Longer ones are data and hardly occur twice; a word of a script without
blanks is a whole clause."""

Result = TypeVar("Result")


class WordMemory(Protocol[Result]):
    """Word → what a function returned for it, until there are too many words. Then it begins again."""

    def __getitem__(self, word: str, /) -> Result: ...
    def __len__(self) -> int: ...
    def of_words(self, text: str, /) -> list[Result]:
        """For each word between two blanks, in order."""


class PlainWordMemory(dict[str, Result]):
    """See `WordMemory`."""

    def __init__(self, function: Callable[[str], Result], most: int) -> None:
        super().__init__()
        self._function = function
        self._most = most

    def __missing__(self, word: str) -> Result:
        result = self._function(word)
        if len(word) <= LONGEST // 4 or len(word.encode("utf-8", "surrogatepass")) <= LONGEST:
            if len(self) >= self._most:
                self.clear()
            self[word] = result
        return result

    def of_words(self, text: str) -> list[Result]:
        return list(map(self.__getitem__, text.split()))


def word_memory(function: Callable[[str], Result], most: int) -> WordMemory[Result]:
    """The faster one of those that this build has."""
    return _Fastest(function, most)


try:
    from headnote.native import WordMemory as _Fastest
except ImportError:  # a build that is not compiled
    _Fastest = PlainWordMemory  # type: ignore[assignment, misc]
