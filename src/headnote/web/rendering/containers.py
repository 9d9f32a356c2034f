"""From markers to boxes: make pairs of them, and draw callouts, tabs, details and cards around what is between.

Every block inside a box carries its lines, as those at the top do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from headnote.web.rendering.callouts import quotes_to_markers
from headnote.web.rendering.fences import language_of, title_of
from headnote.web.rendering.markers import TYPE, Marker
from headnote.web.rendering.meanings import Meaning, meaning_of, readable, spoken

if TYPE_CHECKING:
    from markdown_it.token import Token

DEEPEST = 30
"""Boxes inside each other. The content of deeper ones is shown without a frame."""


def arrange(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a document with boxes in place of markers, before inline Markdown is parsed."""
    written = quotes_to_markers(tokens)
    return _Arrangement(written, _partners(written)).run() if any(one.type == TYPE for one in written) else written


# -- pairs


class _Open(NamedTuple):
    at: int
    marker: Marker


def _partners(tokens: Sequence[Token]) -> dict[int, int]:
    """Opening → closing marker and back, by their places. Both stand in the same item, quote or cell."""
    partners: dict[int, int] = {}
    levels: list[list[_Open]] = [[]]
    for at, token in enumerate(tokens):
        if token.type != TYPE:
            if token.nesting > 0:
                levels.append([])
            elif token.nesting < 0 and len(levels) > 1:
                levels.pop()
            continue
        marker: Marker = token.meta["marker"]
        if marker.opens > 0:
            levels[-1].append(_Open(at, marker))
        elif marker.opens < 0 and (opening := _closed_by(marker, levels[-1])) is not None:
            partners[opening], partners[at] = at, opening
    return partners


def _closed_by(closing: Marker, opened: list[_Open]) -> int | None:
    """Take the box that a marker closes off the open ones, and those inside of it, which nobody closes."""
    best: int | None = None
    for place in range(len(opened) - 1, max(-1, len(opened) - 1 - DEEPEST), -1):
        marker = opened[place].marker
        if marker.notation != closing.notation or (closing.name and closing.name != marker.name):
            continue
        if marker.strength == closing.strength:
            best = place
            break
        if marker.strength < closing.strength:
            best = place
    if best is None:
        return None
    at = opened[best].at
    del opened[best:]
    return at


# -- boxes


class _Frame(NamedTuple):
    """A box that is open."""

    meaning: Meaning
    closing: Sequence[Token]
    nesting: int
    """How many items, quotes and cells are around it."""


