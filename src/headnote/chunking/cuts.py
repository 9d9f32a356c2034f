"""Where to cut a sequence of units so that every part keeps the cap: blocks of a section, or small sections.

`greedy_cuts` fills each part as far as it goes. One more block at the beginning moves every cut behind it.

`stable_cuts` chooses by content. From the start of a part it looks at all places where the part could end between a
lower and an upper weight, and takes the best one: first by structure, then by what the next part would carry over,
then by a hash of the text that begins there. Two versions of a document that differ at the beginning soon look at the
same places and choose the same one; from there on they are cut alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import chain
from typing import Final, NamedTuple
from zlib import crc32

_HASHED: Final = 64
"""Characters that decide between two places of equal strength."""


class Carried(NamedTuple):
    """The end of one part that the next part repeats as overlap."""

    value: int
    """How well it helps to understand what follows; 0 if nothing is carried."""
    weight: int


NOTHING = Carried(value=0, weight=0)


class UnitSequence:
    """Units side by side. Cut `c` lies in front of unit `c`; a part goes from one cut to the next.

    A sequence may hold the units of a whole document: cuts are looked for between two of them.
    """

    def __init__(
        self,
        *,
        text: str,
        starts: list[int],
        totals: list[int],
        strengths: list[int],
        glued: set[int],
        opening: list[int],
        closing: list[int],
        safe_weight: int,
        fits: Callable[[int, int], bool],
        carried: Callable[[int, int], Carried] | None = None,
        off_seam_totals: list[int] | None = None,
    ) -> None:
        self.text = text
        self.starts = starts
        """Where each unit begins in the text."""
        self.totals = totals
        """Weight of all units before each, then of all."""
        self.strengths = strengths
        """How good a place to cut the beginning of each unit is, by structure."""
        self.glued = glued
        """Units that should not begin a part, because the one before is a heading."""
        self.opening = opening
        """What the weight of a part changes by if it begins with the unit."""
        self.closing = closing
        """What the weight of a part changes by if it ends with the unit."""
        self.safe_weight = safe_weight
        """A part of at most this weight keeps the cap."""
        self.fits = fits
        """Whether the part between two cuts keeps the cap: the costly test, for parts that are heavier."""
        self._carried = carried
        self._off_seam_totals = off_seam_totals
        """How many units before each begin off a seam, then how many of all; None if none does."""

    def carried(self, before: int, first: int) -> Carried:
        """What a part that begins at `first` carries, if the part before it begins at `before`."""
        return NOTHING if self._carried is None else self._carried(before, first)

    def weight(self, first: int, last: int) -> int:
        """Weight of the part between two cuts."""
        return self.totals[last] - self.totals[first] + self.opening[first] + self.closing[last - 1]

    def own_limit(self, before: int, first: int, limit: int) -> int:
        """What is left of a limit for a part's own text; at least half, because it may carry less."""
        return max(limit - self.carried(before, first).weight, limit // 2)

    def keeps_cap(self, first: int, last: int) -> bool:
        is_safe = self.weight(first, last) <= self.safe_weight and self._adds_up(first, last)
        return is_safe or self.fits(first, last)

    def _adds_up(self, first: int, last: int) -> bool:
        """Whether the weight of a part is the sum of its units: none but the first begins off a seam."""
        totals = self._off_seam_totals
        return not totals or totals[last] == totals[first + 1]

    def _content_rank(self, first: int, cut: int) -> tuple[int, int, int]:
        """Decides between places of equal strength where a part that begins at `first` could end.

        What the next part would carry comes first, then a hash of the text that begins there: equal texts are cut
        alike.
        """
        return self.carried(first, cut).value, self._hash(cut), cut

    def _hash(self, cut: int) -> int:
        start = self.starts[cut]
        text = self.text[start : start + _HASHED]
        try:
            return crc32(text.encode())
        except UnicodeEncodeError:
            return crc32(text.encode("utf-8", "surrogatepass"))

    def ranked(self, first: int, cuts: list[int]) -> list[int]:
        """The places where a part could end, the best first: by structure, then by content."""
        return sorted(cuts, key=lambda cut: (self.strengths[cut], self._content_rank(first, cut)), reverse=True)

    def best(self, first: int, cuts: list[int]) -> int:
        """The first by rank. Only places of equal strength are ranked by content."""
        strengths = self.strengths
        strongest = -1
        finalists: list[int] = []
        for cut in cuts:
            if strengths[cut] > strongest:
                strongest, finalists = strengths[cut], [cut]
            elif strengths[cut] == strongest:
                finalists.append(cut)
        if len(finalists) == 1:
            return finalists[0]
        best, best_value, best_hash = -1, -1, -1
        for cut in finalists:
            value, hashed = self.carried(first, cut).value, self._hash(cut)
            # Of equal texts the last one, as in `ranked`.
            if value > best_value or (value == best_value and hashed >= best_hash):
                best, best_value, best_hash = cut, value, hashed
        return best


def stable_cuts(
    units: UnitSequence, first: int, end: int, *, min_weight: int, max_weight: int, min_last: int
) -> list[int]:
    """Cuts by content, from the first unit to the end.

    Parts weigh from `min_weight` to `max_weight`, and the last one at least `min_last`, wherever that is possible. A
    part that carries the end of the one before has as much less for its own text.
    """
    totals, glued, cuts = units.totals, units.glued, [first]
    # Behind this cut too little would be left for the last part.
    last_cut = min(bisect_right(totals, totals[end] - min_last, first, end + 1), end) - 1
    before = first
    while first < end:
        limit = units.own_limit(before, first, max_weight)
        if units.weight(first, end) <= limit and units.keeps_cap(first, end):
            return [*cuts, end]
        # The window in which this part may end; both bounds shrink by what it carries.
        base = totals[first] - units.opening[first]
        furthest = max(min(bisect_right(totals, base + limit, first, end + 1) - 1, end - 1), first + 1)
        nearest = max(bisect_left(totals, base + min_weight * limit // max_weight, first, end + 1), first + 1)
        choices = [cut for cut in range(nearest, min(furthest, last_cut) + 1) if cut not in glued]
        before, first = first, _choose(units, first, end, furthest, choices)
        cuts.append(first)
    return cuts


def _choose(units: UnitSequence, first: int, end: int, furthest: int, choices: list[int]) -> int:
    """The best choice that keeps the cap."""
    if choices:
        best = units.best(first, choices)
        if units.keeps_cap(first, best):
            return best
        choices = units.ranked(first, choices)
    return _first_that_fits(units, first, end, furthest, choices)


def greedy_cuts(units: UnitSequence, first: int, end: int, *, target: int, max_weight: int) -> list[int]:
    """Cuts where a part has reached the target, or where the next unit would take it above the maximum.

    If the next part carries the end of this one, a cut behind a better overlap is worth going past the target.
    """
    cuts, before = [first], first
    while first < end:
        limit, cut = units.own_limit(before, first, max_weight), first + 1
        while cut < end and units.weight(first, cut) < target and units.weight(first, cut + 1) <= limit:
            cut += 1
        if (cut < end and cut in units.glued) or not units.keeps_cap(first, cut):
            cut = _first_that_fits(units, first, end, max(min(cut, end - 1), first + 1), [])
        elif cut < end:
            cut = _with_best_overlap(units, first, cut, end, limit)
        cuts.append(cut)
        before, first = first, cut
    return cuts


def _with_best_overlap(units: UnitSequence, first: int, cut: int, end: int, limit: int) -> int:
    """The cut, or the first one behind it that is as good by structure and carries the most useful kind of block."""
    best, value = cut, units.carried(first, cut).value
    while value and cut + 1 < end and units.weight(first, cut + 1) <= limit:
        cut += 1
        is_as_good = cut not in units.glued and units.strengths[cut] >= units.strengths[best]
        if is_as_good and units.carried(first, cut).value > value and units.keeps_cap(first, cut):
            best, value = cut, units.carried(first, cut).value
    return best


def _first_that_fits(units: UnitSequence, first: int, end: int, furthest: int, choices: list[int]) -> int:
    """The first choice that keeps the cap; else the furthest cut that does; else the very next one."""
    unglued = [cut for cut in range(furthest, first, -1) if cut not in units.glued]
    if not unglued:
        # The limit may leave weight for what is carried. Rather than leave a heading alone, a part does without.
        furthest += 1
        while furthest < end and furthest in units.glued and units.weight(first, furthest) <= units.safe_weight:
            furthest += 1
        furthest = min(furthest, end)
    for cut in chain(choices, unglued, range(furthest, first, -1)):
        if units.keeps_cap(first, cut):
            return cut
    return first + 1
