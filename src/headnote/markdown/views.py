"""The content of a container as a text of its own, which still knows the source position of each line."""

from __future__ import annotations

import re
from bisect import bisect_right

from headnote.lines import LINE

_QUOTE_MARKER = re.compile(r" *+>")
_LIST_MARKER = re.compile(r" *+(?:[-+*]|[0-9]{1,9}[.)])(?= |\n|\Z)")
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


class View:
    """A text cut out of a source, line by line."""

    __slots__ = ("shifts", "starts", "text")

    def __init__(self, text: str, starts: list[int], shifts: list[int]) -> None:
        self.text = text
        self.starts = starts
        """Where each line begins in the text."""
        self.shifts = shifts
        """For each line, how far its characters lie from their place in the source."""

    def place(self, position: int) -> int:
        """Where this character stands in the source."""
        if len(self.starts) == 1:
            return position + self.shifts[0]
        return position + self.shifts[bisect_right(self.starts, position) - 1]


def whole(text: str) -> View:
    """The source itself."""
    return View(text, [0], [0])


_Line = tuple[str, int]
"""What a line brings to the container, without the line end, and where the end of that lies in the source: indentation
may have changed, the end has not moved."""


def _join(lines: list[_Line]) -> View:
    contents: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    position = 0
    for content, place in lines:
        contents.append(content)
        starts.append(position)
        shifts.append(place - len(content) - position)
        position += len(content) + 1
    return View("\n".join(contents), starts, shifts)


def _lines(view: View, start: int, end: int) -> list[_Line]:
    text = view.text
    has_returns = text.find("\r", start, end) >= 0
    lines: list[_Line] = []
    while start < end:
        if has_returns:
            match = LINE.match(text, start, end)
            assert match is not None, "it also matches nothing"
            stop, following = match.end(1), match.end()
        else:
            stop = text.find("\n", start, end)
            stop, following = (stop, stop + 1) if stop >= 0 else (end, end)
        content = text[start:stop]
        place = _place_of_end(view, start, stop)
        lines.append((_with_spaces(content) if "\t" in content else content, place))
        start = following
    return lines


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
    for content, place in _lines(view, start, end):
        marker = _QUOTE_MARKER.match(content)
        lines.append((content.lstrip(" ") if marker is None else _outdent(content, marker.end(), 1), place))
    return _join(lines)


def footnote_content(view: View, start: int, end: int) -> View:
    """A footnote without its label and indentation."""
    (first, first_place), *others = _lines(view, start, end)
    marker = _FOOTNOTE_MARKER.match(first)
    content = (first[marker.end() if marker else 0 :], first_place)
    return _join([content, *[(_outdent(line, 0, _FOOTNOTE_WIDTH), place) for line, place in others]])


class Item:
    """A list item, not cut out yet: most items have nothing that anyone looks for."""

    __slots__ = ("content", "end", "line_end", "start")

    def __init__(self, start: int, content: int, line_end: int, end: int) -> None:
        self.start = start
        """Where its first line begins, before the marker."""
        self.content = content
        """Where the content of that line begins; past its end if there is none."""
        self.line_end = line_end
        """Where that line ends."""
        self.end = end
        """Where the next item begins, or the list ends."""


def plain_items(text: str, start: int, end: int) -> list[Item]:
    """The items of a list that begins with a marker, has no tabs, and lines that end in `\\n`."""
    items: list[Item] = []
    width, line_start = 1, start
    while line_start < end:
        stop = text.find("\n", line_start, end)
        if stop < 0:
            stop = end
        marker = _LIST_MARKER.match(text, line_start, stop)
        if marker is not None and (not items or marker.end() - len(marker[0].lstrip(" ")) - line_start < width):
            if items:
                items[-1].end = line_start
            width = _item_width(text[line_start:stop], marker.end() - line_start)
            items.append(Item(line_start, line_start + width, stop, end))
        line_start = stop + 1
    return items


def item_content(view: View, item: Item) -> View:
    """An item without its marker and indentation; lazy lines lose what they have."""
    width = item.content - item.start
    (first, first_place), *others = _lines(view, item.start, item.end)
    lines = [(first[width:], first_place)]
    for content, place in others:
        indent = len(content) - len(content.lstrip(" "))
        is_lazy = indent < width and indent < len(content)
        lines.append((content[indent if is_lazy else width :], place))
    return _join(lines)


def is_plain_list(text: str, start: int, end: int) -> bool:
    """Whether `plain_items` can read it; `list_items` reads every list."""
    has_odd_blanks = text.find("\t", start, end) >= 0 or text.find("\r", start, end) >= 0
    return not has_odd_blanks and _LIST_MARKER.match(text, start, end) is not None


def list_items(view: View, start: int, end: int) -> list[View]:
    """The content of each item of a list, without markers and indentation."""
    items: list[View] = []
    item: list[_Line] = []
    width = 0
    for content, place in _lines(view, start, end):
        indent = len(content) - len(content.lstrip(" "))
        if indent >= width > 0 or indent == len(content):
            item.append((content[width:], place))
            continue
        marker = _LIST_MARKER.match(content)
        if marker is None:
            item.append((content[indent:], place))
            continue
        if item:
            items.append(_join(item))
        width = _item_width(content, marker.end())
        item = [(content[width:], place)]
    if item:
        items.append(_join(item))
    return items


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
    lines = [match for match in LINE.finditer(text) if match.start() < len(text)]
    return _join(
        [(line[1].lstrip(" \t"), _place_of_end(view, start + line.start(), start + line.end(1))) for line in lines]
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
