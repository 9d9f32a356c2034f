"""What `headnote eval` shows: the table of metrics, and the questions that failed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

from headnote.cli.folding import folded
from headnote.cli.formatting import counted
from headnote.cli.opening import path_from_here
from headnote.cli.terminal import Line, Span
from headnote.evaluate.failures import Failure
from headnote.evaluate.measuring import DEPTH
from headnote.evaluate.report import Comparison, table, verdicts
from headnote.model import Hit

GAP = "  "
CELL = 4
"""Columns for a rank."""
LEAST_ROOM = 30
"""Columns for a question, however many ways are compared."""
NONE, NO_BREAK = "–", "\xa0"
NO_LIMIT = 10_000
"""Columns where nobody sees a window."""


def comparison_lines(comparison: Comparison, width: int | None) -> Iterator[Line]:
    """The table, in blocks of columns that fit, and which differences are more than chance."""
    rows = table(comparison)
    for number, block in enumerate(_blocks(rows, width or NO_LIMIT)):
        if number:
            yield []
        yield from _table_lines(block)
    yield []
    yield [Span(f"{counted(comparison.questions, 'question')}, 95% bootstrap intervals", "dim")]
    for verdict in verdicts(comparison):
        yield from ([Span(text, "dim")] for text in _wrapped(verdict, "", "  ", width))


def _blocks(rows: list[list[str]], width: int) -> Iterator[list[list[str]]]:
    """The same rows with as many columns as fit, each block with the names in front."""
    widths = _widths(rows)
    start = 1
    while start < len(widths):
        end = start + 1
        while end < len(widths) and sum(widths[start : end + 1]) + len(GAP) * (end + 1 - start) + widths[0] <= width:
            end += 1
        yield [[row[0], *row[start:end]] for row in rows]
        start = end


def _table_lines(rows: list[list[str]]) -> Iterator[Line]:
    widths = _widths(rows)
    for number, (name, *cells) in enumerate(rows):
        aligned = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        yield [Span(GAP.join([f"{name:<{widths[0]}}", *aligned]).rstrip(), "bold" if number == 0 else "")]


def _widths(rows: list[list[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


# Failures


def failure_lines(comparison: Comparison, root: Path, shown: int, width: int | None) -> Iterator[Line]:
    """A table of the first failures: the rank of the answer in each way, then the question, and what came instead."""
    failures = comparison.failures
    if not failures or not shown:
        return
    limit, questions = comparison.limit, counted(comparison.questions, "question")
    ways = _letters([one.name for one in comparison.measurements])
    yield []
    yield [Span(f"{len(failures):,} of {questions} failed: the answer is not among the first {limit}", "bold")]
    yield from _legend(ways, max(limit, DEPTH), width)
    for failure in failures[:shown]:
        yield from _failure(failure, root, ways, width)
    if len(failures) > shown:
        yield [Span(f"{len(failures) - shown:,} more: --failures all shows them, --json has everything", "dim")]


def _letters(ways: Sequence[str]) -> dict[str, str]:
    """A short name for each way; a single one needs none."""
    letters = ascii_uppercase + ascii_lowercase
    return {way: letters[number % len(letters)] if len(ways) > 1 else "" for number, way in enumerate(ways)}


def _legend(ways: Mapping[str, str], depth: int, width: int | None) -> Iterator[Line]:
    about = f"rank of the answer, {NONE} if it is not among {depth}"
    named = ", ".join(f"{letter} {way}".replace(" ", NO_BREAK) for way, letter in ways.items() if letter)
    for row in _wrapped(f"{about}, in {named}" if named else about, "", "  ", width):
        yield [Span(row.replace(NO_BREAK, " "), "dim")]
    yield []
    if named:
        yield [Span("".join(f"{letter:>{CELL}}" for letter in ways.values()), "bold")]


def _failure(failure: Failure, root: Path, ways: Mapping[str, str], width: int | None) -> Iterator[Line]:
    margin = CELL * len(ways) + len(GAP)
    room = None if width is None else max(width - margin, LEAST_ROOM)
    ranks = [Span(f"{one.rank or NONE:>{CELL}}", "red" if one.failed else "green") for one in failure.outcomes]
    first, *others = folded([Span(failure.asked.question.text, "bold")], room, "")
    yield [*ranks, Span(GAP), *first]
    yield from ([Span(" " * margin), *row] for row in others)
    facts = [*_expected(failure, root), *_instead(failure, root, ways)]
    names = max(len(name) for name, _ in facts)
    for name, text in facts:
        label = f"{name:<{names}}{GAP}"
        rows = folded([Span(label + text, "dim")], room, " " * len(label))
        yield from ([Span(" " * margin), *row] for row in rows)
    yield []


def _expected(failure: Failure, root: Path) -> Iterator[tuple[str, str]]:
    question, _, lines = failure.asked
    for gold, line in zip(question.gold, lines, strict=True):
        yield "expected", f"{path_from_here(root, gold.path)}:{line}{GAP}{gold.heading}"


def _instead(failure: Failure, root: Path, ways: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each place that came first where the answer did not come, with the letters of the ways in which it did."""
    letters: dict[str, str] = {}
    for outcome in failure.outcomes:
        if outcome.failed:
            place = _place(outcome.first, root) if outcome.first else "nothing"
            letters[place] = letters.get(place, "") + ways[outcome.way]
    for place, found_in in letters.items():
        yield f"first {found_in}".rstrip(), place


def _place(hit: Hit, root: Path) -> str:
    return f"{path_from_here(root, hit.path)}:{hit.start_line}{GAP}{hit.breadcrumb or hit.title}"


def _wrapped(text: str, first: str, others: str, width: int | None) -> Sequence[str]:
    return textwrap.wrap(
        text,
        width or NO_LIMIT,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
