"""The tags of an HTML page, with their places.

They are found here and not by a parser: `html.parser` of Python 3.11 takes 19 seconds for 128 KB of `<!--`, tree-sitter
8 seconds for 32 KB, and other parsers do not say where a tag stands. This is linear, whatever the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_OPENS = re.compile(r"<(?:(?P<comment>!--)|(?P<other>[!?])|(?P<closing>/)?(?P<name>[A-Za-z][^\s/><]*+))")
_REST_OF_TAG = re.compile(r"""(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])*+>""")
_ATTRIBUTE = re.compile(r"""(?<=[\s"'/])([^\s"'<>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++)))?+""")

RAW = frozenset("script style template noscript svg math iframe object select textarea".split())
"""Elements whose content is no text of the page."""


class Tag(NamedTuple):
    """A tag. A comment, a declaration and a raw element with all that is in it are one without a name."""

    name: str
    """In small letters."""
    start: int
    end: int
    closes: bool = False


def tags(text: str) -> Iterator[Tag]:
    """The tags of a page in their order. What is never closed is text, except a comment and a script."""
    at = 0
    while match := _OPENS.search(text, at):
        start = match.start()
        if match["name"] is None:
            at = _behind(text, "-->" if match["comment"] else ">", match.end())
            yield Tag("", start, at)
            continue
        rest = _REST_OF_TAG.match(text, match.end())
        if rest is None:
            return
        name, at = match["name"].lower(), rest.end()
        if name in RAW and not match["closing"]:
            at = _end_of_raw(text, name, at)
            name = ""
        yield Tag(name, start, at, bool(match["closing"]))


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


def attributes(text: str, tag: Tag) -> Iterator[Attribute]:
    """The attributes of a tag that is not a closing one."""
    for match in _ATTRIBUTE.finditer(text, tag.start + 1 + len(tag.name), tag.end - 1):
        yield Attribute(match[1].lower(), match[2] or match[3] or match[4] or "", match[0])
