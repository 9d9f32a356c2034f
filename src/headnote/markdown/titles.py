"""What a document is called: the `title` of its frontmatter, else the heading of level 1 that leads it, else the name
of its file.

A heading leads a document if no prose stands above it. Frontmatter, imports, components, HTML, comments, definitions
and rules are no prose, nor are paragraphs of nothing but pictures, links and tags: badges, a choice of languages, the
tags of a note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from headnote.markdown.inline import SpanKind, spans
from headnote.markdown.rules.base import Span
from headnote.model import BlockKind, Heading

_WITHOUT_PROSE: frozenset[BlockKind] = frozenset(
    ("frontmatter", "html", "definition", "rule", "directive", "mdx_esm", "mdx_jsx", "mdx_expression")
)
_PROSE_SPANS: frozenset[SpanKind] = frozenset(("code", "footnote"))
_WORD = re.compile(r"(?<!\S)#\S++|(\w)")
"""A tag, or the first character of a word."""


def leading_title(text: str, blocks: Sequence[Span], headings: Sequence[Heading]) -> str:
    """The text of the heading that leads a document; empty if none does."""
    if not headings or headings[0].level != 1:
        return ""
    first = headings[0]
    return "" if any(_has_prose(text, *block[:3]) for block in blocks[: first.block]) else first.text


def _has_prose(text: str, kind: BlockKind, start: int, end: int) -> bool:
    if kind != "paragraph":
        return kind not in _WITHOUT_PROSE
    rest, at = "", start
    for span in sorted((span.start, span.end) for span in spans(text, start, end) if span.kind not in _PROSE_SPANS):
        rest += text[at : span[0]]
        at = max(at, span[1])
    return any(word[1] for word in _WORD.finditer(rest + text[at:end]))
