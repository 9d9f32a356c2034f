"""A block that is too large, taken apart by its kind.

Each kind has seams of its own: code has lines, prose has sentences, a list has items, a table has rows, a container has
blocks. What is still too large is taken apart again at the next finer seams, down to single characters, so every unit
ends up under the limit. A unit says what must be added when a chunk begins or ends with it: the fence reopened and
closed, the head of the table repeated, the comment reopened that shows a fence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from headnote.chunking.passes.units import BETWEEN_BLOCKS, IN_BLOCK, IN_TEXT, NO_SEAM, Units
from headnote.markdown.rules.base import Found
from headnote.markdown.rules.mdx import flow_at
from headnote.markdown.scanner import scan_spans, with_plain_line_ends
from headnote.markdown.views import View, footnote_content, list_items, quote_content, whole

_SENTENCE_END = re.compile(r"[.!?]++[\"'”’)\]*_`]*+\s++(?=\S)|[。！？]++[」』）”’]*+(?=[^\n])")
_WORD = re.compile(r"\S++\s*+")
_MANY_BLANKS = 8
_LONG_BLANKS = (" " * _MANY_BLANKS + "\n", "\t" * _MANY_BLANKS + "\n", "\n" * _MANY_BLANKS)
_BLANK_LINE = re.compile(r"\n[^\S\n]*+(?:\n|\Z)")
_AFTER_BLANK = (IN_TEXT, IN_BLOCK)
_ITEM_MARKER = re.compile(
    r"^((?P<indent>[ \t]*+)(?:[-+*]|[0-9]{1,9}+[.)]))(?:(?P<gap>[ \t]{1,4}+(?=[^\s]))|(?=[ \t\n]))", re.MULTILINE
)
_FENCE = re.compile(r"[ \t]*+(?P<mark>`{3,}+|~{3,}+)[^\n]*+")
_REOPENED = re.compile(r"[ \t>]*+(?P<mark>`{3,}+|~{3,}+)[^\n]*+")
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
_FENCE_LINE = re.compile(r"^[ \t>]*+(?:`{3}|~{3})", re.MULTILINE)
_INDENTATION = re.compile(r"[ \t]*+")
_LINE_END = re.compile(r"\n")
_MARKER = re.compile(r"[^\s>]")
_DEEPEST = 24
"""Containers in containers are opened this far; beyond, nothing but text is seen in them."""


class Weigh(NamedTuple):
    """How the splitter measures text."""

    texts: Callable[[Sequence[str]], list[int]]
    """Texts → weight of each."""
    pieces: Callable[[Sequence[int]], list[int]]
    """Cuts in the source → weight of what lies between each two."""
    seams: Callable[[Sequence[int]], Sequence[int | None]]
    """Cuts in the source → the seam at each or before the blanks in front of it, where weights add up; None if not."""
    fit: Callable[[str, int, int, int], int]
    """(text, start, end, limit) → how far the text from `start` on stays under the limit."""


class _Piece(NamedTuple):
    """A stretch of a view, and what a cut at its ends or inside it has to add."""

    kind: str
    source: str
    """The source of the block that is taken apart."""
    view: View
    start: int
    end: int
    strength: int
    before: str = ""
    """Needed in front if a chunk begins with this piece."""
    after: str = ""
    """Needed behind if a chunk ends with it."""
    reopen: str = ""
    """Needed in front if a chunk begins inside it."""
    close: str = ""
    """Needed behind if a chunk ends inside it."""
    mdx: bool = False

    @property
    def may_be_fenced(self) -> bool:
        """Whether code with a fence in its first line is not indented code that shows one. MDX has no such code."""
        return self.mdx or not self.text.startswith(("    ", "\t", " \t", "  \t", "   \t"))

    @property
    def text(self) -> str:
        return self.view.text[self.start : self.end]

    def part(self, kind: str, start: int, end: int, strength: int) -> _Piece:
        """A piece of this piece: only at the very ends of the whole is nothing cut open."""
        first, last = start == self.start, end == self.end
        return _Piece(
            kind,
            self.source,
            self.view,
            start,
            end,
            self.strength if first else strength,
            self.before if first else self.reopen,
            self.after if last else self.close,
            self.reopen,
            self.close,
            self.mdx,
        )


class _Row(NamedTuple):
    """Where a piece is cut into parts of one kind."""

    piece: _Piece
    kind: str
    """Kind of the parts, should they have to be cut themselves."""
    starts: list[int]
    strengths: list[int]


def take_apart(source: str, kind: str, end: int, limit: int, weigh: Weigh, mdx: bool) -> Units:
    """Units of a block, none heavier than the limit, in the order of the source.

    The block goes up to `end`; what follows it in the source is blank and belongs to its last unit.
    """
    units = Units()
    text = with_plain_line_ends(source)
    piece = _Piece(kind, text, whole(text), 0, end, BETWEEN_BLOCKS, mdx=mdx)
    _divide(piece, (0, len(source)), limit, weigh, mdx, 0, units)
    return units


def _divide(
    piece: _Piece, place: tuple[int, int], limit: int, weigh: Weigh, mdx: bool, depth: int, units: Units
) -> None:
    """Cut at the seams of its kind; whatever is still too heavy, at the seams of the next finer kind.

    `place` is what the units of the piece cover in the source, with markers before it and blanks behind it.
    """
    if piece.kind in _CONTAINERS and depth < _DEEPEST:
        parts = list(_CONTAINERS[piece.kind](piece, mdx))
    elif piece.kind == "word":
        parts = _parts(_characters(piece, limit, weigh))
    else:
        row = _SEAMS.get(piece.kind, _lines)(piece)
        if _take_row(row, place, limit, weigh, units):
            return
        parts = _parts(row)
    if not parts:
        _take_bare(piece.source, place, limit, weigh, units)  # nothing but the markers of containers
        return
    starts = [*map(_source_start, parts), place[1]]
    if piece.source[place[0] : starts[0]].strip():
        starts[0] = place[0]  # the marker of a container may stand on a line of its own
    (end_before, *seams), (_, *doubts) = _seams([place[0], *starts], weigh)
    if not units.starts:
        seams[0] = end_before
    elif end_before < seams[0]:
        # Blanks in front of the first part lie behind the unit before, which weighs no more if it ends a chunk.
        blanks = weigh.pieces((end_before, seams[0]))[0]
        units.weights[-1] += blanks
        units.closing[-1] -= blanks
    carried: dict[str, int] = {"": 0}
    places = zip(starts, starts[1:], seams, seams[1:], doubts, strict=False)
    for part, weight, (start, stop, seam, last_seam, doubt) in zip(parts, weigh.pieces(seams), places, strict=True):
        if start == stop:
            continue  # all of it stands on a line that went to the part before
        part = _with_little_carried(_still_quoted(part, start), limit, carried, weigh)  # noqa: PLW2901
        in_front = weigh.pieces((seam, start))[0] if start - seam > _MANY_BLANKS else 0
        behind = _weight_of_blanks(piece.source[start : max(start, last_seam)], weight - in_front, weigh)
        too_much = weight - in_front - behind + carried[part.before] + carried[part.after] - limit
        if too_much > 0 and part.kind != "character":
            _divide(part, (start, stop), limit, weigh, mdx, depth + 1, units)
        elif too_much > limit // 8:
            _take_bare(piece.source, (start, stop), limit, weigh, units)
        else:
            opening, closing = carried[part.before] - in_front, carried[part.after] - behind
            units.append(start, weight, part.strength, doubt, part.before, part.after, opening, closing)


def _seams(cuts: Sequence[int], weigh: Weigh) -> tuple[list[int], list[bool]]:
    """The seam of each cut, between which weights add up; and whether it has none and stands there itself."""
    seams = weigh.seams(cuts)
    doubts = [seam is None for seam in seams]
    return list(accumulate([cut if seam is None else seam for cut, seam in zip(cuts, seams, strict=True)], max)), doubts


def take_bare(source: str, limit: int, weigh: Weigh) -> Units:
    """Units of a text without any structure, each as long as fits."""
    units = Units()
    _take_bare(source, (0, len(source)), limit, weigh, units)
    return units


def _take_bare(source: str, place: tuple[int, int], limit: int, weigh: Weigh, units: Units) -> None:
    """As much of the source at a time as fits, with nothing around it: where not even one character stands alone."""
    at, end = place
    while at < end:
        cut = weigh.fit(source, at, end, limit)
        if not source[at:cut].isspace():
            units.append(at, 0, NO_SEAM, doubt=True)
        if units.starts:
            units.weights[-1] += weigh.pieces([at, cut])[0]
        at = cut


def _still_quoted(part: _Piece, start: int) -> _Piece:
    """A part that begins inside a line of a quote needs the marker of that line."""
    if start == 0 or part.source[start - 1] == "\n":
        return part
    return part._replace(before=part.before + _quote_marker(part))


def _quote_marker(piece: _Piece) -> str:
    """What stands before the line of a quote that a piece begins in; empty outside of quotes."""
    text = piece.view.text
    if text is piece.source:
        return ""
    indentation = _INDENTATION.match(text, _line_start(text, piece.start), piece.end)
    assert indentation, "it may be empty"
    # Indentation of a view is not that of the source; what follows it is.
    lead = _lead(piece, indentation.end())
    marker = lead.rfind(">") + 1
    return f"{lead[:marker]} " if marker else ""


def _with_little_carried(part: _Piece, limit: int, carried: dict[str, int], weigh: Weigh) -> _Piece:
    """What is repeated may take three quarters of the room. Rather than more, a fence loses its info string, and a
    table its head: better a part that does not quite stand alone than none."""
    while True:
        for text in (part.before, part.after):
            if text not in carried:
                carried[text] = weigh.texts((text,))[0]
        if carried[part.before] + carried[part.after] <= limit * 3 // 4:
            return part
        before, reopen = _lighter(part.before), _lighter(part.reopen)
        if (before, reopen) == (part.before, part.reopen):
            return part._replace(before="", after="", reopen="", close="")
        part = part._replace(before=before, reopen=reopen)


@lru_cache(maxsize=8)  # each of many parts asks for the same, and an info string may be endless
def _lighter(opening: str) -> str:
    """A fence with the language alone, then the bare fence; nothing in place of a table's head."""
    fence = _REOPENED.match(opening)
    if fence is None:
        return ""
    info = fence[0][fence.end("mark") - fence.start() :].split()
    language = info[0] if len(info) > 1 else ""
    return f"{opening[: fence.end('mark')]}{language}\n"


