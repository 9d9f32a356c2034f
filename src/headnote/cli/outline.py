"""`headnote outline`: the headings of files as a tree, with line ranges and sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from headnote.cli import options, output
from headnote.cli.command import Command
from headnote.cli.formatting import counted
from headnote.cli.output import Output, OutputRow, write_output
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines, write_unread
from headnote.errors import SourceError
from headnote.formats.kinds import open_document
from headnote.lines import count_lines
from headnote.markdown.headings import OutlineEntry
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
        ("the same for programs: json, jsonl, csv, md, xml", "headnote outline docs --format csv"),
        ("a document in a pack; without its path, all of them", "headnote outline --pack docs.headnote calibration.md"),
    ],
)
@options.paths("Files, or folders of Markdown and plain text; with --pack, documents of the pack.", required=False)
@options.pack
@click.option("--depth", "-d", type=click.IntRange(1, 6), default=6, metavar="N", help="Deepest heading level to show.")
@click.option("--mdx", is_flag=True, help="Read every file as MDX, not only .mdx files.")
@output.form
@output.null
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each file, on a line of its own.")
def outline_command(
    paths: tuple[Path, ...], pack: Path | None, depth: int, mdx: bool, form: str | None, null: bool, as_json: bool
) -> None:
    """Show headings as a tree, with line ranges and sizes.

    The range and size of a heading cover everything below it, subheadings included. Tokens are counted with cl100k.
    """
    shape = output.chosen(form, as_json, null)
    rows: list[OutputRow] = []
    # Files are shown as they are read, but for what is one whole: a table, an element.
    show = {"json": _write_json, "text": _write_tree}.get(shape.name) or (lambda file: rows.extend(_rows(file)))
    if pack is None and not paths:
        raise click.UsageError("Missing argument 'PATH...'", click.get_current_context())
    has_failed = _show_files(paths, mdx, depth, show) if pack is None else _show_pack(pack, paths, depth, show)
    if shape.name not in ("json", "text"):
        write_output(Output("outline", "heading", {}, rows, COLUMNS), shape)
    if has_failed:
        raise click.exceptions.Exit(2)


Show = Callable[[FileOutline], None]


def _show_files(paths: Sequence[Path], mdx: bool, depth: int, show: Show) -> bool:
    """Show each file, and return whether one could not be read."""
    has_failed = False
    for file in options.files_of(paths):
        try:
            if isinstance(file, SourceError):
                raise file
            show(_outline(read_source(file), file, mdx or None, depth))
        except SourceError as error:
            # Go on with the other files.
            has_failed |= write_unread(error)
    return has_failed


def _show_pack(pack: Path, paths: Sequence[Path], depth: int, show: Show) -> bool:
    from headnote.cli.access import chosen_root, open_index  # late: files need no index

    with open_index(chosen_root(Path(), pack)).index as index:
        for path in map(Path.as_posix, paths) if paths else index.documents():
            document = index.document(path).document
            show(_outline(document.text, document.path, document.mdx, depth))
    return False


def _outline(text: str, path: str, mdx: bool | None, depth: int) -> FileOutline:
    entries = open_document(text, path, mdx).outline
    shown = [entry for entry in entries if entry.heading.level <= depth]
    tokens, *entry_tokens = get_counter().count_many([text, *(text[entry.start : entry.end] for entry in shown)])
    return FileOutline(path, count_lines(text), len(text), tokens, shown, entry_tokens)


COLUMNS = ("path", "level", "text", "slug", "start_line", "end_line", "chars", "tokens")


def _rows(file: FileOutline) -> Iterator[OutputRow]:
    for heading in _headings(file):
        fields = heading | {"path": file.path, "headings": heading["path"]}
        about = " > ".join(heading["path"])
        yield OutputRow(fields, file.path, heading["start_line"], about, heading["text"])


def _write_json(file: FileOutline) -> None:
    record = {"path": file.path, "lines": file.lines, "size": file.size, "tokens": file.tokens}
    write_json({**record, "headings": _headings(file)})


def _headings(file: FileOutline) -> list[dict[str, Any]]:
    return [
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


def _write_tree(file: FileOutline) -> None:
    write_lines(_lines(file))


def _lines(file: FileOutline) -> Iterator[StyledLine]:
    size = f"  {counted(file.lines, 'line')}, {counted(file.size, 'char')}, {counted(file.tokens, 'token')}"
    yield [StyledText(file.path, "bold"), StyledText(size, "dim")]
    if not file.entries:
        yield [StyledText("  no headings", "dim")]
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
            StyledText(f"  {lines}", "cyan"),
            StyledText(f"  {number}  {branch}", "dim"),
            StyledText(entry.heading.text, "bold" if entry.heading.level == 1 else ""),
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
