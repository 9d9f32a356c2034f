"""A long document in pieces of whole blocks, so that the page draws only what is near the window.

A piece is cut where nothing is open: no component, no directive, nothing that is indented under what came before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from headnote.markdown.document import Document
from headnote.model import Block
from headnote.rendering.sanitizer import OFTEN_OPEN

LONGEST_WHOLE = 100_000
"""Characters of a document that is one piece."""
MOST_BLOCKS = 2_000
"""Blocks of a document that is one piece: of very small ones, each takes as long as a paragraph."""
PIECE_CHARACTERS = 30_000
PIECE_BLOCKS = 300
PATIENCE = 4
"""How many times as large a piece may grow until it is cut even though something is open."""

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
    if len(document.text) <= LONGEST_WHOLE and len(document.blocks) <= MOST_BLOCKS:
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