def _weight_of_blanks(text: str, weight: int, weigh: Weigh) -> int:
    bare = text.rstrip()
    return weight - weigh.texts((bare,))[0] if len(text) - len(bare) > _MANY_BLANKS else 0


def _take_row(row: _Row, place: tuple[int, int], limit: int, weigh: Weigh, units: Units) -> bool:
    """Take the parts of a row all at once, if none is too heavy: the usual case, and far cheaper than one by one."""
    piece, _, (_, *starts), strengths = row
    text = piece.source
    if piece.view.text is not text or any(text.find(blanks, *place) >= 0 for blanks in _LONG_BLANKS):
        return False
    starts = [place[0], *starts]
    seams, doubts = _seams([*starts, place[1]], weigh)
    weights = weigh.pieces(seams)
    before, reopen, close, after = weigh.texts((piece.before, piece.reopen, piece.close, piece.after))
    if max(weights) + reopen + close > limit or reopen + close > limit // 2 or before + after > limit // 2:
        return False
    more = len(starts) - 1
    units.starts += starts
    units.weights += weights
    units.strengths += strengths
    units.doubts += doubts[:-1]
    units.prefixes += [piece.before, *[piece.reopen] * more]
    units.suffixes += [*[piece.close] * more, piece.after]
    units.opening += [before, *[reopen] * more]
    units.closing += [*[close] * more, after]
    return True


