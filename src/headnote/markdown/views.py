"""The content of a container as a text of its own, which still knows the source position of each line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from headnote.lines import LINE

_QUOTE_MARKER = re.compile(r" *+>")
_LIST_MARKER = re.compile(r" *+(?:[-+*]|[0-9]{1,9}[.)])(?= |\Z)")
_FOOTNOTE_MARKER = re.compile(r" *+\[\^[^\]]*+\]:[ \t]*+")
_PREFIX = re.compile(r"(?:[ \t>]|(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]))*+")
_FOOTNOTE_WIDTH = 4
_CODE_INDENT = 4
_NOT_LINE_END = re.compile(r"[^\r\n]")

_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}"
_TAG = re.compile(rf"""</?(?:[A-Za-z][\w.:\-]*+(?:[^<>"'{{}}]|"[^"]*+"|'[^']*+'|{_BRACES})*+)?+>""")
_COMMENT_END = "*/}"
_MAYBE_TAG = re.compile(r"</?[A-Za-z>]|\{/\*")
# The longest tag that is looked for, so that crafted quotes and braces cannot make every `<` read on to the end.
_MAX_TAG = 4096


class View(NamedTuple):
    """A text cut out of a source, line by line."""

    text: str
    starts: list[int]
    """Where each line begins in the text."""
    shifts: list[int]
    """For each line, how far its characters lie from their place in the source."""

    def place(self, position: int) -> int:
        """Where this character stands in the source."""
        return position + self.shifts[bisect_right(self.starts, position) - 1]


def whole(text: str) -> View:
    """The source itself."""
    return View(text, [0], [0])


class _Line(NamedTuple):
    content: str
    """What the line brings to the container, without the line end."""
    place: int
    """Where the end of that content lies in the source: indentation may have changed, the end has not moved."""


def _join(lines: list[_Line]) -> View:
    starts: list[int] = []
    shifts: list[int] = []
    position = 0
    for content, place in lines:
        starts.append(position)
        shifts.append(place - len(content) - position)
        position += len(content) + 1
    return View("\n".join(line.content for line in lines), starts, shifts)


def _lines(view: View, start: int, end: int) -> Iterator[_Line]:
    for match in LINE.finditer(view.text, start, end):
        if match.start() < end:
            content = match[1] if "\t" not in match[1] else _with_spaces(match[1])
            yield _Line(content, _place_of_end(view, match.start(), match.end(1)))


def _with_spaces(line: str) -> str:
    """The same line without tabs before and between its markers: how wide a tab is depends on where it stands, and
    that is known only as long as the outer markers are there."""
    prefix = _PREFIX.match(line)
    assert prefix is not None
    return prefix[0].expandtabs(4) + line[prefix.end() :]


def _place_of_end(view: View, line_start: int, line_end: int) -> int:
    return view.place(line_start) + line_end - line_start


def quote_content(view: View, start: int, end: int) -> View:
    """A block quote without its markers; lazy lines are as they were."""
    lines = []
    for line in _lines(view, start, end):
        marker = _QUOTE_MARKER.match(line.content)
        if marker is None:
            lines.append(_Line(line.content.lstrip(" "), line.place))
        else:
            lines.append(_Line(_outdent(line.content, marker.end(), 1), line.place))
    return _join(lines)


def footnote_content(view: View, start: int, end: int) -> View:
    """A footnote without its label and indentation."""
    lines = list(_lines(view, start, end))
    marker = _FOOTNOTE_MARKER.match(lines[0].content)
    first = _Line(lines[0].content[marker.end() if marker else 0 :], lines[0].place)
    return _join([first, *(_Line(_outdent(content, 0, _FOOTNOTE_WIDTH), place) for content, place in lines[1:])])


def list_items(view: View, start: int, end: int) -> Iterator[View]:
    """The content of each item of a list, without markers and indentation."""
    item: list[_Line] = []
    width = 0
    for content, place in _lines(view, start, end):
        indent = len(content) - len(content.lstrip(" "))
        if indent >= width > 0 or indent == len(content):
            item.append(_Line(content[width:], place))
            continue
        marker = _LIST_MARKER.match(content)
        if marker is None:
            item.append(_Line(content[indent:], place))
            continue
        if item:
            yield _join(item)
        width = _item_width(content, marker.end())
        item = [_Line(content[width:], place)]
    if item:
        yield _join(item)


def _item_width(line: str, after_marker: int) -> int:
    """Columns by which the lines of a list item are indented."""
    gap = len(line) - after_marker - len(line[after_marker:].lstrip(" "))
    is_empty = after_marker + gap == len(line)
    # Nothing, or indented code, after the marker: then one blank belongs to the marker.
    return after_marker + (1 if is_empty or gap > _CODE_INDENT else gap)


def _outdent(line: str, start: int, width: int) -> str:
    """The line from `start` on, with up to `width` blanks removed."""
    rest = line[start:]
    return rest[min(width, len(rest) - len(rest.lstrip(" "))) :]


def jsx_content(view: View, start: int, end: int) -> View:
    """A JSX element without its tags and comments. MDX has no indented code, so indentation goes as well."""
    text = _without_tags(view.text[start:end])
    lines = (match for match in LINE.finditer(text) if match.start() < len(text))
    return _join(
        [_Line(line[1].lstrip(" \t"), _place_of_end(view, start + line.start(), start + line.end(1))) for line in lines]
    )


def _without_tags(text: str) -> str:
    """Blanks in place of tags and comments: everything else keeps its position."""
    pieces: list[str] = []
    position = 0
    last_comment_end = text.rfind(_COMMENT_END)
    candidate = _MAYBE_TAG.search(text)
    while candidate is not None:
        start, resume = candidate.span()
        end = -1
        if candidate[0] != "{/*":
            tag = _TAG.match(text, start, start + _MAX_TAG)
            end = tag.end() if tag else -1
        elif resume <= last_comment_end:
            end = text.find(_COMMENT_END, resume) + len(_COMMENT_END)
        if end > 0:
            pieces.append(text[position:start])
            pieces.append(_NOT_LINE_END.sub(" ", text[start:end]))
            position = resume = end
        candidate = _MAYBE_TAG.search(text, resume)
    pieces.append(text[position:])
    return "".join(pieces)
