"""`headnote outline`: the headings of files as a tree, with line ranges and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from headnote.cli import options
from headnote.cli.command import Command
from headnote.cli.formatting import counted
from headnote.cli.paths import expand_paths, report
from headnote.cli.terminal import Line, Span, write_json, write_lines
from headnote.errors import SourceError
from headnote.lines import count_lines
from headnote.markdown.document import Document
from headnote.markdown.outline import OutlineEntry
from headnote.sources.files import read_source
from headnote.tokens import get_counter


class FileOutline(NamedTuple):
    """The headings and sizes of one file."""

    path: str
    lines: int
    size: int
    """In characters."""
    tokens: int
    """In cl100k tokens."""
    entries: list[OutlineEntry]
    entry_tokens: list[int]


@click.command(
    "outline",
    cls=Command,
    examples=[
        ("the headings of one document", "headnote outline docs/calibration.md"),
        ("a map of a folder, for a person or an agent", "headnote outline docs --depth 2"),
        ("the same for programs", "headnote outline docs --json"),
    ],
)
@options.paths("Files, or folders of Markdown and plain text.")
@click.option("--depth", "-d", type=click.IntRange(1, 6), default=6, metavar="N", help="Deepest heading level to show.")
@click.option("--mdx", is_flag=True, help="Read every file as MDX, not only .mdx files.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file and line.")
def outline_command(paths: tuple[Path, ...], depth: int, mdx: bool, as_json: bool) -> None:
    """Show headings as a tree, with line ranges and sizes.

    The range and size of a heading cover everything below it, subheadings included. Tokens are counted with cl100k.
    """
    show = _write_json if as_json else _write_tree
    has_failed = False
    for file in expand_paths(paths):
        try:
            if isinstance(file, SourceError):
                raise file
            show(_outline_file(file, depth, mdx))
        except SourceError as error:
            # Go on with the other files.
            has_failed |= report(error)
    if has_failed:
        raise click.exceptions.Exit(2)


def _outline_file(path: str, depth: int, mdx: bool) -> FileOutline:
    text = read_source(path)
    entries = Document(text, path, mdx or None).outline
    shown = [entry for entry in entries if entry.heading.level <= depth]
    tokens, *entry_tokens = get_counter().count_many([text, *(text[entry.start : entry.end] for entry in shown)])
    return FileOutline(path, count_lines(text), len(text), tokens, shown, entry_tokens)


def _write_json(file: FileOutline) -> None:
    headings = [
        {
            "level": entry.heading.level,
            "text": entry.heading.text,
            "slug": entry.heading.slug,
            "path": entry.heading.path,
            "start_line": entry.start_line,
            "end_line": entry.end_line,
            "chars": entry.end - entry.start,
            "tokens": tokens,
        }
        for entry, tokens in zip(file.entries, file.entry_tokens, strict=True)
    ]
    record = {"path": file.path, "lines": file.lines, "size": file.size, "tokens": file.tokens, "headings": headings}
    write_json(record)


def _write_tree(file: FileOutline) -> None:
    write_lines(_lines(file))


def _lines(file: FileOutline) -> Iterator[Line]:
    size = f"  {counted(file.lines, 'line')}, {counted(file.size, 'char')}, {counted(file.tokens, 'token')}"
    yield [Span(file.path, "bold"), Span(size, "dim")]
    if not file.entries:
        yield [Span("  no headings", "dim")]
        return
    # Numbers come first, in columns, so that headings of any length and script stay aligned and whole.
    ranges = _aligned([f"{entry.start_line}–{entry.end_line}" for entry in file.entries])
    line_counts = _column([entry.end_line - entry.start_line + 1 for entry in file.entries], "line")
    sizes = _column([entry.end - entry.start for entry in file.entries], "char")
    tokens = _column(file.entry_tokens, "token")
    numbers = ["  ".join(cells) for cells in zip(line_counts, sizes, tokens, strict=True)]
    branches = tree_branches([entry.heading.level for entry in file.entries])
    for entry, lines, number, branch in zip(file.entries, ranges, numbers, branches, strict=True):
        yield [
            Span(f"  {lines}", "cyan"),
            Span(f"  {number}  {branch}", "dim"),
            Span(entry.heading.text, "bold" if entry.heading.level == 1 else ""),
        ]


def _column(numbers: Sequence[int], unit: str) -> list[str]:
    # The blank aligns singular and plural units.
    return _aligned([counted(number, unit) + (" " if number == 1 else "") for number in numbers])


def _aligned(cells: Sequence[str]) -> list[str]:
    width = max(map(len, cells))
    return [cell.rjust(width) for cell in cells]


def tree_branches(levels: Sequence[int]) -> list[str]:
    """The branches to draw before each heading, so that the levels form a tree."""
    depths = _depths(levels)
    branches = [""] * len(depths)
    # From the end: whether a branch continues below depends on what follows.
    continues: set[int] = set()
    for position in range(len(depths) - 1, -1, -1):
        depth = depths[position]
        if depth > 0:
            trunk = "".join("│  " if above in continues else "   " for above in range(1, depth))
            branches[position] = trunk + ("├─ " if depth in continues else "└─ ")
        continues = {other for other in continues if other < depth} | {depth}
    return branches


def _depths(levels: Sequence[int]) -> list[int]:
    """The number of ancestors of each heading: a jump from level 2 to 4 is one step down, not two."""
    depths = []
    above: list[int] = []
    for level in levels:
        while above and above[-1] >= level:
            above.pop()
        depths.append(len(above))
        above.append(level)
    return depths
