"""A function `str → int` as a counter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index

from headnote.errors import SettingsError
from headnote.tokens.base import Counter


class FunctionCounter(Counter):
    """Calls the function once for every text."""

    def __init__(self, function: Callable[[str], int]) -> None:
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self._function = function

    def weigh(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:  # noqa: ARG002
        return [self._size_of(text) for text in texts]

    def _size_of(self, text: str) -> int:
        result = self._function(text)
        try:
            size = index(result)
        except TypeError:
            size = -1
        if size < 0:
            raise SettingsError(
                f"the counter {self.name!r} returned {result!r}",
                remedy="return the size as a whole number, 0 or more",
            )
        return size

    def _fit_window(self, text: str, limit: int, code: bool) -> int:
        """By bisection, since there are no boundaries. Correct for any function that grows with the text."""
        if self.count(text, code) <= limit:
            return len(text)
        fits, over = 0, len(text)
        while over - fits > 1:
            middle = (fits + over) // 2
            if self.count(text[:middle], code) <= limit:
                fits = middle
            else:
                over = middle
        return fits
