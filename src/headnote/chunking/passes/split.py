"""A block that is too large, taken apart by its kind.

Each kind has seams of its own: code has lines, prose has sentences, a list has items, a table has rows, a container has
blocks. What is still too large is taken apart again at the next finer seams, down to single characters, so every unit
ends up under the limit. A unit says what must be added when a chunk begins or ends with it: the fence reopened and
closed, the head of the table repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from headnote.markdown.rules.base import Found, Span
from headnote.markdown.rules.mdx import flow_at
from headnote.markdown.scanner import scan_spans
from headnote.markdown.views import View, footnote_content, list_items, quote_content, whole

NO_SEAM, IN_TEXT, IN_BLOCK, BETWEEN_BLOCKS = range(4)
"""How good a place to cut a unit's beginning is, worst first."""

_SENTENCE_END = re.compile(r"[.!?]++[\"'”’)\]*_`]*+\s++(?=\S)|[。！？]++[」』）”’]*+(?=[^\n])")
_WORD = re.compile(r"\S++\s*+")
_LINE = re.compile(r"[^\n]++\n?+|\n")
_FENCE = re.compile(r"[ \t]*+(?P<mark>`{3,}+|~{3,}+)[^\n]*+")
_MARKER = re.compile(r"[^\s>]")
_DEEPEST = 24
"""Containers in containers are opened this far; beyond, nothing but text is seen in them."""


class Unit(NamedTuple):
    """A stretch of source, up to the beginning of the next unit, that is not taken apart any further."""

    start: int
    strength: int
    prefix: str
    """What a chunk needs in front if it begins here."""
    suffix: str
    """What a chunk needs behind if it ends with this unit."""


class Weigh(NamedTuple):
    """How the splitter measures text."""

    texts: Callable[[Sequence[str]], list[int]]
    """Texts → weight of each."""
    fit: Callable[[str, int, int, int], int]
    """(text, start, end, limit) → how far the text from `start` on stays under the limit."""


@dataclass(slots=True, frozen=True)
class _Piece:
    """A stretch of a view, and what a cut at its ends or inside it has to add."""

    kind: str
    view: View
    start: int
    end: int
    strength: int
    info: str = ""
    before: str = ""
    """Needed in front if a chunk begins with this piece."""
    after: str = ""
    """Needed behind if a chunk ends with it."""
    reopen: str = ""
    """Needed in front if a chunk begins inside it."""
    close: str = ""
    """Needed behind if a chunk ends inside it."""
    source: str = ""
    """The text of the document, for what stands around the piece there."""

    @property
    def text(self) -> str:
        return self.view.text[self.start : self.end]

    @property
    def source_end(self) -> int:
        return self.view.place(self.end - 1) + 1

    def part(self, kind: str, start: int, end: int, strength: int) -> _Piece:
        """A piece of this piece: only at the very ends of the whole is nothing cut open."""
        return replace(
            self,
            kind=kind,
            start=start,
            end=end,
            strength=self.strength if start == self.start else strength,
            before=self.before if start == self.start else self.reopen,
            after=self.after if end == self.end else self.close,
        )


def take_apart(text: str, block: Span, limit: int, weigh: Weigh, mdx: bool) -> list[Unit]:
    """Units of one block, none heavier than the limit, in the order of the source. Lines of the text end in `\\n`."""
    kind, start, end, _, info = block
    piece = _Piece(kind, whole(text), start, end, BETWEEN_BLOCKS, info, source=text)
    return [
        Unit(_source_start(part), part.strength, part.before, part.after)
        for part in _divide(piece, limit, weigh, mdx, depth=0)
    ]


