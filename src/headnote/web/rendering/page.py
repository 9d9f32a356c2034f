"""A document as HTML: parse, point links to where they lead here, draw, and clean the result last of all.

Top-level elements carry the lines they come from. A long document is drawn in pieces. A piece that takes too long is
shown as source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from html import escape
from typing import TYPE_CHECKING

from headnote.formats.opening import open_document
from headnote.formats.rst import RstDocument
from headnote.markdown.document import Document
from headnote.model import Block
from headnote.web.rendering.as_written import blocks_as_written
from headnote.web.rendering.deadline import Deadline, DeadlineExceeded
from headnote.web.rendering.embeds import Draw, Embeds, Library
from headnote.web.rendering.links import DocumentLinks
from headnote.web.rendering.parser import make_parser, tidy
from headnote.web.rendering.pieces import Piece, pieces_of
from headnote.web.rendering.sanitizer import clean, nests_deeply
from headnote.web.rendering.shared import Shared, notes_of, read_shared

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from headnote.api import DocumentView
    from headnote.store.rows import LinkRow

LONGEST_TEXT = 1_000_000
"""Characters of a piece that is drawn: a single block may be this long."""
DRAW_SECONDS = 5.0
"""How long drawing a piece may take: of prose, 1 MB needs 2; of `- a` or `#`, it would need 20."""
LONGEST_HTML = 4_000_000
"""Characters of HTML that is cleaned. The cleaner cannot be stopped; it needs a second for this."""
TOKENS_PER_CHECK = 1000
"""How many are drawn before the deadline is checked."""
LONGEST_PIECE = 4000
"""Characters in one element where a document is shown as source."""
KEPT_DOCUMENTS = 4
"""Documents that are kept parsed while their pieces are asked for, one after the other."""

SOURCE_NOTICE = "This is too large to render. Below is its source."


class CutDocument:
    """A document, its pieces, and what these share."""

    def __init__(self, text: str, path: str, mdx: bool) -> None:
        self.document = open_document(text, path, mdx)
        self.pieces = pieces_of(self.document)

    @cached_property
    def shared(self) -> Shared:
        return read_shared(self.document, Deadline(DRAW_SECONDS))

    @cached_property
    def anchors(self) -> Mapping[int, str]:
        """Lines of headings, and their slugs."""
        return {heading.start_line: heading.slug for heading in self.document.headings}


_kept = lru_cache(KEPT_DOCUMENTS)(CutDocument)


class Page:
    """A document in pieces, each of which can be drawn. Documents that it embeds come from the library."""

    def __init__(self, cut: CutDocument, links: Sequence[LinkRow], library: Library | None, root: str = "") -> None:
        self._cut = cut
        self._links = DocumentLinks(cut.document.path, links, root)
        self._library = library

    @property
    def pieces(self) -> Sequence[Piece]:
        return self._cut.pieces

    def draw(self, number: int) -> str:
        """A piece as HTML, by its number from 0."""
        piece, text = self.pieces[number], self._cut.document.text
        if piece.characters > LONGEST_TEXT:
            return _source(piece, text)
        if isinstance(self._cut.document, RstDocument):
            return clean(blocks_as_written(self._cut.document, piece.blocks), self._links.address)
        try:
            html = self._html(piece, Deadline(DRAW_SECONDS))
        except DeadlineExceeded:
            return _source(piece, text)
        return clean(html, self._links.address) if len(html) <= LONGEST_HTML else _source(piece, text)

    def _html(self, piece: Piece, deadline: Deadline) -> str:
        """HTML that is not clean yet. Raises `DeadlineExceeded`."""
        document = self._cut.document
        parser = make_parser(not nests_deeply(document.text[piece.start : piece.end]), deadline, document.mdx)
        tokens = self._tokens(parser, piece, deadline)
        embeds = Embeds.of(document.path, self._library, _embedded(deadline), deadline)
        return _draw(parser, tokens, self._cut.anchors, self._links, deadline, embeds)

    def _tokens(self, parser: MarkdownIt, piece: Piece, deadline: Deadline) -> list[Token]:
        source = _source_lines(piece, self._cut.document.text)
        if len(self.pieces) == 1:
            return parser.parse(source, {})
        shared = self._cut.shared
        tokens = parser.parse(source, shared.environment())
        notes = notes_of(self._cut.document, deadline) if piece is self.pieces[-1] else []
        return [*shared.renumber(tokens, piece.start_line, piece.end_line), *notes]


def page_of(view: DocumentView, library: Library | None = None) -> Page:
    """The page of a document of the index."""
    row = view.document
    return Page(_kept(row.text, row.path, row.mdx), view.links, library, view.root)


def render(view: DocumentView, library: Library | None = None) -> str:
    """A document of the index as HTML, all of it."""
    return render_text(view.document.text, view.document.path, view.links, view.document.mdx, library)


def render_text(
    text: str, path: str = "", links: Sequence[LinkRow] = (), mdx: bool = False, library: Library | None = None
) -> str:
    """A text as HTML, all of it. `links` say where its links lead; others are taken relative to `path`."""
    page = Page(CutDocument(text, path, mdx), links, library)
    return "".join(page.draw(number) for number in range(len(page.pieces)))


def _embedded(deadline: Deadline) -> Draw:
    """Draws a document inside of another, and cleans it by itself: its links lead elsewhere."""

    def draw(document: Document, links: DocumentLinks, embeds: Embeds) -> str:
        parser = make_parser(not nests_deeply(document.text), deadline, document.mdx)
        anchors = {heading.start_line: heading.slug for heading in document.headings}
        tokens = parser.parse(document.text.removeprefix("\ufeff"), {})
        return clean(_draw(parser, tokens, anchors, links, deadline, embeds), links.address, is_embedded=True)

    return draw


def _draw(
    parser: MarkdownIt,
    tokens: Sequence[Token],
    anchors: Mapping[int, str],
    links: DocumentLinks,
    deadline: Deadline,
    embeds: Embeds,
) -> str:
    """HTML that is not clean yet. Raises `DeadlineExceeded`."""
    for token in tokens:
        deadline.check()
        _add_lines(token, anchors)
    tokens = embeds.insert(tokens, links)
    for token in tokens:
        links.resolve(token)
    tidy(tokens)
    parts = []
    for at in range(0, len(tokens), TOKENS_PER_CHECK):
        deadline.check()
        parts.append(parser.renderer.render(tokens[at : at + TOKENS_PER_CHECK], parser.options, {}))
    return "".join(parts)


def _add_lines(token: Token, anchors: Mapping[int, str]) -> None:
    """Add its lines to a top-level block, and its anchor to a heading."""
    if token.map is None or token.level or token.nesting < 0:
        return
    token.attrSet("data-start-line", str(token.map[0] + 1))
    token.attrSet("data-end-line", str(max(token.map[1], token.map[0] + 1)))
    if token.type == "heading_open" and (slug := anchors.get(token.map[0] + 1)):
        token.attrSet("data-anchor", slug)


def _source_lines(piece: Piece, text: str) -> str:
    """The text of a piece after as many blank lines as there are before it, so that all lines keep their numbers."""
    first = piece.blocks[0]
    if first.kind == "frontmatter":
        return "\n" * (first.end_line - 1) + text[first.end : piece.end]
    return "\n" * (first.start_line - 1) + text[first.start : piece.end].removeprefix("\ufeff")


# -- source


def _source(piece: Piece, text: str) -> str:
    """A piece as it is written: its blocks, small ones together."""
    rows = [f"<p><em>{SOURCE_NOTICE}</em></p>"]
    first: Block | None = None
    for block in piece.blocks:
        first = first or block
        if block.end - first.start >= LONGEST_PIECE or block is piece.blocks[-1]:
            lines = f'data-start-line="{first.start_line}" data-end-line="{block.end_line}"'
            rows.append(f'<pre class="source" {lines}>{escape(text[first.start : block.end])}</pre>')
            first = None
    return "\n".join(rows)
