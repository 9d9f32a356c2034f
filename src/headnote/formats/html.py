"""An HTML page as a document: its blocks are its elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from html import unescape

from headnote.formats.base import StructuredDocument, Title
from headnote.formats.html_tags import Tag, attributes, tags
from headnote.formats.html_text import HEADINGS, INLINE, page_text
from headnote.markdown.links import split_target
from headnote.markdown.rules.base import Span
from headnote.model import BlockKind, Link, file_name

_WHOLE: dict[str, BlockKind] = {
    **dict.fromkeys(("ul", "ol", "dl", "table", "blockquote", "figure", "details", "title"), "html"),
    "pre": "code",
}
"""Elements that are one block with all that is in them."""
_TAG = re.compile(r"<[^<>]*+>")
_TITLE = re.compile(r"<title>([^<]*+)</title>")


class HtmlDocument(StructuredDocument):
    """A page. Its text is what `page_text` makes of the file."""

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(page_text(text), path, mdx=False)

    @cached_property
    def spans(self) -> list[Span]:
        return _Blocks(self.text, self._tags).spans

    @cached_property
    def titles(self) -> dict[int, Title]:
        return {start: self._title(start, end) for kind, start, end, *_ in self.spans if kind == "heading"}

    @cached_property
    def title(self) -> str:
        named = super().title
        if named != file_name(self.path):
            return named
        title = _TITLE.search(self.text)
        return (_shown(title[1]) if title else "") or named

    @cached_property
    def links(self) -> list[Link]:
        return list(self._links())

    @cached_property
    def _tags(self) -> list[Tag]:
        return list(tags(self.text))

    def _title(self, start: int, end: int) -> Title:
        first = next(tags(self.text[start:end]))
        anchor = next((found.value for found in attributes(self.text[start:end], first) if found.name == "id"), "")
        return Title(_shown(self.text[start:end]), anchor)

    def _links(self) -> Iterator[Link]:
        opened: Tag | None = None
        for tag in self._tags:
            if tag.name == "img":
                yield from self._link(tag, "src", tag.end)
            elif tag.name == "a" and not tag.closes:
                opened = tag
            elif tag.name == "a" and opened is not None:
                yield from self._link(opened, "href", tag.end)
                opened = None

    def _link(self, tag: Tag, attribute: str, end: int) -> Iterator[Link]:
        values = {found.name: unescape(found.value) for found in attributes(self.text, tag)}
        if target := values.get(attribute):
            path, fragment = split_target(target)
            text = values.get("alt", "") if tag.name == "img" else _shown(self.text[tag.start : end])
            yield Link("image" if tag.name == "img" else "link", path, fragment, text or target, tag.start, end)


def _shown(source: str) -> str:
    return " ".join(unescape(_TAG.sub("", source)).split())


class _Blocks:
    """The blocks of a page, found tag by tag. All that is not blank is in one of them."""

    def __init__(self, text: str, found: list[Tag]) -> None:
        self.spans: list[Span] = []
        self._text = text
        self._kind: BlockKind = "paragraph"
        self._level = 0
        self._start = -1
        """Of the open block; negative if none is open."""
        self._whole, self._depth = "", 0
        """The element that the open block is, and how many of its name are open."""
        at = 1 if text.startswith("\ufeff") else 0
        for tag in found:
            self._read_text(at, tag.start)
            self._read_tag(tag)
            at = tag.end
        self._read_text(at, len(text))
        self._end(len(text))

    def _read_text(self, start: int, end: int) -> None:
        if self._start < 0:
            text = self._text[start:end]
            if stripped := text.lstrip():
                self._begin("paragraph", start + len(text) - len(stripped))

    def _read_tag(self, tag: Tag) -> None:
        name = tag.name
        if name in HEADINGS and not tag.closes:
            self._end(tag.start)
            self._begin("heading", tag.start, HEADINGS[name])
        elif self._whole:
            self._inside(tag)
        elif name in _WHOLE and not tag.closes:
            self._end(tag.start)
            self._begin(_WHOLE[name], tag.start)
            self._whole, self._depth = name, 1
        elif name in INLINE or not name:
            if self._start < 0:
                self._begin("paragraph", tag.start)
        elif tag.closes:
            self._begin_if_none(tag.start)
            self._end(tag.end)
        else:
            self._end(tag.start)
            self._begin("paragraph", tag.start)

    def _inside(self, tag: Tag) -> None:
        if tag.name == self._whole:
            self._depth += -1 if tag.closes else 1
        if not self._depth:
            self._end(tag.end)

    def _begin_if_none(self, start: int) -> None:
        if self._start < 0:
            self._begin("paragraph", start)

    def _begin(self, kind: BlockKind, start: int, level: int = 0) -> None:
        self._kind, self._start, self._level = kind, start, level

    def _end(self, end: int) -> None:
        if self._start >= 0:
            end = self._start + len(self._text[self._start : end].rstrip())
            self.spans.append((self._kind, self._start, end, self._level, ""))
        self._start, self._whole, self._depth = -1, "", 0
