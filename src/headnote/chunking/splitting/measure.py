"""How heavy the parts of one block are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from headnote.chunking.context import MANY_BLANKS, ChunkingContext


class Measure:
    """Weighs stretches of a block. Offsets are those of its source, which has the line ends of the document.

    The pieces that are cut have plain line ends, and these weigh less.
    """

    def __init__(self, context: ChunkingContext, source: str, is_code: bool) -> None:
        self._context = context
        self._counter = context.counter
        self._source = source
        self._is_code = is_code

    def texts(self, *texts: str) -> list[int]:
        """Weight of each text."""
        return self._context.weigh_texts(texts, self._is_code)

    def between(self, cuts: Sequence[int]) -> list[int]:
        """Weight of the source between each two neighbouring cuts."""
        return self._context.weigh_pieces(self._source, cuts, self._is_code)

    def seams(self, cuts: Sequence[int]) -> tuple[list[int], list[bool]]:
        """The seam of each cut, and whether the cut has none.

        A seam lies at the cut or before the blanks in front of it: weights between seams add up exactly. A cut
        without a seam stands for itself, and sums across it are estimates. Seams never run backwards.
        """
        if self._counter.adds == "anywhere":
            return list(accumulate(cuts, max)), [False] * len(cuts)
        seams = self._counter.seams_before(self._source, cuts)
        off_seam = [seam is None for seam in seams]
        nearest = [cut if seam is None else seam for cut, seam in zip(cuts, seams, strict=True)]
        return list(accumulate(nearest, max)), off_seam

    def fit(self, text: str, start: int, end: int, limit: int) -> int:
        """How far the text from `start` on stays under the limit; one character at least."""
        counter = self._counter
        return counter.fit(text, limit // counter.unit, start, end, self._is_code)

    def blanks_behind(self, text: str, weight: int) -> int:
        """How much of the weight of a text is a long run of blanks at its end."""
        bare = text.rstrip()
        return weight - self.texts(bare)[0] if len(text) - len(bare) > MANY_BLANKS else 0
