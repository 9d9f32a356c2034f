"""Which texts say the same: equal but for blanks, or nearly so, as pages of two versions are."""

from __future__ import annotations

from collections.abc import Iterable

RUN = 4
"""Words in a row that are compared."""
ALIKE = 0.98
"""Part of the runs that two texts must share: a word in a hundred may differ. With less, questions whose answer is what
differs lose it; 0.9 cost three in a hundred of the answers in prose."""


WORDS_ALIKE = 0.9
"""Part of the words that two texts share if they share so many runs. Sets of words are cheap, sets of runs are not."""


class SeenTexts:
    """The texts that were shown."""

    def __init__(self) -> None:
        self._shown: list[tuple[frozenset[str], str]] = []

    def has(self, text: str) -> bool:
        """Whether one of them says the same."""
        words = frozenset(text.split())
        return any(
            _alike(words, shown, WORDS_ALIKE) and _alike(_runs(text), _runs(other), ALIKE)
            for shown, other in self._shown
        )

    def add(self, text: str) -> None:
        self._shown.append((frozenset(text.split()), text))


def _runs(text: str) -> frozenset[str]:
    words = text.split()
    return frozenset(_windows(words)) if len(words) > RUN else frozenset([" ".join(words)])


def _windows(words: list[str]) -> Iterable[str]:
    return (" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


def _alike(one: frozenset[str], other: frozenset[str], least: float) -> bool:
    # What differs much in size cannot share enough; that saves most comparisons.
    if min(len(one), len(other)) < least * max(len(one), len(other)):
        return False
    return len(one & other) >= least * len(one | other)