def _divide(piece: _Piece, limit: int, weigh: Weigh, mdx: bool, depth: int) -> Iterator[_Piece]:
    """Cut at the seams of its kind; whatever is still too heavy, at the seams of the next finer kind."""
    kind = piece.kind if depth < _DEEPEST or piece.kind in _SEAMS_OF_TEXT else "line"
    parts = list(_characters(piece, limit, weigh) if kind == "word" else _SEAMS.get(kind, _lines)(piece, mdx))
    starts = [*(_source_start(part) for part in parts), parts[-1].source_end]
    own = [piece.source[start:end] for start, end in pairwise(starts)]
    weights = weigh.texts([text for number, part in enumerate(parts) for text in (own[number], part.before, part.after)])
    for number, part in enumerate(parts):
        weight, before, after = weights[3 * number : 3 * number + 3]
        if before + after > limit // 2:
            # What would be repeated leaves too little room: better a part that does not stand alone than none.
            part = replace(part, before="", after="", reopen="", close="")
            before = after = 0
        if weight + before + after <= limit or part.kind == "character":
            yield part
        else:
            yield from _divide(part, limit, weigh, mdx, depth + 1)


def _source_start(piece: _Piece) -> int:
    """Where a piece begins in the source: with the markers and indentation of its line, if it begins a line."""
    text, first = piece.view.text, piece.start
    while first < piece.end - 1 and text[first] in " \t":
        first += 1  # indentation of a view is not that of the source; what follows it is
    at = first
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    place = piece.view.place(first)
    begins_line = at == 0 or text[at - 1] == "\n"
    line = piece.source.rfind("\n", 0, place) + 1 if begins_line else place
    # The last resort leaves out indentation: it may be what weighs too much.
    return place if piece.kind == "character" and piece.source[line:place].isspace() else line


def _parts(piece: _Piece, kind: str, starts: Sequence[int], strengths: Sequence[int]) -> Iterator[_Piece]:
    for start, end, strength in zip(starts, [*starts[1:], piece.end], strengths, strict=True):
        yield piece.part(kind, start, end, strength)


def _lines(piece: _Piece, _: bool, kind: str = "line") -> Iterator[_Piece]:
    """One piece for each line that is not blank; blank lines stay with the line before, and make a better seam."""
    starts, strengths = [piece.start], [piece.strength]
    after_blank = False
    for line in _LINE.finditer(piece.view.text, piece.view.text.find("\n", piece.start) + 1, piece.end):
        if line[0].isspace() or not line[0]:
            after_blank = True
            continue
        starts.append(line.start())
        strengths.append(IN_BLOCK if after_blank else IN_TEXT)
        after_blank = False
    return _parts(piece, kind, starts, strengths)


