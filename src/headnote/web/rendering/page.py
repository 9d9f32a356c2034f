"""A document as HTML: parse, point links to where they lead here, draw, and clean the result last of all.

Top-level elements carry the lines they come from. A document that is too large to draw in time is shown as source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from headnote.markdown.document import Document
from headnote.model import Block
from headnote.web.rendering.deadline import Deadline, DeadlineExceeded
from headnote.web.rendering.links import DocumentLinks
from headnote.web.rendering.parser import make_parser, tidy
from headnote.web.rendering.sanitizer import clean, nests_deeply

if TYPE_CHECKING:
    from markdown_it.token import Token

    from headnote.api import DocumentView
    from headnote.store.rows import LinkRow

LONGEST_TEXT = 1_000_000
"""Characters of a document that is drawn."""
DRAW_SECONDS = 5.0
"""How long drawing a document may take: of prose, 1 MB needs 2; of `- a` or `#`, it would need 20."""
MOST_BLOCKS = 30_000
"""Blocks of a document that is drawn. A block takes a tenth of a millisecond; 1 MB of prose has ten thousand."""
LONGEST_HTML = 4_000_000
"""Characters of HTML that is cleaned. The cleaner cannot be stopped; it needs a second for this."""
TOKENS_PER_CHECK = 1000
"""How many are drawn before the deadline is checked."""
LONGEST_PIECE = 4000
"""Characters in one element where a document is shown as source."""

SOURCE_NOTICE = "This document is too large to render. Below is its source."

_CODE_LANGUAGES = {"mdx_esm": "js", "mdx_jsx": "jsx", "mdx_expression": "js"}


def render(view: DocumentView) -> str:
    """A document of the index as HTML."""
    return render_text(view.document.text, view.document.path, view.links, view.document.mdx)


def render_text(text: str, path: str = "", links: Sequence[LinkRow] = (), mdx: bool = False) -> str:
    """A text as HTML. `links` say where its links lead; others are taken relative to `path`."""
    deadline = Deadline(DRAW_SECONDS)
    document = Document(text, path, mdx)
    if len(text) > LONGEST_TEXT or len(document.blocks) > MOST_BLOCKS:
        return _source(document)
    document_links = DocumentLinks(path, links)
    try:
        html = _draw(document, document_links, deadline)
    except DeadlineExceeded:
        return _source(document)
    return clean(html, document_links.address) if len(html) <= LONGEST_HTML else _source(document)


def _draw(document: Document, links: DocumentLinks, deadline: Deadline) -> str:
    """HTML that is not clean yet. Raises `DeadlineExceeded`."""
    parser = make_parser(not nests_deeply(document.text), deadline)
    tokens = _with_mdx(parser.parse(_markdown_only(document), {}), document)
    anchors = {heading.start_line: heading.slug for heading in document.headings}
    for token in tokens:
        deadline.check()
        _add_lines(token, anchors)
        links.resolve(token)
    tidy(tokens)
    pieces = []
    for at in range(0, len(tokens), TOKENS_PER_CHECK):
        deadline.check()
        pieces.append(parser.renderer.render(tokens[at : at + TOKENS_PER_CHECK], parser.options, {}))
    return "".join(pieces)


def _add_lines(token: Token, anchors: Mapping[int, str]) -> None:
    """Add its lines to a top-level block, and its anchor to a heading."""
    if token.map is None or token.level or token.nesting < 0:
        return
    token.attrSet("data-start-line", str(token.map[0] + 1))
    token.attrSet("data-end-line", str(max(token.map[1], token.map[0] + 1)))
    if token.type == "heading_open" and (slug := anchors.get(token.map[0] + 1)):
        token.attrSet("data-anchor", slug)


# -- MDX


def _markdown_only(document: Document) -> str:
    """The text with blank lines in place of frontmatter and MDX, so that all lines keep their numbers."""
    text = document.text
    parts, at = [], 0
    for block in document.blocks:
        if block.kind == "frontmatter" or block.kind in _CODE_LANGUAGES:
            parts += [text[at : block.start], "\n" * (block.end_line - block.start_line)]
            at = block.end
    return "".join([*parts, text[at:]]).removeprefix("\ufeff")


def _with_mdx(tokens: Sequence[Token], document: Document) -> list[Token]:
    """The tokens, with MDX as code where it stands."""
    waiting = deque(block for block in document.blocks if block.kind in _CODE_LANGUAGES)
    if not waiting:
        return list(tokens)
    merged: list[Token] = []
    for token in tokens:
        while waiting and token.level == 0 and token.map is not None and token.map[0] + 1 >= waiting[0].start_line:
            merged.append(_code_token(waiting.popleft(), document.text))
        merged.append(token)
    return [*merged, *(_code_token(block, document.text) for block in waiting)]


def _code_token(block: Block, text: str) -> Token:
    from markdown_it.token import Token

    content = text[block.start : block.end] + "\n"
    lines = [block.start_line - 1, block.end_line]
    language = _CODE_LANGUAGES[block.kind]
    return Token("fence", "code", 0, content=content, info=language, markup="```", map=lines, block=True)


# -- source


def _source(document: Document) -> str:
    """The text as it is written: its blocks, small ones together."""
    rows = [f"<p><em>{SOURCE_NOTICE}</em></p>"]
    first: Block | None = None
    for at, block in enumerate(document.blocks):
        first = first or block
        if block.end - first.start >= LONGEST_PIECE or at == len(document.blocks) - 1:
            lines = f'data-start-line="{first.start_line}" data-end-line="{block.end_line}"'
            rows.append(f"<pre {lines}>{escape(document.text[first.start : block.end])}</pre>")
            first = None
    return "\n".join(rows)
