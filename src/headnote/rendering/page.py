"""A document as HTML: parse, point links to where they lead here, draw, and clean the result last of all.

Top-level elements carry the lines they come from. A long document is drawn in pieces. A piece that takes too long is
shown as source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from html import escape
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.formats.kinds import open_document
from headnote.formats.rst import RstDocument
from headnote.markdown.document import Document
from headnote.model import Block
from headnote.rendering import Deadline, DrawingTimeout
from headnote.rendering.embeds import Draw, Embeds, Library
from headnote.rendering.link_targets import DocumentLinks, picture_address
from headnote.rendering.parser import make_parser, tidy
from headnote.rendering.sanitizer import OFTEN_OPEN, clean, nests_deeply

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from headnote.api import DocumentView
    from headnote.store.rows import LinkRow


# -- A long document in pieces of whole blocks, so that the page draws only what is near the window.
#
# A piece is cut where nothing is open: no component, no directive, nothing that is indented under what came before.


MAX_WHOLE_CHARS = 100_000
"""Characters of a document that is one piece."""
MAX_BLOCKS = 2_000
"""Blocks of a document that is one piece: of very small ones, each takes as long as a paragraph."""
PIECE_CHARACTERS = 30_000
PIECE_BLOCKS = 300
PATIENCE = 4
"""How many times its size a piece may grow before it is cut although something is open."""

_TAG = re.compile(r"<(/?)([A-Za-z][\w.:-]*+)([^<>]*+)>")
_DIRECTIVE = re.compile(r"^ {0,3}(?::{3,}|/{3,})[ \t]*+(\S?)", re.MULTILINE)


class PagePiece(NamedTuple):
    """Blocks that are drawn together."""

    blocks: Sequence[Block]
    end: int
    """Where the next piece begins, or the document ends."""
    end_line: int
    """The last line before the next piece, or the last one with text."""

    @property
    def start(self) -> int:
        return self.blocks[0].start

    @property
    def start_line(self) -> int:
        return self.blocks[0].start_line

    @property
    def characters(self) -> int:
        return self.end - self.start


def pieces_of(document: Document) -> list[PagePiece]:
    """The pieces of a document in their order; none of one without blocks."""
    runs = list(_runs(document))
    found = [PagePiece(run, after[0].start, after[0].start_line - 1) for run, after in pairwise(runs)]
    return [*found, *(PagePiece(run, len(document.text), run[-1].end_line) for run in runs[-1:])]


def groups_of(document: Document) -> Iterator[list[Block]]:
    """Blocks with those that may be their content, as under `!!! note`, or their neighbours, as `=== "Tab"` is."""
    group: list[Block] = []
    for block in document.blocks:
        if group and not document.text.startswith((" ", "\t", "==="), block.start):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _runs(document: Document) -> Iterator[list[Block]]:
    """The blocks of each piece."""
    limit = 1.0
    if len(document.text) <= MAX_WHOLE_CHARS and len(document.blocks) <= MAX_BLOCKS:
        limit = inf
    run: list[Block] = []
    depth = 0
    for group in groups_of(document):
        if run and _share(run, group[0]) >= limit and _is_cut(run, depth, group[0]):
            yield run
            run, depth = [], 0
        run += group
        for block in group:
            depth = max(0, depth + _opened(block, document.text))
    if run:
        yield run


def _share(run: Sequence[Block], block: Block) -> float:
    """How full a piece is, up to a block."""
    return max((block.start - run[0].start) / PIECE_CHARACTERS, len(run) / PIECE_BLOCKS)


def _is_cut(run: Sequence[Block], depth: int, block: Block) -> bool:
    """Whether a piece that is full ends before a block. Headings are the best place."""
    share = _share(run, block)
    return share > PATIENCE or (depth == 0 and (block.kind == "heading" or share > 1.5))


def _opened(block: Block, text: str) -> int:
    """How many components and directives a block opens, less those that it closes."""
    if block.kind in ("code", "frontmatter"):
        return 0
    written = text[block.start : block.end]
    opened = 0
    for slash, name, rest in _TAG.findall(written):
        if name.lower() not in OFTEN_OPEN and not rest.endswith("/"):
            opened += -1 if slash else 1
    if block.kind == "paragraph":
        opened += sum(1 if follows else -1 for follows in _DIRECTIVE.findall(written))
    return opened


# -- What the pieces of a document share: link references, and footnotes, which are numbered through and stand at its
# end.
#
# Both are found by parsing only the blocks that may have them.


_SIGNS = ("]:", "[^", "^[")
_NOTES = "footnote_block_open"


class Shared(NamedTuple):
    """References and numbers of footnotes of a whole document."""

    references: Mapping[str, Any]
    numbers: Mapping[str, int]
    """Numbers of footnotes, by label."""
    inline: Sequence[tuple[int, int]]
    """Footnotes without a label: line and number."""

    def environment(self) -> dict[str, Any]:
        """What a parser must know about the rest of the document."""
        return {
            "references": dict(self.references),
            "footnotes": {"refs": dict.fromkeys((f":{label}" for label in self.numbers), -1), "list": {}},
        }

    def renumber(self, tokens: Sequence[Token], start_line: int, end_line: int) -> list[Token]:
        """The tokens of a piece, without footnotes at its end, and with the numbers of the whole document."""
        kept = _before_notes(tokens)
        unlabelled = iter(number for line, number in self.inline if start_line <= line <= end_line)
        for _, reference in _references(kept):
            own = reference.meta["id"]
            label = reference.meta.get("label")
            number = next(unlabelled, own) if label is None else self.numbers.get(label, own)
            reference.meta = {**reference.meta, "id": number}
        return kept


def read_shared(document: Document, deadline: Deadline) -> Shared:
    """What the pieces share. A document that takes too long has nothing to share."""
    environment: dict[str, Any] = {}
    try:
        tokens = _parse_excerpt(document, deadline, environment)
    except DrawingTimeout:
        return Shared({}, {}, ())
    labels = environment.get("footnotes", {}).get("refs", {})
    return Shared(
        references=environment.get("references", {}),
        numbers={label[1:]: number for label, number in labels.items() if number >= 0},
        inline=[
            (line, token.meta["id"]) for line, token in _references(_before_notes(tokens)) if "label" not in token.meta
        ],
    )


def notes_of(document: Document, deadline: Deadline) -> list[Token]:
    """The footnotes of a document, as they stand at its end. Raises `DeadlineExceeded`."""
    tokens = _parse_excerpt(document, deadline, {})
    return tokens[len(_before_notes(tokens)) :]


def _parse_excerpt(document: Document, deadline: Deadline, environment: dict[str, Any]) -> list[Token]:
    excerpt = _excerpt(document)
    return make_parser(not nests_deeply(excerpt), deadline, document.mdx).parse(excerpt, environment)


def _excerpt(document: Document) -> str:
    """The document with blank lines in place of all blocks that have neither references nor footnotes."""
    text = document.text
    parts: list[str] = []
    line = 1
    for group in groups_of(document):
        first, last = group[0], group[-1]
        is_code = first.kind in ("code", "frontmatter") and first is last
        if not is_code and any(text.find(sign, first.start, last.end) >= 0 for sign in _SIGNS):
            parts += ["\n" * (first.start_line - line), text[first.start : last.end]]
            line = last.end_line
    return "".join(parts).removeprefix("\ufeff")


def _before_notes(tokens: Sequence[Token]) -> list[Token]:
    at = next((at for at, token in enumerate(tokens) if token.type == _NOTES), len(tokens))
    return list(tokens[:at])


def _references(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """References to footnotes, with the lines of their blocks. A title has no lines but those of its box."""
    line = 0
    for token in tokens:
        line = token.map[0] + 1 if token.map else line
        for child in token.children or ():
            if child.type == "footnote_ref":
                yield line, child


# -- A document whose markup is not drawn: its headings and paragraphs, and all else as it is written.


def blocks_as_written(document: Document, blocks: Sequence[Block]) -> str:
    """HTML that is not clean yet."""
    slugs = {heading.start_line: heading.slug for heading in document.headings}
    return "\n".join(_block(document, block, slugs.get(block.start_line, "")) for block in blocks)


def _block(document: Document, block: Block, slug: str) -> str:
    lines = f'data-start-line="{block.start_line}" data-end-line="{block.end_line}"'
    text = document.text[block.start : block.end]
    if block.kind == "heading":
        shown = escape(document.heading_text(block.start, block.end))
        return f'<h{block.level} {lines} data-anchor="{escape(slug)}">{shown}</h{block.level}>'
    if block.kind == "paragraph":
        return f"<p {lines}>{escape(text)}</p>"
    return f'<pre class="source" {lines}>{escape(text)}</pre>'


# -- A document as HTML


MAX_TEXT_CHARS = 1_000_000
"""Characters of a piece that is drawn: a single block may be this long."""
DRAW_SECONDS = 5.0
"""How long drawing a piece may take: of prose, 1 MB needs 2; of `- a` or `#`, it would need 20."""
MAX_HTML_CHARS = 4_000_000
"""Characters of HTML that is cleaned. The cleaner cannot be stopped; it needs a second for this."""
TOKENS_PER_CHECK = 1000
"""How many are drawn before the deadline is checked."""
MAX_PIECE_CHARS = 4000
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


class DrawnPage:
    """A document in pieces, each of which can be drawn. Documents that it embeds come from the library."""

    def __init__(self, cut: CutDocument, links: Sequence[LinkRow], library: Library | None, root: str = "") -> None:
        self._cut = cut
        self._links = DocumentLinks(cut.document.path, links, root)
        self._library = library

    @property
    def document(self) -> Document:
        return self._cut.document

    @property
    def pieces(self) -> Sequence[PagePiece]:
        return self._cut.pieces

    def draw(self, number: int) -> str:
        """A piece as HTML, by its number from 0."""
        piece, text = self.pieces[number], self._cut.document.text
        if piece.characters > MAX_TEXT_CHARS:
            return _source(piece, text)
        if isinstance(self._cut.document, RstDocument):
            return clean(blocks_as_written(self._cut.document, piece.blocks), self._links.address)
        try:
            html = self._html(piece, Deadline(DRAW_SECONDS))
        except DrawingTimeout:
            return _source(piece, text)
        return clean(html, self._links.address) if len(html) <= MAX_HTML_CHARS else _source(piece, text)

    def _html(self, piece: PagePiece, deadline: Deadline) -> str:
        """HTML that is not clean yet. Raises `DeadlineExceeded`."""
        document = self._cut.document
        parser = make_parser(not nests_deeply(document.text[piece.start : piece.end]), deadline, document.mdx)
        tokens = self._tokens(parser, piece, deadline)
        embeds = Embeds.of(document.path, self._library, _embedded(deadline), deadline)
        return _draw(parser, tokens, self._cut.anchors, self._links, deadline, embeds)

    def _tokens(self, parser: MarkdownIt, piece: PagePiece, deadline: Deadline) -> list[Token]:
        source = _source_lines(piece, self._cut.document.text)
        if len(self.pieces) == 1:
            return parser.parse(source, {})
        shared = self._cut.shared
        tokens = parser.parse(source, shared.environment())
        notes = notes_of(self._cut.document, deadline) if piece is self.pieces[-1] else []
        return [*shared.renumber(tokens, piece.start_line, piece.end_line), *notes]


def page_of(view: DocumentView, library: Library | None = None) -> DrawnPage:
    """The page of a document of the index."""
    row = view.document
    links = [_without_picture(link) if link in view.broken else link for link in view.links]
    return DrawnPage(_kept(row.text, row.path, row.mdx), links, library, view.root)


def _without_picture(link: LinkRow) -> LinkRow:
    """A link to a picture that is not there leads nowhere; to a document, it leads where it could be."""
    return link._replace(resolved=None) if picture_address(link.resolved) else link


def render(view: DocumentView, library: Library | None = None) -> str:
    """A document of the index as HTML, all of it."""
    return render_text(view.document.text, view.document.path, view.links, view.document.mdx, library)


def render_text(
    text: str, path: str = "", links: Sequence[LinkRow] = (), mdx: bool = False, library: Library | None = None
) -> str:
    """A text as HTML, all of it. `links` say where its links lead; others are taken relative to `path`."""
    page = DrawnPage(CutDocument(text, path, mdx), links, library)
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


_WITHOUT_LINES = frozenset({"inline", "thead_open", "tbody_open"})


def _add_lines(token: Token, anchors: Mapping[int, str]) -> None:
    """Add its lines to a block, also to an item of a list and a row of a table, and its anchor to a heading."""
    if token.map is None or token.nesting < 0 or token.type in _WITHOUT_LINES:
        return
    token.attrSet("data-start-line", str(token.map[0] + 1))
    token.attrSet("data-end-line", str(max(token.map[1], token.map[0] + 1)))
    if token.type == "heading_open" and not token.level and (slug := anchors.get(token.map[0] + 1)):
        token.attrSet("data-anchor", slug)


def _source_lines(piece: PagePiece, text: str) -> str:
    """The text of a piece after as many blank lines as there are before it, so that all lines keep their numbers."""
    first = piece.blocks[0]
    if first.kind == "frontmatter":
        return "\n" * (first.end_line - 1) + text[first.end : piece.end]
    return "\n" * (first.start_line - 1) + text[first.start : piece.end].removeprefix("\ufeff")


# -- source


def _source(piece: PagePiece, text: str) -> str:
    """A piece as it is written: its blocks, small ones together."""
    rows = [f"<p><em>{SOURCE_NOTICE}</em></p>"]
    first: Block | None = None
    for block in piece.blocks:
        first = first or block
        if block.end - first.start >= MAX_PIECE_CHARS or block is piece.blocks[-1]:
            lines = f'data-start-line="{first.start_line}" data-end-line="{block.end_line}"'
            rows.append(f'<pre class="source" {lines}>{escape(text[first.start : block.end])}</pre>')
            first = None
    return "\n".join(rows)
