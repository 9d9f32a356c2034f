"""Measure any part of a document after counting every character of it once.

Byte-pair tokenizers first split a text into words, runs of digits, punctuation and whitespace by one regular
expression, and no token crosses from one such piece into the next. The expressions of cl100k and o200k look ahead
but never back. So if a piece ends at some offset, what follows is tokenized as if the text began there; and what
stands before it changes only if it ends in whitespace, which at the end of a text is taken as a whole.

A **seam** is an offset where both sides are therefore counted as if the other were not there, and counts add up
exactly. Two kinds can be told from a few characters:

- a line start, if the line is not blank: line ends close the piece before, and the indentation of the line belongs
  to the line. One exception, in o200k: punctuation swallows line ends *and slashes*, so a line that begins with a
  slash is none if the line before it ends in punctuation.
- a space or tab after a character that is not whitespace: the space belongs to the word behind it.

Blocks begin at line starts and are not blank, so the counts of blocks with the blank lines that follow them can be
added. A chunk ends without those blank lines. Where they begin is no seam, and to leave them out may cost a token as
well as save one (in cl100k `[];` alone is two tokens, with its line end one), so the ruler recounts from the last
word or line on.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

from headnote.tokens.base import Counter

# Python sees whitespace in four control characters (U+001C to U+001F) that are punctuation to the tokenizers. Both
# readings of such a line end in the same answer.
_LINE_IS_NOT_BLANK = re.compile(r"[^\S\r\n]+\S|[^\s/]")

# What nearly every block begins with, for a quick yes.
_PLAIN_STARTS = frozenset(map(chr, range(0x21, 0x7F))) - {"/"}
_PLAIN_LINE_STARTS = frozenset(f"\n{start}" for start in _PLAIN_STARTS)


def is_seam(text: str, offset: int, end: int | None = None, *, swallows_slashes: bool = True) -> bool:
    """Whether exact counts add up here: count(text[:end]) == count(text[:offset]) + count(text[offset:end])."""
    end = len(text) if end is None else end
    if offset <= 0 or offset >= end:
        return True
    before, here = text[offset - 1], text[offset]
    if here in " \t" and not before.isspace():
        return True
    if before not in "\r\n":
        return False
    if here == "/":
        return not swallows_slashes or not _ends_in_punctuation(text, offset)
    return _LINE_IS_NOT_BLANK.match(text, offset, end) is not None


def _ends_in_punctuation(text: str, line_start: int) -> bool:
    """Whether the last line before this one that has more than its line end does; yes if in doubt."""
    position = line_start - 1
    while position >= 0 and text[position] in "\r\n":
        position -= 1
    before = text[max(position, 0)]
    return not (before.isspace() or (before.isascii() and before.isalnum()))


class Ruler:
    """Sizes of all parts of one text, as if each stood alone.

    Cuts are ascending offsets, as a rule the starts of blocks and the end of the text; `code` has a flag for each
    piece between them. Nothing outside the first and last cut can be measured.
    """

    def __init__(self, counter: Counter, text: str, cuts: Sequence[int], code: Sequence[bool] | None = None) -> None:
        self.counter = counter
        self.text = text
        self.cuts = cuts
        self._code = code or ()
        self._rough = self._find_rough_cuts()
        # Numbers and offsets of the other cuts, the ones to calculate with.
        self._sound: Sequence[int] = range(len(cuts))
        self._sound_cuts = cuts
        weights = counter.weigh_pieces(text, cuts, code)
        if self._rough:
            self._sound = [number for number in self._sound if number not in self._rough]
            self._sound_cuts = [cuts[number] for number in self._sound]
            self._mend(weights)
        self.totals: list[int] = list(accumulate(weights, initial=0))
        """Weight from the first cut up to each cut; the difference of two is what lies between. Exact if both are
        seams, else (and for counters that do not add up) a good guess. `between` knows which."""

    def between(self, first: int, last: int) -> int:
        """Size of what lies between two cuts, given by their numbers: exact."""
        if self._rough and (first in self._rough or last in self._rough):
            return self.size(self.cuts[first], self.cuts[last])
        return self.counter.size(self.totals[last] - self.totals[first])

    def size(self, start: int, end: int) -> int:
        """Size of `text[start:end]`: exact, whatever the offsets. Takes no longer than counting it anew."""
        if start >= end:
            return 0
        each = self.counter.per_character
        return self.counter.size(self._weigh(start, end) if each is None else (end - start) * each)

    def _weigh(self, start: int, end: int) -> int:
        cuts = self._sound_cuts
        first = bisect_left(cuts, start)
        last = bisect_right(cuts, end) - 1
        while last >= first and not self._holds_before(cuts[last], end):
            last -= 1
        if first > last:
            return self._weigh_anew(start, end)
        weight = self.totals[self._sound[last]] - self.totals[self._sound[first]]
        if start < cuts[first]:
            weight += self._weigh_anew(start, cuts[first])
        if end > cuts[last]:
            weight += self._weigh_beginning(last, end)
        return weight

    def _holds_before(self, cut: int, end: int) -> bool:
        """Whether a cut that is a seam in the whole text is one in the text up to `end`."""
        if self.counter.adds == "anywhere" or cut >= end or self.text[cut] in _PLAIN_STARTS:
            return True
        return self._is_seam(cut, end)

    def _is_seam(self, offset: int, end: int) -> bool:
        return is_seam(self.text, offset, end, swallows_slashes=self.counter.swallows_slashes)

    def _weigh_beginning(self, sound: int, end: int) -> int:
        """Weight from a sound cut up to `end`, before the next one: taken off the whole if little remains."""
        start = self._sound_cuts[sound]
        if self.counter.adds == "seams" and sound + 1 < len(self._sound):
            stop = self._sound_cuts[sound + 1]
            seam = self._last_seam_between(start, end)
            if stop - seam < end - start:
                whole = self.totals[self._sound[sound + 1]] - self.totals[self._sound[sound]]
                count = self.counter.count
                return whole - count(self.text[seam:stop]) + count(self.text[seam:end])
        return self._weigh_anew(start, end)

    def _last_seam_between(self, start: int, end: int) -> int:
        """A seam shortly before `end` that stays one in a text that ends there; `start` if none is found."""
        word = self.text.rfind(" ", start + 1, end)
        line = self.text.rfind("\n", max(start, word), end) + 1
        if line > start and line < end and self._is_seam(line, end):
            return line
        return word if word > start and self._is_seam(word, end) else start

    def _weigh_anew(self, start: int, end: int) -> int:
        """Weight of a part, counted now. Estimates need to know which pieces of it are code."""
        if self.counter.adds != "anywhere" or not self._code:
            return self.counter.weigh((self.text[start:end],))[0]
        first = bisect_right(self.cuts, start) - 1
        last = bisect_left(self.cuts, end)
        parts = [start, *self.cuts[first + 1 : last], end]
        return sum(self.counter.weigh_pieces(self.text, parts, self._code[first:last]))

    def _find_rough_cuts(self) -> frozenset[int]:
        """Numbers of the cuts across which weights do not add up."""
        if self.counter.adds == "anywhere":
            return frozenset()
        if self.counter.adds == "never":
            return frozenset(range(len(self.cuts)))
        text, inner = self.text, self.cuts[1:-1]  # the first and the last have only one side
        return frozenset(
            number
            for number, cut in enumerate(inner, 1)
            if text[cut - 1 : cut + 1] not in _PLAIN_LINE_STARTS and not self._is_seam(cut, len(text))
        )

    def _mend(self, weights: list[int]) -> None:
        """Make the pieces between two seams sum up to their exact weight, by correcting the last of them."""
        groups = [(first, last) for first, last in pairwise(self._sound) if last - first > 1]
        texts = [self.text[self.cuts[first] : self.cuts[last]] for first, last in groups]
        for (first, last), weight in zip(groups, self.counter.weigh(texts), strict=True):
            weights[last - 1] += weight - sum(weights[first:last])
