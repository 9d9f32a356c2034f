"""`headnote read`: several documents or sections at once, within a token budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from headnote.api.reports import Passages
from headnote.cli import choices, options, output
from headnote.cli.access import IndexCommand, NamedIndex, path_from_here
from headnote.cli.command import Argument
from headnote.cli.output import Output, OutputRow, write_output
from headnote.cli.terminal import StyledLine, StyledText, write_error, write_lines, write_note
from headnote.lines import split_lines
from headnote.model import to_plain

COLUMNS = ("path", "start_line", "end_line", "text")


@click.command(
    "read",
    cls=IndexCommand,
    examples=[
        ("a document, and some lines of another", "headnote read index.md calibration.md:1-12 --root docs"),
        ("all that a glob matches, for an agent with little room", 'headnote read "**/*.md" --root docs --budget 800'),
        ("the same for programs", 'headnote read "**/*.md" --root docs --budget 800 --format jsonl'),
    ],
)
@click.argument(
    "places",
    cls=Argument,
    metavar="PLACE...",
    nargs=-1,
    required=True,
    shell_complete=choices.documents,
    about="A document by path, title or alias, a glob in quotes, PATH:FIRST-LAST or PATH#HEADING.",
)
@options.root_option
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Maximum tokens of all passages together.")
@options.no_update
@options.place
@output.shape
def read_command(named: NamedIndex, places: tuple[str, ...], budget: int | None) -> int:
    """Read several documents or sections, within a token budget.

    They are printed in the order of the places until the budget is spent; one that does not fit is cut between two
    lines. Standard error says what was left out, with the command that reads it. The exit code is 2 if a place names
    nothing.
    """
    root = named.root
    with named.updated() as index:
        read = index.read_many(places, budget=budget)
    if named.shape.name == "text":
        write_lines(_text_lines(root, read))
    else:
        write_output(_output(root, read), named.shape)
    for problem in read.problems:
        write_error(str(problem))
    if read.left_out:
        _note_left_out(root, read)
    return 2 if read.problems else 0


def _text_lines(root: Path, read: Passages) -> Iterator[StyledLine]:
    for number, passage in enumerate(read.passages):
        if number:
            yield []
        yield [StyledText(f"{path_from_here(root, passage.path)}:{passage.start_line}-{passage.end_line}", "cyan")]
        for line in split_lines(passage.text):
            yield [StyledText(line.expandtabs(4))]


def _output(root: Path, read: Passages) -> Output:
    record: dict[str, Any] = {
        "root": str(root),
        "passages": to_plain(read.passages),
        "left_out": [to_plain(one) | {"place": one.place} for one in read.left_out],
        "tokens": read.tokens,
        "problems": list(map(str, read.problems)),
    }
    rows = [
        OutputRow(one, path_from_here(root, one["path"]), one["start_line"], text=one["text"])
        for one in record["passages"]
    ]
    return Output("passages", "passage", record, rows, COLUMNS)


def _note_left_out(root: Path, read: Passages) -> None:
    tokens = sum(one.tokens for one in read.left_out)
    first = read.left_out[0]
    others = f", and {len(read.left_out) - 1:,} more" if len(read.left_out) > 1 else ""
    where = "" if str(root) == "." else f" --root {root}"
    write_note(
        f"{tokens:,} tokens left out: {first.place}{others} (raise --budget, or: headnote read {first.place}{where})"
    )
