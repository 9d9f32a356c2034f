"""Ranges of characters in documents, and how much two sets of them share. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """Characters `start` to `end` of a document, the last not included."""

    path: str
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


def meets(one: Span, other: Span) -> bool:
    """Whether they have at least one character in common."""
    return one.path == other.path and max(one.start, other.start) < min(one.end, other.end)


def union(spans: Iterable[Span]) -> list[Span]:
    """The same characters as sorted spans that neither overlap nor touch."""
    merged: list[Span] = []
    for span in sorted(span for span in spans if span.length > 0):
        last = merged[-1] if merged else None
        if last is not None and last.path == span.path and span.start <= last.end:
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def size(spans: Iterable[Span]) -> int:
    """Number of characters. Those in several spans count once."""
    return sum(span.length for span in union(spans))


def shared(some: Sequence[Span], others: Sequence[Span]) -> int:
    """Number of characters in both, each counted once."""
    return size(some) + size(others) - size([*some, *others])