def _parts(row: _Row) -> list[_Piece]:
    piece, kind, starts, strengths = row
    ends = [*starts[1:], piece.end]
    return [piece.part(kind, *part) for part in zip(starts, ends, strengths, strict=True)]


def _source_start(piece: _Piece) -> int:
    """Where a piece begins in the source: with the markers and indentation of its line, if it begins a line."""
    text, first = piece.view.text, piece.start
    if text is piece.source:
        return first
    while first < piece.end - 1 and text[first] in " \t":
        first += 1  # indentation of a view is not that of the source; what follows it is
    at = first
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    place = piece.view.place(first)
    begins_line = at == 0 or text[at - 1] == "\n"
    line = _line_start(piece.source, place) if begins_line else place
    # The last resort leaves out indentation: it may be what weighs too much.
    return place if piece.kind == "character" and piece.source[line:place].isspace() else line


def _lines(piece: _Piece) -> _Row:
    """One part for each line that is not blank; blank lines stay with the line before, and make a better seam."""
    text = piece.text
    # A line end more than its own belongs to each line but the last, whose end nobody asks for.
    lengths = [len(line) + 1 for line in text.split("\n")]
    del lengths[-1]
    offsets = list(accumulate(lengths, initial=piece.start))
    if not _BLANK_LINE.search(text):
        return _Row(piece, "line", offsets, [piece.strength, *[IN_TEXT] * len(lengths)])
    lines = text.split("\n")
    blank = [not line or line.isspace() for line in lines]
    blank[0] = False
    starts = [offset for offset, is_blank in zip(offsets, blank, strict=False) if not is_blank]
    strengths = [_AFTER_BLANK[before] for before, is_blank in zip([False, *blank], blank, strict=False) if not is_blank]
    strengths[0] = piece.strength
    return _Row(piece, "line", starts, strengths)


