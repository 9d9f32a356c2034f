"""`headnote grep`: every occurrence of a pattern."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from headnote.api import Index
from headnote.cli import choices, options, output
from headnote.cli.access import IndexCommand, NamedIndex, path_from_here
from headnote.cli.command import Argument
from headnote.cli.formatting import counted
from headnote.cli.output import Output, OutputRow, Shape, write_output
from headnote.cli.search_view import flag_of_option, highlighted, search_flags
from headnote.cli.terminal import StyledLine, StyledText, write_lines, write_note
from headnote.errors import SettingsError
from headnote.model import MatchedDocument, Matches, to_plain
from headnote.search.occurrences import SECONDS, clipped, count_lines, first_lines
from headnote.search.query import FILTERS, read_options
from headnote.tokens import get_counter

COLUMNS = ("path", "line", "breadcrumb", "title", "text")


class GrepCommand(IndexCommand):
    """Its first word is the pattern, unless `-e` gives one; the others are folders."""

    def invoke(self, ctx: click.Context) -> Any:
        words: tuple[str, ...] = ctx.params.pop("words")
        patterns: tuple[str, ...] = ctx.params["patterns"]
        if not patterns:
            if not words:
                raise click.UsageError("Missing argument 'PATTERN'.", ctx)
            patterns, words = words[:1], words[1:]
        ctx.params |= {"patterns": patterns, "folders": tuple(map(Path, words))}
        return super().invoke(ctx)


@click.command(
    "grep",
    cls=GrepCommand,
    examples=[
        ("every line with these words, whatever their case", 'headnote grep -i "torque wrench" docs'),
        ("a regular expression, in part of the folder", "headnote grep '[0-9]+ mm' docs --path 'calib*'"),
        ("how often, in which documents", "headnote grep -c gauge docs"),
        ("text as it is, within so many tokens, for an agent", "headnote grep -F '50 mm' docs --budget 400"),
    ],
)
@click.argument(
    "words",
    cls=Argument,
    metavar="PATTERN [ROOT]...",
    nargs=-1,
    about="A regular expression, then the folders to search; the current one by default.",
    shell_complete=choices.folders,
)
@click.option("-e", "--regexp", "patterns", multiple=True, metavar="PATTERN", help="A pattern; one of several matches.")
@click.option("-F", "--fixed-strings", "literal", is_flag=True, help="Patterns are ordinary text.")
@click.option("-i", "--ignore-case", is_flag=True, help="Letters match whatever their case.")
@click.option("-w", "--word-regexp", "whole", is_flag=True, help="Match whole words only.")
@click.option("-c", "--count", "counts", is_flag=True, help="Show only how many lines of each document match.")
@click.option("-l", "--files-with-matches", "files", is_flag=True, help="Show only documents, as --format files does.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=SECONDS,
    metavar="SECONDS",
    help="End a pattern that takes longer.",
)
@search_flags("budget", *FILTERS)
@options.home
@options.no_update
@options.place
@output.shape
def grep_command(
    named: NamedIndex,
    asked: dict[str, Any],
    patterns: tuple[str, ...],
    literal: bool,
    ignore_case: bool,
    whole: bool,
    counts: bool,
    files: bool,
    timeout: float,
) -> int:
    """Show every occurrence of a pattern.

    Lines are grouped by document, with their place and their headings; counts come first. The text is that of the
    index, which is brought up to date first. The exit code is 1 if nothing is found.
    """
    shape, budget = _shape(named, files), asked.pop("budget") or 0
    with named.updated() as index:
        if not named.updates:
            _note_drift(index)
        how: dict[str, Any] = {"literal": literal, "ignore_case": ignore_case, "words": whole}
        how |= {"lines": not counts and shape.name != "files", "budget": budget, "seconds": timeout}
        filters: dict[str, Any] = dict(read_options(asked, flag_of_option))
        found = index.grep(patterns, **how, **filters)
        why = "" if found.searched else index.why_no_documents() or "no document passes the filters"
    if shape.name != "text":
        write_output(_output(named.root, patterns, found), shape)
    elif found.lines:
        write_lines(_count_lines(named.root, found) if counts else _text_lines(named.root, found, budget))
    if why:
        write_note(why)
    elif not found.lines:
        write_note(f"no line matches in {counted(found.searched, 'document')}", only_on_a_terminal=True)
    return 0 if found.lines else 1


def _shape(named: NamedIndex, files: bool) -> Shape:
    if not files:
        return named.shape
    if named.shape.name != "text":
        raise SettingsError("-l and --format are the same option", remedy="leave one out")
    return Shape("files")


def _note_drift(index: Index) -> None:
    """Say what the index does not have yet."""
    drift = index.drift()
    if changed := len(drift.new) + len(drift.changed) + len(drift.gone):
        write_note(f"{counted(changed, 'file')} changed since the index was updated: lines may differ")


# For people


def _text_lines(root: Path, found: Matches, budget: int) -> list[StyledLine]:
    """As many lines as the budget has room for with the places before them, and one in any case."""

    def printed(number: int) -> list[StyledLine]:
        return list(_printed(root, first_lines(found, number), budget))

    number = sum(len(one.shown) for one in found.documents)
    everything = printed(number)
    if not budget or _tokens(everything) <= budget:
        return everything
    return printed(max(1, bisect_right(range(number), budget, key=lambda fewer: _tokens(printed(fewer))) - 1))


def _tokens(lines: Iterable[StyledLine]) -> int:
    return get_counter().count("".join(f"{''.join(part.text for part in line)}\n" for line in lines))


def _printed(root: Path, found: Matches, budget: int) -> Iterator[StyledLine]:
    yield [StyledText(_total(found), "bold")]
    if found.left_out:
        yield from _left_out_lines(root, found, budget)
    for document in found.documents:
        if document.shown:
            yield []
            yield from _document_lines(path_from_here(root, document.path), document)


def _total(found: Matches) -> str:
    lines = f"{counted(found.lines, 'line')} in {counted(len(found.documents), 'document')}"
    return f"{counted(found.occurrences, 'occurrence')}, {lines}" if found.occurrences > found.lines else lines


def _left_out_lines(root: Path, found: Matches, budget: int) -> Iterator[StyledLine]:
    about = f"{counted(found.left_out, 'line')} left out: raise --budget, or search fewer documents"
    yield [StyledText(about, "dim")]
    here = replace(found, documents=tuple(replace(one, path=path_from_here(root, one.path)) for one in found.documents))
    for line in count_lines(here, budget):
        yield [StyledText(f"  {line}", "dim")]


def _document_lines(path: str, document: MatchedDocument) -> Iterator[StyledLine]:
    yield [StyledText(path, "bold"), StyledText(f"  {counted(document.lines, 'line')}", "dim")]
    for breadcrumb, lines in groupby(document.shown, key=lambda one: one.breadcrumb):
        if breadcrumb:
            yield [StyledText(f"  {breadcrumb}", "dim")]
        for one in map(clipped, lines) if sys.stdout.isatty() else lines:
            yield [StyledText(f"{path}:{one.line}:", "cyan"), *highlighted(one.text.expandtabs(1), one.spans)]


def _count_lines(root: Path, found: Matches) -> Iterator[StyledLine]:
    for one in found.documents:
        yield [StyledText(path_from_here(root, one.path), "cyan"), StyledText(f":{one.lines}")]


# For programs


def _output(root: Path, patterns: tuple[str, ...], found: Matches) -> Output:
    record = {"patterns": list(patterns), "root": str(root), **to_plain(found)}
    rows = [row for document in found.documents for row in _rows(path_from_here(root, document.path), document)]
    return Output("lines", "line", record, rows, COLUMNS)


def _rows(file: str, document: MatchedDocument) -> Iterator[OutputRow]:
    """A row for each line; for the document, if its lines were only counted."""
    about = {"path": document.path, "title": document.title}
    if not document.shown:
        yield OutputRow({**about, "lines": document.lines, "occurrences": document.occurrences}, file)
    for one in document.shown:
        yield OutputRow({**about, **to_plain(one)}, file, one.line, one.breadcrumb, one.text)
