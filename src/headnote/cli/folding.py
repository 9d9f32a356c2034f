"""Lines → rows of a window: words stay whole, and each row begins below the text of the first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from headnote.cli.terminal import Line, Span

LEAST_ROOM = 16
"""Columns for text beside an indent. In a narrower window the indent gives way."""
_JOINS = "\u200d"
"""Makes one picture of two."""
_NEVER_FIRST = frozenset("、。，．・：；？！）」』】〉》〕］｝ーっゃゅょッャュョ々…‥,.;:?!)]}%")
"""Characters that no row begins with, where there are no blanks to break at."""
_WORD_OR_BLANKS = re.compile(r"\s+|\S+")
_UP_TO_A_SLASH = re.compile(r"[^/]*/+|[^/]+")


def folded(line: Line, width: int | None, indent: str) -> Iterator[Line]:
    """The line in rows of at most `width` columns, those below the first behind an indent; as it is without a width.

    A word is broken only if it is wider than a row, after a slash if it has one. Where no blanks are written, a row may
    end after any character.
    """
    text = "".join(span.text for span in line)
    if width is None or columns(text) <= width:
        yield line
        return
    indent = indent if width - columns(indent) >= LEAST_ROOM else ""
    for number, (start, end) in enumerate(_rows(text, width, columns(indent))):
        row = _part(line, start, end)
        yield row if number == 0 else [Span(indent, "dim"), *row]


def columns(text: str) -> int:
    """How many columns of a window a text takes."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


@lru_cache(maxsize=4096)
def _columns_of(character: str) -> int:
    # Late: rich takes longer to import than a short command runs, and most text is ASCII.
    from rich.cells import cell_len

    return cell_len(character)


def _rows(text: str, width: int, indent: int) -> Iterator[tuple[int, int]]:
    """Beginning and end of each row, without the blanks between them."""
    start = end = 0
    room = width
    for first, last in _pieces(text, width - indent):
        if text[first:last].isspace():
            if first == start > 0:  # a row begins with a word
                start = end = last
            continue
        if end > start and columns(text[start:last]) > room:
            yield start, end
            start, room = first, width - indent
        end = last
    if end > start:
        yield start, end


def _pieces(text: str, width: int) -> Iterator[tuple[int, int]]:
    """What stays together: blanks, words, single characters where there are no blanks, parts of what is too wide."""
    for word in _WORD_OR_BLANKS.finditer(text):
        if word[0].isascii() and len(word[0]) <= width:
            yield word.span()
        else:
            for part in _UP_TO_A_SLASH.finditer(text, *word.span()):
                yield from _pieces_of_word(text, part.start(), part.end(), width)


def _pieces_of_word(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    first, used = start, 0
    for at in range(start, end):
        own = _columns_of(text[at])
        is_break = own == 2 or (at > first and _columns_of(text[at - 1]) == 2)
        glued = own == 0 or text[at] in _NEVER_FIRST or text[at - 1] in _JOINS
        if at > first and ((is_break and not glued) or used + own > width):
            yield first, at
            first, used = at, 0
        used += own
    yield first, end


def _part(line: Line, start: int, end: int) -> list[Span]:
    """The spans of a part of the line."""
    part = []
    at = 0
    for span in line:
        text = span.text[max(start - at, 0) : max(end - at, 0)]
        if text:
            part.append(span._replace(text=text))
        at += len(span.text)
    return part
