"""Counters that only look at characters, with ratios for prose, code and wide characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple

from headnote.tokens.counter import Counter
from headnote.tokens.unicode17 import WIDE, ranges


class CharacterWeights(NamedTuple):
    """Ratios as whole numbers over a common unit, so that sums are exact and the same on every machine."""

    unit: int
    """Weight of one token."""
    prose: int
    """Weight of one character of prose."""
    code: int
    """Weight of one character of code."""
    wide: int
    """Weight of one wide character (CJK, emoji), in prose and in code."""


TABLE: dict[str, CharacterWeights] = {
    "chars": CharacterWeights(unit=1, prose=1, code=1, wide=1),
    "chars4": CharacterWeights(unit=4, prose=1, code=1, wide=1),
    # Characters per token:                           prose     code
    "estimate": CharacterWeights(44, 11, 16, 44),  # ........... 4        2.75
    "estimate-prose": CharacterWeights(66, 15, 22, 66),  # ..... 4.4      3.0
    "estimate-code": CharacterWeights(36, 10, 15, 36),  # ...... 3.6      2.4
}
"""Name of a counter → its ratios."""


class CharacterCounter(Counter):
    """Weights of characters, added up."""

    adds: Literal["anywhere", "seams", "never"] = "anywhere"

    def __init__(self, name: str) -> None:
        self.name = name
        self.unit, self._prose, self._code, self._wide = TABLE[name]
        if self._prose == self._code == self._wide:
            self.per_character = self._prose

    def weigh(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:
        if self.per_character is not None:
            return [len(text) * self.per_character for text in texts]
        flags = code or (False,) * len(texts)
        return [self._weigh_one(text, flag) for text, flag in zip(texts, flags, strict=True)]

    def weigh_pieces(self, text: str, cuts: Sequence[int], code: Sequence[bool] | None = None) -> list[int]:
        if not self._is_uniform(text):
            return super().weigh_pieces(text, cuts, code)
        # Only lengths matter: nothing has to be sliced.
        lengths = [end - start for start, end in pairwise(cuts)]
        flags = code or (False,) * len(lengths)
        ratio = (self._prose, self._code)
        return [length * ratio[flag] for length, flag in zip(lengths, flags, strict=True)]

    def boundaries(self, text: str, code: bool = False) -> Sequence[int]:
        tokens = self.count(text, code)
        if tokens == 0:
            return [0]
        each = self._code if code else self._prose
        if self._is_uniform(text) and self.unit % each == 0:
            inner = list(range(self.unit // each, len(text), self.unit // each))
        elif self._is_uniform(text):
            inner = [token * self.unit // each for token in range(1, tokens)]
        else:
            sums = self._running_weights(text, code)
            inner = [bisect_right(sums, token * self.unit) - 1 for token in range(1, tokens)]
        return [0, *inner, len(text)]

    def _fit_window(self, text: str, limit: int, code: bool) -> int:
        if self._is_uniform(text):
            return min(limit * self.unit // (self._code if code else self._prose), len(text))
        return bisect_right(self._running_weights(text, code), limit * self.unit) - 1

    def _is_uniform(self, text: str) -> bool:
        """Whether all its characters have the same weight."""
        return self.per_character is not None or text.isascii()

    def _running_weights(self, text: str, code: bool) -> list[int]:
        """Weight of the text before each character, then of the whole text."""
        each = self._code if code else self._prose
        is_wide = wide_characters().match
        return list(accumulate((self._wide if is_wide(char) else each for char in text), initial=0))

    def _weigh_one(self, text: str, is_code: bool) -> int:
        each = self._code if is_code else self._prose
        wide = 0 if text.isascii() else count_wide(text)
        return (len(text) - wide) * each + wide * self._wide


# The first wide character is U+1100. This pattern discards European text quickly.
_MAYBE_WIDE = re.compile("[\u1100-\U0010ffff]+")


def count_wide(text: str) -> int:
    """How many characters of a text are wide."""
    return sum(map(len, wide_characters().findall("".join(_MAYBE_WIDE.findall(text)))))


@cache
def wide_characters() -> re.Pattern[str]:
    """Matches a run of wide characters."""
    members = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges(WIDE))
    return re.compile(f"[{members}]+")
