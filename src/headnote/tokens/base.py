"""What every counter can do, and what a new one has to bring: `weigh`, and `boundaries` if it has any."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from headnote.errors import SettingsError
from headnote.tokens.seams import seams_before

# Guess for the first look at a text whose longest fitting beginning is wanted. Real text has 1 to 5.
_CHARACTERS_PER_TOKEN = 6


_PIECES_AT_ONCE = 4096
"""So many make a batch worth while; more would only be copies of a large text in memory."""


class Counter(ABC):
    """A way to measure text.

    Weights are what may be added up, sizes are what people see: `size = ceil(weight / unit)`. Rounding once, at the
    end, is what makes the size of a chunk independent of the blocks it was put together from.

    `code` says whether a text is code-like, one flag per text. Only estimates care.
    """

    name: str
    """What settings call it, and what brings it back: `get_counter(name)`."""

    unit: int = 1
    """Weight of one token."""

    adds: Literal["anywhere", "seams", "never"] = "never"
    """Where weight(a + b) == weight(a) + weight(b): between any two characters, at seams (see `seams.py`), or
    nowhere that could be relied on."""

    widest: int = 1
    """Most tokens of a single character: no cap below it can be kept. For a function or a file, nobody knows."""

    per_character: int | None = None
    """Weight of every character, if it is the same for all: then offsets are all one needs."""

    swallows_slashes: bool = False
    """Whether a slash at the start of a line may belong to the punctuation before the line end (see `seams.py`)."""

    def seams_before(self, text: str, offsets: Sequence[int]) -> Sequence[int | None]:
        """Where weights add up: at each offset, or before the blanks in front of it; None if they do at neither."""
        if self.adds == "seams":
            return seams_before(text, offsets, swallows_slashes=self.swallows_slashes)
        return offsets if self.adds == "anywhere" else [None] * len(offsets)

    @abstractmethod
    def weigh(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:
        """Weight of each text; one call for many is cheaper than many calls."""

    def weigh_pieces(self, text: str, cuts: Sequence[int], code: Sequence[bool] | None = None) -> list[int]:
        """Weight of each piece between two neighbouring cuts."""
        weights: list[int] = []
        for first in range(0, len(cuts) - 1, _PIECES_AT_ONCE):
            some = cuts[first : first + _PIECES_AT_ONCE + 1]
            flags = code[first : first + _PIECES_AT_ONCE] if code else None
            weights += self.weigh([text[start:end] for start, end in pairwise(some)], flags)
        return weights

    def count(self, text: str, code: bool = False) -> int:
        """Size of one text."""
        return self.size(self.weigh((text,), (code,))[0])

    def count_many(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:
        """Size of each text."""
        return [self.size(weight) for weight in self.weigh(texts, code)]

    def size(self, weight: int) -> int:
        """Tokens in a sum of weights, a begun one included."""
        return -(-weight // self.unit)

    def boundaries(self, text: str, code: bool = False) -> Sequence[int]:  # noqa: ARG002
        """Character offset where each token begins, then the length of the text: `count(text) + 1` numbers.

        A token may begin inside a character that takes several tokens. No cut may fall there, so such a boundary
        stands at the nearest one before it that lies between characters: equal numbers in a row.
        """
        raise SettingsError(
            f"the counter {self.name!r} knows sizes but not where its tokens begin",
            remedy="windows of tokens need cl100k, o200k, chars, chars4, estimate or a tokenizer.json",
        )

    def fit(self, text: str, limit: int, start: int = 0, end: int | None = None, code: bool = False) -> int:
        """Where to cut so that `text[start:cut]` has at most `limit` tokens and hardly a longer one would do.

        At least one character, even if it alone is over the limit: whoever cuts in a loop comes to an end. The
        text is looked at only as far as needed, so that the loop takes linear time.
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
        # A beginning counted by itself may come out larger than inside the text: contractions, whitespace.
        for token in range(min(limit, len(boundaries) - 1), 0, -1):
            if self.count(text[: boundaries[token]], code) <= limit:
                return boundaries[token]
        return 0

    def __repr__(self) -> str:
        return f"<counter {self.name}>"