class _Arrangement:
    """One pass over the tokens."""

    def __init__(self, tokens: Sequence[Token], partners: dict[int, int]) -> None:
        self.tokens = tokens
        self.partners = partners
        self.arranged: list[Token] = []
        self.frames: list[_Frame] = []
        self.nesting = 0

    def run(self) -> list[Token]:
        for at, token in enumerate(self.tokens):
            if token.type == TYPE:
                self.marker(at, token)
            else:
                self.content(token)
        return self.arranged

    def marker(self, at: int, token: Token) -> None:
        marker: Marker = token.meta["marker"]
        partner = self.partners.get(at)
        if partner is None:
            self.add(_alone(marker, token))
        elif marker.opens > 0:
            self.open(marker, token, self.tokens[partner])
        else:
            self.close()

    def open(self, marker: Marker, token: Token, closing: Token) -> None:
        start = token.map[0] if token.map else 0
        end = closing.map[1] if closing.map else token.map[1] if token.map else start + 1
        meaning = meaning_of(marker) if len(self.frames) < DEEPEST else Meaning("plain")
        if meaning.kind == "tab":
            self.open_tabs(start, end)
        opening, ending = _box(meaning, start, end)
        self.add(opening)
        self.frames.append(_Frame(meaning, ending, self.nesting))

    def open_tabs(self, start: int, end: int) -> None:
        """Tabs that follow each other share a box."""
        if self.frames and self.frames[-1].meaning.kind == "tabs":
            return
        last = self.arranged[-1] if self.arranged else None
        if last is not None and last.type == "tabs_close" and "opening" in last.meta:
            group: Token = self.arranged.pop().meta["opening"]
            _add_lines(group, group.map[0] if group.map else start, end)
        else:
            [group] = _box(Meaning("tabs"), start, end)[0]
            self.add([group])
        ending = _token("tabs_close", "div", -1)
        ending.meta = {"opening": group}
        self.frames.append(_Frame(Meaning("tabs", fold="implied"), [ending], self.nesting))

    def close(self) -> None:
        frame = self.frames.pop()
        self.add(frame.closing)
        if frame.meaning.kind == "tab" and self.frames and self.frames[-1].meaning.fold == "implied":
            self.add(self.frames.pop().closing)

    def content(self, token: Token) -> None:
        if token.nesting < 0:
            self.nesting -= 1
        frame = self.frames[-1] if self.frames else None
        is_direct = frame is not None and frame.nesting == self.nesting
        if is_direct and token.nesting >= 0 and token.map is not None and token.type != "inline":
            _add_lines(token, *token.map)
        if frame is not None and is_direct and frame.meaning.kind == "code-group" and token.type == "fence":
            self.add_tab(token)
        else:
            self.add([token])
        if token.nesting > 0:
            self.nesting += 1

    def add_tab(self, fence: Token) -> None:
        language = language_of(fence.info)
        start, end = fence.map or (0, 1)
        opening, closing = _box(Meaning("tab", title=title_of(fence.info) or language or "Code"), start, end)
        fence.info = language
        self.add([*opening, fence])
        self.add(closing)

    def add(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            token.level = self.nesting + len(self.frames)
        self.arranged += tokens


def _box(meaning: Meaning, start: int, end: int) -> tuple[list[Token], list[Token]]:
    """The tokens before and after the content of a box."""
    kind, title = meaning.kind, meaning.title
    if kind == "callout":
        return _callout(meaning, start, end)
    if kind == "details":
        opening = _token("details_open", "details", 1)
        if meaning.fold == "+":
            opening.attrSet("open", "")
        tokens = [_add_lines(opening, start, end), *_line("summary", "", title or "Details")]
        return tokens, [_token("details_close", "details", -1)]
    if kind in ("tabs", "code-group"):
        opening = _token("tabs_open", "div", 1, {"class": "tabs"})
        return [_add_lines(opening, start, end)], [_token("tabs_close", "div", -1)]
    if kind == "tab":
        opening = _token("tab_open", "div", 1, {"class": "tab", "data-title": title or "Tab"})
        return [_add_lines(opening, start, end)], [_token("tab_close", "div", -1)]
    if kind == "card" and title:
        opening = _token("card_open", "div", 1, {"class": "card"})
        tokens = [_add_lines(opening, start, end), *_line("p", "card-title", _linked(title, meaning.link))]
        return tokens, [_token("card_close", "div", -1)]
    return [], []


def _callout(meaning: Meaning, start: int, end: int) -> tuple[list[Token], list[Token]]:
    tag, title_tag = ("details", "summary") if meaning.fold else ("div", "p")
    opening = _token("callout_open", tag, 1, {"class": "callout", "data-callout": meaning.callout})
    if meaning.fold == "+":
        opening.attrSet("open", "")
    title = _line(title_tag, "callout-title", meaning.title) if meaning.title else []
    return [_add_lines(opening, start, end), *title], [_token("callout_close", tag, -1)]


def _alone(marker: Marker, token: Token) -> list[Token]:
    """Something without content: what it says to a reader, or itself as code. A closing marker is nothing."""
    start, end = token.map or (0, 1)
    if marker.opens < 0 and marker.notation != ":::":
        return []
    if marker.opens and marker.notation in (":::", "///"):  # nobody closes it, so it may be something else
        return _paragraph(marker.source, start, end)
    return _paragraph(_said(marker), start, end)


def _said(marker: Marker) -> str:
    words = " · ".join(readable(marker.attributes)) if marker.title is None else marker.title
    return words or spoken(marker.name)


# -- tokens


def _token(kind: str, tag: str, nesting: int, attributes: dict[str, str | int | float] | None = None) -> Token:
    from markdown_it.token import Token

    return Token(kind, tag, nesting, attrs=attributes or {}, block=True)  # type: ignore[arg-type]


def _line(tag: str, style: str, text: str) -> list[Token]:
    """A line of Markdown in an element."""
    inline = _token("inline", "", 0)
    inline.content, inline.children = text, []
    opening = _token("line_open", tag, 1, {"class": style} if style else {})
    return [opening, inline, _token("line_close", tag, -1)]


def _paragraph(text: str, start: int, end: int) -> list[Token]:
    opening, *rest = _line("p", "", text)
    return [_add_lines(opening, start, end), *rest]


def _add_lines(token: Token, start: int, end: int) -> Token:
    """Say which lines a block comes from, counted from zero, the end excluded."""
    token.map = [start, end]
    token.attrSet("data-start-line", str(start + 1))
    token.attrSet("data-end-line", str(max(end, start + 1)))
    return token


def _linked(title: str, address: str) -> str:
    """Markdown of a title that leads somewhere."""
    return f"[{title}](<{address}>)" if address and not re.search(r"[<>\n]", address) else title
