"""A text longer than a model reads is read in several windows, so that nothing of it is lost."""

from __future__ import annotations


def windows(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Start and end of each window over so many tokens: as few as will do, of the same size but for the last.

    Even windows cost less than full ones with a short one at the end, and none of them is without context.
    """
    if length <= size:
        return [(0, length)]
    count = -(-(length - overlap) // (size - overlap))
    even = -(-(length - overlap) // count) + overlap
    return [(start, min(length, start + even)) for start in range(0, length - overlap, even - overlap)]
