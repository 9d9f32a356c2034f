"""Inline Markdown → the text a reader sees."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from headnote.markdown.inline import Definitions, InlineSpan, spans, unescape

_MARKUP = re.compile(r"[\\`*_~<>\[\]&]")
# Code spans in single backticks and snake_case are the only markup most headings and link texts have.
_ONLY_CODE = re.compile(
    r"(?:[^\\`*_~<>\[\]&]++|(?<!`)`(?![` \r\n])[^`]++(?<![ \r\n])`(?!`)|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))*+"
)
_TEXT_MARKUP = re.compile(r"\\(?:[!-/:-@\[-`{-~]|[\r\n])|&#?[A-Za-z0-9]{1,31};|\*+|_+|~+")
_LINE_BREAK = re.compile(r"<[bB][rR][ \t\r\n/>]")
# Images within images are never written by people; without a limit each would be read once per level.
_MAX_NESTING = 8


def plain_text(inline: str, definitions: Definitions | None = None) -> str:
    """Text without its markup, in one line.

    Links show their text, images their alternative text, wikilinks their alias or target. Without `definitions`,
    `[a][b]` is believed to be a link and `[a]` is not.
    """
    if _MARKUP.search(inline) is None:
        return " ".join(inline.split())
    if _ONLY_CODE.fullmatch(inline):
        return " ".join(inline.replace("`", "").split())
    return " ".join(_Renderer(inline).render(spans(inline, 0, len(inline), definitions)).split())


def span_text(text: str, span: InlineSpan, definitions: Definitions | None = None) -> str:
    """What a reader sees of a link; of an image, its alternative text."""
    inner = text[span.inner_start : span.inner_end]
    if span.kind in ("autolink", "wikilink", "embed"):
        return " ".join(inner.split())
    if span.nesting > _MAX_NESTING:
        return ""
    return plain_text(inner, definitions)


class _Edit(NamedTuple):
    """A part of the source that is not shown as it is."""

    start: int
    end: int
    shown: str
    scope: int = 0
    """+1 where the text of a link begins, -1 where it ends: emphasis does not reach across."""


def _edits(source: str, inline: list[InlineSpan]) -> list[_Edit]:
    """What the spans change, in the order of the source."""
    edits: list[_Edit] = []
    for span in inline:
        kind, start, end = span.kind, span.start, span.end
        inner_start, inner_end = span.inner_start, span.inner_end
        if kind in ("link", "image"):
            edits.append(_Edit(start, inner_start, "", +1))
            edits.append(_Edit(inner_end, end, "", -1))
        elif kind == "html":
            edits.append(_Edit(start, end, " " if _LINE_BREAK.match(source, start) else ""))
        elif kind == "code":
            edits.append(_Edit(start, end, _code_text(source[inner_start:inner_end])))
        else:
            edits.append(_Edit(start, end, source[inner_start:inner_end].strip()))
    edits.sort()
    return edits


def _code_text(content: str) -> str:
    """A blank on both sides is there to keep backticks apart, and is not shown."""
    if len(content) > 2 and content[0] in " \r\n" and content[-1] in " \r\n" and not content.isspace():
        return content[1:-1]
    return content


class _Run:
    """A run of `*`, `_` or `~`; pairs of runs shorten each other, what is left is shown."""

    __slots__ = ("closes", "left", "length", "marker", "opens", "order", "piece")

    def __init__(self, order: int, piece: int, marker: str, length: int) -> None:
        self.order = order
        self.piece = piece
        self.marker = marker
        self.length = length
        self.left = length
        self.opens = False
        self.closes = False

    def pairs_with(self, closer: _Run) -> bool:
        """Whether this run can open what the other one closes."""
        if self.marker != closer.marker:
            return False
        if self.marker == "~":
            return self.left == closer.left
        if (self.closes or closer.opens) and (self.length + closer.length) % 3 == 0:
            return self.length % 3 == 0 and closer.length % 3 == 0
        return True


class _Renderer:
    """Writes text piece by piece and pairs emphasis on the way, by the delimiter rules of CommonMark."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.pieces: list[str] = []
        self.runs: list[_Run] = []
        self.openers: list[_Run] = []
        self.floor = 0
        """Openers below belong to the text around the current link."""
        self.searched: dict[tuple[str, bool, int], int] = {}
        """Kind of closer → up to which opener it was looked for in vain; this makes the search linear."""
        self.outer: list[tuple[int, dict[tuple[str, bool, int], int]]] = []

    def render(self, inline: list[InlineSpan]) -> str:
        position = 0
        for edit in _edits(self.source, inline):
            self.text(position, edit.start)
            self.pieces.append(edit.shown)
            if edit.scope > 0:
                self.enter()
            elif edit.scope < 0:
                self.leave()
            position = edit.end
        self.text(position, len(self.source))
        for run in self.runs:
            self.pieces[run.piece] = run.marker * run.left
        return "".join(self.pieces)

    def enter(self) -> None:
        self.outer.append((self.floor, self.searched))
        self.floor, self.searched = len(self.openers), {}

    def leave(self) -> None:
        del self.openers[self.floor :]
        self.floor, self.searched = self.outer.pop()

    def text(self, start: int, end: int) -> None:
        """Text outside of spans: escapes, entities and emphasis."""
        pieces, source = self.pieces, self.source
        position = start
        for match in _TEXT_MARKUP.finditer(source, start, end):
            pieces.append(source[position : match.start()])
            position = match.end()
            first = source[match.start()]
            if first == "\\":
                pieces.append(source[position - 1])
            elif first == "&":
                pieces.append(unescape(match[0]))
            else:
                self.emphasis(match.start(), position)
        pieces.append(source[position:end])

    def emphasis(self, start: int, end: int) -> None:
        run = _Run(len(self.runs), len(self.pieces), self.source[start], end - start)
        run.opens, run.closes = _flanking(self.source, start, end)
        self.runs.append(run)
        self.pieces.append("")
        while run.closes and run.left and self.close(run):
            pass
        if run.opens and run.left:
            self.openers.append(run)

    def close(self, closer: _Run) -> bool:
        """Pair this run with the nearest opener that fits."""
        kind = (closer.marker, closer.opens, closer.length % 3)
        searched = self.searched.get(kind, -1)
        for index in range(len(self.openers) - 1, self.floor - 1, -1):
            opener = self.openers[index]
            if opener.order <= searched:
                break
            if opener.pairs_with(closer):
                used = closer.left if closer.marker == "~" else min(2, opener.left, closer.left)
                opener.left -= used
                closer.left -= used
                del self.openers[index + (opener.left > 0) :]
                return True
        self.searched[kind] = closer.order - 1
        return False


def _flanking(source: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether a run of markers can open emphasis, and whether it can close it."""
    before = _character_class(source[start - 1 : start])
    after = _character_class(source[end : end + 1])
    left = after != "blank" and (after != "punctuation" or before != "other")
    right = before != "blank" and (before != "punctuation" or after != "other")
    marker = source[start]
    if marker == "~" and end - start > 2:
        return False, False
    if marker == "_":
        return left and (not right or before == "punctuation"), right and (not left or after == "punctuation")
    return left, right


def _character_class(character: str) -> Literal["blank", "punctuation", "other"]:
    """The edge of the text counts as a blank."""
    if not character or character.isspace():
        return "blank"
    if character.isalnum():
        return "other"
    return "punctuation" if unicodedata.category(character)[0] in "PS" else "other"
