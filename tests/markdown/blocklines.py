"""Blocks as (kind, first line, last line), the form in which parsers compare, and the tiling they promise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

from headnote.model import Block

# The three line ends of Markdown. `str.splitlines` knows many more, which are ordinary characters here.
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
LINE_END = re.compile(r"\r\n|\r|\n")
BLANK_LINE = re.compile(r"[ \t\r\n]*")
GAP = re.compile(r"[ \t\r\n\ufeff]*")


class Seen(NamedTuple):
    """One top-level block as some parser sees it; lines are 1-based and inclusive."""

    kind: str
    first_line: int
    last_line: int
    level: int = 0


def lines_of(text: str) -> list[str]:
    """Lines with their line ends; together they are the text."""
    return [line for line in LINE.findall(text) if line]


def last_line_with_content(lines: list[str], first_line: int, last_line: int) -> int:
    """A block never ends in blank lines for us; some references count those of an unclosed fence."""
    last_line = min(last_line, len(lines))
    while last_line > first_line and BLANK_LINE.fullmatch(lines[last_line - 1]):
        last_line -= 1
    return last_line


def seen_by_us(blocks: Iterable[Block]) -> list[Seen]:
    return [Seen(block.kind, block.start_line, block.end_line, block.level) for block in blocks]


def first_difference(ours: list[Seen], theirs: list[Seen]) -> str:
    """The first place where two readings part, as `ours … theirs …`; empty where they are equal."""
    for mine, other in zip_longest(ours, theirs):
        if mine != other:
            return f"ours {_show(mine)}, theirs {_show(other)}"
    return ""


def _show(seen: Seen | None) -> str:
    if seen is None:
        return "nothing"
    level = str(seen.level) if seen.level else ""
    return f"{seen.kind}{level} {seen.first_line}-{seen.last_line}"


def tiling_fault(text: str, blocks: list[Block]) -> str:
    """What is wrong with the positions of the blocks; empty when they tile the text."""
    end = 0
    line = 1
    for block in blocks:
        if not end <= block.start < block.end <= len(text):
            return f"{block} is empty, overlaps or is out of order (the one before ended at {end})"
        if not GAP.fullmatch(text, end, block.start):
            return f"text before {block} belongs to no block: {text[end : block.start]!r}"
        line += _line_ends(text, end, block.start)
        last_line = line + _line_ends(text, block.start, block.end)
        if (block.start_line, block.end_line) != (line, last_line):
            return f"{block} lies on lines {line}-{last_line}"
        if not _covers_whole_lines(text, block):
            return f"{block} does not begin and end with its lines, or ends in a blank one"
        end, line = block.end, last_line
    return "" if GAP.fullmatch(text, end) else f"text after the last block: {text[end:]!r}"


def _line_ends(text: str, start: int, end: int) -> int:
    return sum(1 for _ in LINE_END.finditer(text, start, end))


def _covers_whole_lines(text: str, block: Block) -> bool:
    starts_line = block.start == 0 or text[block.start - 1] in "\r\n\ufeff"
    ends_line = block.end == len(text) or text[block.end] in "\r\n"
    last_line = LINE_END.split(text[block.start : block.end])[-1]
    return starts_line and ends_line and not GAP.fullmatch(last_line)
