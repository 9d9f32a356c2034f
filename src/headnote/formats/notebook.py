"""Jupyter notebooks: the cells as Markdown, each line on the line of the file that has it.

The result has the length of the file and its line ends, so every offset and every line is one of the file. What is JSON
becomes blank; a line of a cell moves to the beginning of its line. Code cells become fenced code. Outputs are left out.
Every cell is a document of its own: a block that it leaves open is closed behind it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from headnote.errors import NotText
from headnote.markdown.rules.leaf import RAW_TEXT_TAGS
from headnote.markdown.scanner import scan

_BLANKS = re.compile(r"[ \t\r\n]*+")
_NO_LINE_END = re.compile(r"[^\r\n]")
_OPENING = re.compile(r" *(`{3,}|~{3,}|<!--|<\?|<!\[CDATA\[|<!|<[a-z]+)", re.IGNORECASE)
"""What begins a block that blank lines do not end."""
_CLOSING = {"<!--": "-->", "<?": "?>", "<![cdata[": "]]>", "<!": ">"} | {
    f"<{tag}": f"</{tag}>" for tag in RAW_TEXT_TAGS
}
"""Such a beginning in HTML → what ends it. A fence ends as it begins."""
_REMEDY = "open it in Jupyter and save it, or run: jupyter nbconvert --to notebook --inplace FILE"
_decode = json.JSONDecoder().raw_decode


class _Cell(NamedTuple):
    kind: str
    lines: list[tuple[int, str]]
    """Where each line of its source stands in the file, and what it says."""
    first: int
    """Where its source begins in the file, and where it ends."""
    last: int


def notebook_text(source: str, path: str = "") -> str:
    """The text of a notebook. A text that is not JSON is one that was made here before, and stays as it is."""
    start = _BLANKS.match(source, 1 if source.startswith("\ufeff") else 0)
    assert start, "blanks may be none"
    if not source.startswith("{", start.end()):
        return source
    try:
        notebook, _ = _decode(source, start.end())
        cells = list(_cells(source, start.end()))
    except (json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise NotText("is not a notebook: its JSON is damaged", path=path, line=line, remedy="save it again") from None
    if not cells and "worksheets" in notebook:
        raise NotText("is a notebook of version 3", path=path, remedy=_REMEDY)
    return _Sheet(source, path).written(cells, _language(notebook))


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        found = metadata.get(table) if isinstance(metadata, dict) else None
        if isinstance(found, dict) and isinstance(name := found.get(key), str) and name.isprintable():
            return name
    return "python"


class _Sheet:
    """The lines of a file, all of them blank at first."""

    def __init__(self, source: str, path: str) -> None:
        self._path = path
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", source))]
        self._blank = _NO_LINE_END.sub(" ", source)
        self._written: dict[int, str] = {}

    def written(self, cells: list[_Cell], language: str) -> str:
        for number, cell in enumerate(cells):
            for place, text in cell.lines:
                self._write(self._line(place), text)
            end = cells[number + 1].first if number + 1 < len(cells) else len(self._blank)
            if cell.kind == "markdown":
                self._close(cell, end)
            elif cell.lines:
                self._fence(cell, end, language if cell.kind == "code" else "")
        pieces, at = [], 0
        for line, text in sorted(self._written.items()):
            start = self._starts[line]
            pieces += [self._blank[at:start], _padded(text, self._room(line))]
            at = start + self._room(line)
        return "".join([*pieces, self._blank[at:]])

    def _line(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    def _room(self, line: int) -> int:
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._blank)
        return len(self._blank[self._starts[line] : end].rstrip("\r\n"))

    def _write(self, line: int, text: str) -> None:
        if "\n" in text or "\r" in text or line in self._written or len(text) > self._room(line):
            raise NotText(
                "several lines of a cell are on one line of this notebook, so hits could not name theirs",
                path=self._path,
                line=line + 1,
                remedy=_REMEDY,
            )
        self._written[line] = text

    def _fence(self, cell: _Cell, end: int, language: str) -> None:
        """The line of the bracket that opens the source, and the first one behind it with room for a fence."""
        marks = (sign * length for length in count(3) for sign in "`~")
        mark = next(mark for mark in marks if not any(mark in text for _, text in cell.lines))
        opening = self._line(cell.first)
        self._write(opening, mark + language if len(mark + language) <= self._room(opening) else mark)
        behind = range(self._line(cell.last), self._line(end) + 1)
        self._write(self._free_line(behind, mark, behind[-1]), mark)

    def _close(self, cell: _Cell, end: int) -> None:
        """End what a Markdown cell leaves open, in front of the next cell."""
        first, last = self._line(cell.first), self._line(cell.last)
        mark = _left_open("\n".join(self._written.get(line, "") for line in range(first, last + 1)))
        line = self._free_line(range(last, self._line(end)), mark, -1)
        if mark and line >= 0:
            self._write(line, mark)

    def _free_line(self, lines: range, mark: str, otherwise: int) -> int:
        """The first of these lines with room for a mark."""
        free = (line for line in lines if line not in self._written and self._room(line) >= len(mark))
        return next(free, otherwise)


def _left_open(text: str) -> str:
    """What closes the last block of a text; empty if a blank line ends it, or it is closed."""
    blocks = scan(text)
    begins = _OPENING.match(text, blocks[-1].start) if blocks else None
    mark = _CLOSING.get(begins[1].lower(), begins[1]) if begins else ""
    more = f"{text}\n\n"
    is_open = begins is not None and scan(f"{more}more")[-1].start != len(more)
    return mark if is_open else ""


def _padded(text: str, length: int) -> str:
    """Blanks fill the line. The last one is a tab: spaces alone at the end of a line would break it in Markdown."""
    return text.ljust(length - 1) + "\t" if len(text) < length else text


def _cells(source: str, start: int) -> Iterator[_Cell]:
    for key, place in _members(source, start):
        if key == "cells" and source.startswith("[", place):
            for cell in _elements(source, place):
                if source.startswith("{", cell):
                    yield _cell(source, cell)


def _cell(source: str, start: int) -> _Cell:
    kind, lines, first, last = "", [], start, start
    for key, place in _members(source, start):
        value, end = _decode(source, place)
        if key == "cell_type" and isinstance(value, str):
            kind = value
        elif key == "source":
            first, last = place, end - 1
            lines = list(_lines(source, place))
    return _Cell(kind, lines, first, last)


def _lines(source: str, start: int) -> Iterator[tuple[int, str]]:
    places = _elements(source, start) if source.startswith("[", start) else [start]
    for place in places:
        if source.startswith('"', place):
            text, _ = _decode(source, place)
            text = text.removesuffix("\n").removesuffix("\r")
            if text:
                yield place, text


def _members(source: str, start: int) -> Iterator[tuple[str, int]]:
    """The keys of an object, and where their values begin. The JSON is known to be sound."""
    at = _skip(source, start + 1)
    while source[at] != "}":
        key, at = _decode(source, at)
        value = _skip(source, _skip(source, at) + 1)
        yield key, value
        at = _behind(source, value)


def _elements(source: str, start: int) -> Iterator[int]:
    """Where the elements of an array begin."""
    at = _skip(source, start + 1)
    while source[at] != "]":
        yield at
        at = _behind(source, at)


def _behind(source: str, value: int) -> int:
    """Where the next member or element begins, or the bracket that closes them."""
    _, end = _decode(source, value)
    end = _skip(source, end)
    return _skip(source, end + 1) if source[end] == "," else end


def _skip(source: str, at: int) -> int:
    blanks = _BLANKS.match(source, at)
    return blanks.end() if blanks else at
