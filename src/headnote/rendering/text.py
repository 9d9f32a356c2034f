"""What is a link without being written as one: bare addresses and tags. And which way a text is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from headnote.markdown.links import bare_urls, tags_in
from headnote.rendering.link_targets import TAGGED
from headnote.rendering.math import draw_formula

if TYPE_CHECKING:
    from markdown_it.token import Token


_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]")
_BLOCKS = frozenset("blockquote dd div details dt h1 h2 h3 h4 h5 h6 li ol p summary table td th ul".split())


def link_text(state: Any) -> None:
    """A core rule: make links of the addresses and tags in the text of all paragraphs."""
    for token in state.tokens:
        if token.children and _may_have_links(token.content):
            token.children = list(_linked(token.children))


def _may_have_links(text: str) -> bool:
    return "://" in text or "www." in text or "#" in text


def _linked(children: list[Token]) -> Iterator[Token]:
    links = 0
    before: Token | None = None
    for child in children:
        links += (child.type == "link_open") - (child.type == "link_close")
        is_first = before is None or before.type in ("softbreak", "hardbreak")
        if child.type == "text" and not links:
            yield from _parts(child, is_first)
        else:
            yield child
        before = child


def _parts(token: Token, is_first: bool) -> Iterator[Token]:
    """The text, cut at its links. A tag has a blank before it, or begins a line."""
    text, at = token.content, 0
    tags = [(tag.start, tag.end, TAGGED + quote(tag.name, safe=""), "tag") for tag in tags_in(text, 0, len(text))]
    urls = [(url.start, url.end, url.target, "") for url in bare_urls(text, 0, len(text))]
    for start, end, address, style in sorted([*urls, *tags]):
        if start < at or (start == 0 and style and not is_first):
            continue
        yield from (_text(text[at:start]), *_link(text[start:end], address, style))
        at = end
    if at == 0:
        yield token
    else:
        yield _text(text[at:])


def _link(text: str, address: str, style: str) -> list[Token]:
    from markdown_it.token import Token

    opening = Token("link_open", "a", 1, attrs={"href": address, "class": style} if style else {"href": address})
    return [opening, _text(text), Token("link_close", "a", -1)]


def _text(text: str) -> Token:
    from markdown_it.token import Token

    return Token("text", "", 0, content=text)


def tell_direction(state: Any) -> None:
    """A core rule: where letters are read from right to left, each block goes by its own first letter."""
    if not _RIGHT_TO_LEFT.search(state.src):
        return
    for token in state.tokens:
        if token.nesting > 0 and token.tag in _BLOCKS:
            token.attrSet("dir", "auto")


# -- `==marks==`, as Obsidian and others write them.


_MARK = re.compile(r"==(?=[^\s=])((?:[^=`\\\n]|`[^`\n]*`|\\.|=(?!=)|\n(?!\n)){1,2000}?)(?<=[^\s=])==(?!=)")


def mark_rule(state: Any, silent: bool) -> bool:
    """An inline rule."""
    if not state.src.startswith("==", state.pos):
        return False
    match = _MARK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    end, last = match.end(), state.posMax
    if not silent:
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = match.start(1), match.end(1)
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1)
    state.pos, state.posMax = end, last
    return True


# -- Fences: the language in their info string, and formulas written as fences.


_LANGUAGE = re.compile(r"\s*\{?\s*\.?([\w+#.-]{1,40})")
_TITLE = re.compile(
    r"""\b(?:title|file|filename)\s*=\s*(?:"([^"]{1,200})"|'([^']{1,200})'|([^\s"'}]{1,200}))|\[([^\[\]]{1,200})\]"""
)


def language_of(info: str) -> str:
    """`js` of `js {1,3} title="a.js"`, of `{ .js .annotate }` and of `js{1}`."""
    language = _LANGUAGE.match(info)
    return language[1] if language else ""


def title_of(info: str) -> str:
    """The title in an info string: `title="a.js"` or `[npm]`; empty if there is none."""
    title = _TITLE.search(info)
    return next(filter(None, title.groups()), "") if title else ""


def draw_fence(renderer: Any, tokens: Sequence[Token], at: int, _: Any, __: Any) -> str:
    token = tokens[at]
    language = language_of(token.info)
    attributes = renderer.renderAttrs(token)
    if language == "math":
        return draw_formula(token.content, attributes)
    style = f' class="language-{escape(language)}"' if language else ""
    title = title_of(token.info)
    name = f' data-title="{escape(title)}"' if title else ""
    return f"<pre{name}{attributes}><code{style}>{escape(token.content)}</code></pre>\n"
