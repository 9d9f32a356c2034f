"""`headnote lint`: what is wrong with a collection of pages, links and all."""

from __future__ import annotations

from pathlib import Path

import click

from headnote.api.checking import lint
from headnote.cli import choices, options, output
from headnote.cli.check_view import CHECKING, FORMATS, check_flags, run_check
from headnote.cli.command import Argument, Command, Option
from headnote.links.checking.link_report import KINDS


@click.command(
    "lint",
    cls=Command,
    examples=[
        ("the pages that are wanted, and those that nobody reaches", "headnote lint docs --only wanted --only orphan"),
        ("the same as annotations of a pull request", "headnote lint docs --only wanted --format github"),
    ],
)
@click.argument(
    "folder", cls=Argument, default=".", shell_complete=choices.folders, about="The folder; the current one by default."
)
@click.option(
    "--format",
    "form",
    cls=Option,
    section=CHECKING,
    metavar="FORMAT",
    shell_complete=choices.words(*FORMATS),
    help=f"How to print: {', '.join(FORMATS)}.",
)
@check_flags(tuple(KINDS))
@options.as_json
def lint_command(
    folder: str, form: str | None, only: tuple[str, ...], ignore: tuple[str, ...], baseline: str | None, as_json: bool
) -> int:
    """Show what is wrong with the pages of a folder.

    Its links, and pages that are wanted or alone or left out of their index, copies, stubs, footnotes, frontmatter,
    pages older than their sources, and, with --only numbers, sentences that say the same with other numbers. Only files
    are read, and nothing is written. The exit code is 0 if nothing is found, 1 if something is, and 2 if files could
    not be read.
    """
    shape = output.chosen(form, as_json, False, list(FORMATS))
    return run_check(lint, Path(folder), shape, only=only, ignore=ignore, baseline=baseline)
