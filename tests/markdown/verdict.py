"""Whether our reading of a text can stand before the judges."""

from __future__ import annotations

import re
from typing import NamedTuple

from blocklines import Seen, last_line_with_content, lines_of, seen_by_us, tiling_fault
from judges import seen_by_markdown_it, seen_by_pyromark

from headnote.markdown.scanner import scan

FRONTMATTER_OPENING = re.compile(r"---|\+\+\+")


class KnownError(NamedTuple):
    """Lines on which both judges may be wrong, each in its way, and why."""

    reason: str
    pattern: re.Pattern[str]


def known(reason: str, pattern: str) -> KnownError:
    return KnownError(reason, re.compile(pattern, re.MULTILINE | re.VERBOSE))


# micromark, whose readings of the corpora are our oracle, reads each of these as we do. Patterns are searched only in
# the lines in dispute.
KNOWN_ERRORS = [
    known(
        "GitHub has tables of one column; both judges want a pipe between columns",
        r"^ [^\n]*? (?: \| [ \t]* :?-+:? | :-+:? | -+: | -+ [ \t]* (?=\|) ) [ \t]* \|? [ \t]* $",
    ),
    known("after a tab, `>` is four columns in and no quote", r"^ [ >]* \t [ \t]* >"),
    known("pyromark takes a label with a space for a footnote", r"\[\^ [^]\n]* [ \t] [^]\n]* \]:"),
    known("pyromark has no footnote in a footnote", r"\[\^ .+ \]: [\s\S]* \[\^ .+ \]:"),
    known("pyromark has no NUL in a definition, markdown-it-py no indented line after one", r"\x00"),
    known(
        "pyromark ends `<style>` at `</style>` only, not at `</script>`",
        r"<(?P<name> script|pre|style|textarea) [\s\S]* </ (?! (?P=name) ) (?: script|pre|style|textarea )>",
    ),
    known(
        "HTML of any kind ends a table; both judges take a lone tag for a row",
        r"^ .* -\|? .* \n (?: .+ \n )* [ \t>]* <",
    ),
    known("a lazy line is no table head outside of its list", r"^ \S [^\n]* \| [^\n]* \n [ \t]+ [|:\ \t-]+ $"),
]


def without_frontmatter(text: str) -> str:
    """The judges know no frontmatter; a blank line before keeps us from seeing one."""
    return f"\n{text}" if FRONTMATTER_OPENING.match(text) else text


def fault(text: str) -> str:
    """Why our reading cannot stand; empty if it can.

    Each of our blocks must be a block for one of the judges, and each of our definitions, which they do not
    tell, must lie outside all blocks of one of them. So where the judges agree we must too, and where they do
    not we cannot be alone. Block by block, because a judge who errs in one block is right in the next.
    """
    blocks = scan(text)
    untrue = tiling_fault(text, blocks)
    if untrue:
        return untrue
    ours = seen_by_us(blocks)
    judges = [without_definitions(text, seen_by_pyromark(text), ours), seen_by_markdown_it(text)]
    for block in ours:
        if not any(is_seen(block, judge) for judge in judges) and not known_error(text, block, [ours, *judges]):
            return f"no judge sees {block.kind} {block.first_line}-{block.last_line}"
    return ""


def without_definitions(text: str, theirs: list[Seen], ours: list[Seen]) -> list[Seen]:
    """pyromark lets a list or quote run on over the definitions after it, which it does not tell as blocks."""
    lines = lines_of(text)
    definitions = {one.last_line: one.first_line for one in ours if one.kind == "definition"}
    result = []
    for one in theirs:
        last = one.last_line
        while one.first_line < definitions.get(last, 0):
            last = last_line_with_content(lines, one.first_line, definitions[last] - 1)
        result.append(one._replace(last_line=last))
    return result


def is_seen(block: Seen, judge: list[Seen]) -> bool:
    if block.kind == "definition":
        return not any(overlap(block, other) for other in judge)
    return block in judge


def overlap(one: Seen, other: Seen) -> bool:
    return one.first_line <= other.last_line and other.first_line <= one.last_line


def known_error(text: str, block: Seen, readings: list[list[Seen]]) -> str:
    """Reason why the judges cannot be trusted with the lines in dispute; empty if they can."""
    first, last = disputed_lines(block, readings)
    lines = "".join(lines_of(text)[first - 1 : last]).replace("\r\n", "\n").replace("\r", "\n")
    return next((error.reason for error in KNOWN_ERRORS if error.pattern.search(lines)), "")


def disputed_lines(block: Seen, readings: list[list[Seen]]) -> tuple[int, int]:
    """First and last line of all that hangs together with the block in any reading, and the line before it."""
    everyone = [one for reading in readings for one in reading]
    while True:
        touched = [block, *(one for one in everyone if overlap(block, one))]
        first = min(one.first_line for one in touched)
        last = max(one.last_line for one in touched)
        if (first, last) == (block.first_line, block.last_line):
            # The line before can be where a judge went wrong.
            return max(first - 1, 1), last
        block = block._replace(first_line=first, last_line=last)
