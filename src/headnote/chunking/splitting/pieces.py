"""The tree that a block is split into: pieces of pieces, and where each of them begins in the source."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from headnote.markdown.views import View

_INDENTATION = re.compile(r"[ \t]*+")
_LINE_END = re.compile(r"\n")
_NOT_QUOTE_MARKER = re.compile(r"[^\s>]")


class Piece(NamedTuple):
    """A stretch of a view, and what a cut at its ends or inside it has to add."""

    kind: str
    source: str
    """The whole block that is split, with plain line ends."""
    view: View
    """The text that the piece is cut from: the source, or the content of a container in it."""
    start: int
    end: int
    strength: int
    """How good a place to cut its beginning is."""
    mdx: bool
    before: str = ""
    """Needed in front if a chunk begins with this piece."""
    after: str = ""
    """Needed behind if a chunk ends with it."""
    reopen: str = ""
    """Needed in front if a chunk begins inside it."""
    close: str = ""
    """Needed behind if a chunk ends inside it."""

    @property
    def text(self) -> str:
        return self.view.text[self.start : self.end]

    @property
    def is_nested(self) -> bool:
        """Whether it lies in a container, and offsets of its view are not those of the source."""
        return self.view.text is not self.source

    def part(self, kind: str, start: int, end: int, strength: int) -> Piece:
        """A piece of this piece. Only at the two ends of the whole is nothing cut open."""
        is_first, is_last = start == self.start, end == self.end
        strength = self.strength if is_first else strength
        before = self.before if is_first else self.reopen
        after = self.after if is_last else self.close
        _, source, view, _, _, _, mdx, _, _, reopen, close = self
        # Not through the constructor, which takes most of the time of a split.
        return tuple.__new__(Piece, (kind, source, view, start, end, strength, mdx, before, after, reopen, close))


class Cuts(NamedTuple):
    """Where a piece is cut into parts of one kind."""

    piece: Piece
    kind: str
    """Kind of the parts, should they have to be split themselves."""
    starts: list[int]
    """Where each part begins in the view, the first with the piece."""
    strengths: list[int]

    def parts(self) -> list[Piece]:
        piece, kind, starts, strengths = self
        ends = [*starts[1:], piece.end]
        return [piece.part(kind, *part) for part in zip(starts, ends, strengths, strict=True)]


def source_start(piece: Piece) -> int:
    """Where a piece begins in the source: with the markers and indentation of its line, if it begins a line."""
    text, first = piece.view.text, piece.start
    if not piece.is_nested:
        return first
    # The view may have changed the indentation of a line; the character behind it is one of the source.
    while first < piece.end - 1 and text[first] in " \t":
        first += 1
    indentation = first
    while indentation > 0 and text[indentation - 1] in " \t":
        indentation -= 1
    place = piece.view.place(first)
    begins_line = indentation == 0 or text[indentation - 1] == "\n"
    line = _line_start(piece.source, place) if begins_line else place
    # The last resort leaves out indentation: it may be what weighs too much.
    return place if piece.kind == "character" and piece.source[line:place].isspace() else line


def line_prefix(piece: Piece, start: int) -> str:
    """The text in front of each line of a nested block: quote markers stay, list markers become blanks."""
    place = piece.view.place(start)
    return _NOT_QUOTE_MARKER.sub(" ", piece.source[_line_start(piece.source, place) : place])


def quote_marker(piece: Piece) -> str:
    """The markers of the quoted line that a piece begins in; empty outside of quotes."""
    if not piece.is_nested:
        return ""
    text = piece.view.text
    indentation = _INDENTATION.match(text, _line_start(text, piece.start), piece.end)
    assert indentation, "it may be empty"
    prefix = line_prefix(piece, indentation.end())
    marker_end = prefix.rfind(">") + 1
    return f"{prefix[:marker_end]} " if marker_end else ""


def _line_start(text: str, place: int) -> int:
    """Where the line of a place begins. Every word of an endless line asks, so none may search the line for it."""
    ends = _line_ends(text)
    before = bisect_left(ends, place)
    return ends[before - 1] + 1 if before else 0


@lru_cache(maxsize=4)
def _line_ends(text: str) -> list[int]:
    return [match.start() for match in _LINE_END.finditer(text)]
