"""Any function from text to size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index

from headnote.errors import SettingsError
from headnote.tokens.base import Counter


class FunctionCounter(Counter):
    """Asks the function, once for every text."""

    def __init__(self, function: Callable[[str], int]) -> None:
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self._function = function

    def weigh(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:  # noqa: ARG002
        return [self._ask(text) for text in texts]

    def _ask(self, text: str) -> int:
        answer = self._function(text)
        try:
            size = index(answer)
        except TypeError:
            size = -1
        if size < 0:
            raise SettingsError(
                f"the counter {self.name!r} returned {answer!r}",
                remedy="return the size as a whole number, 0 or more",
            )
        return size

    def _fit_window(self, text: str, limit: int, code: bool) -> int:
        """By halving: there are no boundaries to go by. Right for any function that grows with the text."""
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
