"""text → blocks.

Most blocks are known by their first character, and are read quickly. For the others the loop asks one regex, made of
every rule's opening, which construct begins next, and that rule's reader how far it goes. Most readers only take the
end of what their regex already swallowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from headnote.lines import with_plain_line_ends
from headnote.markdown.frontmatter import match_frontmatter
from headnote.markdown.rules import table_of_rules
from headnote.markdown.rules.leaf import indented_code
from headnote.markdown.rules.mdx import join_elements
from headnote.markdown.rules.paragraph import prose_continuation
from headnote.markdown.rules.quick import UNDECIDED, QuickReader
from headnote.markdown.rules.rule import BLANK_LINE, MARKDOWN, MDX, Dialect, Reader, Span, SpansRead
from headnote.model import Block, BlockKind

_BYTE_ORDER_MARK = "\ufeff"


def scan(text: str, mdx: bool = False) -> list[Block]:
    """The top-level blocks of a document, in order, with only blank lines between them."""
    return place(text, scan_spans(text, mdx))


def scan_spans(text: str, mdx: bool = False) -> list[Span]:
    """The same without line numbers, for those who need none: counting lines takes a quarter of the time."""
    dialect = MDX if mdx else MARKDOWN
    lines = with_plain_line_ends(text)
    start = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
    reading = SpansRead()
    _scan_blocks(lines, _scan_frontmatter(lines, start, reading.spans), dialect, reading)
    spans = join_elements(reading) if mdx else reading.spans
    if lines is not text and "\r" in text:
        return [_without_carriage_return(text, *span) for span in spans]
    return spans


def _without_carriage_return(text: str, kind: BlockKind, start: int, end: int, level: int, info: str) -> Span:
    return kind, start, end - (text[end - 1] == "\r"), level, info


def _scan_frontmatter(text: str, start: int, spans: list[Span]) -> int:
    matter = match_frontmatter(text)
    if matter is None:
        return start
    end, language = matter
    spans.append(("frontmatter", start, end, 0, language))
    return end


def _scan_blocks(text: str, position: int, dialect: Dialect, reading: SpansRead) -> None:
    quick = _quick_reader(dialect)
    size = len(text)
    while position < size:
        if text[position] == "\n":
            position += 1
            continue
        end = quick.read(text, position, reading)
        if end == UNDECIDED:
            begins, readers = _opening(dialect)  # here, as it takes a fiftieth of a search as a command to compile
            match = begins(text, position)
            if match is None:
                return
            end = readers[match.lastindex](text, match.start(1), match, reading)  # type: ignore[index]
        position = end


@cache
def _quick_reader(dialect: Dialect) -> QuickReader:
    return QuickReader(dialect, prose_continuation(dialect))


@cache
def _opening(dialect: Dialect) -> tuple[Callable[[str, int], re.Match[str] | None], list[Reader]]:
    """One regex for "blank lines, then one of these", and the readers by the number of the group that matched.

    The first group is empty and marks where the block's first line begins.
    """
    rules = table_of_rules(dialect)
    constructs = "|".join(f"(?P<{rule.name}>{rule.pattern})" for rule in rules)
    constructs = rf"{dialect.indent}(?:{constructs})"
    if not dialect.mdx:
        code = indented_code(dialect)
        rules = [code, *rules]
        constructs = rf"(?:{constructs}|(?P<{code.name}>{code.pattern}))"
    pattern = re.compile(rf"(?:{BLANK_LINE})*+(){constructs}")
    readers: list[Reader] = [rules[-1].read] * (pattern.groups + 1)
    for rule in rules:
        readers[pattern.groupindex[rule.name]] = rule.read
    return pattern.match, readers


def place(text: str, spans: list[Span]) -> list[Block]:
    """Give each span its line numbers."""
    # A gap so short is line ends and nothing else, unless a line end may be two characters.
    short = 2
    if "\r" in text:
        text, short = with_plain_line_ends(text), 0
    blocks: list[Block] = []
    at = spans[0][1] if spans else 0
    line = 1 + text.count("\n", 0, at)
    for kind, start, end, level, info in spans:
        gap = start - at
        line += gap if gap <= short else text.count("\n", at, start)
        first_line = line
        line += text.count("\n", start, end)
        at = end
        blocks.append(tuple.__new__(Block, (kind, start, end, first_line, line, level, info)))
    return blocks
