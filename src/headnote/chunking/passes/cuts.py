"""Where to cut a row of units so that every piece keeps the cap: blocks in a section, or sections in a row.

Greedy fills each piece as far as it goes, so one block more at the beginning moves every cut behind it. Stable looks,
from the start of a piece, at all places where it could end between a lower and an upper size, and takes the one that
its surroundings recommend most: first by structure, then by what the next piece would carry over, then by a hash of
what begins there. Two rows that differ at the beginning soon look at the same places, agree on one, and from there on
are cut alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple
from zlib import crc32

_HASHED = 64
"""Characters that decide between two places of equal strength."""


class Carried(NamedTuple):
    """What a piece begins with that is the end of the one before."""

    worth: int
    """How well such text helps to understand what follows; 0 if it is none."""
    weight: int


NOTHING = Carried(0, 0)


@dataclass(slots=True)
class Row:
    """Units side by side. Cut `c` lies in front of unit `c`; a piece goes from one cut to the next.

    Those of a whole page may lie in one row: cuts are asked for between two of its units.
    """

    text: str
    starts: Sequence[int]
    """Where each unit begins in the text."""
    totals: Sequence[int]
    """Weight before each unit, then of all."""
    strengths: Sequence[int]
    """How good a place to cut the beginning of each unit is, by structure."""
    glued: Collection[int]
    """Units that may not be the first of a piece: the one before is a heading."""
    opening: Sequence[int]
    """Weight of what has to be added in front when a piece begins with the unit."""
    closing: Sequence[int]
    """Weight of what has to be added behind, or need not be counted, when a piece ends with the unit."""
    sure: int
    """A piece of at most this weight keeps the cap."""
    fits: Callable[[int, int], bool]
    """Whether a heavier one between two cuts does, too; not asked for others."""
    doubts: Sequence[int] = ()
    """How many units before each begin where weights do not add up, then how many do at all; empty if none does."""
    carried: Callable[[int, int], Carried] = lambda *_: NOTHING
    """What a piece carries that begins at the second cut, if the one before it begins at the first."""

    def weight(self, first: int, last: int) -> int:
        return self.totals[last] - self.totals[first] + self.opening[first] + self.closing[last - 1]

    def space(self, before: int, first: int, upper: int) -> int:
        """What is left of `upper` beside what a piece carries; half of it at least, for it may carry less."""
        return max(upper - self.carried(before, first).weight, upper // 2)

    def keeps_cap(self, first: int, last: int) -> bool:
        return (self.weight(first, last) <= self.sure and self.adds_up(first, last)) or self.fits(first, last)

    def adds_up(self, first: int, last: int) -> bool:
        """Whether the weight of a piece is the sum of its units."""
        return not self.doubts or self.doubts[last] == self.doubts[first + 1]

    def content_at(self, first: int, cut: int) -> tuple[int, int, int]:
        """What decides between places of equal strength where a piece could end.

        It is what the next piece would carry, then a hash of the text that begins there: the same is cut alike.
        """
        start = self.starts[cut]
        text = self.text[start : start + _HASHED].encode("utf-8", "surrogatepass")
        return self.carried(first, cut).worth, crc32(text), cut

    def by_rank(self, first: int, cuts: list[int]) -> list[int]:
        """The best place to end a piece first: by structure, then by content."""
        return sorted(cuts, key=lambda cut: (self.strengths[cut], self.content_at(first, cut)), reverse=True)

    def best(self, first: int, cuts: list[int]) -> int:
        """The first of them by rank."""
        strengths = self.strengths
        strongest = max([strengths[cut] for cut in cuts])
        finalists = [cut for cut in cuts if strengths[cut] == strongest]
        return finalists[0] if len(finalists) == 1 else max([self.content_at(first, cut) for cut in finalists])[-1]


def stable_cuts(row: Row, first: int, end: int, lower: int, upper: int, least: int) -> list[int]:
    """Cuts by content. Pieces weigh from `lower` to `upper`, the last one at least `least`, where that can be had.

    A piece that carries the end of the one before has as much less space for its own text.
    """
    totals, glued, cuts = row.totals, row.glued, [first]
    last_cut = min(bisect_right(totals, totals[end] - least, first, end + 1), end) - 1
    before = first
    while first < end:
        space = row.space(before, first, upper)
        if row.weight(first, end) <= space and row.keeps_cap(first, end):
            return [*cuts, end]
        base = totals[first] - row.opening[first]
        reach = max(min(bisect_right(totals, base + space, first, end + 1) - 1, end - 1), first + 1)
        nearest = max(bisect_left(totals, base + lower * space // upper, first, end + 1), first + 1)
        choices = [cut for cut in range(nearest, min(reach, last_cut) + 1) if cut not in glued]
        before, first = first, _choose(row, first, end, reach, choices)
        cuts.append(first)
    return cuts


def _choose(row: Row, first: int, end: int, reach: int, choices: list[int]) -> int:
    """The best choice that keeps the cap."""
    if choices:
        best = row.best(first, choices)
        if row.keeps_cap(first, best):
            return best
        choices = row.by_rank(first, choices)
    return _first_that_fits(row, first, end, reach, choices)


def greedy_cuts(row: Row, first: int, end: int, target: int, upper: int) -> list[int]:
    """Cuts where the next unit would pass `upper`, what is carried included, or as soon as `target` is reached."""
    cuts, before = [first], first
    while first < end:
        space, cut = row.space(before, first, upper), first + 1
        while cut < end and row.weight(first, cut) < target and row.weight(first, cut + 1) <= space:
            cut += 1
        if (cut < end and cut in row.glued) or not row.keeps_cap(first, cut):
            cut = _first_that_fits(row, first, end, max(min(cut, end - 1), first + 1), [])
        cuts.append(cut)
        before, first = first, cut
    return cuts


def _first_that_fits(row: Row, first: int, end: int, reach: int, choices: list[int]) -> int:
    """The first choice that keeps the cap; else the furthest cut that does; else the very next one."""
    apart = [cut for cut in range(reach, first, -1) if cut not in row.glued]
    if not apart:
        # Space may be left for what is carried. Rather than leave a heading alone, a piece does without.
        reach += 1
        while reach < end and reach in row.glued and row.weight(first, reach) <= row.sure:
            reach += 1
        reach = min(reach, end)
    for cut in chain(choices, apart, range(reach, first, -1)):
        if row.keeps_cap(first, cut):
            return cut
    return first + 1
