"""How heavy the parts of one block are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import sub

from headnote.chunking.context import MANY_BLANKS, ChunkingContext


class Measure:
    """Weighs stretches of a block. Offsets are those of its source, which begins at `start` in the document and has
    its line ends.

    The pieces that are cut have plain line ends, and these weigh less.
    """

    def __init__(self, context: ChunkingContext, source: str, start: int, is_code: bool) -> None:
        self._context = context
        self._start = start
        self._counter = context.counter
        self._source = source
        self._is_code = is_code

    def texts(self, *texts: str) -> list[int]:
        """Weight of each text."""
        return self._context.weigh_texts(texts, self._is_code)

    def between(self, cuts: Sequence[int]) -> list[int]:
        """Weight of the source between each two neighbouring cuts."""
        before = self._context.weight_before
        totals: list[int] = []
        for cut in cuts:
            total = before.get(self._start + cut)
            if total is None:
                return self._context.weigh_pieces(self._source, cuts, self._is_code)
            totals.append(total)
        return list(map(sub, totals[1:], totals))

    def seams(self, cuts: list[int]) -> tuple[list[int], list[bool]]:
        """The seam of each cut, and whether the cut has none.

        A seam lies at the cut or before the blanks in front of it: weights between seams add up exactly. A cut
        without a seam stands for itself, and sums across it are estimates. Seams never run backwards.
        """
        if self._counter.adds == "anywhere" or self._are_known(cuts):
            return _never_backwards(cuts), [False] * len(cuts)
        seams = self._counter.seams_before(self._source, cuts)
        off_seam = [seam is None for seam in seams]
        nearest = [cut if seam is None else seam for cut, seam in zip(cuts, seams, strict=True)]
        return _never_backwards(nearest), off_seam

    def _are_known(self, cuts: list[int]) -> bool:
        before, start = self._context.weight_before, self._start
        return bool(before) and all(start + cut in before for cut in cuts)

    def fit(self, text: str, start: int, end: int, limit: int) -> int:
        """How far the text from `start` on stays under the limit; one character at least."""
        counter = self._counter
        return counter.fit(text, limit // counter.unit, start, end, self._is_code)

    def blanks_behind(self, text: str, weight: int) -> int:
        """How much of the weight of a text is a long run of blanks at its end."""
        bare = text.rstrip()
        return weight - self.texts(bare)[0] if len(text) - len(bare) > MANY_BLANKS else 0


def _never_backwards(places: list[int]) -> list[int]:
    """Each place, or the furthest before it. Nearly always they are in order, which sorting finds out soonest."""
    return places if places == sorted(places) else list(accumulate(places, max))
