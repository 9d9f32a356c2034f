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
        ("the search of a folder, into the built site", "headnote export docs --out site"),
        ("is it up to date? 1 if not", "headnote export docs --out site --check"),
    ],
)
@click.argument(
    "root",
    cls=Argument,
    type=options.PATH,
    default=".",
    shell_complete=choices.folders,
    about="Folder of the documents, or a pack; the current one by default.",
)
@click.option("--out", "-o", type=options.PATH, required=True, metavar="SITE", help="Folder of the built site.")
@click.option(
    "--base-url", default="", show_default=False, metavar="URL", help="What comes before the address of every page."
)
@click.option("--check", is_flag=True, help="Write nothing; the exit code is 1 if files would change.")
@options.no_update
@options.as_json
def export_command(root: Path, out: Path, base_url: str, check: bool, no_update: bool, as_json: bool) -> int:
    """Write a search for a docs site that needs no server.

    A script and shards go into the folder headnote of the site. A browser loads only what a query needs. Files of an
    earlier export that are no longer needed are removed, and no others.
    """
    with NamedIndex(root, updates=not no_update).updated() as index:
        exported = index.export(out, base_url=base_url, check=check)
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
