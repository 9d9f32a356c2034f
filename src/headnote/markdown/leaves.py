"""Blocks → the stretches of inline text in them, however deeply nested, and the definitions they may refer to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from headnote.markdown.references import definitions, normal_label
from headnote.markdown.rules.rule import Span
from headnote.markdown.scanner import scan_spans
from headnote.markdown.views import (
    View,
    footnote_content,
    is_plain_list,
    item_content,
    jsx_content,
    list_items,
    plain_items,
    quote_content,
    whole,
)

_CELL = re.compile(r"(?:[^|\\\r\n]++|\\[^\r\n]|\\)++")
_CHECKBOX = re.compile(r"[ \t]*+\[[ \t\r\nxX]\](?=[ \t\r\n])")
_FRONTMATTER_LIKE = ("---", "+++", "\ufeff")
# Each level of nesting is read once more. Nobody nests deeper by hand, and a million `>` must not take quadratic time.
_MAX_DEPTH = 32


class Leaf:
    """A paragraph, heading or table cell: inline text."""

    __slots__ = ("end", "start", "view")

    def __init__(self, view: View, start: int, end: int) -> None:
        self.view = view
        self.start = start
        self.end = end


class Leaves(NamedTuple):
    """All inline text of a document that may contain a link or tag."""

    leaves: list[Leaf]
    definitions: dict[str, str]
    """Normalised label → target; a footnote by its label with the `^`."""


def leaves(text: str, blocks: Sequence[Span], mdx: bool = False) -> Leaves:
    """The inline text of these blocks, without code, HTML and text that cannot contain a link or tag."""
    result = Leaves([], {})
    _walk(whole(text), blocks, mdx, 0, result)
    return result


def _walk(view: View, blocks: Sequence[Span], mdx: bool, depth: int, result: Leaves) -> None:
    text = view.text
    for kind, start, end, _, info in blocks:
        if not _may_hold_links(text, start, end):
            continue
        if kind == "paragraph" or kind == "heading":
            result.leaves.append(Leaf(view, start, end))
        elif kind == "table":
            for cell in _CELL.finditer(text, start, end):
                if _may_hold_links(text, cell.start(), cell.end()):
                    result.leaves.append(Leaf(view, cell.start(), cell.end()))
        elif kind == "definition":
            for label, target in definitions(text, start, end):
                result.definitions.setdefault(label, target)
        elif depth < _MAX_DEPTH:
            if kind == "list":
                _walk_list(view, start, end, mdx, depth + 1, result)
            else:
                _walk_container(view, kind, start, end, info, mdx, depth + 1, result)


def _walk_container(
    view: View, kind: str, start: int, end: int, info: str, mdx: bool, depth: int, result: Leaves
) -> None:
    if kind == "quote":
        _walk_view(quote_content(view, start, end), mdx, depth, result)
    elif kind == "footnote":
        result.definitions.setdefault("^" + normal_label(info), "")
        _walk_view(footnote_content(view, start, end), mdx, depth, result)
    elif kind == "mdx_jsx":
        _walk_view(jsx_content(view, start, end), False, depth, result)


def _walk_list(view: View, start: int, end: int, mdx: bool, depth: int, result: Leaves) -> None:
    text = view.text
    if not is_plain_list(text, start, end):
        for content in list_items(view, start, end):
            if _may_hold_links(content.text, 0, len(content.text)):
                _walk_item(content, mdx, depth, result)
        return
    for item in plain_items(text, start, end):
        if not _may_hold_links(text, item.content, item.end):
            continue
        is_line = item.end - item.line_end < 2 or (not mdx and text[item.line_end : item.end].isspace())
        prose = _prose_of_a_line(text, item.content, item.line_end) if is_line else -1
        if prose >= 0:
            result.leaves.append(Leaf(view, prose, item.line_end))
        else:
            _walk_item(item_content(view, item), mdx, depth, result)


def _prose_of_a_line(text: str, start: int, end: int) -> int:
    """Where the text of an item of one line begins, after its checkbox; -1 if it may be another construct."""
    if text[start : start + 1] == "[":
        checkbox = _CHECKBOX.match(text, start, end)
        if checkbox is None:
            return -1
        return checkbox.end() if text[checkbox.end() + 1 : checkbox.end() + 2].isalpha() else -1
    return start if start < end and text[start].isalpha() else -1


def _walk_item(item: View, mdx: bool, depth: int, result: Leaves) -> None:
    checkbox = _CHECKBOX.match(item.text)
    start = checkbox.end() if checkbox else 0
    if len(item.starts) == 1 and item.text[start : start + 1].isalpha():
        result.leaves.append(Leaf(item, start, len(item.text)))
        return
    before = len(result.leaves)
    _walk_view(item, mdx, depth, result)
    if start and len(result.leaves) > before and result.leaves[before].start < start:
        result.leaves[before].start = start


def _walk_view(view: View, mdx: bool, depth: int, result: Leaves) -> None:
    if view.text.startswith(_FRONTMATTER_LIKE):
        # Only a file has frontmatter; after an empty line the same text is what it looks like.
        view = View("\n" + view.text, [0, *(at + 1 for at in view.starts)], [0, *(by - 1 for by in view.shifts)])
    _walk(view, scan_spans(view.text, mdx), mdx, depth, result)


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
