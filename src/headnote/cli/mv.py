"""`headnote mv`: move a file or folder, and keep the links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from headnote.api.moving import Move, move
from headnote.cli import choices, options
from headnote.cli.access import path_from_here
from headnote.cli.command import Argument, Command
from headnote.cli.formatting import counted
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines


@click.command(
    "mv",
    cls=Command,
    examples=[
        ("what would change", "headnote mv docs/index.md docs/start.md --root docs --dry-run"),
        ("the same for programs", "headnote mv docs/index.md docs/start.md --root docs --dry-run --json"),
    ],
)
@click.argument("old", cls=Argument, type=options.PATH, about="The file or folder to move.")
@click.argument("new", cls=Argument, type=options.PATH, about="Its new path, or a folder to move it into.")
@click.option(
    "--root",
    type=options.PATH,
    default=".",
    metavar="DIR",
    shell_complete=choices.folders,
    help="Folder whose links are kept; the current one by default.",
)
@click.option("--dry-run", is_flag=True, help="Show the lines that would change; change nothing.")
@options.as_json
def mv_command(old: Path, new: Path, root: Path, dry_run: bool, as_json: bool) -> None:
    """Move a file or folder, and keep the links.

    Links, pictures, definitions, wikilinks, and links in HTML that would lead elsewhere get new targets, in all
    Markdown files of the folder and in those that move. Nothing else changes. Every link is followed as it would be
    afterwards: if one cannot be kept, nothing is moved. Links that lead nowhere stay as they are, and so do headings,
    frontmatter and the configuration of a site: its navigation is yours to change.
    """
    done = move(root, old, new, dry_run=dry_run)
    if as_json:
        files = [{"path": file.path, "lines": [line._asdict() for line in file.lines]} for file in done.changed]
        write_json({"root": str(root), "old": done.old, "new": done.new, "dry_run": dry_run, "files": files})
    else:
        write_lines(_lines(done, root, dry_run))


def _lines(done: Move, root: Path, dry_run: bool) -> Iterator[StyledLine]:
    for file in done.changed if dry_run else ():
        for changed in file.lines:
            yield [StyledText(f"{path_from_here(root, file.path)}:{changed.line}", "cyan")]
            yield [StyledText(f"- {changed.before}", "red")]
            yield [StyledText(f"+ {changed.after}", "green")]
    links = counted(sum(file.links for file in done.changed), "target")
    what = f"{links} of links in {counted(len(done.changed), 'file')}"
    places = f"{path_from_here(root, done.old)} to {path_from_here(root, done.new)}"
    verb = "would move" if dry_run else "moved"
    yield [StyledText(f"{verb} {places}", "bold"), StyledText(f"; {'would change' if dry_run else 'changed'} {what}")]
