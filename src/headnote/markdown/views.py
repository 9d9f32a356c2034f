"""The content of a container as a text of its own, which still knows the source position of each line."""

from __future__ import annotations

import re
from bisect import bisect_right

from headnote.lines import LINE

_QUOTE_MARKER = re.compile(r" *+>")
_LIST_MARKER = re.compile(r" *+(?:[-+*]|[0-9]{1,9}[.)])(?= |\n|\Z)")
_FOOTNOTE_MARKER = re.compile(r" *+\[\^[^\]]*+\]:[ \t]*+")
_PREFIX = re.compile(r"(?:[ \t>]|(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]))*+")
_BLANKS = re.compile(r" *+")
_BLANKS_WITH_TAB = re.compile(r" *+\t[ \t]*+")
_TAB_WIDTH = 4
_FOOTNOTE_WIDTH = 4
_CODE_INDENT = 4
_NOT_LINE_END = re.compile(r"[^\r\n]")

_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}"
_TAG = re.compile(rf"""</?(?:[A-Za-z][\w.:\-]*+(?:[^<>"'{{}}]|"[^"]*+"|'[^']*+'|{_BRACES})*+)?+>""")
_FRONTMATTER_LIKE = ("---", "+++", "\ufeff")
_COMMENT_END = "*/}"
_MAYBE_TAG = re.compile(r"</?[A-Za-z>]|\{/\*")
# The longest tag that is looked for, so that crafted quotes and braces cannot make every `<` read on to the end.
_MAX_TAG = 4096


class View:
    """A text cut out of a source, stretch by stretch."""

    __slots__ = ("shifts", "starts", "text")

    def __init__(self, text: str, starts: list[int], shifts: list[int]) -> None:
        self.text = text
        self.starts = starts
        """Where each stretch begins in the text: a line, and in a line whatever follows a tab that became blanks."""
        self.shifts = shifts
        """For each stretch, how far its characters lie from their place in the source."""

    def place(self, position: int) -> int:
        """Where this character stands in the source."""
        starts, shifts = self.starts, self.shifts
        if len(starts) == 1:
            return position + shifts[0]
        following = bisect_right(starts, position)
        place = position + shifts[following - 1]
        # A tab that became blanks is shorter than they are: none of them lies behind the character after it.
        return place if following == len(starts) else min(place, starts[following] + shifts[following])


def whole(text: str) -> View:
    """The source itself."""
    return View(text, [0], [0])


def as_content(view: View) -> View:
    """A view that can be scanned. Only a file has frontmatter: behind an empty line, the same text is what it looks
    like."""
    if not view.text.startswith(_FRONTMATTER_LIKE):
        return view
    return View("\n" + view.text, [0, *(at + 1 for at in view.starts)], [0, *(by - 1 for by in view.shifts)])


class _Copy:
    """A view in the making: stretches of another one, side by side."""

    __slots__ = ("contents", "length", "original", "shifts", "starts")

    def __init__(self, original: View) -> None:
        self.original = original
        self.contents: list[str] = []
        self.starts: list[int] = []
        self.shifts: list[int] = []
        self.length = 0

    def take(self, start: int, stop: int) -> None:
        """Append a stretch of the original, which may consist of several."""
        starts, shifts = self.original.starts, self.original.shifts
        following = bisect_right(starts, start)
        moved = start - self.length
        self.starts.append(self.length)
        self.shifts.append(self.original.place(start) - self.length)
        while following < len(starts) and starts[following] < stop:
            self.starts.append(starts[following] - moved)
            self.shifts.append(shifts[following] + moved)
            following += 1
        self.add(self.original.text[start:stop])

    def add(self, text: str) -> None:
        """Append what is not in the original. It counts as part of the stretch before."""
        self.contents.append(text)
        self.length += len(text)

    def view(self) -> View:
        return View("".join(self.contents), self.starts, self.shifts)


_Line = tuple[int, int]
"""Where a line, or what it brings to a container, begins and ends in a view; without the line end."""


def _join(view: View, lines: list[_Line]) -> View:
    copy = _Copy(view)
    for number, (start, stop) in enumerate(lines):
        if number:
            copy.add("\n")
        copy.take(start, stop)
    return copy.view()


def _lines(view: View, start: int, end: int) -> tuple[View, list[_Line]]:
    """The lines of a container, in a view where blanks stand for the tabs before and between their markers."""
    text = view.text
    has_returns = text.find("\r", start, end) >= 0
    has_tabs = text.find("\t", start, end) >= 0
    lines: list[_Line] = []
    while start < end:
        if has_returns:
            match = LINE.match(text, start, end)
            assert match is not None, "it also matches nothing"
            stop, following = match.end(1), match.end()
        else:
            stop = text.find("\n", start, end)
            stop, following = (stop, stop + 1) if stop >= 0 else (end, end)
        lines.append((start, stop))
        start = following
    return _with_spaces(view, lines) if has_tabs else (view, lines)


