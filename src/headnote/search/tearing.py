"""Where the chunks of a text leave a passage of it: whole in one of them, or torn into several. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from headnote.model import Chunk

_LINE_END = re.compile(r"\r\n|\n|\r")


class Range(NamedTuple):
    """Characters of a text, the last not included."""

    start: int
    end: int

    def holds(self, other: Range) -> bool:
        return self.start <= other.start and other.end <= self.end

    def meets(self, other: Range) -> bool:
        """Whether they have a character in common."""
        return max(self.start, other.start) < min(self.end, other.end)


class Place(NamedTuple):
    """Where a passage is, among chunks."""

    chunks: tuple[int, ...]
    """Those that have some of it as their own text."""
    whole_in: int | None
    """The chunk that has all of it, overlap included; of several the best. None if it is torn."""
    rank: int | None
    """Of that chunk, from 1; of the best chunk that has some of it if it is torn. None if the search finds none."""


def place_of(passage: Range, text: str, chunks: Sequence[Chunk], ranks: Mapping[int, int]) -> Place:
    """The place of a passage. `ranks` has those of the chunks that a search finds."""

    def best(numbers: Sequence[int]) -> int | None:
        return min(numbers, key=lambda number: (ranks.get(number, len(chunks) + 1), number), default=None)

    pieces = tuple(chunk.index for chunk in chunks if _own(chunk, text).meets(passage))
    whole_in = best(
        [chunk.index for chunk, seen in zip(chunks, _seen(text, chunks), strict=True) if seen.holds(passage)]
    )
    leading = best(pieces) if whole_in is None else whole_in
    return Place(pieces, whole_in, None if leading is None else ranks.get(leading))


def trimmed(text: str, start: int, end: int) -> Range:
    """The range without the blanks at its ends."""
    inner = text[start:end]
    return (
        Range(start + len(inner) - len(inner.lstrip()), start + len(inner.rstrip()))
        if inner.strip()
        else Range(start, start)
    )


def range_of_lines(text: str, first: int, last: int) -> Range:
    """Lines of a text, both included, counted from 1; without the blanks around them."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    start = starts[first - 1] if first <= len(starts) else len(text)
    return trimmed(text, start, starts[last] if last < len(starts) else len(text))


def _own(chunk: Chunk, text: str) -> Range:
    return trimmed(text, chunk.start, chunk.end)


def _seen(text: str, chunks: Sequence[Chunk]) -> list[Range]:
    """What each chunk shows of the text: its own, and before it the overlap that it repeats."""
    least = [0, *(chunk.start for chunk in chunks)]
    return [Range(_beginning(text, chunk, start), chunk.end) for chunk, start in zip(chunks, least, strict=False)]


def _beginning(text: str, chunk: Chunk, least: int) -> int:
    overlap = chunk.overlap.strip()
    at = text.rfind(overlap, least, chunk.start) if overlap else -1
    is_next = at >= 0 and not text[at + len(overlap) : chunk.start].strip()
    return at if is_next else chunk.start
