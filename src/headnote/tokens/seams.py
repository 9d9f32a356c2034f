"""Where the counts of two neighbouring texts add up, so that a document is counted once and packed by sums.

Byte-pair tokenizers first split a text into words, runs of digits, punctuation and whitespace by one regular
expression, and no token crosses from one such piece into the next. The expressions of cl100k and o200k look ahead
but never back. So if a piece ends at some offset, what follows is tokenized as if the text began there; and what
stands before it changes only if it ends in whitespace, which at the end of a text is taken as a whole.

A **seam** is an offset where each side is therefore counted as if the other were not there, and counts add up
exactly. Two kinds can be recognized from a few characters:

- The start of a line that is not blank: line ends close the piece before, and indentation belongs to the line. One
  exception, in o200k: punctuation swallows line ends *and slashes*, so the start of a line with a slash is no seam if
  the line before ends in punctuation.
- Whitespace other than a line end after a character that is not whitespace: it belongs to the word behind it.

In front of a word, the seam lies before the blanks that lead to it: `seams_before` finds it.

Blocks begin at line starts and are not blank, so the counts of blocks can be added, each with the blank lines that
follow it. A chunk ends without those blank lines. Where they begin is no seam: leaving them out may cost a token as
well as save one (in cl100k `[];` alone is two tokens, with its line end one). So near the cap a chunk is counted again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

# Four control characters (U+001C to U+001F) are whitespace to Python and punctuation to the tokenizers. For a line
# that has them, both readings give the same answer.
_CONTROLS = "\x1c\x1d\x1e\x1f"
_OPENS_A_LINE: Final = frozenset(map(chr, range(0x21, 0x7F))) - {"/"}
"""A line end before one of these is a seam without further checks: how most lines begin."""
_LINE_IS_NOT_BLANK = re.compile(r"[^\S\r\n]+\S|[^\s/]")


def pieces_between(text: str, cuts: Sequence[int]) -> list[str]:
    """The text between each two neighbouring cuts."""
    start, *ends = cuts
    pieces: list[str] = []
    for end in ends:
        pieces.append(text[start:end])
        start = end
    return pieces


def is_seam(text: str, offset: int, end: int | None = None, *, swallows_slashes: bool = True) -> bool:
    """Whether exact counts add up here: count(text[:end]) == count(text[:offset]) + count(text[offset:end])."""
    end = len(text) if end is None else end
    if offset <= 0 or offset >= end:
        return True
    before, here = text[offset - 1], text[offset]
    if here == " " and before == "\n" and _is_indented_content(text, offset, end):
        return True  # most lines that do not begin with a letter
    if here.isspace() and here not in "\r\n" and here not in _CONTROLS and not before.isspace():
        return True
    if before not in "\r\n":
        return False
    if here == "/":
        return not swallows_slashes or not _ends_in_punctuation(text, offset)
    return _LINE_IS_NOT_BLANK.match(text, offset, end) is not None


def _is_indented_content(text: str, offset: int, end: int) -> bool:
    """Whether spaces and then something else stand here."""
    while offset < end and text[offset] == " ":
        offset += 1
    return offset < end and not text[offset].isspace()


def seams_of_lines(text: str, start: int, end: int) -> list[int]:
    """Where lines behind the first begin, as far as they are seams without further checks: most of them are."""
    seams: list[int] = []
    line = text.find("\n", start, end) + 1
    while 0 < line < end:
        first = line
        while first < end and (text[first] == " " or text[first] == "\t"):
            first += 1
        if first < end and (text[first] in _OPENS_A_LINE or (first > line and text[first] == "/")):
            seams.append(line)
        line = text.find("\n", first, end) + 1
    return seams


def seams_before(text: str, offsets: Iterable[int], *, swallows_slashes: bool = True) -> list[int | None]:
    """For each offset the nearest seam at it or before the blanks in front of it; None if there is none."""
    end = len(text)
    # The two usual cases are decided right here: a line that begins with a letter or sign, and a word after one space.
    return [
        offset
        if offset < end and text[offset] in _OPENS_A_LINE and text[offset - 1] in "\r\n"
        else offset - 1
        if 1 < offset < end and text[offset - 1] == " " and not text[offset - 2].isspace()
        else _seam_before(text, offset, swallows_slashes)
        for offset in offsets
    ]


def _seam_before(text: str, offset: int, swallows_slashes: bool) -> int | None:
    if is_seam(text, offset, swallows_slashes=swallows_slashes):
        return offset
    blanks = offset
    while blanks > 0 and text[blanks - 1].isspace():
        blanks -= 1
    line_start = max(text.rfind("\n", blanks, offset), text.rfind("\r", blanks, offset)) + 1
    for candidate in (max(line_start, blanks), blanks):
        if is_seam(text, candidate, swallows_slashes=swallows_slashes):
            return candidate
    return None


def _ends_in_punctuation(text: str, line_start: int) -> bool:
    """Whether the last line before this one that is not empty ends in punctuation; yes if in doubt."""
    position = line_start - 1
    while position >= 0 and text[position] in "\r\n":
        position -= 1
    before = text[max(position, 0)]
    return not (before.isspace() or (before.isascii() and before.isalnum()))