def _code(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    """Lines, each part with the fence and its info string; indented code needs none."""
    fence = _FENCE.match(piece.view.text, piece.start, piece.end)
    if fence is None:
        return _lines(piece, mdx, "code_line")
    lead = _lead(piece)
    closed = _is_closed(piece, fence["mark"])
    close = f"\n{lead}{fence['mark']}"
    opened = replace(piece, reopen=f"{lead}{fence[0].strip()}\n", close=close, after="" if closed else close)
    lines = list(_lines(opened, mdx, "code_line"))
    # A fence without a line of code says nothing: both fences stay with the code next to them.
    if len(lines) > 1:
        lines[:2] = [opened.part("code_line", lines[0].start, lines[1].end, piece.strength)]
    if closed and len(lines) > 1:
        lines[-2:] = [opened.part("code_line", lines[-2].start, lines[-1].end, lines[-2].strength)]
    return iter(lines)


def _is_closed(piece: _Piece, mark: str) -> bool:
    last = piece.text.rstrip().rpartition("\n")[2].strip(" \t>")
    return "\n" in piece.text.strip() and len(last) >= len(mark) and not last.strip(mark[0])


def _lead(piece: _Piece) -> str:
    """What stands in front of a nested block on each of its lines: quote markers stay, list markers become blanks."""
    source, place = piece.source, piece.view.place(piece.start)
    lead = source[source.rfind("\n", 0, place) + 1 : place]
    return _MARKER.sub(" ", lead)


def _table(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    """Rows, each part under the header and delimiter rows."""
    rows = list(_lines(piece, mdx))
    if len(rows) < 3:
        return iter(rows)
    lead = _lead(piece)
    head = "".join(f"{lead}{row.text.strip()}\n" for row in rows[:2])
    headed = replace(piece, reopen=head)
    first = headed.part("line", piece.start, rows[2].end, piece.strength)
    return iter([first, *(headed.part("line", row.start, row.end, row.strength) for row in rows[3:])])


def _list(piece: _Piece, _: bool) -> Iterator[_Piece]:
    for number, item in enumerate(list_items(piece.view, piece.start, piece.end)):
        yield _of_view(piece, "item", item, number)


def _of_view(piece: _Piece, kind: str, view: View, number: int) -> _Piece:
    strength = IN_BLOCK if number else piece.strength
    nested = View(view.text + "\n", view.starts, view.shifts)
    return _Piece(kind, nested, 0, len(view.text), strength, source=piece.source)


def _blocks(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    """The blocks inside the content of a container."""
    text = piece.view.text[piece.start : piece.end]
    for number, (kind, start, end, _, info) in enumerate(scan_spans("\n" + text, mdx)):
        at, stop = piece.start + start - 1, piece.start + end - 1
        strength = IN_BLOCK if number else piece.strength
        yield _Piece(kind, piece.view, at if number else piece.start, stop, strength, info, source=piece.source)


def _quote(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    return _blocks(_of_view(piece, "quote", quote_content(piece.view, piece.start, piece.end), 0), mdx)


def _footnote(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    return _blocks(_of_view(piece, "footnote", footnote_content(piece.view, piece.start, piece.end), 0), mdx)


def _element(piece: _Piece, mdx: bool) -> Iterator[_Piece]:
    """The opening tag, the blocks inside, the closing tag; the tags stay with what is next to them."""
    text = piece.view.text
    inner = min(flow_at(text, piece.start, Found()).end + 1, piece.end)
    closing = max(text.rfind("\n", inner, piece.end) + 1, inner)
    content = list(_blocks(replace(piece, start=inner, end=closing), mdx)) if inner < closing else []
    if not content:
        return _lines(piece, mdx)
    content[0] = replace(content[0], strength=NO_SEAM)
    tag = replace(piece, kind="line", end=inner)
    last = replace(piece, kind="line", start=closing, strength=NO_SEAM)
    return iter([tag, *content, last])


def _sentences(piece: _Piece, _: bool) -> Iterator[_Piece]:
    ends = (match.end() for match in _SENTENCE_END.finditer(piece.view.text, piece.start, piece.end))
    starts = [piece.start, *(end for end in ends if end < piece.end)]
    return _parts(piece, "sentence", starts, [IN_TEXT] * len(starts))


def _words(piece: _Piece, _: bool) -> Iterator[_Piece]:
    words = [match.start() for match in _WORD.finditer(piece.view.text, piece.start, piece.end)]
    starts = [piece.start, *words[1:]]
    return _parts(piece, "word", starts, [NO_SEAM] * len(starts))


def _characters(piece: _Piece, limit: int, weigh: Weigh) -> Iterator[_Piece]:
    """As many characters at a time as fit: the last resort, for a single endless word."""
    piece = replace(piece, start=piece.end - len(piece.text.lstrip()))
    carried = max(weigh.texts((piece.reopen + piece.before, piece.close + piece.after)))
    starts = [piece.start]
    room = max(1, limit - 2 * carried)
    end = piece.start + len(piece.text.rstrip())
    while (cut := weigh.fit(piece.view.text, starts[-1], end, room)) < end:
        starts.append(cut)
    return _parts(piece, "character", starts, [NO_SEAM] * len(starts))


_SEAMS: dict[str, Callable[[_Piece, bool], Iterator[_Piece]]] = {
    "code": _code,
    "code_line": _words,
    "table": _table,
    "list": _list,
    "item": _blocks,
    "quote": _quote,
    "footnote": _footnote,
    "mdx_jsx": _element,
    "paragraph": _sentences,
    "heading": _words,
    "sentence": _words,
    "line": _words,
}
_SEAMS_OF_TEXT = frozenset({"code_line", "paragraph", "heading", "sentence", "line", "word"})
