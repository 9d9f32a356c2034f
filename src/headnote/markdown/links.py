"""Links and tags of a document, with their positions; none from code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from headnote.markdown.inline import MARKUP, Definitions, InlineSpan, definitions, normal_label, spans
from headnote.markdown.plain import span_text
from headnote.markdown.rules.rule import Span
from headnote.markdown.scanner import scan_spans
from headnote.markdown.views import (
    View,
    as_content,
    footnote_content,
    is_plain_list,
    item_content,
    jsx_content,
    list_items,
    plain_items,
    quote_content,
    whole,
)
from headnote.model import Link, LinkKind, Tag

# -- Blocks → the stretches of inline text in them, however deeply nested, and the definitions they may refer to.


_CELL = re.compile(r"(?:[^|\\\r\n]++|\\[^\r\n]|\\)++")
_CHECKBOX = re.compile(r"[ \t]*+\[[ \t\r\nxX]\](?=[ \t\r\n])")
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
    view = as_content(view)
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


# -- Links and tags of a document, with their positions


_start_of = attrgetter("start")
_LINK_KINDS: dict[str, LinkKind] = {
    "link": "link",
    "image": "image",
    "autolink": "autolink",
    "wikilink": "wikilink",
    "embed": "embed",
}

_MDX = frozenset({"mdx_jsx", "mdx_esm", "mdx_expression"})

# GitHub links what looks like an address even without brackets.
_BARE_URL = re.compile(r"(?<![A-Za-z])https?://[^\s<]++|(?<![^\s(*_~\[\]])www\.[^\s<]++")
_DOMAIN = re.compile(r"(?:https?://|(?=www\.))([\w\-]++(?:\.[\w\-]++)*+)")
_NEVER_LAST = "?!.,:*_~'\"]"
_ENTITY_AT_END = re.compile(r"&[A-Za-z]++;\Z")

# Logseq refers to a block of any page by its id.
_BLOCK_REFERENCE = re.compile(r"\(\([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\)\)")
_FRAGMENT_IN_SHORTCODE = re.compile(r"""(\{\{[<%][^#]*+)#([^"'`\s}]*+)([^#]*[>%]\}\})""")

# Letters, digits, `_` and `-`, and the vowel signs and accents inside words that `\w` does not match.
_TAG_CHARACTER = r"[\w\-\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e00-\u0eff]"
_TAG = re.compile(rf"(?<![^\s(\[\"'“‘«„])#({_TAG_CHARACTER}++(?:/{_TAG_CHARACTER}++)*+)")
_NOT_A_DIGIT = re.compile(r"[^\W\d]")
_COLOUR = re.compile(r"""(["'])#[0-9A-Fa-f]{3,8}\1""")
"""In quotes, as programs write colours: `style={{color: "#bada55"}}` has no tag."""


def links_and_tags(text: str, blocks: Sequence[Span], mdx: bool = False) -> tuple[list[Link], list[Tag]]:
    """Every link and every `#tag` of the document, in the order of the source, in one pass."""
    mdx = mdx or any(block[0] in _MDX for block in blocks)
    inline, definitions = leaves(text, blocks, mdx)
    all_links: list[Link] = []
    all_tags: list[Tag] = []
    for leaf in inline:
        leaf_spans = _leaf_spans(leaf, definitions)
        if leaf_spans:
            all_links += _links_of(leaf, leaf_spans, definitions)
        if leaf.view.text.find("#", leaf.start, leaf.end) >= 0:
            all_tags += _tags_of(leaf, leaf_spans)
    all_links.sort(key=_start_of)
    return all_links, all_tags


def _leaf_spans(leaf: Leaf, definitions: Definitions) -> list[InlineSpan]:
    """Inline constructs by start, bare addresses among them."""
    text, start, end = leaf.view.text, leaf.start, leaf.end
    leaf_spans = spans(text, start, end, definitions) if MARKUP.search(text, start, end) else []
    if len(leaf_spans) > 1:
        leaf_spans.sort(key=_start_of)
    if _may_hold_address(text, start, end):
        bare = [url for first, last in _gaps(leaf, leaf_spans) for url in bare_urls(text, first, last)]
        if bare:
            leaf_spans = sorted(leaf_spans + bare, key=_start_of)
    if text.find("((", start, end) >= 0:
        blocks = [block for first, last in _gaps(leaf, leaf_spans) for block in _block_references(text, first, last)]
        if blocks:
            leaf_spans = sorted(leaf_spans + blocks, key=_start_of)
    return leaf_spans


def _may_hold_address(text: str, start: int, end: int) -> bool:
    return text.find("://", start, end) >= 0 or text.find("www.", start, end) >= 0


def _block_references(text: str, start: int, end: int) -> list[InlineSpan]:
    return [
        InlineSpan("wikilink", match.start(), match.start() + 2, match.end() - 2, match.end(), match[0])
        for match in _BLOCK_REFERENCE.finditer(text, start, end)
    ]


def _gaps(leaf: Leaf, leaf_spans: list[InlineSpan]) -> list[tuple[int, int]]:
    """The text outside of all spans, which are sorted by start."""
    gaps: list[tuple[int, int]] = []
    position = leaf.start
    for span in leaf_spans:
        if span.start > position:
            gaps.append((position, span.start))
        position = max(position, span.end)
    if position < leaf.end:
        gaps.append((position, leaf.end))
    return gaps


def bare_urls(text: str, start: int, end: int) -> list[InlineSpan]:
    """The addresses in this range that stand without brackets, as GitHub sees them."""
    urls: list[InlineSpan] = []
    if not _may_hold_address(text, start, end):
        return urls
    for match in _BARE_URL.finditer(text, start, end):
        url = _trimmed(match[0])
        domain = _DOMAIN.match(url)
        if domain is None or any("_" in part for part in domain[1].split(".")[-2:]):
            continue
        stop = match.start() + len(url)
        target = url if url.startswith("http") else f"http://{url}"
        urls.append(InlineSpan("autolink", match.start(), match.start(), stop, stop, target))
    return urls


def _trimmed(url: str) -> str:
    """The address without the punctuation of its sentence; a closing parenthesis stays if it was opened inside."""
    end = len(url)
    surplus = url.count(")") - url.count("(")
    while end:
        last = url[end - 1]
        if last == ";":
            entity = _ENTITY_AT_END.search(url, max(0, end - 32), end)
            end = entity.start() if entity else end - 1
        elif last in _NEVER_LAST:
            end -= 1
        elif last == ")" and surplus > 0:
            surplus -= 1
            end -= 1
        else:
            break
    return url[:end]


def _links_of(leaf: Leaf, leaf_spans: list[InlineSpan], definitions: Definitions) -> list[Link]:
    view = leaf.view
    links: list[Link] = []
    for span in leaf_spans:
        kind = _LINK_KINDS.get(span.kind)
        if kind is not None:
            target, fragment = split_target(span.target)
            start, end = view.place(span.start), view.place(span.end - 1) + 1
            links.append(Link(kind, target, fragment, span_text(view.text, span, definitions), start, end))
    return links


def split_target(target: str) -> tuple[str, str]:
    """What a link leads to, and the place in it that it names."""
    if "#" not in target:
        return target, ""
    if target.startswith("{{") and (shortcode := _FRAGMENT_IN_SHORTCODE.fullmatch(target)) is not None:
        return shortcode[1] + shortcode[3], shortcode[2]
    path, _, fragment = target.partition("#")
    return path, fragment


def _tags_of(leaf: Leaf, leaf_spans: list[InlineSpan]) -> list[Tag]:
    view = leaf.view
    tags: list[Tag] = []
    for start, end in _gaps(leaf, leaf_spans):
        for tag in tags_in(view.text, start, end):
            place = view.place(tag.start)
            tags.append(Tag(tag.name, place, place + tag.end - tag.start))
    return tags


def tags_in(text: str, start: int, end: int) -> list[Tag]:
    """Every `#tag` in this range, which is text and no code."""
    tags: list[Tag] = []
    at = text.find("#", start, end)
    while at >= 0:
        match = _TAG.match(text, at, end)
        # `#12` is an issue or a number, not a tag.
        if match is not None and _NOT_A_DIGIT.search(match[1]) and not _COLOUR.match(text, max(at - 1, 0), end):
            tags.append(Tag(match[1], at, match.end()))
        at = text.find("#", at + 1 if match is None else match.end(), end)
    return tags
