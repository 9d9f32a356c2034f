"""The tree that a block is split into: pieces of pieces, and where each of them begins in the source.

Blocks without blocks inside are cut between lines, items, sentences or words; a part of a fence or of a table gets
around it what it needs.
"""

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


# -- Where blocks without blocks inside are cut: between lines, items, sentences or words. And what a part of a fence or
# table needs around it.

_SENTENCE_END = re.compile(r"[.!?]++[\"'”’)\]*_`]*+\s++(?=\S)|[。！？]++[」』）”’]*+(?=[^\n])")
_WORD = re.compile(r"\S++\s*+")
_ITEM_MARKER: Final = re.compile(r"((?P<indent>[ \t]*+)(?:[-+*]|[0-9]{1,9}+[.)]))(?=[ \t\n])[ \t]*+(?P<content>\S)?")
_CODE_INDENT: Final = 4
_MAY_BE_MARKER: Final = frozenset("-+*0123456789\t")


def by_line(piece: CutPiece) -> Cuts:
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


def by_sentence(piece: CutPiece) -> Cuts:
    ends = (match.end() for match in _SENTENCE_END.finditer(piece.view.text, piece.start, piece.end))
    starts = [piece.start, *(end for end in ends if end < piece.end)]
    return Cuts(piece, "sentence", starts, [piece.strength, *[IN_TEXT] * (len(starts) - 1)])


def by_word(piece: CutPiece) -> Cuts:
    starts = [match.start() for match in _WORD.finditer(piece.view.text, piece.start, piece.end)]
    return Cuts(piece, "word", [piece.start, *starts[1:]], [piece.strength, *[NO_SEAM] * (len(starts) - 1)])


def by_item(piece: CutPiece) -> Cuts:
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


# -- Blocks whose parts stand alone only with something around them: fenced code, tables, comments and raw HTML.


_FENCE = re.compile(r"[ \t]*+(?P<mark>`{3,}+|~{3,}+)[^\n]*+")
_REOPENED_FENCE = re.compile(r"[ \t>]*+(?P<mark>`{3,}+|~{3,}+)[^\n]*+")
_FENCE_LINE = re.compile(r"^[ \t>]*+(?:`{3}|~{3})", re.MULTILINE)
_INDENTED_CODE = ("    ", "\t", " \t", "  \t", "   \t")
_RAW = re.compile(
    r"""[ \t]*+(?:
        (?P<comment><!--) | (?P<instruction><\?) | (?P<data><!\[CDATA\[) | (?P<note>\{/\*)
        | <(?P<tag>[A-Za-z][A-Za-z0-9-]*+)
    )""",
    re.VERBOSE,
)
_RAW_MARKS = {
    "comment": ("<!--", "-->"),
    "instruction": ("<?", "?>"),
    "data": ("<![CDATA[", "]]>"),
    "note": ("{/*", "*/}"),
}


def code(piece: CutPiece) -> Cuts:
    """Lines, each part in the fence with its info string. Indented code needs none."""
    fence = _FENCE.match(piece.view.text, piece.start, piece.end)
    if fence is None or not _may_be_fenced(piece):
        return by_line(piece)
    mark = fence["mark"]
    is_closed = _is_closed(piece, mark)
    prefix = line_prefix(piece, fence.start("mark")) if piece.is_nested or piece.mdx else ""
    reopen, close = f"{prefix}{fence[0].strip()}\n", f"\n{prefix}{mark}"
    # A fence that nothing closes ends with its container. At the top level, the last chunk closes it.
    after = "" if is_closed or piece.is_nested else close
    return _with_marks_joined(by_line(piece._replace(reopen=reopen, close=close, after=after)), is_closed)


def raw(piece: CutPiece) -> Cuts:
    """Lines, each part a comment again, or in its element, so that what looks like a fence in there opens none."""
    opening = _RAW.match(piece.view.text, piece.start, piece.end)
    if opening is None or opening.lastgroup is None or not _has_fence_line(piece):
        return by_line(piece)
    tag = opening["tag"]
    first, last = (f"<{tag}>", f"</{tag}>") if tag else _RAW_MARKS[opening.lastgroup]
    prefix = line_prefix(piece, opening.end() - len(opening[0].lstrip())) if piece.is_nested else ""
    marked = piece._replace(reopen=f"{prefix}{first}\n", close=f"\n{prefix}{last}")
    return _with_marks_joined(by_line(marked), is_closed=_last_line(piece).lstrip(" \t>") == last)


def _has_fence_line(piece: CutPiece) -> bool:
    # Fast searches spare most text a look at each of its lines.
    return (_has_mark(piece, "`") or _has_mark(piece, "~")) and _FENCE_LINE.search(piece.text) is not None


def _has_mark(piece: CutPiece, mark: str) -> bool:
    text = piece.view.text
    first = text.find(mark, piece.start, piece.end)
    return first >= 0 and text.find(mark * 3, first, piece.end) >= 0


def table(piece: CutPiece) -> Cuts:
    """Rows, each part under the header row and the delimiter row."""
    cuts = by_line(piece)
    if len(cuts.starts) < 3:
        return cuts
    prefix = line_prefix(piece, piece.start + len(piece.text) - len(piece.text.lstrip(" \t")))
    head = piece.view.text[piece.start : cuts.starts[2]].split("\n")[:2]
    # The first part is the head with the first row below it.
    del cuts.starts[1:3], cuts.strengths[1:3]
    return cuts._replace(piece=piece._replace(reopen="".join(f"{prefix}{line.strip()}\n" for line in head)))


@lru_cache(maxsize=8)  # many parts need the same one, and an info string may be endless
def shorter_opening(opening: str) -> str:
    """A fence with its language alone, then the bare fence; nothing in place of the head of a table."""
    fence = _REOPENED_FENCE.match(opening)
    if fence is None:
        return ""
    info = fence[0][fence.end("mark") - fence.start() :].split()
    language = info[0] if len(info) > 1 else ""
    return f"{opening[: fence.end('mark')]}{language}\n"


def _may_be_fenced(piece: CutPiece) -> bool:
    """Whether a fence in the first line opens the code. Indented code only shows one; MDX has no indented code."""
    return piece.mdx or not piece.text.startswith(_INDENTED_CODE)


def _with_marks_joined(cuts: Cuts, is_closed: bool) -> Cuts:
    """The opening and the closing mark stay with the line next to them: a mark without content says nothing."""
    for number in (1, -1) if is_closed else (1,):
        if len(cuts.starts) > 2 or (len(cuts.starts) == 2 and number == 1):
            del cuts.starts[number], cuts.strengths[number]
    return cuts


def _is_closed(piece: CutPiece, mark: str) -> bool:
    last = _last_line(piece).strip(" \t>")
    return "\n" in piece.text.strip() and len(last) >= len(mark) and not last.strip(mark[0])


def _last_line(piece: CutPiece) -> str:
    return piece.text.rstrip().rpartition("\n")[2]
