"""GFM tables: a header row, a delimiter row with as many cells, and rows up to a blank line or another construct."""

from __future__ import annotations

import re

_CELL = r"[ \t]*+:?+-++:?+[ \t]*+"
DELIMITER_ROW = rf"(?=[|:-])(?=[^\n]*?[|:])\|?+{_CELL}(?:\|{_CELL})*+\|?+[ \t]*+\n"
"""With at least one pipe or colon: dashes alone underline a heading."""

_SEPARATOR = re.compile(r"\\[\s\S]|\|")


def is_table_head(header: str, delimiters: str) -> bool:
    """Whether the two lines make the head of a table: as many cells in one as in the other."""
    return _cell_count(header) == _cell_count(delimiters)


def _cell_count(row: str) -> int:
    row = row.strip(" \t\n")
    if row == "|":
        return 0
    pipes = row.count("|")
    if "\\" in row:
        pipes = sum(match[0] == "|" for match in _SEPARATOR.finditer(row))
    pipes -= row.startswith("|")
    pipes -= row.endswith("|") and not _ends_escaped(row)
    return pipes + 1


def _ends_escaped(row: str) -> bool:
    before = row[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1
