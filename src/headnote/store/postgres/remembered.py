"""What searches of one generation have in common, found out once: it holds until the next update."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar, cast

Value = TypeVar("Value")


class Lengths(NamedTuple):
    """What the score of a word depends on besides the chunk itself."""

    chunks: int
    average: float
    """Terms of a chunk."""


class Remembered:
    """Shared by the readers of a store. One who still sees an older generation gets nothing and leaves nothing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = -1
        self._values: dict[str, object] = {}
        self._frequencies: dict[str, int] = {}

    def value(self, generation: int, name: str, find: Callable[[], Value]) -> Value:
        with self._lock:
            if self._turn_to(generation) and name in self._values:
                return cast("Value", self._values[name])
        found = find()
        with self._lock:
            if self._turn_to(generation):
                self._values[name] = found
        return found

    def frequencies(self, generation: int) -> dict[str, int]:
        """Term → in how many chunks it is, as far as that was asked before."""
        with self._lock:
            return dict(self._frequencies) if self._turn_to(generation) else {}

    def add_frequencies(self, generation: int, found: Mapping[str, int]) -> None:
        with self._lock:
            if self._turn_to(generation):
                if len(self._frequencies) > _MOST_TERMS:
                    self._frequencies.clear()
                self._frequencies.update(found)

    def _turn_to(self, generation: int) -> bool:
        if generation > self._generation:
            self._generation = generation
            self._values.clear()
            self._frequencies.clear()
        return generation == self._generation


_MOST_TERMS = 5000
