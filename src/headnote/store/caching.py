"""Values that readers of one index share in memory, so that the next search reads little."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """A least-recently-used cache whose entries belong to a generation of the index. Safe for threads.

    A reader only gets values of its own generation. A newer value replaces an older one, never the other way round.
    """

    def __init__(self, capacity: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        """`capacity` is in the unit of `size`; with 0, nothing is stored."""
        self._capacity = capacity
        self._size = size
        self._lock = threading.Lock()
        self._entries: OrderedDict[Key, tuple[int, Value]] = OrderedDict()
        self._used = 0

    def get(self, generation: int, key: Key, read: Callable[[], Value]) -> Value:
        """The value of one key, read if it is missing."""
        return self.get_many(generation, [key], lambda _: {key: read()})[key]

    def get_many(
        self, generation: int, keys: Iterable[Key], read: Callable[[list[Key]], Mapping[Key, Value]]
    ) -> dict[Key, Value]:
        """The values of all keys. Missing ones are read together, and added."""
        requested = list(dict.fromkeys(keys))
        values = self.cached(generation, requested)
        if len(values) < len(requested):
            # Without the lock: others need not wait for the database.
            new = read([key for key in requested if key not in values])
            self.add(generation, new)
            values.update(new)
        return values

    def cached(self, generation: int, keys: Iterable[Key]) -> dict[Key, Value]:
        """The values that are here."""
        values = {}
        with self._lock:
            entries = self._entries
            # As long as there is room, nobody asks who came last; to keep it takes as long as the rest.
            is_filling_up = 2 * self._used > self._capacity
            for key in keys:
                entry = entries.get(key)
                if entry is not None and entry[0] == generation:
                    values[key] = entry[1]
                    if is_filling_up:
                        entries.move_to_end(key)
        return values

    def add(self, generation: int, values: Mapping[Key, Value]) -> None:
        with self._lock:
            for key, value in values.items():
                entry = self._entries.get(key)
                if entry is not None:
                    if entry[0] >= generation:
                        continue
                    self._used -= self._size(entry[1])
                self._entries[key] = (generation, value)
                self._entries.move_to_end(key)
                self._used += self._size(value)
            while self._used > self._capacity:
                _, (_, oldest) = self._entries.popitem(last=False)
                self._used -= self._size(oldest)
