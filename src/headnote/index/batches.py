"""When an update commits what it has read so far.

The first batch comes early, so that a new index can be searched at once. Later ones come less often: each commit costs,
and a kill loses no more than the batch it interrupts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TypeVar

from headnote.index.task import FilesRead
from headnote.store.interface import DOCUMENTS_TOGETHER, Writer

FEW = 32
"""Files that are read in one transaction, however long it takes."""
FIRST = 1.0
"""Seconds from the first file to the first commit."""
LONGEST = 5.0
"""Seconds between two commits, at most."""

Item = TypeVar("Item")


class Batches:
    """The commits of one update."""

    def __init__(
        self, writer: Writer, manifest_after: Callable[[FilesRead], Mapping[str, str]], known: int, to_read: int
    ) -> None:
        """`manifest_after` tells what to store after so many files; `known` are those that need not be read."""
        self._writer = writer
        self._manifest_after = manifest_after
        self._known = known
        self._to_read = to_read
        self._began = self._due = 0.0

    @property
    def is_due(self) -> bool:
        """The clock starts when it is first asked: with the first file that was read."""
        now = time.monotonic()
        if not self._began:
            self._began, self._due = now, now + FIRST
        return self._to_read > FEW and now >= self._due

    def commit(self, read: int) -> None:
        """Store what was written so far; `read` files are read."""
        so_far = FilesRead(self._known + read, self._known + self._to_read)
        self._writer.set_manifest(self._manifest_after(so_far))
        self._writer.commit()
        now = time.monotonic()
        self._due = now + min(now - self._began, LONGEST)


def in_groups(items: Iterator[Item], is_due: Callable[[], bool]) -> Iterator[list[Item]]:
    """Lists of items: shorter ones where something is due."""
    group: list[Item] = []
    for item in items:
        group.append(item)
        if len(group) == DOCUMENTS_TOGETHER or is_due():
            yield group
            group = []
    if group:
        yield group


# -- How long the rest of a read takes, by the pace so far.


PER_FILE = 2000
"""Bytes that take as long as opening a file and storing it."""
_LEAST = 0.02
"""The share that must be done before the rest can be told."""


class Pace:
    """By size: a folder of long documents takes longer than one of short ones, wherever it comes in the order."""

    def __init__(self, sizes: Sequence[int]) -> None:
        """Of the files, in the order in which they are read."""
        self._done = list(accumulate((size + PER_FILE for size in sizes), initial=0))
        self._began = time.monotonic()

    def seconds_left(self, read: int) -> float | None:
        """After so many files; None if it is too early to tell."""
        done, total = self._done[read], self._done[-1]
        if done < _LEAST * total:
            return None
        return (time.monotonic() - self._began) / done * (total - done)
