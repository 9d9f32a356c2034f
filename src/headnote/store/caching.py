"""Values that readers of one index share in memory, so that the next search reads little."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headnote.store.filters import Filter, Requirement
from headnote.store.labels import Labels
from headnote.store.quantized import ChunkVectors
from headnote.store.rows import Parent
from headnote.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = "all"
"""The key of a cache that has one value."""
CAPACITY = 64 << 20
"""Bytes of each cache whose values differ in size."""
_OVERHEAD = 100
"""Bytes of an entry besides its value."""

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


class Caches:
    """One cache for each kind of value. A writer disables them: its changes may never be committed."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        self.manifest: Cache[str, dict[str, str]] = self.of_number(1)
        self.labels: Cache[str, Labels] = self.of_number(1)
        self.numbers: Cache[tuple[str, str], int] = self.of_number(1000)
        """(what is counted, of which model if of one) → how many there are."""
        self.complete: Cache[tuple[str, Filter], bool] = self.of_number(1000)
        """(model, filter) → whether all chunks that pass have their vectors."""
        self.frequencies: Cache[str, int] = self.of_size(lambda _: 0)
        self.passing: Cache[Filter, NDArray[np.int64]] = self.of_size(lambda ids: ids.nbytes)
        """Filter → the chunks that pass, sorted."""
        self.matching: Cache[Requirement, list[Any]] = self.of_size(lambda found: 50 * len(found))
        """Requirement → the chunks, documents or values that satisfy it, where they had to be looked at one by one."""
        self.parents: Cache[int, Parent] = self.of_size(lambda parent: 2 * len(parent.text))
        """Number of a document → what its chunks need of it."""
        self.vocabularies: Cache[str, Vocabulary] = self.of_size(lambda terms: terms.bytes)
        """Beginning → the terms that begin so."""
        self.parts: Cache[tuple[int, int], ChunkVectors | None] = self.of_size(
            lambda vectors: vectors.bytes if vectors else 0
        )
        """(model, chunk) → the vectors of its names and parts; None if it has none."""

    def of_number(self, capacity: int) -> Cache[Key, Value]:
        """A cache of so many values."""
        return Cache(capacity if self._enabled else 0)

    def of_size(self, size: Callable[[Value], int]) -> Cache[Key, Value]:
        """A cache of values that take so many bytes."""
        return Cache(CAPACITY if self._enabled else 0, lambda value: _OVERHEAD + size(value))
