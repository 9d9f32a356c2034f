"""The lines of texts that a regular expression matches.

Only the standard library and `lines` are loaded here: a process that may be ended at any moment runs it, and should
start at once.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from headnote.lines import LINE

_NEEDS_LINES = re.compile(r"\(\?|\\[ABZz]")
"""What tells the end of a line from the end of a text: assertions. All else matches a text wherever it matches one of
its lines."""


class LineMatch(NamedTuple):
    """A line that matches, and where."""

    line: int
    """From 1."""
    start: int
    """Offset of its first character in the text."""
    end: int
    """Offset just past its last character; its line end is not part of it."""
    spans: tuple[tuple[int, int], ...]
    """What matches, as ranges of the line."""


class WrongPattern(NamedTuple):
    """A pattern that is no regular expression."""

    message: str
    position: int


Job = tuple[str, int, list[str]]
"""Pattern, flags, texts. Plain data, since it is sent to another process."""


def matched_texts(job: Job) -> list[list[LineMatch]] | WrongPattern:
    """The lines of each text that match."""
    pattern, flags, texts = job
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # `[[:alpha:]]` and the like: it would not mean what it says
            compiled = re.compile(pattern, flags | re.MULTILINE)
    except re.error as error:
        return WrongPattern(error.msg, error.pos or 0)
    except (RecursionError, OverflowError, Warning) as error:
        return WrongPattern(str(error), 0)
    is_plain = not _NEEDS_LINES.search(pattern)
    return [list(_line_matches(compiled, text, is_plain)) for text in texts]


def _line_matches(pattern: re.Pattern[str], text: str, is_plain: bool) -> Iterator[LineMatch]:
    if is_plain and "\r" not in text and not pattern.search(text):
        return  # most documents, in one go
    for number, line in enumerate(LINE.finditer(text), 1):
        start, end = line.span(1)
        if start == len(text):
            return  # after the last line end there is no line
        if spans := tuple(match.span() for match in pattern.finditer(line[1])):
            yield LineMatch(number, start, end, spans)


def answered(job: Job) -> tuple[str, object]:
    """The same as plain data, which another process can send."""
    matched = matched_texts(job)
    if isinstance(matched, WrongPattern):
        return "wrong", tuple(matched)
    return "matched", [[tuple(match) for match in matches] for matches in matched]
