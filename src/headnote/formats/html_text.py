"""What an HTML page says, with the few tags that tell what it is; the rest of the markup becomes blank, in place.

The text has the length of the file and its line ends, so every offset and every line is one of the file. Inside a line,
the words of a block move to the left, over the blanks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import NamedTuple

from headnote.formats.html_tags import Attribute, Tag, attributes, tags

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

    def tag(self, tag: Tag) -> None:
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


def _kept(source: str, tag: Tag) -> str:
    """A tag with the attributes that say where it leads, or where it is."""
    if tag.closes:
        return f"</{tag.name}>"
    written = [found.written for found in attributes(source, tag) if _says_something(found)]
    return f"<{' '.join((tag.name, *(' '.join(attribute.split()) for attribute in written)))}>"


def _says_something(attribute: Attribute) -> bool:
    return attribute.name in _KEPT_ATTRIBUTES and not attribute.value.startswith(("data:", "javascript:"))


# -- what is not seen


def _elements(found: Sequence[Tag]) -> dict[int, int]:
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


def _unseen(source: str, found: Sequence[Tag], elements: dict[int, int]) -> list[_Extent]:
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


def _is_main(source: str, tag: Tag) -> bool:
    if tag.name in _MAIN:
        return True
    is_box = tag.name in ("div", "section")
    return is_box and any(found.name == "role" and found.value == "main" for found in attributes(source, tag))


def _is_sign(source: str, found: Sequence[Tag], first: int, last: int) -> bool:
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
