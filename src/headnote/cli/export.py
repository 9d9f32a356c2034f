"""`headnote export`: a search for a site that needs no server."""

from __future__ import annotations

from pathlib import Path

import click

from headnote.cli import choices, options
from headnote.cli.access import NamedIndex
from headnote.cli.command import Argument, Command
from headnote.cli.formatting import byte_size, counted
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines
from headnote.extra.export.writing import Exported

BOX = ('<link rel="stylesheet" href="headnote/search.css">', '<script type="module" src="headnote/search.js"></script>')
ELEMENT = "<headnote-search></headnote-search>"


@click.command(
    "export",
    cls=Command,
    examples=[
        ("the search of this folder, into the built site", "headnote export --root docs site"),
        ("the same, with the folder first", "headnote export docs site"),
        ("is it up to date? 1 if not", "headnote export docs site --check"),
    ],
)
@click.argument(
    "places",
    cls=Argument,
    metavar="[ROOT] SITE",
    nargs=-1,
    required=True,
    type=options.PATH,
    shell_complete=choices.folders,
    about="The folder of the documents, the current one by default, and that of the built site.",
)
@click.option("--root", "-r", type=options.PATH, metavar="DIR", help="Folder of the documents.")
@click.option(
    "--base-url", default="", show_default=False, metavar="URL", help="What comes before the address of every page."
)
@click.option("--check", is_flag=True, help="Write nothing; the exit code is 1 if files would change.")
@options.no_update
@options.as_json
def export_command(
    places: tuple[Path, ...], root: Path | None, base_url: str, check: bool, no_update: bool, as_json: bool
) -> int:
    """Write a search for a docs site that needs no server.

    A script and shards go into the folder headnote of the site. A browser loads only what a query needs. Files of an
    earlier export that are no longer needed are removed, and no others.
    """
    if len(places) > (2 if root is None else 1):
        raise click.UsageError(f"Got too many folders: {' '.join(map(str, places))}", click.get_current_context())
    folder = root or (places[0] if len(places) == 2 else Path())
    with NamedIndex(folder, updates=not no_update).updated() as index:
        exported = index.export(places[-1], base_url=base_url, check=check)
    if as_json:
        write_json(exported._asdict() | {"folder": str(exported.folder)})
    else:
        write_lines(_lines(exported, check))
    return 1 if check and (exported.changed or exported.removed) else 0


def _lines(exported: Exported, check: bool) -> list[StyledLine]:
    pages = f"{counted(exported.pages, 'page')}, {counted(exported.files, 'file')}, {byte_size(exported.bytes)}"
    would = "would be " if check else ""
    changes = f"{exported.changed:,} {would}written, {exported.removed:,} {would}removed"
    lines: list[StyledLine] = [
        [StyledText(str(exported.folder), "cyan"), StyledText(f"  {pages}")],
        [StyledText(f"  {changes}", "dim")],
    ]
    if check:
        return lines
    return [
        *lines,
        [StyledText("  in a page at the top of the site:", "dim")],
        *([StyledText(f"  {line}")] for line in (*BOX, ELEMENT)),
    ]
