"""The tree that a block is split into: pieces of pieces, and where each of them begins in the source."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import Final, NamedTuple

from headnote.markdown.views import View

_INDENTATION = re.compile(r"[ \t]*+")
_LINE_END = re.compile(r"\n")
_NOT_QUOTE_MARKER = re.compile(r"[^\s>]")


class CutPiece(NamedTuple):
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

    def part(self, kind: str, start: int, end: int, strength: int) -> CutPiece:
        """A piece of this piece. Only at the two ends of the whole is nothing cut open."""
        is_first, is_last = start == self.start, end == self.end
        strength = self.strength if is_first else strength
        before = self.before if is_first else self.reopen
        after = self.after if is_last else self.close
        _, source, view, _, _, _, mdx, _, _, reopen, close = self
        # Not through the constructor, which takes most of the time of a split.
        return tuple.__new__(CutPiece, (kind, source, view, start, end, strength, mdx, before, after, reopen, close))


class Cuts(NamedTuple):
    """Where a piece is cut into parts of one kind."""

    piece: CutPiece
    kind: str
    """Kind of the parts, should they have to be split themselves."""
    starts: list[int]
    """Where each part begins in the view, the first with the piece."""
    strengths: list[int]

    def parts(self) -> list[CutPiece]:
        piece, kind, starts, strengths = self
        ends = [*starts[1:], piece.end]
        return [piece.part(kind, *part) for part in zip(starts, ends, strengths, strict=True)]


def source_start(piece: CutPiece) -> int:
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


def line_prefix(piece: CutPiece, start: int) -> str:
    """The text in front of each line of a nested block: quote markers stay, list markers become blanks."""
    place = piece.view.place(start)
    return _NOT_QUOTE_MARKER.sub(" ", piece.source[_line_start(piece.source, place) : place])


def quote_marker(piece: CutPiece) -> str:
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


# -- What is packed into chunks: stretches of the source that are not split any further.


NO_SEAM: Final = 0
IN_TEXT: Final = 1
IN_BLOCK: Final = 2
BETWEEN_BLOCKS: Final = 3
"""How good a place to cut a unit's beginning is, worst first."""

_LISTS = ("blocks", "closing", "off_seam", "opening", "prefixes", "starts", "strengths", "suffixes", "weights")


class Units:
    """Parallel lists with an entry for each unit, in the order of the source. Each unit ends where the next begins."""

    __slots__ = _LISTS

    def __init__(self) -> None:
        self.starts: list[int] = []
        """Where each begins in the source."""
        self.blocks: list[int] = []
        """Index of the block each comes from."""
        self.weights: list[int] = []
        """What each adds to the weight of a chunk, with the blanks behind it."""
        self.off_seam: list[bool] = []
        """Whether each begins where weights do not add up exactly with those of the unit before."""
        self.strengths: list[int] = []
        """How good a place to cut the beginning of each is."""
        self.prefixes: list[str] = []
        """What a chunk that begins with the unit needs in front."""
        self.suffixes: list[str] = []
        """What a chunk that ends with the unit needs behind."""
        self.opening: list[int] = []
        """What the weight of a chunk changes by if it begins with the unit: more by the prefix, less by long blanks
        in front, which count only behind other text."""
        self.closing: list[int] = []
        """The same for a chunk that ends with the unit: more by the suffix, less by long blanks at the end."""

    def append(
        self,
        *,
        start: int,
        weight: int,
        strength: int,
        off_seam: bool,
        prefix: str = "",
        suffix: str = "",
        opening: int = 0,
        closing: int = 0,
    ) -> None:
        """Add a unit to every list but `blocks`: a splitter knows only its own block."""
        self.starts.append(start)
        self.weights.append(weight)
        self.strengths.append(strength)
        self.off_seam.append(off_seam)
        self.prefixes.append(prefix)
        self.suffixes.append(suffix)
        self.opening.append(opening)
        self.closing.append(closing)

    def replace(self, number: int, inner: Units) -> None:
        """Replace a unit by those it consists of. A blank unit consists of none."""
        inner.blocks = [self.blocks[number]] * len(inner.starts)
        if inner.starts:
            inner.strengths[0] = self.strengths[number]
        elif number + 1 < len(self.starts):
            self.off_seam[number + 1] = True  # the weight of the blanks that went is missing there
        for name in _LISTS:
            getattr(self, name)[number : number + 1] = getattr(inner, name)
