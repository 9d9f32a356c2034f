"""`headnote mv`: move a file or folder, or rename a heading, and keep the links."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from headnote.api.moving import Move, move, rename_heading
from headnote.cli import choices, options
from headnote.cli.access import path_from_here
from headnote.cli.command import Argument, Command
from headnote.cli.formatting import counted
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines
from headnote.errors import SettingsError


@click.command(
    "mv",
    cls=Command,
    examples=[
        ("what would change", "headnote mv docs/index.md docs/start.md --root docs --dry-run"),
        ("a new text for a heading", "headnote mv 'docs/index.md#Where to begin' 'First steps' --root docs --dry-run"),
        ("the same for programs", "headnote mv docs/index.md docs/start.md --root docs --dry-run --json"),
    ],
)
@click.argument("old", cls=Argument, about="The file or folder to move, or FILE#HEADING, by its text or anchor.")
@click.argument("new", cls=Argument, about="Its new path, or a folder to move it into; the new text of a heading.")
@click.option(
    "--root",
    type=options.PATH,
    default=".",
    metavar="DIR",
    shell_complete=choices.folders,
    help="Folder whose links are kept; the current one by default.",
)
@click.option("--dry-run", is_flag=True, help="Show the lines that would change; change nothing.")
@click.option(
    "--redirect", is_flag=True, help="Let the old address lead to the new one, in the way that the site has for that."
)
@options.as_json
def mv_command(old: str, new: str, root: Path, dry_run: bool, redirect: bool, as_json: bool) -> None:
    """Move a file or folder, or rename a heading, and keep the links.

    Links, pictures, definitions, wikilinks, and links in HTML that would lead elsewhere get new targets, in all
    Markdown files of the folder and in those that move. Nothing else changes. Every link is followed as it would be
    afterwards: if one cannot be kept, nothing is moved. Links that lead nowhere stay as they are, and so does the
    configuration of a site: its navigation is yours to change.

    With --redirect, frontmatter gets the old address (`aliases` in Hugo, `redirect_from` in Jekyll) or the old name
    (`aliases` in a vault), or a rule is added to `redirect_maps` of mkdocs.yml, to book.toml, `_redirects` or
    netlify.toml. Where there is none of these, nothing is moved.
    """
    file, mark, heading = old.partition("#")
    is_heading = bool(mark) and not os.path.lexists(old)
    if is_heading and redirect:
        raise SettingsError(
            "--redirect cannot be used with a heading", remedy="leave it out: anchors have no redirects"
        )
    if is_heading:
        done = rename_heading(root, file, heading, new, dry_run=dry_run)
    else:
        done = move(root, old, new, dry_run=dry_run, redirect=redirect)
    if as_json:
        files = [{"path": file.path, "lines": [line._asdict() for line in file.lines]} for file in done.changed]
        record = {"root": str(root), "old": done.old, "new": done.new, "dry_run": dry_run, "files": files}
        write_json(record | ({"redirects": [one._asdict() for one in done.redirects]} if redirect else {}))
    else:
        write_lines(_lines(done, root, dry_run, "rename" if is_heading else "move"))


def _lines(done: Move, root: Path, dry_run: bool, verb: str) -> Iterator[StyledLine]:
    for file in done.changed if dry_run else ():
        for changed in file.lines:
            yield [StyledText(f"{path_from_here(root, file.path)}:{changed.line}", "cyan")]
            if changed.before:
                yield [StyledText(f"- {changed.before}", "red")]
            yield [StyledText(f"+ {changed.after}", "green")]
    linked = [file.links for file in done.changed if file.links]
    what = f"{counted(sum(linked), 'target')} of links in {counted(len(linked), 'file')}"
    places = f"{path_from_here(root, done.old)} to {path_from_here(root, done.new)}"
    verbs = f"would {verb}" if dry_run else f"{verb}d"
    yield [StyledText(f"{verbs} {places}", "bold"), StyledText(f"; {'would change' if dry_run else 'changed'} {what}")]
    for one in done.redirects:
        leads = "would lead" if dry_run else "leads"
        yield [StyledText(f"{one.old} {leads} to {one.new}, by {one.field or one.file}")]
