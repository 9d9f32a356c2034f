"""Where a container ends, line by line.

This is the slow and complete way: it keeps the stack of open containers and the one open leaf, because whether an
unprefixed line is a lazy continuation depends on a paragraph being open at the very bottom. Only extents matter here,
so tabs are expanded first, and columns become indices.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import NamedTuple

from headnote.markdown.rules import leaf, paragraph
from headnote.markdown.rules.leaf import DELIMITER_ROW, is_table_head, only_definitions
from headnote.markdown.rules.mdx import flow_at
from headnote.markdown.rules.rule import Dialect, SpansRead

_QUOTE = 0
"""Width on the stack of a container that is continued by a `>` and not by indentation."""
FOOTNOTE_WIDTH = 4


class _Marker(NamedTuple):
    """What opens a container, and how its further lines are recognised."""

    end: int
    """Index just past the marker and the spaces that belong to it."""
    width: int
    """Columns of indentation that continue it, or `_QUOTE`."""
    sort: str = ""
    """Last character of a list marker: items of one list share it. Empty for quotes and footnotes."""
    empty: bool = False
    """A list item with nothing after its marker: a blank line will close it."""


class _Patterns(NamedTuple):
    """Matched where a line's content begins."""

    list_marker: re.Pattern[str]
    footnote: re.Pattern[str]
    heading: re.Pattern[str]
    fence: re.Pattern[str]
    html_terminated: re.Pattern[str]
    html_block: re.Pattern[str]
    html_complete: re.Pattern[str]
    underline: re.Pattern[str]
    delimiters: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Compiled for the first container that needs them: that takes a hundredth of a search as a command."""
    return _Patterns(
        list_marker=re.compile(paragraph.LIST_MARKER),
        footnote=re.compile(paragraph.FOOTNOTE_LABEL),
        heading=re.compile(leaf.HEADING_OPENING),
        fence=re.compile(r"(`{3,}+)[^`\n]*+\n|(~{3,}+)"),
        html_terminated=re.compile(leaf.TERMINATED),
        html_block=re.compile(leaf.BLOCK_TAG),
        html_complete=re.compile(leaf.COMPLETE_TAG),
        underline=re.compile(paragraph.SETEXT_UNDERLINE),
        delimiters=re.compile(DELIMITER_ROW),
    )


_BEGIN_SOMETHING = frozenset("#>`~*+-_=<0123456789[{")
"""First characters of what opens a container or a leaf; most lines begin with a letter."""


def nested_end(text: str, start: int, dialect: Dialect) -> int:
    """Offset of the first line after the container that begins with the line at `start`."""
    nesting = _Nesting(dialect)
    position = start
    while position < len(text):
        line_end = text.index("\n", position)
        line = text[position:line_end].expandtabs(4) + "\n"
        if not nesting.takes(line):
            break
        position = line_end + 1
    return position


class _Nesting:
    """The open containers and the open leaf, after each line."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.patterns = _patterns()
        self.widths: list[int] = []
        """Open containers, outermost first: columns of indentation that continue each, or `_QUOTE`."""
        self.quotes: list[int] = []
        """Which of them are quotes: blank lines go through all others without a look."""
        self.outermost: _Marker | None = None
        self.innermost_is_empty = False
        self.leaf = ""
        """What is open in the innermost container: paragraph, table, indented, fence, html or html_to_blank."""
        self.paragraph: list[str] = []
        self.marks_from: dict[str, int] = {}
        """For each mark of a thematic break, where the line begins to consist of it and of spaces alone."""
        self.raw_end: re.Pattern[str] = re.compile("")
        """What ends the open fence or HTML block, matched from where the content of the line begins."""

    def takes(self, line: str) -> bool:
        """Read one line; False if it lies outside the outermost container."""
        self.marks_from.clear()
        matched, at = self._match_containers(line)
        if line[at:].isspace():
            return self._take_blank(matched)
        if matched == len(self.widths) and self.leaf in ("fence", "html", "html_to_blank"):
            self._take_raw(line, at)
            return True
        return self._take_content(line, at, matched)

    def _match_containers(self, line: str) -> tuple[int, int]:
        """How many containers the line continues, and the index where what it brings to them begins."""
        at = depth = 0
        while depth < len(self.widths):
            first = _first_content(line, at)
            if self.widths[depth] == _QUOTE:
                if first - at >= self.dialect.deep or line[first] != ">":
                    break
                at = first + 1 + (line[first + 1] == " ")
                depth += 1
            elif line[first] == "\n":
                # Blank: every list item goes on, up to the next quote. One step, or deep lists would cost a square.
                quote = bisect_left(self.quotes, depth)
                depth = self.quotes[quote] if quote < len(self.quotes) else len(self.widths)
            elif first - at >= self.widths[depth]:
                at += self.widths[depth]
                depth += 1
            else:
                break
        return depth, at

    def _take_blank(self, matched: int) -> bool:
        if matched < len(self.widths) or self.leaf in ("paragraph", "table", "html_to_blank"):
            self._close_to(matched)
        elif self.innermost_is_empty:
            self._close_to(matched - 1)
        assert self.outermost is not None
        return matched > 0 or self.outermost.sort != ""

    def _take_raw(self, line: str, at: int) -> None:
        ends = {"fence": self.raw_end.match, "html": self.raw_end.search}.get(self.leaf)
        if ends and ends(line, at):
            self.leaf = ""

    def _take_content(self, line: str, at: int, matched: int) -> bool:
        """Open what begins on this line, container after container, or go on with what is open."""
        while True:
            first = _first_content(line, at)
            if line[first] == "\n":
                return True
            in_paragraph = self.leaf == "paragraph" and matched == len(self.widths)
            if first - at >= self.dialect.deep:
                return self._take_deep(line, first, matched)
            if line[first] not in _BEGIN_SOMETHING:
                return self._take_text(line, first, matched)
            if self._opens_leaf(line, first, in_paragraph):
                if matched == 0:
                    return False
                self._close_to(matched)
                self._open_leaf(line, first)
                return True
            marker = self._marker(line, at, first, in_paragraph)
            if marker is None:
                return self._take_text(line, first, matched)
            if matched == 0 and self.outermost and not (marker.sort and marker.sort == self.outermost.sort):
                return False
            self._close_to(matched)
            self._open_container(marker)
            matched += 1
            at = marker.end

    def _take_deep(self, line: str, first: int, matched: int) -> bool:
        """Indented too far to begin anything: code, unless a paragraph is open."""
        if self.leaf == "paragraph":
            self.paragraph.append(line[first:])
            return True
        if matched == 0:
            return False
        self._close_to(matched)
        self.leaf = "indented"
        return True

    def _take_text(self, line: str, first: int, matched: int) -> bool:
        """Begins nothing: goes on with the paragraph or table, lazily or not, or begins a paragraph."""
        whole = matched == len(self.widths)
        if self.leaf == "paragraph":
            may_be_table = whole and self.patterns.delimiters.match(line, first) is not None
            if may_be_table and is_table_head(self.paragraph[-1], line[first:]):
                self.leaf = "table"
            else:
                self.paragraph.append(line[first:])
            return True
        if self.leaf == "table" and whole:
            return True
        if matched == 0:
            return False
        self._close_to(matched)
        self.leaf = "paragraph"
        self.paragraph = [line[first:]]
        return True

    def _opens_leaf(self, line: str, first: int, in_paragraph: bool) -> bool:
        mark = line[first]
        if mark == "`" or mark == "~":
            return self.patterns.fence.match(line, first) is not None
        if mark == "#":
            return self.patterns.heading.match(line, first) is not None
        if mark == "-" or mark == "=" or mark == "*" or mark == "_":
            return self._is_underline(line, first, in_paragraph) or self._is_thematic_break(line, first)
        if self.dialect.mdx:
            return mark in "<{" and flow_at(line, first, SpansRead()).alone
        if mark != "<":
            return False
        if self.patterns.html_terminated.match(line, first) or self.patterns.html_block.match(line, first):
            return True
        return self.leaf != "paragraph" and self.patterns.html_complete.match(line, first) is not None

    def _is_underline(self, line: str, first: int, in_paragraph: bool) -> bool:
        is_underline = in_paragraph and self.patterns.underline.match(line, first) is not None
        return is_underline and not self._has_only_definitions()

    def _has_only_definitions(self) -> bool:
        paragraph = "".join(self.paragraph)
        return only_definitions(paragraph, 0, len(paragraph))

    def _is_thematic_break(self, line: str, first: int) -> bool:
        """The same characters from here to the end; looked for from the end, once in a line that opens many lists."""
        mark = line[first]
        if mark == "=":
            return False
        if mark not in self.marks_from:
            self.marks_from[mark] = len(line.rstrip(f"{mark} \n"))
        return first >= self.marks_from[mark] and line.count(mark, first) >= 3

    def _open_leaf(self, line: str, first: int) -> None:
        """Called where `_opens_leaf` said yes; a heading or thematic break is over with its line."""
        if fence := self.patterns.fence.match(line, first):
            mark = fence[1] or fence[2]
            indent = "[ ]*+" if self.dialect.mdx else "[ ]{0,3}+"
            self.raw_end = re.compile(rf"{indent}{mark[0]}{{{len(mark)},}}+[ ]*+\n")
            self.leaf = "fence"
        elif self.dialect.mdx or line[first] != "<":
            return
        elif self.patterns.html_terminated.match(line, first):
            self.raw_end = leaf.closing(line, first)
            self.leaf = "" if self.raw_end.search(line, first + 1) else "html"
        else:
            self.leaf = "html_to_blank"

    def _marker(self, line: str, at: int, first: int, in_paragraph: bool) -> _Marker | None:
        """The container that begins at `first`, if one does."""
        if line[first] == ">":
            return _Marker(first + 1 + (line[first + 1] == " "), _QUOTE)
        if line[first] == "[" and (footnote := self.patterns.footnote.match(line, first)):
            return _Marker(_first_content(line, footnote.end()), FOOTNOTE_WIDTH)
        marker = self.patterns.list_marker.match(line, first)
        if marker is None:
            return None
        content = _first_content(line, marker.end())
        empty = line[content] == "\n"
        number = marker[0][:-1]
        if in_paragraph and (empty or (number and int(number) != 1)):
            return None
        gap = content - marker.end()
        if empty or gap > self.dialect.deep:
            gap = 1  # what follows is indented code, or nothing: one space belongs to the marker
        return _Marker(min(marker.end() + gap, content), marker.end() - at + gap, marker[0][-1], empty)

    def _open_container(self, marker: _Marker) -> None:
        if marker.width == _QUOTE:
            self.quotes.append(len(self.widths))
        self.widths.append(marker.width)
        self.outermost = self.outermost or marker
        self.innermost_is_empty = marker.empty

    def _close_to(self, depth: int) -> None:
        """Close the containers from `depth` on, and the leaf."""
        del self.widths[depth:]
        while self.quotes and self.quotes[-1] >= depth:
            self.quotes.pop()
        self.leaf = ""
        self.innermost_is_empty = False


def _first_content(line: str, at: int) -> int:
    while line[at] == " ":
        at += 1
    return at
