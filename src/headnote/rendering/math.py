"""Formulas: `$a$`, `$$a$$`, `\\(a\\)`, `\\[a\\]` and fences of `math`. The page gets their TeX and draws it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# `\(` is also how people write a bracket that is no Markdown: what is inside must look like TeX.
_BACKSLASHED = re.compile(r"\\\((?=\S)([^\n]{1,2000}?)\\\)|\\\[((?:[^\n]|\n(?![ \t]*\n)){1,4000}?)\\\]")
_TEX = re.compile(r"\\[A-Za-z]|[\^_=]|\A\s*[A-Za-z]\s*\Z")
_CALCULATION = re.compile(r"[\\^_={}+*/<>-]")
_IN_BACKTICKS = re.compile(r"`([^`]+)`")


def add_math(parser: MarkdownIt) -> None:
    """Teach a parser formulas."""
    from mdit_py_plugins.dollarmath.index import math_block_dollar, math_inline_dollar

    dollars = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)
    parser.block.ruler.before("fence", "math_block", math_block_dollar(allow_labels=False, allow_blank_lines=False))
    parser.inline.ruler.before("escape", "math_inline", _dollar_rule(dollars))
    parser.inline.ruler.before("escape", "math_backslash", _backslash_rule)
    parser.core.ruler.push("math_alone", _lift)
    parser.add_render_rule("math_block", _draw_block)
    parser.add_render_rule("math_inline", _draw_inline)


def _dollar_rule(dollars: Any) -> Any:
    """The rule of the plugin, which knows where a formula ends, without prices, paths and templates."""

    def rule(state: Any, silent: bool) -> bool:
        source, start = state.src, state.pos
        if source[start] != "$" or (start and (source[start - 1].isalnum() or source[start - 1] in "$\\")):
            return False
        if not dollars(state, True):
            return False
        width = 2 if source.startswith("$$", start) else 1
        tex = source[start + width : state.pos - width]
        if state.pos > state.posMax or not _is_formula(tex, source[state.pos : state.pos + 1]):
            state.pos = start
            return False
        if not silent:
            quoted = _IN_BACKTICKS.fullmatch(tex)
            _push(state, quoted[1] if quoted else tex, is_display=width == 2)
        return True

    return rule


def _is_formula(tex: str, after: str) -> bool:
    if not tex.strip() or after.isalnum() or after == "$" or (tex[0] == "{" and after == "{"):
        return False
    # `$5 for one or 9$`
    return not (tex[0].isdigit() and " " in tex and not _CALCULATION.search(tex))


def _backslash_rule(state: Any, silent: bool) -> bool:
    if not state.src.startswith(("\\(", "\\["), state.pos):
        return False
    match = _BACKSLASHED.match(state.src, state.pos, state.posMax)
    tex = (match[1] or match[2] or "") if match else ""
    if match is None or not _TEX.search(tex):
        return False
    if not silent:
        _push(state, tex, is_display=match[2] is not None)
    state.pos = match.end()
    return True


def _push(state: Any, tex: str, is_display: bool) -> None:
    token = state.push("math_inline", "span", 0)
    token.content, token.meta = tex, {"display": is_display}


def _lift(state: Any) -> None:
    """A paragraph that is one displayed formula becomes a block."""
    tokens: list[Token] = state.tokens
    for at, token in enumerate(tokens):
        children = token.children or []
        is_alone = len(children) == 1 and children[0].type == "math_inline" and children[0].meta["display"]
        if is_alone and tokens[at - 1].type == "paragraph_open" and not tokens[at - 1].hidden:
            paragraph = tokens[at - 1]
            paragraph.type, paragraph.content, paragraph.nesting = "math_block", children[0].content, 0
            token.children, token.content = [], ""
            tokens[at + 1].hidden, tokens[at + 1].nesting = True, 0


def draw_formula(tex: str, attributes: str = "") -> str:
    """A formula that stands alone."""
    return f'<div class="math"{attributes}>{escape(tex.strip())}</div>\n'


def _draw_block(renderer: Any, tokens: Sequence[Token], at: int, _: Any, __: Any) -> str:
    return draw_formula(tokens[at].content, renderer.renderAttrs(tokens[at]))


def _draw_inline(_: Any, tokens: Sequence[Token], at: int, __: Any, ___: Any) -> str:
    style = "math display" if tokens[at].meta["display"] else "math"
    return f'<span class="{style}">{escape(tokens[at].content.strip())}</span>'
