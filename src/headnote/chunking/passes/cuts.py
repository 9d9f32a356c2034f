"""Where to cut a row of units so that every piece keeps the cap. Used for blocks in a section and for sections in a row.

Greedy fills each piece as far as it goes, so one block more at the beginning moves every cut behind it. Stable looks,
from the start of a piece, at all places where it could end between a lower and an upper size, and takes the one that
its surroundings recommend most: first by structure, then by a hash of what begins there. Two rows that differ at the
beginning soon look at the same places, agree on one, and from there on are cut alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain


@dataclass(slots=True)
class Row:
    """Units side by side. Cut `c` lies in front of unit `c`; a piece goes from one cut to the next."""

    totals: Sequence[int]
    """Weight before each unit, then of all."""
    opening: Sequence[int]
    """Weight of what has to be added in front when a piece begins with this unit."""
    closing: Sequence[int]
    """Weight of what has to be added behind when a piece ends with this unit."""
    glued: Sequence[bool]
    """Whether this unit may not be the first of a piece: the one before is a heading."""
    rank: Callable[[int], int]
    """How good a place a cut is, by structure and content nearby."""
    fits: Callable[[int, int], bool]
    """Whether the piece between two cuts keeps the cap, counted exactly."""

    def weight(self, first: int, last: int) -> int:
        return self.totals[last] - self.totals[first] + self.opening[first] + self.closing[last - 1]

    def __len__(self) -> int:
        return len(self.totals) - 1


def stable_cuts(row: Row, lower: int, upper: int, least: int) -> list[int]:
    """Cuts by content. Pieces weigh from `lower` to `upper`, the last one at least `least`, where that can be had."""
    cuts, first, end = [0], 0, len(row)
    while first < end and (row.weight(first, end) > upper or not row.fits(first, end)):
        reach = first + 1
        while reach < end - 1 and row.weight(first, reach + 1) <= upper:
            reach += 1
        choices = [
            cut
            for cut in range(first + 1, reach + 1)
            if not row.glued[cut] and row.weight(first, cut) >= lower and row.totals[end] - row.totals[cut] >= least
        ]
        choices.sort(key=lambda cut: (row.rank(cut), cut), reverse=True)
        first = _first_that_fits(row, first, reach, choices)
        cuts.append(first)
    return cuts if first == end else [*cuts, end]


def greedy_cuts(row: Row, target: int, upper: int) -> list[int]:
    """Cuts where the next unit would pass `upper`, or as soon as `target` is reached."""
    cuts, first, end = [0], 0, len(row)
    while first < end:
        cut = first + 1
        while cut < end and row.weight(first, cut) < target and row.weight(first, cut + 1) <= upper:
            cut += 1
        if cut < end or not row.fits(first, end):
            cut = _first_that_fits(row, first, max(min(cut, end - 1), first + 1), [])
        cuts.append(cut)
        first = cut
    return cuts


def _first_that_fits(row: Row, first: int, reach: int, choices: list[int]) -> int:
    """The first choice that really fits; else the furthest cut that does; else the very next one."""
    apart = [cut for cut in range(reach, first, -1) if not row.glued[cut]]
    # `upper` may leave room for overlap. Rather than a heading alone, a chunk does without.
    beyond = [] if apart else [next(cut for cut in range(reach + 1, len(row) + 1) if not row.glued[cut])]
    for cut in chain(choices, apart, beyond, range(reach, first, -1)):
        if row.fits(first, cut):
            return cut
    return first + 1
