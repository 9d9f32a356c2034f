"""From markers to boxes: make pairs of them, and draw callouts, tabs, details and cards around what is between.

Every block inside a box carries its lines, as those at the top do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from headnote.rendering.components import closings_at_end
from headnote.rendering.markers import TYPE, Marker, plain
from headnote.rendering.meanings import BoxMeaning, meaning_of, named, quotes_to_markers
from headnote.rendering.text import CALLOUT_TITLE, language_of, title_of

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_DEPTH = 30
"""Boxes inside each other. The content of deeper ones is shown without a frame."""
MAX_TITLE_CHARS = 200
"""Characters of an expression that is shown; a longer one is folded."""

_OPENING = re.compile(r"<([A-Za-z][\w.]*+)")
_TIGHT = frozenset("dd dt figcaption h1 h2 h3 h4 h5 h6 li summary td th".split())
"""Elements whose text needs no paragraph."""


def arrange(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a document with boxes in place of markers, before inline Markdown is parsed."""
    written = _with_closings(quotes_to_markers(tokens))
    return _Arrangement(written, _partners(written)).run() if any(one.type == TYPE for one in written) else written


# -- pairs


def _with_closings(tokens: Sequence[Token]) -> list[Token]:
    """Tags that close a box at the end of a paragraph inside it become markers behind the paragraph."""
    opened: set[str] = set()
    written: list[Token] = []
    waiting: list[Token] = []
    for token in tokens:
        if token.type == TYPE:
            opened.add(token.meta["marker"].name)
        elif token.type == "inline" and opened and token.content.endswith(">"):
            text_end, names = closings_at_end(token.content)
            if names and opened.issuperset(names) and not _opens_any(token.content, names):
                token.content = token.content[:text_end].rstrip()
                waiting = [_closing_token(name, token) for name in names]
        written.append(token)
        if token.type == "paragraph_close" and waiting:
            written += waiting
            waiting = []
    return written


def _opens_any(text: str, names: Sequence[str]) -> bool:
    """Whether a text itself has the beginning of what is closed at its end."""
    return not set(_OPENING.findall(text)).isdisjoint(names)


def _closing_token(name: str, inline: Token) -> Token:
    token = _token(TYPE, "", 0)
    end = inline.map[1] if inline.map else 1
    token.map, token.meta = [end - 1, end], {"marker": Marker("jsx", -1, name, "")}
    return token


class _Level:
    """The boxes that are open in one item, quote or cell. Every step takes as long however many there are."""

    def __init__(self) -> None:
        self.opened: list[tuple[int, Marker]] = []
        self.waiting: Counter[tuple[str, str | int]] = Counter()

    def open(self, at: int, marker: Marker) -> None:
        self.opened.append((at, marker))
        self.waiting[_key(marker)] += 1

    def close(self, closing: Marker) -> int | None:
        """Take the box that a marker closes off the open ones, and those inside of it, which nobody closes."""
        key = _key(closing)
        if not self.waiting[key]:
            weaker = [one for one in self.waiting if self.waiting[one] and one[0] == key[0] and _is_weaker(one, key)]
            if not weaker:
                return None
            key = max(weaker)
        while True:
            at, marker = self.opened.pop()
            self.waiting[_key(marker)] -= 1
            if _key(marker) == key:
                return at


def _key(marker: Marker) -> tuple[str, str | int]:
    """What the opening and the closing marker of a box have in common."""
    return marker.notation, marker.strength or (marker.name if marker.notation in ("jsx", "shortcode") else "")


def _is_weaker(one: tuple[str, str | int], other: tuple[str, str | int]) -> bool:
    return isinstance(one[1], int) and isinstance(other[1], int) and one[1] < other[1]


def _partners(tokens: Sequence[Token]) -> dict[int, int]:
    """Opening → closing marker and back, by their places. Both stand in the same item, quote or cell."""
    partners: dict[int, int] = {}
    levels = [_Level()]
    for at, token in enumerate(tokens):
        if token.type != TYPE:
            if token.nesting > 0:
                levels.append(_Level())
            elif token.nesting < 0 and len(levels) > 1:
                levels.pop()
            continue
        marker: Marker = token.meta["marker"]
        if marker.opens > 0:
            levels[-1].open(at, marker)
        elif marker.opens < 0 and (opening := levels[-1].close(marker)) is not None:
            partners[opening], partners[at] = at, opening
    return partners


# -- boxes


