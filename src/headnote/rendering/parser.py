"""markdown-it as the page needs it: like GitHub, with footnotes, wikilinks, and a deadline."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headnote.extras import load
from headnote.rendering import INSTALL, Deadline
from headnote.rendering.components import component_reader, draw_inline, inline_rule, statement_reader
from headnote.rendering.containers import arrange
from headnote.rendering.embeds import hide_block_ids
from headnote.rendering.markers import Reader, indented_rule, marker_rule, read_colons, read_include, read_slashes
from headnote.rendering.meanings import add_shortcodes, read_shortcode
from headnote.rendering.text import (
    add_math,
    comment_rule,
    draw_fence,
    link_text,
    mark_rule,
    read_comment,
    tell_direction,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_PARAGRAPH_CHARS = 50_000
"""Characters; a longer one is shown as it is written."""

_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]")
_CHECKBOX = re.compile(r"\[([ xX])\] +")
_INTERRUPTED = ["paragraph", "reference", "blockquote", "list"]
"""What ends where another block begins."""
_HEADING_ID = re.compile(r"(?<!\s)\s*+\{\s*+(?:#[^{}\s]{1,200}+[^{}]{0,200}+|/\*[^{}*]{1,200}+\*/\s*+)\}\s*+\Z")
"""With classes behind it, or as a comment of MDX."""


def make_parser(html: bool, deadline: Deadline, mdx: bool = False) -> MarkdownIt:
    """A parser for one document. With `html`, tags are tags and not text."""
    load("markdown_it", "showing documents", INSTALL)
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"html": html, "maxNesting": 50}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin)
    # The check comes first, also among the rules that decide at each line whether a paragraph, quote or list ends.
    parser.block.ruler.before("table", "deadline", _deadline_rule(deadline), {"alt": _INTERRUPTED})
    readers: dict[str, Sequence[Reader]] = {":": [read_colons], "/": [read_slashes], "<": [component_reader(mdx)]}
    readers["{"] = readers["<"] if mdx else [read_shortcode, read_include]
    if mdx:
        parser.disable(["code", "html_block"])
    else:
        add_shortcodes(parser)
    parser.block.ruler.before("table", "markers", marker_rule(readers), {"alt": _INTERRUPTED})
    statements = [statement_reader(mdx)]
    parser.block.ruler.before(
        "table", "statements", marker_rule({"i": statements, "e": statements, "%": [read_comment]})
    )
    parser.block.ruler.before("table", "indented", indented_rule, {"alt": _INTERRUPTED})
    parser.core.ruler.before("inline", "containers", _containers_rule)
    parser.core.ruler.before("inline", "block_ids", hide_block_ids)
    parser.core.ruler.before("inline", "heading_ids", _hide_heading_ids)
    parser.inline.ruler.before("text", "deadline", _long_paragraph_rule(deadline))
    parser.inline.ruler.before("link", "wikilink", _wikilink_rule)
    parser.inline.ruler.before("link", "mark", mark_rule)
    parser.inline.ruler.before("link", "comment", comment_rule)
    parser.inline.ruler.before("autolink", "component", inline_rule(mdx))
    add_math(parser)
    parser.core.ruler.before("text_join", "text_links", link_text)  # while `\\#` is not joined
    parser.core.ruler.push("direction", tell_direction)
    for name, rule in _RENDER_RULES.items():
        parser.add_render_rule(name, rule)
    return parser


# -- rules


def _deadline_rule(deadline: Deadline) -> Callable[[Any, int, int, bool], bool]:
    """A block rule that matches nothing and checks the deadline."""

    def check(_: Any, __: int, ___: int, ____: bool) -> bool:
        deadline.check()
        return False

    return check


def _long_paragraph_rule(deadline: Deadline) -> Callable[[Any, bool], bool]:
    """An inline rule that takes a paragraph as it is written if it is too long, and checks the deadline."""

    def take(state: Any, silent: bool) -> bool:
        deadline.check()
        if silent or len(state.src) <= MAX_PARAGRAPH_CHARS:
            return False
        state.pending += state.src[state.pos : state.posMax]
        state.pos = state.posMax
        return True

    return take


def _containers_rule(state: Any) -> None:
    state.tokens = arrange(state.tokens)


def _hide_heading_ids(state: Any) -> None:
    """A core rule: the id at the end of a heading is its anchor, and no text."""
    for at, token in enumerate(state.tokens):
        if token.type == "inline" and token.content.endswith("}") and state.tokens[at - 1].type == "heading_open":
            token.content = _HEADING_ID.sub("", token.content)


def _wikilink_rule(state: Any, silent: bool) -> bool:
    if not state.src.startswith(("[[", "![["), state.pos):
        return False
    match = _WIKILINK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        is_embed = bool(match[1])
        token.meta = {"target": match[2].rstrip("\\").strip(), "text": (match[3] or "").strip(), "embed": is_embed}
    state.pos = match.end()
    return True


# -- footnotes: the plugin gives them ids that could clash with those of the page itself


def _footnote_ref(_: Any, tokens: Sequence[Token], at: int, __: Any, ___: Any) -> str:
    number = tokens[at].meta["id"] + 1
    return f'<sup><a href="#" data-fragment="fn{number}" data-anchor="fnref{number}">{number}</a></sup>'


def _footnote_open(renderer: Any, tokens: Sequence[Token], at: int, _: Any, __: Any) -> str:
    return f'<li data-anchor="fn{tokens[at].meta["id"] + 1}"{renderer.renderAttrs(tokens[at])}>'


def _footnote_anchor(_: Any, tokens: Sequence[Token], at: int, __: Any, ___: Any) -> str:
    return f' <a href="#" data-fragment="fnref{tokens[at].meta["id"] + 1}">↩</a>'


def _footnotes_open(*_: Any) -> str:
    return "<hr>\n<section><ol>\n"


def _footnotes_close(*_: Any) -> str:
    return "</ol></section>\n"


_RENDER_RULES = {
    "component": draw_inline,
    "fence": draw_fence,
    "footnote_ref": _footnote_ref,
    "footnote_open": _footnote_open,
    "footnote_anchor": _footnote_anchor,
    "footnote_block_open": _footnotes_open,
    "footnote_block_close": _footnotes_close,
}


# -- tokens


def tidy(tokens: Sequence[Token]) -> None:
    """Finish what the parser leaves undone: checkboxes, alignment of cells, lines of footnotes."""
    footnote: Token | None = None
    for at, token in enumerate(tokens):
        is_item_text = token.children and at > 1 and tokens[at - 2].type == "list_item_open"
        if token.children and is_item_text and (checkbox := _CHECKBOX.match(token.content)):
            token.children[0].content = token.children[0].content[checkbox.end() :]
            tokens[at - 2].attrSet("class", "task" if checkbox[1] == " " else "task done")
        style = str(token.attrs.pop("style", ""))
        if style.startswith("text-align:"):
            token.attrSet("align", style.partition(":")[2])
        if token.type in ("footnote_open", "footnote_close"):
            footnote = token if token.type == "footnote_open" else None
        if footnote is not None and token.map is not None:
            footnote.attrs.setdefault("data-start-line", str(token.map[0] + 1))
            footnote.attrSet("data-end-line", str(token.map[1]))
