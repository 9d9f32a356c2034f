"""What the laws need to know about a document: blocks, lines, heading paths, nested fences and tables."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from headnote.chunking.masking import MASK, masked, strip_data_uris
from headnote.chunking.settings import Settings
from headnote.markdown import parse
from headnote.markdown.document import Document
from headnote.markdown.headings import heading_text, labels
from headnote.model import Block
from headnote.tokens import Counter, get_counter

CODE_LIKE = frozenset({"code", "mdx_esm", "mdx_jsx", "mdx_expression", "html", "frontmatter"})
CONTAINERS = frozenset({"list", "quote", "footnote"})
Piece = tuple[str, bool]
"""A text and whether it is code, because some counters treat the two differently."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


class Structure(NamedTuple):
    """A fence or a table, at any depth, with its place in the source."""

    kind: str
    """`fence` or `table`."""
    start: int
    """Offset where its first line begins."""
    body: int
    """Offset where its second line begins (fence) or its third (table): what has to be repeated stands before it."""
    end: int
    """Offset just past its last line."""
    opening: tuple[str, ...]
    """What a chunk that begins inside it must repeat: the fence with its info string, or the two rows."""
    mark: str
    """What closes it; empty for a table."""
    is_closed: bool
    """Whether it has a closing line in the source; always true for a table."""


@dataclass(frozen=True, slots=True)
class Layout:
    source: str
    blocks: Sequence[Block]
    starts: Sequence[int]
    """Where each block begins."""
    line_starts: Sequence[int]
    """Where each line begins, counted here and not by the code under test."""
    mdx: bool
    paths: Sequence[tuple[str, ...]]
    """Heading stack at each block, a heading included in its own."""
    title: str
    """As the frontmatter says it."""

    def line_of(self, offset: int) -> int:
        """1-based number of the line a character stands in."""
        return bisect_right(self.line_starts, offset)

    def block_at(self, offset: int) -> int:
        """Index of the last block that begins at or before the offset; -1 if there is none."""
        return bisect_right(self.starts, offset) - 1

    def blocks_between(self, start: int, end: int) -> range:
        """Indices of the blocks that have text in a range."""
        first = max(self.block_at(start), 0)
        if first < len(self.blocks) and self.blocks[first].end <= start:
            first += 1
        return range(first, bisect_left(self.starts, end))

    def is_blank(self, index: int) -> bool:
        """Whether a block is nothing but blanks that are none to Markdown: U+00A0, a form feed."""
        return self.source[self.starts[index] : self.blocks[index].end].isspace()

    def is_content(self, index: int) -> bool:
        return self.blocks[index].kind != "heading" and not self.is_blank(index)

    def closing(self, index: int) -> str:
        """What has to follow the block so that it is closed: only a fence left open to the end of the file needs it."""
        block = self.blocks[index]
        if block.kind != "code" or index < len(self.blocks) - 1:
            return ""
        fence = _FENCE.match(self.source, block.start)
        if (
            fence is None
            or (not self.mdx and len(fence[0].expandtabs(4)) - len(fence[1]) > 3)
            or is_closed(self.source[block.start : block.end], fence[1])
        ):
            return ""
        return f"\n{fence[1]}"


@lru_cache(maxsize=4)
def cached_layout(source: str, mdx: bool) -> Layout:
    blocks = parse(source, mdx=mdx)
    line_starts = [0, *(match.end() for match in _LINE_END.finditer(source))]
    title = Document(source, mdx=mdx).given_title
    return Layout(source, blocks, [block.start for block in blocks], line_starts, mdx, _paths(source, blocks), title)


@lru_cache(maxsize=4)
def masked_source(source: str, mdx: bool) -> str:
    """The source with masks in place of comments."""
    return masked(source, Document(source, mdx=mdx).comments)


def layout_for(source: str, settings: Settings) -> Layout:
    return cached_layout(source, bool(settings.mdx))


def _paths(source: str, blocks: Sequence[Block]) -> list[tuple[str, ...]]:
    stack: list[tuple[int, str]] = []
    paths: list[tuple[str, ...]] = []
    known = labels(blocks)
    for block in blocks:
        if block.kind == "heading":
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            stack.append((block.level, heading_text(source, block.start, block.end, known)))
        paths.append(tuple(text for _, text in stack))
    return paths


# How large is it?


def counter_of(settings: Settings) -> Counter:
    return get_counter(settings.counter, settings.bias)


def pieces(layout: Layout, start: int, end: int, before: str = "", after: str = "") -> list[Piece]:
    """A range of the source, block by block; what is repeated around it is of the kind it stands next to."""
    inside = [index for index in layout.blocks_between(start, end) if not layout.is_blank(index)]
    cuts = [start, *(layout.starts[index] for index in inside[1:]), end]
    texts = [layout.source[a:b] for a, b in pairwise(cuts)]
    texts[0] = before + texts[0]
    texts[-1] += after
    return list(zip(texts, [layout.blocks[index].kind in CODE_LIKE for index in inside] or [False], strict=True))


