"""Where blocks without blocks inside are cut: between lines, items, sentences or words."""

from __future__ import annotations

import re
from itertools import accumulate

from headnote.chunking.splitting.pieces import Cuts, Piece
from headnote.chunking.splitting.units import IN_BLOCK, IN_TEXT, NO_SEAM

_BLANK_LINE = re.compile(r"\n[^\S\n]*+(?:\n|\Z)")
_SENTENCE_END = re.compile(r"[.!?]++[\"'”’)\]*_`]*+\s++(?=\S)|[。！？]++[」』）”’]*+(?=[^\n])")
_WORD = re.compile(r"\S++\s*+")
_ITEM_MARKER = re.compile(
    r"^((?P<indent>[ \t]*+)(?:[-+*]|[0-9]{1,9}+[.)]))(?:(?P<gap>[ \t]{1,4}+(?=[^\s]))|(?=[ \t\n]))", re.MULTILINE
)


def by_line(piece: Piece) -> Cuts:
    """One part for each line that is not blank. Blank lines stay with the line before, and make a better seam."""
    text = piece.text
    lines = text.split("\n")
    # Every line but the last has a line end of its own.
    starts = list(accumulate([len(line) + 1 for line in lines[:-1]], initial=piece.start))
    if not _BLANK_LINE.search(text):
        return Cuts(piece, "line", starts, [piece.strength, *[IN_TEXT] * (len(starts) - 1)])
    is_blank = [not line or line.isspace() for line in lines]
    is_blank[0] = False  # the first part begins with the piece, whatever its first line
    follows_blank = [False, *is_blank[:-1]]
    content = [number for number, blank in enumerate(is_blank) if not blank]
    strengths = [IN_BLOCK if follows_blank[number] else IN_TEXT for number in content]
    strengths[0] = piece.strength
    return Cuts(piece, "line", [starts[number] for number in content], strengths)


def by_sentence(piece: Piece) -> Cuts:
    ends = (match.end() for match in _SENTENCE_END.finditer(piece.view.text, piece.start, piece.end))
    starts = [piece.start, *(end for end in ends if end < piece.end)]
    return Cuts(piece, "sentence", starts, [piece.strength, *[IN_TEXT] * (len(starts) - 1)])


def by_word(piece: Piece) -> Cuts:
    starts = [match.start() for match in _WORD.finditer(piece.view.text, piece.start, piece.end)]
    return Cuts(piece, "word", [piece.start, *starts[1:]], [piece.strength, *[NO_SEAM] * (len(starts) - 1)])


def by_item(piece: Piece) -> Cuts:
    """A marker further left than the content of the item before it begins the next item."""
    text = piece.view.text
    starts: list[int] = []
    content_column = 0
    for marker in _ITEM_MARKER.finditer(text, piece.start, piece.end):
        start, marker_end = marker.span(1)
        if not starts or len(marker["indent"].expandtabs(4)) < content_column:
            starts.append(start)
            content = marker.end() if marker["gap"] else marker_end + 1
            content_column = len(text[start:content].expandtabs(4))
    starts[:1] = [piece.start]
    return Cuts(piece, "item", starts, [piece.strength, *[IN_BLOCK] * (len(starts) - 1)])
