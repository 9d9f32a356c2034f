"""A growing answer → its sentences, each with the citations after it. Every line end ends a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headnote.answer.brackets import read_bracket
from headnote.answer.full_stops import ends_sentence

LONGEST = 4000
"""Characters. Longer sentences are cut, so that an endless line does not block the stream."""
_LONGEST_BRACKET = 1000
_MARKER = re.compile(r"[ \t]*+(?:>[ \t]*+)*+(?:[-*+•]|[0-9]{1,9}[.)])[ \t]++")
_STOP = re.compile(r"\r\n|[\r\n\[\]]|[.!?…]++[\"'”’)*_`]*+(?=[ \t\r\n]|\Z)|[。！？]++[」』）”’]*+")
_BLANKS = re.compile(r"[ \t]*+")
_FULL_STOPS = re.compile(r"[.!?]*+")


def sentence_end(text: str, start: int, names: Sequence[str], final: bool) -> int | None:
    """Where the sentence that begins at `start` ends, with its citations and the blanks behind it.

    None if that depends on the following text. No sentence ends inside an open bracket, so none loses its citation.
    """
    marker = _MARKER.match(text, start)
    at = marker.end() if marker else start
    depth = 0
    while stop := _STOP.search(text, at, start + LONGEST):
        sign, at = stop[0], stop.end()
        if sign[0] in "\r\n":
            return None if sign == "\r" and at == len(text) and not final else at
        if sign == "[":
            bracket = read_bracket(text, stop.start(), names)
            if bracket:
                at = bracket.end
            elif not final and _is_open(text, stop.start()):
                return None
            else:
                depth += 1
        elif sign == "]":
            depth = max(0, depth - 1)
        elif not depth:
            end = _after_citations(text, at, names, final)
            if end is None or _ends_here(text, stop, end):
                return end
    if len(text) - start >= LONGEST:
        return start + LONGEST
    return len(text) if final else None


def _ends_here(text: str, stop: re.Match[str], end: int) -> bool:
    """Whether a sentence ends with this stop: nothing goes on after a citation or at the end of a line."""
    goes_on = not text[stop.end() : end].strip(" \t") and end < len(text)
    return not goes_on or text[end - 1] in "\r\n" or ends_sentence(text, stop.start(), stop.end())


def _is_open(text: str, start: int) -> bool:
    """Whether a bracket may still become a citation."""
    rest = text[start : start + _LONGEST_BRACKET]
    return len(rest) < _LONGEST_BRACKET and not re.search(r"[\r\n]", rest) and rest.count("]") < rest.count("[")


def _after_citations(text: str, at: int, names: Sequence[str], final: bool) -> int | None:
    """Past the citations that follow a full stop, and the blanks after them."""
    while True:
        blanks = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if blanks == len(text):
            return blanks if final else None
        if text[blanks] != "[":
            # The line end belongs to the sentence: nothing but the end of a block stands alone.
            line_end = re.compile(r"\r\n|\n|\r(?!\Z)").match(text, blanks)
            return line_end.end() if line_end else blanks
        bracket = read_bracket(text, blanks, names)
        if bracket is None:
            return None if not final and _is_open(text, blanks) else blanks
        at = _FULL_STOPS.match(text, bracket.end).end()  # type: ignore[union-attr]
