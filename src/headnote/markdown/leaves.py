"""Blocks → the stretches of inline text in them, however deeply nested, and the definitions they may refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headnote.markdown.references import definitions, normal_label
from headnote.markdown.scanner import scan
from headnote.markdown.views import (
    View,
    footnote_content,
    jsx_content,
    list_items,
    quote_content,
    whole,
)
from headnote.model import Block

_CELL = re.compile(r"(?:[^|\\\r\n]++|\\[^\r\n]|\\)++")
_CHECKBOX = re.compile(r"[ \t]*+\[[ \t\r\nxX]\](?=[ \t\r\n])")
_FRONTMATTER_LIKE = ("---", "+++", "\ufeff")
# Each level of nesting is read once more. Nobody nests deeper by hand, and a million `>` must not take quadratic time.
_MAX_DEPTH = 32


class Leaf(NamedTuple):
    """A paragraph, heading or table cell: inline text."""

    view: View
    start: int
    end: int


class Leaves(NamedTuple):
    """All inline text of a document that may contain a link or tag."""

    leaves: list[Leaf]
    definitions: dict[str, str]
    """Normalised label → target; a footnote by its label with the `^`."""


def leaves(text: str, blocks: Sequence[Block], mdx: bool = False) -> Leaves:
    """The inline text of these blocks, without code, HTML and text that cannot contain a link or tag."""
    result = Leaves([], {})
    _walk(whole(text), blocks, mdx, 0, result)
    return result


def _walk(view: View, blocks: Iterable[Block], mdx: bool, depth: int, result: Leaves) -> None:
    for block in blocks:
        kind, start, end = block[:3]
        if not _may_hold_links(view.text, start, end):
            continue
        if kind in ("paragraph", "heading"):
            result.leaves.append(Leaf(view, start, end))
        elif kind == "table":
            cells = _CELL.finditer(view.text, start, end)
            result.leaves.extend(Leaf(view, *cell.span()) for cell in cells if _may_hold_links(view.text, *cell.span()))
        elif kind == "definition":
            for label, target in definitions(view.text, start, end):
                result.definitions.setdefault(label, target)
        elif depth < _MAX_DEPTH:
            _walk_container(view, block, mdx, depth + 1, result)


def _walk_container(view: View, block: Block, mdx: bool, depth: int, result: Leaves) -> None:
    if block.kind == "list":
        for item in list_items(view, block.start, block.end):
            if _may_hold_links(item.text, 0, len(item.text)):
                _walk_item(item, mdx, depth, result)
    elif block.kind == "quote":
        _walk_view(quote_content(view, block.start, block.end), mdx, depth, result)
    elif block.kind == "footnote":
        result.definitions.setdefault("^" + normal_label(block.info), "")
        _walk_view(footnote_content(view, block.start, block.end), mdx, depth, result)
    elif block.kind == "mdx_jsx":
        _walk_view(jsx_content(view, block.start, block.end), False, depth, result)


def _walk_item(item: View, mdx: bool, depth: int, result: Leaves) -> None:
    checkbox = _CHECKBOX.match(item.text)
    start = checkbox.end() if checkbox else 0
    if len(item.starts) == 1 and item.text[start : start + 1].isalpha():
        result.leaves.append(Leaf(item, start, len(item.text)))
        return
    before = len(result.leaves)
    _walk_view(item, mdx, depth, result)
    if start and len(result.leaves) > before and result.leaves[before].start < start:
        result.leaves[before] = result.leaves[before]._replace(start=start)


def _walk_view(view: View, mdx: bool, depth: int, result: Leaves) -> None:
    if view.text.startswith(_FRONTMATTER_LIKE):
        # Only a file has frontmatter; after an empty line the same text is what it looks like.
        view = View("\n" + view.text, [0, *(at + 1 for at in view.starts)], [0, *(by - 1 for by in view.shifts)])
    _walk(view, scan(view.text, mdx), mdx, depth, result)


def _may_hold_links(text: str, start: int, end: int) -> bool:
    """Six fast searches rule out most text before it is read closely."""
    return (
        text.find("[", start, end) >= 0
        or text.find("#", start, end) >= 0
        or text.find("<", start, end) >= 0
        or text.find("://", start, end) >= 0
        or text.find("www.", start, end) >= 0
        or text.find("((", start, end) >= 0
    )
