"""A document as HTML: parse, point links to where they lead here, draw, and clean the result last of all.

Top-level elements carry the lines they come from. A document that is too large to draw in time is shown as source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from headnote.markdown.document import Document
from headnote.model import Block
from headnote.web.rendering.deadline import Deadline, DeadlineExceeded
from headnote.web.rendering.embeds import Draw, Embeds, Library
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


def render(view: DocumentView, library: Library | None = None) -> str:
    """A document of the index as HTML. Documents that it embeds come from the library."""
    return render_text(view.document.text, view.document.path, view.links, view.document.mdx, library)


def render_text(
    text: str, path: str = "", links: Sequence[LinkRow] = (), mdx: bool = False, library: Library | None = None
) -> str:
    """A text as HTML. `links` say where its links lead; others are taken relative to `path`."""
    deadline = Deadline(DRAW_SECONDS)
    document = Document(text, path, mdx)
    if len(text) > LONGEST_TEXT or len(document.blocks) > MOST_BLOCKS:
        return _source(document)
    document_links = DocumentLinks(path, links)
    try:
        html = _draw(document, document_links, deadline, Embeds(path, library, _embedded(deadline)))
    except DeadlineExceeded:
        return _source(document)
    return clean(html, document_links.address) if len(html) <= LONGEST_HTML else _source(document)


def _embedded(deadline: Deadline) -> Draw:
    """Draws a document inside of another, and cleans it by itself: its links lead elsewhere."""

    def draw(document: Document, links: DocumentLinks, embeds: Embeds) -> str:
        return clean(_draw(document, links, deadline, embeds), links.address, is_embedded=True)

    return draw


def _draw(document: Document, links: DocumentLinks, deadline: Deadline, embeds: Embeds) -> str:
    """HTML that is not clean yet. Raises `DeadlineExceeded`."""
    parser = make_parser(not nests_deeply(document.text), deadline, document.mdx)
    tokens = parser.parse(_without_frontmatter(document), {})
    anchors = {heading.start_line: heading.slug for heading in document.headings}
    for token in tokens:
        deadline.check()
        _add_lines(token, anchors)
    tokens = embeds.insert(tokens, links)
    for token in tokens:
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


def _without_frontmatter(document: Document) -> str:
    """The text with blank lines in place of frontmatter, so that all lines keep their numbers."""
    text = document.text
    first = document.blocks[0] if document.blocks else None
    if first is not None and first.kind == "frontmatter":
        text = text[: first.start] + "\n" * (first.end_line - first.start_line) + text[first.end :]
    return text.removeprefix("\ufeff")


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
