"""Where the comments of a document stand: `<!-- … -->`, `%% … %%` as in Obsidian, and `{/* … */}` in MDX.

What is in code is no comment. A comment that nothing closes follows the parser: `<!--` at the beginning of a block
reaches to the end of that block, everything else is text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from headnote.lines import LINE
from headnote.markdown.inline import MARKUP, spans
from headnote.markdown.rules.rule import Span
from headnote.markdown.scanner import scan_spans
from headnote.markdown.views import View, as_content, footnote_content, jsx_content, list_items, quote_content, whole

Extent = tuple[int, int]
"""Where something begins and ends."""

COMMENT_EXPRESSION = re.compile(r"\{\s*+(?:/\*(?:[^*]|\*(?!/))*+\*/\s*+|//[^\n]*+\n\s*+)*+\}")
"""An MDX expression that contains only comments."""

_HTML = "<!--"
_MARK = "%%"
_NOTE = "{/*"
_NOTE_END = "*/}"
_SHORTEST = ("<!-->", "<!--->")
_OPENS_BLOCK = re.compile(r"[ \t]*+<!--")
_RAW = re.compile(r"[ \t]*+<(?:script|style|textarea)\b", re.IGNORECASE)
# `100%%` opens nothing, and `%%time` closes nothing.
_PAIRED = re.compile(r"(?P<opens>(?<![\w%\\]))?%%(?!%)(?P<closes>(?!\w))?", re.ASCII)
_START = itemgetter(1)
_MAX_DEPTH = 32
"""Each level of nesting is read once more, and nobody nests deeper by hand."""


class _Mark(NamedTuple):
    """A `%%`."""

    start: int
    opens: bool
    closes: bool
    leaf: int
    """Number of the paragraph, heading or line of a table that has it."""
    begins_block: bool
    """Whether a paragraph outside of all containers begins with it. The comment may then go on over several blocks."""


def comments(text: str, blocks: Sequence[Span], mdx: bool = False) -> list[Extent]:
    """The comments of these blocks in their order, none inside another."""
    if not _may_have_signs(text, mdx):
        return []
    reading = _CommentWalk(text)
    reading.read(whole(text), mdx, 0, blocks)
    return _joined([*reading.extents, *_pairs(reading.marks)])


def _may_have_signs(text: str, mdx: bool) -> bool:
    """Most documents have none, and cost no more than this look."""
    # A single character is found many times sooner than two, and most documents have no percent sign.
    return _HTML in text or ("%" in text and _MARK in text) or (mdx and _NOTE in text)


def _signs(text: str, mdx: bool) -> list[int]:
    """Where a comment may begin, in order: so no block without one is looked at."""
    if not _may_have_signs(text, mdx):
        return []
    places: list[int] = []
    for sign in (_HTML, _MARK, _NOTE) if mdx else (_HTML, _MARK):
        at = text.find(sign)
        while at >= 0:
            places.append(at)
            at = text.find(sign, at + 1)
    return sorted(places)


class _CommentWalk:
    """One walk through the blocks of a document, into those that hold others."""

    def __init__(self, text: str) -> None:
        self.extents: list[Extent] = []
        self.marks: list[_Mark] = []
        self._text = text
        self._leaves = 0

    def read(self, view: View, mdx: bool, depth: int, blocks: Sequence[Span] | None = None) -> None:
        """Read a view, which is scanned only if it has a sign and its blocks are not known."""
        signs = _signs(view.text, mdx)
        if not signs:
            return
        blocks = scan_spans(view.text, mdx) if blocks is None else blocks
        having_signs = {bisect_right(blocks, sign, key=_START) - 1 for sign in signs}
        for kind, start, end, _, _ in map(blocks.__getitem__, sorted(having_signs)):
            if kind in ("paragraph", "heading"):
                self._inline(view, start, end, mdx, begins_block=depth == 0 and kind == "paragraph")
            elif kind == "table":
                for line in LINE.finditer(view.text, start, end):
                    self._inline(view, *line.span(1), mdx)
            elif kind == "html":
                self._add(view, _in_html(view.text, start, end))
            elif kind == "mdx_expression" and COMMENT_EXPRESSION.fullmatch(view.text[start:end].strip()):
                self._add(view, [(start, end)])
            elif kind in _CONTENTS and depth < _MAX_DEPTH:
                for content in map(as_content, _CONTENTS[kind](view, start, end)):
                    self.read(content, mdx, depth + 1)
            elif kind == "mdx_jsx" and depth < _MAX_DEPTH:
                self._element(view, start, end, depth + 1)

    def _add(self, view: View, extents: Sequence[Extent]) -> None:
        self.extents += [(view.place(start), view.place(end - 1) + 1) for start, end in extents]

    def _inline(self, view: View, start: int, end: int, mdx: bool, begins_block: bool = False) -> None:
        text, at = view.text, start
        self._leaves += 1
        constructs = spans(text, start, end) if MARKUP.search(text, start, end) else []
        for span in sorted(constructs, key=lambda span: span.start):
            self._between(view, at, span.start, mdx, begins_block and at == start)
            if text.startswith(_HTML, span.start):
                self._add(view, [(span.start, span.end)])
            at = max(at, span.end)
        self._between(view, at, end, mdx, begins_block and at == start)

    def _between(self, view: View, start: int, end: int, mdx: bool, begins_block: bool) -> None:
        """What stands between two inline constructs."""
        marks = _PAIRED.finditer(view.text, start, end) if view.text.find(_MARK, start, end) >= 0 else ()
        for number, mark in enumerate(marks):
            is_first = begins_block and not number and not view.text[start : mark.start()].strip()
            signs = mark["opens"] is not None, mark["closes"] is not None
            self.marks.append(_Mark(view.place(mark.start()), *signs, self._leaves, is_first))
        if mdx:
            self._add(view, list(_notes(view.text, start, end)))

    def _element(self, view: View, start: int, end: int, depth: int) -> None:
        """A component: its content has no notes any more, so that those outside of its code are looked for here."""
        content = as_content(jsx_content(view, start, end))
        blocks = scan_spans(content.text)
        code = [content.place(place) for kind, *ends, _, _ in blocks if kind == "code" for place in ends]
        notes = _notes(view.text, start, end)
        # Behind an odd number of beginnings and ends, it is in code.
        self._add(view, [note for note in notes if bisect_right(code, view.place(note[0])) % 2 == 0])
        self.read(content, False, depth, blocks)


_CONTENTS: dict[str, Callable[[View, int, int], list[View]]] = {
    "list": list_items,
    "quote": lambda view, start, end: [quote_content(view, start, end)],
    "footnote": lambda view, start, end: [footnote_content(view, start, end)],
}


def _in_html(text: str, start: int, end: int) -> list[Extent]:
    """The comments of an HTML block."""
    if _RAW.match(text, start, end):
        return []
    found: list[Extent] = []
    at = text.find(_HTML, start, end)
    while at >= 0:
        shortest = next((sign for sign in _SHORTEST if text.startswith(sign, at, end)), "")
        stop = at + len(shortest) - 3 if shortest else text.find("-->", at + len(_HTML), end)
        if stop < 0:
            return [*found, (at, end)] if _OPENS_BLOCK.match(text, start, end) and not found else found
        found.append((at, stop + 3))
        at = text.find(_HTML, stop + 3, end)
    return found


def _notes(text: str, start: int, end: int) -> Iterator[Extent]:
    """The comments of MDX in this range. One in backticks shows how to write it."""
    at = text.find(_NOTE, start, end)
    while at >= 0:
        stop = text.find(_NOTE_END, at + len(_NOTE), end)
        if stop < 0:
            return
        if text[at - 1 : at] != "`":
            yield at, stop + len(_NOTE_END)
        at = text.find(_NOTE, stop + len(_NOTE_END), end)


def _pairs(marks: Sequence[_Mark]) -> Iterator[Extent]:
    """What `%%` and `%%` enclose: text of one paragraph, or whole blocks from a mark that begins one."""
    opening: _Mark | None = None
    for mark in marks:
        if opening is not None and opening.leaf != mark.leaf and not opening.begins_block:
            opening = None
        if opening is not None and mark.closes:
            yield opening.start, mark.start + len(_MARK)
            opening = None
        elif mark.opens:
            opening = mark


def _joined(extents: list[Extent]) -> list[Extent]:
    joined: list[Extent] = []
    for start, end in sorted(extents):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
