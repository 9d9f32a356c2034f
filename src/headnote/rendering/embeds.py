"""`![[embeds]]`: notes, sections and blocks of other documents, shown where they are named.

Only documents of the index can be embedded. An embed that would repeat itself, nests too deeply or is too long stays a
link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from headnote.errors import HeadnoteError
from headnote.formats.kinds import open_document
from headnote.markdown.document import Document
from headnote.rendering import Deadline
from headnote.rendering.link_targets import DocumentLinks

if TYPE_CHECKING:
    from markdown_it.token import Token

    from headnote.api import DocumentView
    from headnote.store.rows import LinkRow

MAX_DEPTH = 3
"""Embeds inside each other."""
MAX_EMBEDS = 30
"""Embeds of one page, those inside others included."""
MAX_CHARS = 200_000
"""Characters of all embeds of a page together."""

Library = Callable[[str], "DocumentView"]
"""Path → a document of the index; raises one of our errors if there is none."""

_BLOCK_ID = re.compile(r"(?:\A|(?<![ \t])[ \t]++)(\^[A-Za-z0-9-]{1,100})[ \t]*+\Z")


class Draw(Protocol):
    """Draws a document inside another one, as clean HTML."""

    def __call__(self, document: Document, links: DocumentLinks, embeds: Embeds) -> str: ...


class _Source(NamedTuple):
    """A document of the index that is embedded."""

    document: Document
    links: DocumentLinks


class _Common:
    """What all embeds of a page have in common: how many more there can be, and the documents they come from."""

    def __init__(self, library: Library | None, draw: Draw, deadline: Deadline) -> None:
        self.library = library
        self.draw = draw
        self.deadline = deadline
        self.embeds = MAX_EMBEDS
        self.characters = MAX_CHARS
        self._sources: dict[str, _Source | None] = {}

    def source(self, path: str) -> _Source | None:
        """A document, which is read once. None if it is not there, or if there are too many embeds already."""
        self.deadline.check()
        if self.embeds <= 0:
            return None
        self.embeds -= 1
        if path not in self._sources:
            self._sources[path] = self._read(path)
        return self._sources[path]

    def _read(self, path: str) -> _Source | None:
        assert self.library is not None
        try:
            view = self.library(path)
        except HeadnoteError:  # a file that is no document, or one that is gone
            return None
        row = view.document
        return _Source(open_document(row.text, row.path, row.mdx), DocumentLinks(row.path, view.links, view.root))


class _Place(NamedTuple):
    path: str
    section: str


class Embeds:
    """The embeds of one document, at some depth."""

    def __init__(self, around: tuple[_Place, ...], common: _Common) -> None:
        self._around = around
        self._common = common

    @classmethod
    def of(cls, path: str, library: Library | None, draw: Draw, deadline: Deadline) -> Embeds:
        """The embeds of a document that is not embedded itself."""
        return cls((_Place(path, ""),), _Common(library, draw, deadline))

    def insert(self, tokens: Sequence[Token], links: DocumentLinks) -> list[Token]:
        """The tokens, with the embedded text in place of paragraphs that are nothing but embeds."""
        inserted: list[Token] = []
        skip = 0
        for at, token in enumerate(tokens):
            if skip:
                skip -= 1
                continue
            named = _only_embeds(tokens, at)
            rows = [links.row(one) for one in named]
            if not named or not any(row and self._can_embed(row) for row in rows):
                inserted.append(token)
                continue
            for one, row in zip(named, rows, strict=True):
                inserted += self._section(one, row, token)
            skip = 2
        return inserted

    def _can_embed(self, row: LinkRow) -> bool:
        """Whether a link leads to a document, and showing it here makes sense."""
        place = _Place(row.resolved or "", row.section or row.fragment)
        is_new = place not in self._around and _Place(place.path, "") not in self._around[1:]
        return bool(self._common.library and row.resolved and is_new) and len(self._around) <= MAX_DEPTH

    def _section(self, named: Token, row: LinkRow | None, paragraph: Token) -> list[Token]:
        html = self._html(row) if row and self._can_embed(row) else None
        title, inline, ending = _titled(named, paragraph)
        if row is None or html is None:
            return [title, inline, ending]
        title.attrs = {"class": "embed-title"}
        opening, closing = _element("section", 1, paragraph), _element("section", -1, paragraph)
        opening.attrs = {"class": "embed", "data-document": row.resolved or "", **_lines(paragraph)}
        content = _element("", 0, paragraph)
        content.type, content.content, content.map = "html_block", html, None
        for token in (title, inline, content, ending):
            token.level, token.map = paragraph.level + 1, None
        return [opening, title, inline, ending, content, closing]

    def _html(self, row: LinkRow) -> str | None:
        source = self._common.source(row.resolved or "")
        text = _part(source.document, row) if source else None
        if source is None or text is None or len(text) > self._common.characters:
            return None
        self._common.characters -= len(text)
        document = source.document
        inside = Embeds((*self._around, _Place(document.path, row.section or row.fragment)), self._common)
        return self._common.draw(open_document(text, document.path, document.mdx), source.links, inside)


def _part(document: Document, row: LinkRow) -> str | None:
    """The text that a link means: of a block, a section, or all without the frontmatter."""
    if row.fragment.startswith("^"):
        return _block(document, row.fragment)
    if row.fragment:
        entries = (entry for entry in document.outline if entry.heading.slug == row.section)
        entry = next(entries, None)
        return document.text[entry.start : entry.end] if entry else None
    first = document.blocks[0] if document.blocks else None
    return document.text[first.end :] if first and first.kind == "frontmatter" else document.text


def _block(document: Document, name: str) -> str | None:
    """The block with an id: a paragraph, an item of a list, or what stands before an id on a line of its own."""
    for at, block in enumerate(document.blocks):
        text = document.text[block.start : block.end]
        if name not in text:
            continue
        lines = text.splitlines()
        for number, line in enumerate(lines):
            found = _BLOCK_ID.search(line)
            if found is None or found[1] != name:
                continue
            if line.strip() == name and len(lines) == 1 and at:
                before = document.blocks[at - 1]
                return document.text[before.start : before.end]
            return _item(lines, number) if block.kind == "list" else text
    return None


def _item(lines: Sequence[str], number: int) -> str:
    """An item of a list with what is indented below it."""
    depth = len(lines[number]) - len(lines[number].lstrip())
    end = number + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
        end += 1
    return "\n".join(line[depth:] for line in lines[number:end])


def hide_block_ids(state: Any) -> None:
    """A core rule: the id at the end of a block is its anchor, and no text."""
    for at, token in enumerate(state.tokens):
        if token.type != "inline" or "^" not in token.content:
            continue
        found = _BLOCK_ID.search(token.content)
        if found is not None:
            token.content = token.content[: found.start()]
            state.tokens[at - 1].attrSet("data-anchor", found[1])


# -- tokens


def _only_embeds(tokens: Sequence[Token], at: int) -> list[Token]:
    """The embeds of the paragraph at `at`, if it has nothing else."""
    if tokens[at].type != "paragraph_open" or tokens[at].hidden:
        return []
    children = tokens[at + 1].children or []
    embeds = [one for one in children if one.type == "wikilink" and one.meta["embed"]]
    return embeds if embeds and sum(map(_shows_something, children)) == len(embeds) else []


def _shows_something(token: Token) -> bool:
    is_blank = token.type in ("text", "html_inline") and not token.content.strip()
    return token.nesting == 0 and token.type not in ("softbreak", "hardbreak") and not is_blank


def _titled(named: Token, paragraph: Token) -> tuple[Token, Token, Token]:
    """A paragraph with nothing but the link."""
    opening, inline, closing = (_element("p", at, paragraph) for at in (1, 0, -1))
    opening.attrs = _lines(paragraph)
    inline.type, inline.tag, inline.children = "inline", "", [named]
    return opening, inline, closing


def _element(tag: str, nesting: int, paragraph: Token) -> Token:
    from markdown_it.token import Token

    token = Token("embed", tag, nesting, block=True, level=paragraph.level)  # type: ignore[arg-type]
    token.map = paragraph.map
    return token


def _lines(paragraph: Token) -> dict[str, str | int | float]:
    return {name: value for name, value in paragraph.attrs.items() if name.startswith("data-")}
