"""`headnote related`: passages near a passage, and links to make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from headnote.cli import choices, options, output
from headnote.cli.access import IndexCommand, NamedIndex, path_from_here
from headnote.cli.command import Argument
from headnote.cli.formatting import counted
from headnote.cli.output import Output, OutputRow, write_output
from headnote.cli.search_view import highlighted, section_of
from headnote.cli.terminal import StyledLine, StyledText, folded, window_width, write_lines, write_note
from headnote.embedding.registry import short_name
from headnote.errors import SettingsError
from headnote.markdown.document import is_mdx
from headnote.model import Related, to_plain
from headnote.search.readable import readable_lines
from headnote.search.snippets import best_lines, clipped, marked_terms

INDENT = " " * 4
COLUMNS = (
    "path",
    "line",
    "score",
    "title",
    "breadcrumb",
    "source",
    "similarity",
    "words",
    "shared_links",
    "mention",
    "linked",
    "link",
    "text",
)


@click.command(
    "related",
    cls=IndexCommand,
    examples=[
        ("near a document, and not linked from it yet", "headnote related calibration.md --root docs"),
        ("near what a line is about", "headnote related installing.md:20 --root docs -n 3"),
        ("links to make, in all documents", "headnote related --unlinked --root docs"),
        ("the same for a quickfix list", "headnote related --unlinked --root docs --format lines"),
    ],
)
@click.argument(
    "path",
    cls=Argument,
    required=False,
    metavar="[PATH[:LINE]]",
    shell_complete=choices.documents,
    about="A document by path, title or alias, or a passage of it: path:line or path#heading.",
)
@options.root_option
@options.pack
@click.option("--limit", "-n", type=click.IntRange(min=1), default=10, metavar="N", help="Maximum number of passages.")
@click.option("--unlinked", is_flag=True, help="Suggest links to make, each with its place and what to write.")
@click.option("--all", "linked", is_flag=True, help="Also show what the document already links to.")
@options.no_update
@options.place
@output.shape
def related_command(named: NamedIndex, path: str | None, limit: int, unlinked: bool, linked: bool) -> None:
    """Show passages near one, and suggest links to make.

    Two passages are near if their texts mean the same, or if both have the same rare words. Documents that PATH already
    links to are left out. With --unlinked, show documents that are near and not linked either way, and documents that
    are named without a link; without PATH, in the whole folder. The exit code is 1 if there are none.
    """
    if path is None and not unlinked:
        raise SettingsError("no document is given", remedy="name one, or suggest links with --unlinked")
    if unlinked and linked:
        raise SettingsError("--unlinked and --all contradict each other", remedy="keep one of them")
    root, shape = named.root, named.shape
    with named.updated() as index:
        found = index.related(path or "", limit=limit, unlinked=unlinked, linked=linked)
    if shape.name != "text":
        write_output(_output(root, path, found, unlinked), shape)
    elif found:
        write_lines(_lines(root, found, unlinked))
    else:
        write_note("no links to suggest" if unlinked else "no related passages that it does not already link to")
    if not found:
        raise click.exceptions.Exit(1)


def _output(root: Path, path: str | None, found: Sequence[Related], with_links: bool) -> Output:
    records = to_plain(found)
    rows = [_row(root, entry, record, with_links) for entry, record in zip(found, records, strict=True)]
    return Output("passages", "passage", {"path": path, "root": str(root), "related": records}, rows, COLUMNS)


def _row(root: Path, entry: Related, record: dict[str, Any], with_links: bool) -> OutputRow:
    """A passage stands where it is; a link to make, where it is to be written."""
    file, _, line = entry.source.rpartition(":") if with_links else entry.place.rpartition(":")
    return OutputRow(
        fields=record,
        cells={"line": entry.start_line},
        file=path_from_here(root, file),
        line=int(line),
        about=entry.link if with_links else section_of(entry),
        text=entry.text,
        shown="; ".join(reasons(entry)),
    )


def _lines(root: Path, found: Sequence[Related], with_links: bool) -> Iterator[StyledLine]:
    width = window_width()
    for number, entry in enumerate(found):
        if number:
            yield []
        target = path_from_here(root, entry.place)
        place = f"{path_from_here(root, entry.source)} → {target}" if with_links else target
        head = [
            StyledText(place, "cyan"),
            StyledText(f"  {section_of(entry)}", "bold"),
            StyledText(f"  {entry.score:.2f}", "dim"),
        ]
        yield from folded(head, width, INDENT)
        yield from folded([StyledText(INDENT), *_best_line(entry)], width, INDENT)
        yield from folded([StyledText(f"{INDENT}{'; '.join(reasons(entry))}", "dim")], width, INDENT)
        if entry.link:
            yield [StyledText(f"{INDENT}{entry.link}", "green")]


def _best_line(entry: Related) -> Iterator[StyledText]:
    """The line of a passage with most of the words that it shares."""
    terms = marked_terms(" ".join(entry.words), text=entry.text, literal=True)
    for line in best_lines(readable_lines(entry.text, is_mdx(entry.path)), terms)[:1]:
        shown = clipped(line, terms)
        yield from highlighted(shown.text, shown.marks)


def reasons(entry: Related) -> Iterator[str]:
    """Why two passages are near, in plain words."""
    if entry.mention:
        yield f"mentions {entry.mention!r}"
    if entry.similarity:
        yield f"similar text, {entry.similarity:.2f} by {short_name(entry.model)}"
    if entry.words:
        yield f"shares {', '.join(entry.words)}"
    if entry.shared_links:
        yield f"{counted(entry.shared_links, 'link')} in common"
    if entry.linked:
        yield {"to": "linked already", "from": "links here", "both": "linked both ways"}[entry.linked]