class _Frame(NamedTuple):
    """A box that is open."""

    meaning: BoxMeaning
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
        meaning = meaning_of(marker) if len(self.frames) < MAX_DEPTH else BoxMeaning("plain")
        if "slot" in marker.attributes and self.frames and self.frames[-1].meaning.kind == "tabs":
            meaning = BoxMeaning("tab", title=marker.attributes["slot"])
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
            [group] = _box(BoxMeaning("tabs"), start, end)[0]
            self.add([group])
        ending = _token("tabs_close", "div", -1)
        ending.meta = {"opening": group}
        self.frames.append(_Frame(BoxMeaning("tabs", fold="implied"), [ending], self.nesting))

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
        if frame is not None and is_direct and frame.meaning.tag in _TIGHT and token.tag == "p":
            token.hidden = True
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
        opening, closing = _box(BoxMeaning("tab", title=title_of(fence.info) or language or "Code"), start, end)
        fence.info = language
        self.add([*opening, fence])
        self.add(closing)

    def add(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            token.level = self.nesting + len(self.frames)
        self.arranged += tokens


def _box(meaning: BoxMeaning, start: int, end: int) -> tuple[list[Token], list[Token]]:
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
        name = re.sub(r"\\(.)", r"\1", title or "Tab")
        opening = _token("tab_open", "div", 1, {"class": "tab", "data-title": name})
        return [_add_lines(opening, start, end)], [_token("tab_close", "div", -1)]
    if kind == "card" and title:
        opening = _token("card_open", "div", 1, {"class": "card"})
        tokens = [_add_lines(opening, start, end), *_line("p", "card-title", _linked(title, meaning.link))]
        return tokens, [_token("card_close", "div", -1)]
    if kind == "html":
        opening = _token("html_open", meaning.tag, 1, {"open": ""} if meaning.fold else {})
        return [_add_lines(opening, start, end)], [_token("html_close", meaning.tag, -1)]
    return [], []


def _callout(meaning: BoxMeaning, start: int, end: int) -> tuple[list[Token], list[Token]]:
    tag, title_tag = ("details", "summary") if meaning.fold else ("div", "p")
    opening = _token("callout_open", tag, 1, {"class": "callout", "data-callout": meaning.callout})
    if meaning.fold == "+":
        opening.attrSet("open", "")
    title = _line(title_tag, CALLOUT_TITLE, meaning.title) if meaning.title else []
    return [_add_lines(opening, start, end), *title], [_token("callout_close", tag, -1)]


# -- what stands alone


def _alone(marker: Marker, token: Token) -> list[Token]:
    """Something without content: what it says to a reader, or itself as code."""
    start, end = token.map or (0, 1)
    if marker.notation == "code":
        return [_fence(marker.source, marker.name, start, end)]
    if marker.notation == "include":
        return _paragraph(f"Included file: `{marker.name}`", start, end, "component")
    if marker.notation in ("esm", "expression") or marker.name in ("script", "style"):
        return _code(marker, start, end)
    if marker.notation in (":::", "///") and marker.opens:  # nobody closes it, so it may be something else
        return _paragraph(plain(marker.source), start, end)
    if marker.opens < 0 or (marker.notation == "jsx" and marker.name[:1].islower() and marker.name != "img"):
        return []
    meaning = meaning_of(marker)
    address, words = marker.attributes.get("src", ""), plain(marker.attributes.get("alt", "")) or meaning.title or ""
    if meaning.kind == "picture" and address:
        return _paragraph(f"![{words}](<{address}>)" if not re.search(r"[<>\n]", address) else words, start, end)
    if meaning.kind == "card" and meaning.title:
        opening, closing = _box(meaning, start, end)
        description = plain(marker.attributes.get("description", ""))
        return [*opening, *(_line("p", "", description) if description else []), *closing]
    return _paragraph(words or plain(named(marker)), start, end, "component" if not words else "")


def _code(marker: Marker, start: int, end: int) -> list[Token]:
    """Code of the page itself, folded away unless it is a few characters."""
    if marker.title is not None:
        return _paragraph(marker.title, start, end)
    if marker.notation == "expression" and len(marker.source) <= MAX_TITLE_CHARS and "`" not in marker.source:
        return _paragraph(f"`{marker.source}`", start, end)
    opening, closing = (_token(f"details_{side}", "details", at) for side, at in (("open", 1), ("close", -1)))
    opening.attrSet("class", "code-of-page")
    fence = _fence(marker.source, "css" if marker.name == "style" else "js", start, end)
    fence.attrs, fence.map = {}, None  # the fold around it has the lines
    summary = _line("summary", "", "Imports" if marker.source.startswith("import") else "Code of this page")
    return [_add_lines(opening, start, end), *summary, fence, closing]


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


def _fence(code: str, language: str, start: int, end: int) -> Token:
    fence = _token("fence", "code", 0)
    fence.content, fence.info = f"{code}\n", language
    return _add_lines(fence, start, end)


def _paragraph(text: str, start: int, end: int, style: str = "") -> list[Token]:
    opening, *rest = _line("p", style, text)
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
