"""What every counter can do, and the counters that only look at characters.

A new one defines `weigh`, and `boundaries` if its tokens have any.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple

from headnote.errors import SettingsError
from headnote.tokens.seams import pieces_between, seams_before
from headnote.tokens.unicode17 import WIDE, ranges

_CHARACTERS_PER_TOKEN = 6
"""How much text `fit` looks at first. Real text has 1 to 5."""

_BATCH = 4096
"""Pieces that are sliced at a time. A larger batch gains no speed and copies a large text into memory."""


class Counter(ABC):
    """A way to measure text.

    Weights can be added up, sizes are what people see: `size = ceil(weight / unit)`. Sums are rounded once, at the
    end, so the size of a chunk does not depend on the blocks it consists of.

    `code` says whether a text is code-like, one flag per text. Only estimates need it.
    """

    name: str
    """Its name in settings: `get_counter(name)` returns it."""

    unit: int = 1
    """Weight of one token."""

    adds: Literal["anywhere", "seams", "never"] = "never"
    """Where weight(a + b) == weight(a) + weight(b): between any two characters, at seams (see `seams.py`), or at no
    known place."""

    widest: int = 1
    """Maximum tokens of a single character: no lower cap can be kept. Unknown for a function or a file."""

    per_character: int | None = None
    """Weight of a character, if it is the same for all: then weights are differences of offsets."""

    swallows_slashes: bool = False
    """Whether a slash at the start of a line may belong to the punctuation before the line end (see `seams.py`)."""

    def seams_before(self, text: str, offsets: Sequence[int]) -> Sequence[int | None]:
        """For each offset the place where weights add up: there, or before the blanks in front of it; else None."""
        if self.adds == "seams":
            return seams_before(text, offsets, swallows_slashes=self.swallows_slashes)
        return offsets if self.adds == "anywhere" else [None] * len(offsets)

    @abstractmethod
    def weigh(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:
        """Weight of each text; one call for many is cheaper than many calls."""

    def weigh_pieces(self, text: str, cuts: Sequence[int], code: Sequence[bool] | None = None) -> list[int]:
        """Weight of the text between each two neighbouring cuts."""
        weights: list[int] = []
        for first in range(0, len(cuts) - 1, _BATCH):
            batch = cuts[first : first + _BATCH + 1]
            flags = code[first : first + _BATCH] if code else None
            weights += self.weigh(pieces_between(text, batch), flags)
        return weights

    def count(self, text: str, code: bool = False) -> int:
        """Size of one text."""
        return self.size(self.weigh((text,), (code,))[0])

    def count_many(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:
        """Size of each text."""
        return [self.size(weight) for weight in self.weigh(texts, code)]

    def size(self, weight: int) -> int:
        """Tokens in a sum of weights, rounded up."""
        return -(-weight // self.unit)

    def boundaries(self, text: str, code: bool = False) -> Sequence[int]:  # noqa: ARG002
        """Character offset where each token begins, then the length of the text: `count(text) + 1` numbers.

        A token may begin inside a character that takes several tokens. No cut may fall there, so its boundary moves
        back to where the character begins: equal numbers follow each other.
        """
        raise SettingsError(
            f"the counter {self.name!r} counts tokens but does not know where they start",
            remedy="windows of tokens need cl100k, o200k, chars, chars4, estimate or a tokenizer.json",
        )

    def fit(self, text: str, limit: int, start: int = 0, end: int | None = None, code: bool = False) -> int:
        """Where to cut `text` so that the piece from `start` on is about the longest with at most `limit` tokens.

        It does not go past `end`, and has at least one character, even if that alone is over the limit, so that a loop
        of cuts ends. No more text is looked at than needed, so that the loop takes linear time. With `code`, the text
        counts as code.
        """
        end = len(text) if end is None else end
        width = (limit + 1) * _CHARACTERS_PER_TOKEN
        while True:
            window = text[start : min(end, start + width)]
            cut = self._fit_window(window, limit, code)
            if start + len(window) >= end or cut < len(window):
                return min(end, start + max(cut, 1))
            width *= 4

    def _fit_window(self, text: str, limit: int, code: bool) -> int:
        """The same for a text of moderate length, by token boundaries."""
        if self.count(text, code) <= limit:
            return len(text)
        boundaries = self.boundaries(text, code)
        # A beginning may have more tokens by itself than inside the text: contractions, whitespace.
        for token in range(min(limit, len(boundaries) - 1), 0, -1):
            if self.count(text[: boundaries[token]], code) <= limit:
                return boundaries[token]
        return 0

    def __repr__(self) -> str:
        return f"<counter {self.name}>"


# -- Counters that only look at characters, with ratios for prose, code and wide characters.


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


def count_wide(text: str) -> int:
    """How many characters of a text are wide."""
    return sum(map(len, wide_characters().findall("".join(_maybe_wide().findall(text)))))


@cache
def _maybe_wide() -> re.Pattern[str]:
    """The first wide character is U+1100. This pattern discards European text quickly."""
    return re.compile("[\u1100-\U0010ffff]+")


@cache
def wide_characters() -> re.Pattern[str]:
    """Matches a run of wide characters."""
    members = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges(WIDE))
    return re.compile(f"[{members}]+")
