"""Callouts: which kinds there are, and `> [!note]` as GitHub and Obsidian write it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headnote.web.rendering.markers import TYPE, Marker

if TYPE_CHECKING:
    from markdown_it.token import Token

KINDS = frozenset(
    "note info tip important success question warning caution danger failure bug example quote abstract todo".split()
)
"""What a callout can be; the page has a colour for each."""
_ALIASES = {
    **dict.fromkeys(("hint", "recommendation", "protip"), "tip"),
    **dict.fromkeys(("attention", "deprecated", "experimental", "wip", "beta", "construction"), "warning"),
    **dict.fromkeys(("pitfall", "gotcha"), "caution"),
    **dict.fromkeys(("error", "critical"), "danger"),
    **dict.fromkeys(("fail", "missing"), "failure"),
    **dict.fromkeys(("check", "done"), "success"),
    **dict.fromkeys(("help", "faq"), "question"),
    **dict.fromkeys(("summary", "tldr", "youwilllearn", "recap"), "abstract"),
    **dict.fromkeys(("cite",), "quote"),
    **dict.fromkeys(("seealso", "secondary", "default", "callout", "aside", "admonition", "alert"), "note"),
    **dict.fromkeys(("primary",), "info"),
}

_REMOVED = "removed"
_FIRST_LINE = re.compile(r"\[!([^\[\]|\n]{1,40}+)(?:\|[^\[\]\n]{0,100}+)?\]([+-]?)[ \t]*+([^\n]*+)(?:\n|\Z)")


def callout_kind(name: str) -> str | None:
    """The kind of callout that a name stands for, or None."""
    folded = re.sub(r"[^a-z]", "", name.lower())
    return folded if folded in KINDS else _ALIASES.get(folded)


def quotes_to_markers(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, with markers in place of the quotes that are callouts."""
    arranged: list[Token] = []
    is_callout: list[bool] = []
    for at, token in enumerate(tokens):
        if token.type == "blockquote_open":
            opening = _opening(tokens, at)
            is_callout.append(opening is not None)
            if opening is not None:
                _become(token, opening)
        elif token.type == "blockquote_close" and is_callout.pop():
            _become(token, Marker(">", -1, "", ""))
        if token.type != _REMOVED:
            arranged.append(token)
    return arranged


def _opening(tokens: Sequence[Token], at: int) -> Marker | None:
    """The marker of the quote at `at`. Its line is taken out of the first paragraph."""
    if at + 3 >= len(tokens) or tokens[at + 1].type != "paragraph_open":
        return None
    paragraph, inline, ending = tokens[at + 1 : at + 4]
    first = _FIRST_LINE.match(inline.content)
    if first is None:
        return None
    inline.content = inline.content[first.end() :]
    if paragraph.map:
        paragraph.map = [paragraph.map[0] + 1, paragraph.map[1]]
    if not inline.content:
        for token in (paragraph, inline, ending):
            token.type = _REMOVED
    return Marker(">", 1, first[1].strip(), first[0], first[3].strip() or None, fold=first[2])


def _become(token: Token, marker: Marker) -> None:
    token.type, token.tag, token.nesting, token.meta = TYPE, "", 0, {"marker": marker}
