"""Fences: the language in their info string, and formulas written as fences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from headnote.web.rendering.math import draw_formula

if TYPE_CHECKING:
    from markdown_it.token import Token

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