def embedded(text: str) -> str:
    """What is embedded of a text with masks and pictures."""
    return strip_data_uris(_without_masks(text).rstrip() if MASK in text else text)


def _without_masks(text: str) -> str:
    """A line of nothing but masks goes, with the blank ones behind it."""
    kept: list[str] = []
    is_behind = False
    for match in _LINE.finditer(text):
        line = match[0]
        is_behind = (is_behind or MASK in line) and not line.strip(MASK + " \t\r\n")
        kept += [] if is_behind else [line.replace(MASK, "")]
    return "".join(kept)


def size_of(settings: Settings, parts: Sequence[Piece]) -> int:
    """Tokens of texts in a row. An estimate goes by the kind of each; other counters see one text."""
    counter = counter_of(settings)
    if counter.adds != "anywhere":
        return counter.count(embedded("".join(text for text, _ in parts)))
    texts = [strip_data_uris(_without_masks(text)) for text, _ in parts]
    return counter.size(sum(counter.weigh(texts, [is_code for _, is_code in parts])))


def crumb_of(layout: Layout, settings: Settings, path: tuple[str, ...]) -> str:
    """The breadcrumb as it is embedded: the title, then outermost headings are left out of one that takes more than
    half of max, or so much of it that a character of four tokens would not fit below it."""
    counter = counter_of(settings)
    widest = 4 if counter.name in {"cl100k", "o200k"} else 1
    budget = min(settings.max_tokens * counter.unit // 2, (settings.max_tokens - widest) * counter.unit)
    path = tuple(filter(None, path))  # a heading without text says nothing
    title = layout.title if settings.document_title and settings.frontmatter != "strip" else ""
    if title and [each.casefold().split() for each in path[:1]] != [title.casefold().split()]:
        path = (title, *path)
    while path and settings.breadcrumb:
        text = " > ".join(path) + "\n\n"
        if counter.weigh((text,))[0] <= budget:
            return text
        path = path[1:]
    return ""


# What is inside a block?


@cache
def _reference(has_footnotes: bool) -> MarkdownIt:
    """Words are read only for the sake of footnotes: one that no word refers to is left out."""
    reader = MarkdownIt("commonmark").enable("table")
    return reader.use(footnote_plugin) if has_footnotes else reader.disable("inline")


@lru_cache(maxsize=4096)
def structures(source: str, start: int, end: int) -> list[Structure]:
    """The fences and tables of one block, nested ones included, as another parser sees them."""
    text = source[start:end].replace("\r\n", " \n").replace("\r", "\n")
    lines = text.split("\n")
    offsets = [start]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    places: list[Structure] = []
    for token in _reference("[^" in text).parse(text + "\n"):
        if token.map is None or token.type not in {"fence", "table_open"}:
            continue
        first, last = token.map[0], min(token.map[1], len(lines))
        kind, body, opening, closed = "table", first + 2, tuple(map(_bare, lines[first : first + 2])), True
        if token.type == "fence":
            kind, body, opening = "fence", first + 1, (token.markup + token.info.rstrip(),)
            closed = is_closed("\n".join(lines[first:last]), token.markup)
        place = offsets[first], offsets[min(body, last)], min(offsets[last], end)
        places.append(Structure(kind, *place, opening, token.markup, closed))
    return places


def _bare(line: str) -> str:
    """A row without the markers and the indentation of the containers it stands in."""
    return re.sub(r"^(?:[\s>]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^[^\]\s]+\]:)+", "", line).strip()


def is_closed(text: str, mark: str) -> bool:
    """Whether the last line of a fence closes it."""
    first, newline, last = text.rstrip("\r\n").replace("\r", "\n").rpartition("\n")
    last = last.strip(" \t>")
    return bool(newline and first) and len(last) >= len(mark) and not last.strip(mark[0])


_FENCE_LINE = re.compile(r"^(?:[ \t>]|[-*+] |\d+[.)] )*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


@lru_cache(maxsize=4096)
def structures_by_line(source: str, start: int, end: int) -> list[Structure]:
    """The fences of a component, by their lines alone: the other parser cannot read MDX."""
    text = source[:end].replace("\r\n", " \n").replace("\r", "\n")
    places: list[Structure] = []
    opening: re.Match[str] | None = None
    for match in _FENCE_LINE.finditer(text, start, end):
        if opening is None:
            opening = None if match[1][0] in match[2] else match
        elif match[1].startswith(opening[1]) and not match[2].strip():
            places.append(_fence(opening, match.end(), True))
            opening = None
    return places if opening is None else [*places, _fence(opening, end, False)]


def _fence(opening: re.Match[str], end: int, is_closed: bool) -> Structure:
    head = (opening[1] + opening[2].rstrip(),)
    return Structure("fence", opening.start(), min(opening.end() + 1, end), end, head, opening[1], is_closed)
