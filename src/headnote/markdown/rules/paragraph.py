"""Paragraphs: which lines end them because they begin something new, and what turns out to be something else once its
last line is seen.

A paragraph may begin with link reference definitions, may be underlined into a setext heading, and its last line may be
the header of a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from headnote.markdown.rules import leaf
from headnote.markdown.rules.leaf import DELIMITER_ROW, is_table_head, only_definitions, read_definitions
from headnote.markdown.rules.mdx import flow_at
from headnote.markdown.rules.rule import BLANK_LINE, REST_OF_LINE, Dialect, Reader, Rule, SpansRead, without_blank_end

LIST_MARKER = r"(?:[-+*]|[0-9]{1,9}+[.)])(?=[ \t\n])"
SETEXT_UNDERLINE = r"(?:=++|-++)[ \t]*+\n"
FOOTNOTE_LABEL = r"\[\^(?:[^\s\[\]\\]|\\[^\s])++\]:"

# Inside a paragraph, only a list that begins with 1 and does not begin empty is taken for one: prose has years and
# lone dashes at the beginning of lines.
_INTERRUPTING_MARKER = r"(?:[-+*]|0{0,8}+1[.)])[ \t]++[^\n]"


def _anywhere(dialect: Dialect) -> list[str]:
    """What begins a new block wherever it stands."""
    starts = [">", leaf.HEADING_OPENING, leaf.FENCE_OPENING, leaf.BREAK_OPENING, FOOTNOTE_LABEL]
    return starts if dialect.mdx else [*starts, leaf.INTERRUPTING]


def after_container(dialect: Dialect) -> str:
    """A line, outside the container before it, that cannot be a lazy continuation of a paragraph in there."""
    return rf"{dialect.indent}(?:{'|'.join([*_anywhere(dialect), LIST_MARKER])})"


def after_paragraph(dialect: Dialect) -> str:
    """A line that cannot go on with the paragraph before it."""
    starts = [*_anywhere(dialect), _INTERRUPTING_MARKER]
    return rf"{BLANK_LINE}|{dialect.indent}(?:{'|'.join(starts)})"


def perhaps_after_paragraph(dialect: Dialect) -> str:
    """A line that the paragraph rule has to look at closer.

    An underline makes a heading of the paragraph, a delimiter row ends it if the line above is its header, and in MDX
    a `<` or `{` ends it if a complete tag or expression stands there.
    """
    starts = [*_anywhere(dialect), _INTERRUPTING_MARKER, SETEXT_UNDERLINE, leaf.DELIMITER_ROW]
    if dialect.mdx:
        starts.append("[<{]")
    return rf"{BLANK_LINE}|{dialect.indent}(?:{'|'.join(starts)})"


def after_table(dialect: Dialect) -> str:
    """A line that is no further row of the table before it."""
    starts = [*_anywhere(dialect), LIST_MARKER, "[<{]" if dialect.mdx else leaf.COMPLETE_TAG]
    too_deep = [] if dialect.mdx else [leaf.INDENT]
    return "|".join([BLANK_LINE, *too_deep, rf"{dialect.indent}(?:{'|'.join(starts)})"])


# -- Paragraphs, and what turns out to be something else once its last line is seen.

_BEGINS_NOTHING = r"[^\s#>`~*+\-_<0-9\[{}]"
"""A first character that only a paragraph has; `{}` takes further characters to exclude."""
_MAY_END_OTHERWISE = frozenset("=-|: \t<{")
"""First characters of a line before which a paragraph may end, or end as something else."""
_MAY_BEGIN_DEFINITION = frozenset("[ \t")


Continuation = Callable[[str, int, int, SpansRead], int]
"""(text, start of a paragraph, end of the lines that are known to belong to it, what is read so far) → where scanning
goes on."""


def paragraph(dialect: Dialect) -> Rule:
    return Rule("paragraph", rf"[^ \t\n]{REST_OF_LINE}{_more(dialect)}", _reader(_continuation(dialect)))


def prose(dialect: Dialect) -> Rule:
    """A paragraph that is recognised by its first letter: tried first, since most blocks are one."""
    first = rf"(?:{_BEGINS_NOTHING.format('{' if dialect.mdx else '')}|\*\*[^\s*])"
    return Rule("prose", rf"{first}{REST_OF_LINE}{_more(dialect)}", _reader(_continuation_of_prose(dialect)))


def prose_continuation(dialect: Dialect) -> Continuation:
    """The same, for prose that is known only up to a line that may begin something."""
    more = re.compile(_more(dialect))
    go_on = _continuation_of_prose(dialect)
    return lambda text, start, end, reading: go_on(text, start, _end(more, text, end), reading)


def _more(dialect: Dialect) -> str:
    goes_on = _BEGINS_NOTHING.format("=|:{" if dialect.mdx else "=|:")
    return rf"(?:{goes_on}{REST_OF_LINE}|(?!{perhaps_after_paragraph(dialect)}){REST_OF_LINE})*+"


def _reader(go_on: Continuation) -> Reader:
    return lambda text, start, match, reading: go_on(text, start, match.end(), reading)


def _continuation_of_prose(dialect: Dialect) -> Continuation:
    look_closely = _continuation(dialect)

    def go_on(text: str, start: int, end: int, reading: SpansRead) -> int:
        if end < len(text) and text[end] in _MAY_END_OTHERWISE:
            return look_closely(text, start, end, reading)
        reading.spans.append(("paragraph", start, end - 1, 0, ""))
        return end

    return go_on


def _continuation(dialect: Dialect) -> Continuation:
    more = re.compile(_more(dialect))
    underline = re.compile(dialect.indent + SETEXT_UNDERLINE).match
    delimiters = re.compile(dialect.indent + DELIMITER_ROW).match
    header_row = re.compile(rf"{dialect.indent}[^ \t]").match
    rows_end = _rows_end(dialect)

    def go_on(text: str, start: int, end: int, reading: SpansRead) -> int:
        size = len(text)
        while end < size and text[end] in _MAY_END_OTHERWISE:
            underlined = underline(text, end)
            if underlined and not only_definitions(text, start, end):
                return _close_setext(text, start, end, underlined.end(), reading)
            if _surely_ends(dialect)(text, end) or (dialect.mdx and flow_at(text, end, reading).alone):
                break
            if head := delimiters(text, end):
                header = max(start, text.rfind("\n", start, end - 1) + 1)
                if header_row(text, header) and is_table_head(text[header:end], head[0]):
                    _close(text, start, header, reading)
                    return _close_table(header, rows_end(text, head.end(), reading), reading)
            end = _end(more, text, text.index("\n", end) + 1)
        _close(text, start, end, reading)
        return end

    return go_on


@cache
def _surely_ends(dialect: Dialect) -> Callable[[str, int], re.Match[str] | None]:
    """Compiled for the first paragraph that is in doubt, like `_rows`."""
    return re.compile(after_paragraph(dialect)).match


def _rows_end(dialect: Dialect) -> Callable[[str, int, SpansRead], int]:
    """From the line after the delimiter row, where the rows of the table end."""
    may_flow = re.compile(r"[ \t]*+[<{]").match

    def read(text: str, position: int, reading: SpansRead) -> int:
        rows = _rows(dialect)
        end = _end(rows, text, position)
        while dialect.mdx and may_flow(text, end) and not flow_at(text, end, reading).alone:
            end = _end(rows, text, text.index("\n", end) + 1)
        return end

    return read


@cache
def _rows(dialect: Dialect) -> re.Pattern[str]:
    """Compiled for the first table: it takes a hundredth of a search as a command, few of which show one."""
    return re.compile(rf"(?:(?!{after_table(dialect)}){REST_OF_LINE})*+")


def _close(text: str, start: int, end: int, reading: SpansRead) -> None:
    """The paragraph ends here, as a paragraph."""
    if text[start] in _MAY_BEGIN_DEFINITION:
        start = read_definitions(text, start, end, reading)
    if start < end:
        # In MDX an expression may hold blank lines, and a table may begin on its last line.
        last = without_blank_end(text, start, end) if text[end - 2] == "\n" else end - 1
        reading.spans.append(("paragraph", start, last, 0, ""))


def _close_setext(text: str, start: int, underline: int, end: int, reading: SpansRead) -> int:
    start = read_definitions(text, start, underline, reading)
    reading.spans.append(("heading", start, end - 1, 1 if "=" in text[underline:end] else 2, ""))
    return end


def _close_table(header: int, end: int, reading: SpansRead) -> int:
    reading.spans.append(("table", header, end - 1, 0, ""))
    return end


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    assert match is not None, "a pattern that also matches nothing"
    return match.end()