def _with_spaces(view: View, lines: list[_Line]) -> tuple[View, list[_Line]]:
    """The same lines without tabs before and between their markers: how wide a tab is depends on where it stands, and
    that is known only as long as the outer markers are there."""
    copy = _Copy(view)
    widened: list[_Line] = []
    for start, stop in lines:
        begin, taken = copy.length, start
        prefix = _PREFIX.match(view.text, start, stop)
        assert prefix is not None, "it also matches nothing"
        for blanks in _BLANKS_WITH_TAB.finditer(view.text, start, prefix.end()):
            copy.take(taken, blanks.start())
            column = (copy.length - begin) % _TAB_WIDTH
            copy.add((" " * column + blanks[0]).expandtabs(_TAB_WIDTH)[column:])
            taken = blanks.end()
        copy.take(taken, stop)
        widened.append((begin, copy.length))
        copy.add("\n")
    return copy.view(), widened


def _indent(text: str, start: int, stop: int) -> int:
    """How many blanks a stretch begins with."""
    blanks = _BLANKS.match(text, start, stop)
    assert blanks is not None, "it also matches nothing"
    return blanks.end() - start


def quote_content(view: View, start: int, end: int) -> View:
    """A block quote without its markers; lazy lines lose their indentation."""
    view, lines = _lines(view, start, end)
    contents: list[_Line] = []
    for begin, stop in lines:
        marker = _QUOTE_MARKER.match(view.text, begin, stop)
        first, width = (begin, stop - begin) if marker is None else (marker.end(), 1)
        contents.append((_outdented(view.text, first, stop, width), stop))
    return _join(view, contents)


def footnote_content(view: View, start: int, end: int) -> View:
    """A footnote without its label and indentation."""
    view, lines = _lines(view, start, end)
    first, first_stop = lines[0]
    marker = _FOOTNOTE_MARKER.match(view.text, first, first_stop)
    others = [(_outdented(view.text, begin, stop, _FOOTNOTE_WIDTH), stop) for begin, stop in lines[1:]]
    return _join(view, [(marker.end() if marker else first, first_stop), *others])


class ItemView:
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


def plain_items(text: str, start: int, end: int) -> list[ItemView]:
    """The items of a list that begins with a marker, has no tabs, and lines that end in `\\n`."""
    items: list[ItemView] = []
    width, line_start = 1, start
    while line_start < end:
        stop = text.find("\n", line_start, end)
        if stop < 0:
            stop = end
        marker = _LIST_MARKER.match(text, line_start, stop)
        if marker is not None and (not items or marker.end() - len(marker[0].lstrip(" ")) - line_start < width):
            if items:
                items[-1].end = line_start
            width = _item_width(text, line_start, marker.end(), stop)
            items.append(ItemView(line_start, line_start + width, stop, end))
        line_start = stop + 1
    return items


def item_content(view: View, item: ItemView) -> View:
    """An item without its marker and indentation; lazy lines lose what they have."""
    width = item.content - item.start
    view, (first, *others) = _lines(view, item.start, item.end)
    contents = [(min(first[0] + width, first[1]), first[1])]
    contents += [(_outdented(view.text, start, stop, width), stop) for start, stop in others]
    return _join(view, contents)


def is_plain_list(text: str, start: int, end: int) -> bool:
    """Whether `plain_items` can read it; `list_items` reads every list."""
    has_odd_blanks = text.find("\t", start, end) >= 0 or text.find("\r", start, end) >= 0
    return not has_odd_blanks and _LIST_MARKER.match(text, start, end) is not None


def list_items(view: View, start: int, end: int) -> list[View]:
    """The content of each item of a list, without markers and indentation."""
    view, lines = _lines(view, start, end)
    items: list[View] = []
    item: list[_Line] = []
    width = 0
    for begin, stop in lines:
        indent = _indent(view.text, begin, stop)
        is_inside = indent >= width > 0 or begin + indent == stop
        marker = None if is_inside else _LIST_MARKER.match(view.text, begin, stop)
        if marker is None:
            item.append((begin + min(indent, width) if is_inside else begin + indent, stop))
            continue
        if item:
            items.append(_join(view, item))
        width = _item_width(view.text, begin, marker.end(), stop)
        item = [(min(begin + width, stop), stop)]
    if item:
        items.append(_join(view, item))
    return items


def _item_width(text: str, start: int, after_marker: int, stop: int) -> int:
    """Columns by which the lines of a list item are indented, which begins in the line from `start` to `stop`."""
    gap = _indent(text, after_marker, stop)
    is_empty = after_marker + gap == stop
    # Nothing, or indented code, after the marker: then one blank belongs to the marker.
    return after_marker - start + (1 if is_empty or gap > _CODE_INDENT else gap)


def _outdented(text: str, start: int, stop: int, width: int) -> int:
    """Where a stretch begins without up to `width` blanks."""
    return start + min(width, _indent(text, start, stop))


def jsx_content(view: View, start: int, end: int) -> View:
    """A JSX element without its tags and comments. MDX has no indented code, so indentation goes as well."""
    element = _join(view, [(start, end)])
    element.text = text = _without_tags(element.text)
    lines = [match.span(1) for match in LINE.finditer(text) if match.start() < len(text)]
    return _join(element, [(stop - len(text[begin:stop].lstrip(" \t")), stop) for begin, stop in lines])


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
