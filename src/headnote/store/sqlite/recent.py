"""What was read last and may be asked for again, in memory while the index stays as it is."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Values of one generation, shared by all readers of a file; those that were not asked for longest make room."""

    def __init__(self, most: int, size: Callable[[Value], int]) -> None:
        self._most = most
        self._size = size
        self._lock = threading.Lock()
        self._generation = -1
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._in_all = 0

    def get(
        self, generation: int, keys: Iterable[Key], read: Callable[[list[Key]], Mapping[Key, Value]]
    ) -> dict[Key, Value]:
        """The values of all keys; what is not there is read, and kept."""
        wanted = list(dict.fromkeys(keys))
        found = self.known(generation, wanted)
        if missing := [key for key in wanted if key not in found]:
            read_now = read(missing)
            self.keep(generation, read_now)
            found.update(read_now)
        return found

    def known(self, generation: int, keys: Iterable[Key]) -> dict[Key, Value]:
        """Those of the keys that are there."""
        with self._lock:
            if generation != self._generation:
                return {}
            found = {key: self._values[key] for key in keys if key in self._values}
            for key in found:
                self._values.move_to_end(key)
            return found

    def keep(self, generation: int, values: Mapping[Key, Value]) -> None:
        """Newer values push out all of an older generation; those of an older view are not kept."""
        with self._lock:
            if generation > self._generation:
                self._values.clear()
                self._generation, self._in_all = generation, 0
            if generation < self._generation:
                return
            for key, value in values.items():
                if key not in self._values:
                    self._values[key] = value
                    self._in_all += self._size(value)
            while self._in_all > self._most:
                _, oldest = self._values.popitem(last=False)
                self._in_all -= self._size(oldest)
