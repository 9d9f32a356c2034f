"""Where in its document a hit stands, in characters. A hit knows its lines, and its text."""

from __future__ import annotations

import re
from functools import lru_cache

from headnote.evaluate.spans import Span
from headnote.model import Hit

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r)|[^\r\n]++")


def place_of(hit: Hit, source: str) -> Span:
    """Exact where the text stands in the source as it is. Where something was added in front, such as a header row, it
    is what follows that; where something was added behind, it is the lines."""
    starts = _line_starts(source)
    low = starts[min(hit.start_line, len(starts)) - 1]
    high = starts[min(hit.end_line, len(starts) - 1)]
    at = source.find(hit.text, low, high)
    if at >= 0:
        return Span(hit.path, at, at + len(hit.text))
    kept = _longest_end(hit.text, source, low, high)
    if kept:
        at = source.rfind(hit.text[-kept:], low, high)
        return Span(hit.path, at, at + kept)
    return Span(hit.path, low, high)


def _longest_end(text: str, source: str, low: int, high: int) -> int:
    """How many characters from the end of the text stand there as they are."""
    known, most = 0, min(len(text), high - low)
    while known < most:
        tried = (known + most + 1) // 2
        if source.find(text[-tried:], low, high) >= 0:
            known = tried
        else:
            most = tried - 1
    # A closing fence or a final full stop stands everywhere: that is no place.
    return known if known * 2 >= min(len(text), high - low) else 0


@lru_cache(maxsize=64)
def _line_starts(source: str) -> list[int]:
    """Of every line, and the end of the last."""
    return [0, *(match.end() for match in _LINE.finditer(source))] if source else [0, 0]
