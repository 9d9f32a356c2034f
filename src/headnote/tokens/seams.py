"""Where the counts of two neighbouring texts add up: what lets a document be counted once and packed by sums.

Byte-pair tokenizers first split a text into words, runs of digits, punctuation and whitespace by one regular
expression, and no token crosses from one such piece into the next. The expressions of cl100k and o200k look ahead
but never back. So if a piece ends at some offset, what follows is tokenized as if the text began there; and what
stands before it changes only if it ends in whitespace, which at the end of a text is taken as a whole.

A **seam** is an offset where both sides are therefore counted as if the other were not there, and counts add up
exactly. Two kinds can be told from a few characters:

- a line start, if the line is not blank: line ends close the piece before, and the indentation of the line belongs
  to the line. One exception, in o200k: punctuation swallows line ends *and slashes*, so a line that begins with a
  slash is none if the line before it ends in punctuation.
- whitespace other than a line end after a character that is not whitespace: it belongs to the word behind it.

Where a text is cut in front of a word, the seam lies before the blanks that lead to it: `seams_before` finds it.

Blocks begin at line starts and are not blank, so the counts of blocks with the blank lines that follow them can be
added. A chunk ends without those blank lines. Where they begin is no seam, and to leave them out may cost a token as
well as save one (in cl100k `[];` alone is two tokens, with its line end one), so near the cap a chunk is counted anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Python sees whitespace in four control characters (U+001C to U+001F) that are punctuation to the tokenizers. Both
# readings of a line that has them end in the same answer.
_CONTROLS = "\x1c\x1d\x1e\x1f"
_OPENS_A_LINE = frozenset(map(chr, range(0x21, 0x7F))) - {"/"}
"""Behind a line end, these make a seam at once: the beginning of most lines."""
_LINE_IS_NOT_BLANK = re.compile(r"[^\S\r\n]+\S|[^\s/]")


def is_seam(text: str, offset: int, end: int | None = None, *, swallows_slashes: bool = True) -> bool:
    """Whether exact counts add up here: count(text[:end]) == count(text[:offset]) + count(text[offset:end])."""
    end = len(text) if end is None else end
    if offset <= 0 or offset >= end:
        return True
    before, here = text[offset - 1], text[offset]
    if here.isspace() and here not in "\r\n" and here not in _CONTROLS and not before.isspace():
        return True
    if before not in "\r\n":
        return False
    if here == "/":
        return not swallows_slashes or not _ends_in_punctuation(text, offset)
    return _LINE_IS_NOT_BLANK.match(text, offset, end) is not None


def seams_before(text: str, offsets: Iterable[int], *, swallows_slashes: bool = True) -> list[int | None]:
    """For each offset the nearest seam at or before it with nothing but blanks between them; None if there is none."""
    return [
        offset
        if offset < len(text) and text[offset] in _OPENS_A_LINE and text[offset - 1] in "\r\n"
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
    """Whether the last line before this one that has more than its line end does; yes if in doubt."""
    position = line_start - 1
    while position >= 0 and text[position] in "\r\n":
        position -= 1
    before = text[max(position, 0)]
    return not (before.isspace() or (before.isascii() and before.isalnum()))
