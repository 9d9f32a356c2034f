"""An HTML page as a document: its blocks are its elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from html import unescape
from typing import NamedTuple

from headnote.formats.foreign import StructuredDocument, Title
from headnote.markdown.links import split_target
from headnote.markdown.rules.rule import Span
from headnote.model import BlockKind, Link, file_name

# -- The tags of an HTML page, with their places.
#
# They are found here and not by a parser: `html.parser` of Python 3.11 takes 19 seconds for 128 KB of `<!--`,
# tree-sitter 8 seconds for 32 KB, and other parsers do not say where a tag stands. This is linear, whatever the page.


_OPENS = re.compile(r"<(?:(?P<comment>!--)|(?P<other>[!?])|(?P<closing>/)?(?P<name>[A-Za-z][^\s/><]*+))")
_REST_OF_TAG = re.compile(r"""(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])*+>""")
_ATTRIBUTE = re.compile(r"""(?<=[\s"'/])([^\s"'<>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++)))?+""")

RAW = frozenset("script style template noscript svg math iframe object select textarea".split())
"""Elements whose content is no text of the page."""


class HtmlTag(NamedTuple):
    """A tag. A comment, a declaration and a raw element with all that is in it are one without a name."""

    name: str
    """In small letters."""
    start: int
    end: int
    closes: bool = False


def tags(text: str) -> Iterator[HtmlTag]:
    """The tags of a page in their order. What is never closed is text, except a comment and a script."""
    at = 0
    while match := _OPENS.search(text, at):
        start = match.start()
        if match["name"] is None:
            at = _behind(text, "-->" if match["comment"] else ">", match.end())
            yield HtmlTag("", start, at)
            continue
        rest = _REST_OF_TAG.match(text, match.end())
        if rest is None:
            return
        name, at = match["name"].lower(), rest.end()
        if name in RAW and not match["closing"]:
            at = _end_of_raw(text, name, at)
            name = ""
        yield HtmlTag(name, start, at, bool(match["closing"]))


def _behind(text: str, mark: str, start: int) -> int:
    end = text.find(mark, start)
    return end + len(mark) if end >= 0 else len(text)


def _end_of_raw(text: str, name: str, start: int) -> int:
    closing = _closing(name).search(text, start)
    return closing.end() if closing else len(text)


@cache
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}\b[^<>]*+>", re.IGNORECASE)


class Attribute(NamedTuple):
    name: str
    value: str
    written: str


def attributes(text: str, tag: HtmlTag) -> Iterator[Attribute]:
    """The attributes of a tag that is not a closing one."""
    for match in _ATTRIBUTE.finditer(text, tag.start + 1 + len(tag.name), tag.end - 1):
        yield Attribute(match[1].lower(), match[2] or match[3] or match[4] or "", match[0])


# -- What an HTML page says, with the few tags that tell what it is; the rest of the markup becomes blank, in place.
#
# The text has the length of the file and its line ends, so every offset and every line is one of the file. Inside a
# line, the words of a block move to the left, over the blanks.


HEADINGS = {f"h{level}": level for level in range(1, 7)}
INLINE = frozenset(
    "a abbr b bdi bdo br cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span strike"
    " strong sub sup time tt u var wbr".split()
)
"""All other tags begin or end a block."""
_KEPT = frozenset(
    "h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd table caption thead tbody tr th td blockquote pre figure figcaption details"
    " summary title hr a b code del em i img kbd mark s strong sub sup br".split()
)
_KEPT_ATTRIBUTES = frozenset(("href", "src", "alt", "id", "name"))
_AROUND_TEXT = frozenset(("nav", "form", "button", "dialog"))
_AROUND_PAGE = frozenset(("header", "footer", "aside"))
"""They stand around the text of a page, unless they are in its main part."""
_MAIN = frozenset(("main", "article"))
_ENTITY = re.compile(r"&#?[A-Za-z0-9]{1,32};")
_STRUCTURAL = frozenset("<>&")
_SIGN_OF_HEADING = re.compile(r"\s*+(?:[¶#§🔗]|&para;|&#182;|&#xb6;)?+\s*+", re.IGNORECASE)


class _Extent(NamedTuple):
    start: int
    end: int


def page_text(source: str) -> str:
    """The text of a page. That of its text is the same again."""
    found = list(tags(source))
    elements = _elements(found)
    writing = _Writing(source, _unseen(source, found, elements))
    at = 1 if source.startswith("\ufeff") else 0
    writing.pieces.append(source[:at])
    for tag in found:
        writing.text(at, tag.start)
        writing.tag(tag)
        at = tag.end
    writing.text(at, len(source))
    return writing.finished()


class _Writing:
    """The text as far as it is written. A segment is what stands on one line in one block."""

    def __init__(self, source: str, unseen: Sequence[_Extent]) -> None:
        self._source = source
        self._unseen = iter((*unseen, _Extent(len(source), len(source))))
        self._next = next(self._unseen)
        self._segment: list[str] = []
        self._length = 0
        """Of the segment in the source."""
        self.pieces: list[str] = []

    def finished(self) -> str:
        self._end_segment()
        return "".join(self.pieces)

    def text(self, start: int, end: int) -> None:
        for line in re.finditer(r"([^\r\n]*+)([\r\n]*+)", self._source[start:end]):
            place = start + line.start()
            self._add(_plain(line[1]) if self._is_seen(place) else "", len(line[1]))
            if line[2]:
                self._end_segment()
                self.pieces.append(line[2])

    def tag(self, tag: HtmlTag) -> None:
        written = self._source[tag.start : tag.end]
        is_seen = self._is_seen(tag.start)
        kept = _kept(self._source, tag) if tag.name in _KEPT and is_seen else ""
        begins_block = tag.name != "" and tag.name not in INLINE and is_seen
        if begins_block and not tag.closes:
            self._end_segment()
        first, *rest = re.split(r"([\r\n]+)", written)
        self._add(kept if len(kept) <= len(first) or not rest else "", len(first))
        for line_ends, more in zip(rest[::2], rest[1::2], strict=True):
            self._end_segment()
            self.pieces.append(line_ends)
            is_last = more is rest[-1]
            self._add(kept if is_last and len(kept) > len(first) and len(kept) <= len(more) else "", len(more))
        if begins_block and tag.closes:
            self._end_segment()

    def _add(self, text: str, length: int) -> None:
        self._segment.append(text)
        self._length += length

    def _end_segment(self) -> None:
        text = "".join(self._segment)
        self.pieces.append(text + " " * (self._length - len(text)))
        self._segment, self._length = [], 0

    def _is_seen(self, place: int) -> bool:
        while place >= self._next.end and self._next.start < len(self._source):
            self._next = next(self._unseen)
        return place < self._next.start


def _plain(text: str) -> str:
    """Entities become characters, except those that would be markup."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    text = unescape(entity[0])
    is_safe = text.isprintable() and not _STRUCTURAL & set(text)
    return " " if text == "\xa0" else text if is_safe else entity[0]


def _kept(source: str, tag: HtmlTag) -> str:
    """A tag with the attributes that say where it leads, or where it is."""
    if tag.closes:
        return f"</{tag.name}>"
    written = [found.written for found in attributes(source, tag) if _says_something(found)]
    return f"<{' '.join((tag.name, *(' '.join(attribute.split()) for attribute in written)))}>"


def _says_something(attribute: Attribute) -> bool:
    return attribute.name in _KEPT_ATTRIBUTES and not attribute.value.startswith(("data:", "javascript:"))


# -- what is not seen


def _elements(found: Sequence[HtmlTag]) -> dict[int, int]:
    """Number of an opening tag → number of the tag that closes it, for the elements that may be left out."""
    open_tags: dict[str, list[int]] = {}
    elements: dict[int, int] = {}
    wanted = _AROUND_TEXT | _AROUND_PAGE | _MAIN | {"div", "section", "a"}
    for number, tag in enumerate(found):
        if tag.name in wanted and not tag.closes:
            open_tags.setdefault(tag.name, []).append(number)
        elif tag.name in wanted and open_tags.get(tag.name):
            elements[open_tags[tag.name].pop()] = number
    return elements


def _unseen(source: str, found: Sequence[HtmlTag], elements: dict[int, int]) -> list[_Extent]:
    """The parts of a page that are left out, in their order, none inside another."""
    main = next((number for number in sorted(elements) if _is_main(source, found[number])), None)
    around = _AROUND_TEXT if main is not None else _AROUND_TEXT | _AROUND_PAGE
    parts = [
        _Extent(found[first].start, found[last].end)
        for first, last in elements.items()
        if found[first].name in around or _is_sign(source, found, first, last)
    ]
    if main is not None:
        title_end = max((tag.end for tag in found[:main] if tag.name == "title" and tag.closes), default=0)
        title = min((tag.start for tag in found[:main] if tag.name == "title" and not tag.closes), default=title_end)
        parts += [_Extent(0, title), _Extent(title_end, found[main].end)]
        parts.append(_Extent(found[elements[main]].start, len(source)))
    return _outermost(parts)


def _is_main(source: str, tag: HtmlTag) -> bool:
    if tag.name in _MAIN:
        return True
    is_box = tag.name in ("div", "section")
    return is_box and any(found.name == "role" and found.value == "main" for found in attributes(source, tag))


def _is_sign(source: str, found: Sequence[HtmlTag], first: int, last: int) -> bool:
    """Whether a link is the sign that a generator puts beside a heading, which leads to that heading."""
    tag = found[first]
    if tag.name != "a" or not _SIGN_OF_HEADING.fullmatch(source, tag.end, found[last].start):
        return False
    return any(attribute.name == "href" and attribute.value.startswith("#") for attribute in attributes(source, tag))


def _outermost(parts: list[_Extent]) -> list[_Extent]:
    result: list[_Extent] = []
    for part in sorted(parts):
        if result and part.start < result[-1].end:
            result[-1] = _Extent(result[-1].start, max(result[-1].end, part.end))
        elif part.start < part.end:
            result.append(part)
    return result


# -- An HTML page as a document


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
    def _tags(self) -> list[HtmlTag]:
        return list(tags(self.text))

    def _title(self, start: int, end: int) -> Title:
        first = next(tags(self.text[start:end]))
        anchor = next((found.value for found in attributes(self.text[start:end], first) if found.name == "id"), "")
        return Title(_shown(self.text[start:end]), anchor)

    def _links(self) -> Iterator[Link]:
        opened: HtmlTag | None = None
        for tag in self._tags:
            if tag.name == "img":
                yield from self._link(tag, "src", tag.end)
            elif tag.name == "a" and not tag.closes:
                opened = tag
            elif tag.name == "a" and opened is not None:
                yield from self._link(opened, "href", tag.end)
                opened = None

    def _link(self, tag: HtmlTag, attribute: str, end: int) -> Iterator[Link]:
        values = {found.name: unescape(found.value) for found in attributes(self.text, tag)}
        if target := values.get(attribute):
            path, fragment = split_target(target)
            text = values.get("alt", "") if tag.name == "img" else _shown(self.text[tag.start : end])
            yield Link("image" if tag.name == "img" else "link", path, fragment, text or target, tag.start, end)


def _shown(source: str) -> str:
    return " ".join(unescape(_TAG.sub("", source)).split())


class _Blocks:
    """The blocks of a page, found tag by tag. All that is not blank is in one of them."""

    def __init__(self, text: str, found: list[HtmlTag]) -> None:
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

    def _read_tag(self, tag: HtmlTag) -> None:
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

    def _inside(self, tag: HtmlTag) -> None:
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