def _code(piece: _Piece) -> _Row:
    """Lines, each part with the fence and its info string; indented code needs none."""
    fence = _FENCE.match(piece.view.text, piece.start, piece.end)
    if fence is None or not piece.may_be_fenced:
        return _lines(piece)
    nested = piece.view.text is not piece.source
    lead = _lead(piece, fence.start("mark")) if nested or piece.mdx else ""
    # A fence that is open to the end is closed by the end of its container, or else by us.
    closed = nested or _is_closed(piece, fence["mark"])
    close = f"\n{lead}{fence['mark']}"
    opened = piece._replace(reopen=f"{lead}{fence[0].strip()}\n", close=close, after="" if closed else close)
    return _with_marks_joined(_lines(opened), _is_closed(piece, fence["mark"]))


def _with_marks_joined(row: _Row, is_closed: bool) -> _Row:
    """A mark without a line of its content says nothing: what opens and what closes stays with the line next to it."""
    for number in (1, -1) if is_closed else (1,):
        if len(row.starts) > 2 or (len(row.starts) == 2 and number == 1):
            del row.starts[number], row.strengths[number]
    return row


def _raw(piece: _Piece) -> _Row:
    """Lines, each part a comment again, or in its element: what looks like a fence in there opens none."""
    opening = _RAW.match(piece.view.text, piece.start, piece.end)
    if opening is None or opening.lastgroup is None or not _FENCE_LINE.search(piece.text):
        return _lines(piece)
    tag = opening["tag"]
    first, last = (f"<{tag}>", f"</{tag}>") if tag else _RAW_MARKS[opening.lastgroup]
    lead = _lead(piece, opening.end() - len(opening[0].lstrip())) if piece.view.text is not piece.source else ""
    marked = piece._replace(reopen=f"{lead}{first}\n", close=f"\n{lead}{last}")
    last_line = piece.text.rstrip().rpartition("\n")[2]
    return _with_marks_joined(_lines(marked), is_closed=last_line.lstrip(" \t>") == last)


def _is_closed(piece: _Piece, mark: str) -> bool:
    last = piece.text.rstrip().rpartition("\n")[2].strip(" \t>")
    return "\n" in piece.text.strip() and len(last) >= len(mark) and not last.strip(mark[0])


def _lead(piece: _Piece, start: int) -> str:
    """What stands in front of a nested block on each of its lines: quote markers stay, list markers become blanks."""
    place = piece.view.place(start)
    return _MARKER.sub(" ", piece.source[_line_start(piece.source, place) : place])


def _line_start(text: str, at: int) -> int:
    """Of the line that has this place. Words of an endless line all ask, so nobody may read back to its beginning."""
    ends = _line_ends(text)
    before = bisect_left(ends, at)
    return ends[before - 1] + 1 if before else 0


@lru_cache(maxsize=4)
def _line_ends(text: str) -> list[int]:
    return [found.start() for found in _LINE_END.finditer(text)]


def _table(piece: _Piece) -> _Row:
    """Rows, each part under the header and delimiter rows."""
    row = _lines(piece)
    if len(row.starts) < 3:
        return row
    first = piece.start + len(piece.text) - len(piece.text.lstrip(" \t"))
    lead = _lead(piece, first)
    head = piece.view.text[piece.start : row.starts[2]].split("\n")[:2]
    del row.starts[1:3], row.strengths[1:3]
    return row._replace(piece=piece._replace(reopen="".join(f"{lead}{line.strip()}\n" for line in head)))


def _sentences(piece: _Piece) -> _Row:
    ends = (match.end() for match in _SENTENCE_END.finditer(piece.view.text, piece.start, piece.end))
    starts = [piece.start, *(end for end in ends if end < piece.end)]
    return _Row(piece, "sentence", starts, [piece.strength, *[IN_TEXT] * (len(starts) - 1)])


