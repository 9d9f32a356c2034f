"""What every counter can do. A new one defines `weigh`, and `boundaries` if its tokens have any."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from headnote.errors import SettingsError
from headnote.tokens.seams import pieces_between, seams_before

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
    """Most tokens of a single character: no lower cap can be kept. Unknown for a function or a file."""

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
