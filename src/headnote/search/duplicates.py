"""Which texts say the same: equal but for blanks, or nearly so, as pages of two versions are."""

from __future__ import annotations

from collections.abc import Iterable

RUN = 4
"""Words in a row that are compared."""
ALIKE = 0.98
"""Part of the runs that two texts must share: a word in a hundred may differ. With less, questions whose answer is what
differs lose it; 0.9 cost three in a hundred of the answers in prose."""


class Said:
    """The texts that were shown."""

    def __init__(self) -> None:
        self._shown: list[frozenset[str]] = []

    def has(self, text: str) -> bool:
        """Whether one of them says the same."""
        runs = _runs(text)
        return any(_alike(runs, shown) for shown in self._shown)

    def add(self, text: str) -> None:
        self._shown.append(_runs(text))


def _runs(text: str) -> frozenset[str]:
    words = text.split()
    return frozenset(_windows(words)) if len(words) > RUN else frozenset([" ".join(words)])


def _windows(words: list[str]) -> Iterable[str]:
    return (" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    # What differs much in size cannot share enough; that saves most comparisons.
    if min(len(one), len(other)) < ALIKE * max(len(one), len(other)):
        return False
    return len(one & other) >= ALIKE * len(one | other)