def _words(piece: _Piece) -> _Row:
    words = [match.start() for match in _WORD.finditer(piece.view.text, piece.start, piece.end)]
    return _Row(piece, "word", [piece.start, *words[1:]], [piece.strength, *[NO_SEAM] * (len(words) - 1)])


def _characters(piece: _Piece, limit: int, weigh: Weigh) -> _Row:
    """As many characters at a time as fit: the last resort, for a single endless word."""
    text = piece.text
    end = piece.start + len(text.rstrip())
    piece = piece._replace(start=piece.end - len(text.lstrip()))
    marker = _quote_marker(piece)
    carried = (piece.reopen + marker, piece.close, piece.before + marker, piece.after)
    reopen, close, before, after = weigh.texts(carried)
    room = max(1, limit - max(reopen + close, before + after))
    starts = [piece.start]
    while (cut := weigh.fit(piece.view.text, starts[-1], end, room)) < end:
        starts.append(cut)
    return _Row(piece, "character", starts, [piece.strength, *[NO_SEAM] * (len(starts) - 1)])


def _items(piece: _Piece) -> _Row:
    """A marker that stands further left than the content of the item before it begins the next item."""
    starts: list[int] = []
    width = 0
    for marker in _ITEM_MARKER.finditer(piece.view.text, piece.start, piece.end):
        start, after_marker = marker.span(1)
        if not starts or len(marker["indent"].expandtabs(4)) < width:
            starts.append(start)
            content = marker.end() if marker["gap"] else after_marker + 1
            width = len(piece.view.text[start:content].expandtabs(4))
    starts[:1] = [piece.start]
    return _Row(piece, "item", starts, [piece.strength, *[IN_BLOCK] * (len(starts) - 1)])


def _item(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    """The blocks in the content of an item."""
    views = list(list_items(piece.view, piece.start, piece.end))
    if len(views) == 1:
        return _blocks(_of_view(piece, "item", views[0], 0), mdx)
    return (_of_view(piece, "item", view, number) for number, view in enumerate(views))


def _of_view(piece: _Piece, kind: str, view: View, number: int) -> _Piece:
    strength = IN_BLOCK if number else piece.strength
    nested = View(view.text + "\n", view.starts, view.shifts)
    return _Piece(kind, piece.source, nested, 0, len(view.text), strength)


def _blocks(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    """The blocks inside the content of a container."""
    text = piece.view.text[piece.start : piece.end]
    for number, (kind, start, end, _, _) in enumerate(scan_spans("\n" + text, mdx)):
        at, stop = piece.start + start - 1, piece.start + end - 1
        strength = IN_BLOCK if number else piece.strength
        yield _Piece(kind, piece.source, piece.view, at, stop, strength, mdx=mdx)


def _quote(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    return _blocks(_of_view(piece, "quote", quote_content(piece.view, piece.start, piece.end), 0), mdx)


def _footnote(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    return _blocks(_of_view(piece, "footnote", footnote_content(piece.view, piece.start, piece.end), 0), mdx)


def _element(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    """The opening tag, the blocks inside, the closing tag; the tags stay with what is next to them."""
    text = piece.view.text
    inner = min(flow_at(text, piece.start, Found()).end + 1, piece.end)
    closing = max(text.rfind("\n", inner, piece.end) + 1, inner)
    content = list(_blocks(piece._replace(start=inner, end=closing), mdx)) if inner < closing else []
    if not content:
        return iter(_parts(_lines(piece)))
    content[0] = content[0]._replace(strength=NO_SEAM)
    tag = piece._replace(kind="line", end=inner)
    last = piece._replace(kind="line", start=closing, strength=NO_SEAM)
    return iter([tag, *content, last])


_SEAMS: dict[str, Callable[[_Piece], _Row]] = {
    "code": _code,
    "html": _raw,
    "mdx_expression": _raw,
    "list": _items,
    "table": _table,
    "paragraph": _sentences,
    "heading": _words,
    "sentence": _words,
    "line": _words,
}
"""Kind → its seams; whatever is not named here or below is cut between lines."""

_CONTAINERS: dict[str, Callable[[_Piece, bool], Iterator[_Piece]]] = {
    "item": _item,
    "quote": _quote,
    "footnote": _footnote,
    "mdx_jsx": _element,
}
