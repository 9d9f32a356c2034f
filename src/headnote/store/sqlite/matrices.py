"""All vectors of a model, in memory while they hold."""

from __future__ import annotations

import threading
from collections.abc import Callable

from headnote.store.rows import VectorSet


class Matrices:
    """The vectors that were asked for last, shared by all readers of a file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: VectorSet | None = None

    def current(self, read: Callable[[VectorSet | None], VectorSet | None]) -> VectorSet | None:
        """What `read` gives, which is told what is known."""
        with self._lock:
            known = self._last
        vectors = read(known)
        with self._lock:
            # An older view must not push out what a newer one has read.
            if vectors is not None and (
                self._last is None or self._last.model != vectors.model or vectors.changed >= self._last.changed
            ):
                self._last = vectors
        return vectors
