"""Where blocks without blocks inside are cut: between lines, items, sentences or words."""

from __future__ import annotations

import re
from typing import Final

from headnote.chunking.splitting.pieces import Cuts, Piece
from headnote.chunking.splitting.units import IN_BLOCK, IN_TEXT, NO_SEAM

_SENTENCE_END = re.compile(r"[.!?]++[\"'”’)\]*_`]*+\s++(?=\S)|[。！？]++[」』）”’]*+(?=[^\n])")
_WORD = re.compile(r"\S++\s*+")
_ITEM_MARKER: Final = re.compile(r"((?P<indent>[ \t]*+)(?:[-+*]|[0-9]{1,9}+[.)]))(?=[ \t\n])[ \t]*+(?P<content>\S)?")
_CODE_INDENT: Final = 4
_MAY_BE_MARKER: Final = frozenset("-+*0123456789\t")


def by_line(piece: Piece) -> Cuts:
    """One part for each line that is not blank. Blank lines stay with the line before, and make a better seam."""
    text, end = piece.view.text, piece.end
    # The first part begins with the piece, whatever its first line.
    starts, strengths = [piece.start], [piece.strength]
    follows_blank = False
    line = text.find("\n", piece.start, end) + 1
    while 0 < line < end:
        following = text.find("\n", line, end) + 1
        if text[line].isspace() and text[line : following or end].isspace():
            follows_blank = True
        else:
            starts.append(line)
            strengths.append(IN_BLOCK if follows_blank else IN_TEXT)
            follows_blank = False
        line = following
    return Cuts(piece, "line", starts, strengths)


def by_sentence(piece: Piece) -> Cuts:
    ends = (match.end() for match in _SENTENCE_END.finditer(piece.view.text, piece.start, piece.end))
    starts = [piece.start, *(end for end in ends if end < piece.end)]
    return Cuts(piece, "sentence", starts, [piece.strength, *[IN_TEXT] * (len(starts) - 1)])


def by_word(piece: Piece) -> Cuts:
    starts = [match.start() for match in _WORD.finditer(piece.view.text, piece.start, piece.end)]
    return Cuts(piece, "word", [piece.start, *starts[1:]], [piece.strength, *[NO_SEAM] * (len(starts) - 1)])


def by_item(piece: Piece) -> Cuts:
    """A marker further left than the content of the item before it begins the next item."""
    text, end = piece.view.text, piece.end
    starts: list[int] = []
    content_column = 0
    line = piece.start if piece.start == 0 or text[piece.start - 1] == "\n" else text.find("\n", piece.start) + 1
    while 0 <= line < end:
        first = line
        while first < end and text[first] == " ":
            first += 1
        marker = _ITEM_MARKER.match(text, line, end) if first < end and text[first] in _MAY_BE_MARKER else None
        if marker is not None and (not starts or _width(marker["indent"]) < content_column):
            starts.append(line)
            content_column = _content_column(marker)
        line = text.find("\n", first, end) + 1 or end
    starts[:1] = [piece.start]
    return Cuts(piece, "item", starts, [piece.strength, *[IN_BLOCK] * (len(starts) - 1)])


def _content_column(marker: re.Match[str]) -> int:
    """Where the content of an item begins: behind the blanks, or behind one of them if nothing or code follows."""
    behind_marker = _width(marker[1])
    content = _width(marker[0]) - 1 if marker["content"] else behind_marker
    return content if 0 < content - behind_marker <= _CODE_INDENT else behind_marker + 1


def _width(text: str) -> int:
    """Columns of the beginning of a line."""
    return len(text.expandtabs(4))
