"""`headnote install` and `uninstall`: tell the coding agents of this machine about a folder, and take it back."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import click

from headnote.cli import choices, options
from headnote.cli.command import Argument, Command
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines, write_note
from headnote.errors import SettingsError
from headnote.extra.agents.installing import (
    Agent,
    InstalledPiece,
    install_in,
    known_agents,
    server_name,
    uninstall_from,
    usual_name,
)
from headnote.extras import install, load

EXIT_PROBLEMS = 1

_folder = click.argument(
    "folder",
    cls=Argument,
    required=False,
    type=options.PATH,
    shell_complete=choices.folders,
    about="Folder of the documents; the current one by default.",
)
_agent = click.option(
    "--agent",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=choices.words(*(agent.name for agent in known_agents())),
    help=f"Only this agent; repeatable. {', '.join(agent.name for agent in known_agents())}.",
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be written; change nothing.")


@click.command(
    "install",
    cls=Command,
    examples=[
        ("for all agents that are here", "headnote install docs"),
        ("see first what would be written", "headnote install docs --dry-run"),
        ("for one of them", "headnote install docs --agent codex"),
    ],
)
@_folder
@_agent
@click.option("--name", metavar="NAME", help="Name of the server; that of the folder by default, if no other has it.")
@_dry_run
@options.as_json
def install_command(folder: Path | None, names: Sequence[str], name: str | None, dry_run: bool, as_json: bool) -> None:
    """Tell the coding agents of this machine about a folder.

    Each gets the server of `headnote mcp FOLDER` in its settings, and a skill that says when to use which tool. If the
    folder is in a git repository, its AGENTS.md gets a few lines, too, for the agents that read it. Nothing else in
    these files is changed, and `headnote uninstall` restores them byte for byte.
    """
    load("mcp", "the MCP server", install("search", "mcp"))
    folder = _checked(folder)
    if name is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise SettingsError(
            f"{name!r} is not a valid name for a server", path="--name", remedy="use letters, digits, - and _"
        )
    chosen = _chosen(names) or [agent for agent in known_agents() if agent.is_there]
    if not chosen:
        known = ", ".join(agent.name for agent in known_agents())
        raise SettingsError("no agent was found", remedy=f"name yours: --agent, one of {known}")
    chosen_name = server_name(chosen, folder, name or "")
    if not name and chosen_name != usual_name(folder):
        write_note(f"the server is called {chosen_name}; --name gives it another name")
    _show(install_in(chosen, folder, chosen_name, _repository(folder), dry_run), dry_run, as_json)


@click.command(
    "uninstall",
    cls=Command,
    examples=[
        ("for all agents", "headnote uninstall docs"),
        ("see first what would be removed", "headnote uninstall docs --dry-run"),
    ],
)
@_folder
@_agent
@_dry_run
@options.as_json
def uninstall_command(folder: Path | None, names: Sequence[str], dry_run: bool, as_json: bool) -> None:
    """Undo what install has written for a folder.

    What somebody has changed since then stays, and the command names it.
    """
    titles = [agent.title for agent in _chosen(names)]
    pieces = uninstall_from(titles, folder or Path(), dry_run)
    if not pieces and not as_json:
        write_lines([[StyledText(f"nothing is installed for {(folder or Path()).resolve()}")]])
        return
    _show(pieces, dry_run, as_json)


def _checked(folder: Path | None) -> Path:
    folder = folder or Path()
    if not os.path.isdir(folder):  # a method of Path raises for a name that is too long
        raise SettingsError("is not a folder", path=str(folder), remedy="name the folder of the documents")
    return folder


def _chosen(names: Sequence[str]) -> list[Agent]:
    known = {agent.name: agent for agent in known_agents()}
    for name in names:
        if name not in known:
            raise SettingsError(f"unknown agent {name!r}", path="--agent", remedy=f"use {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]


def _repository(folder: Path) -> Path | None:
    """The repository that has the folder: agents who work in it read AGENTS.md there."""
    here = folder.resolve()
    return next((above for above in (here, *here.parents) if os.path.exists(above / ".git")), None)


def _show(pieces: Sequence[InstalledPiece], dry_run: bool, as_json: bool) -> None:
    if as_json:
        names = ("agent", "what", "file", "outcome", "text", "problem")
        write_json({"pieces": [{name: getattr(piece, name) for name in names} for piece in pieces]})
    else:
        write_lines(line for piece in pieces for line in _lines(piece, dry_run))
    if any(piece.outcome == "failed" for piece in pieces):
        raise click.exceptions.Exit(EXIT_PROBLEMS)


_SAID = {
    "added": "added",
    "removed": "removed",
    "unchanged": "already there",
    "gone": "was not there any more",
    "needed": "still needed",
    "changed": "left as it is: somebody has changed it",
    "failed": "not changed",
}


def _lines(piece: InstalledPiece, dry_run: bool) -> list[StyledLine]:
    said = _SAID[piece.outcome]
    if dry_run and piece.outcome in ("added", "removed"):
        said = f"would be {said}"
    what = "lines" if piece.what == "instructions" else piece.what
    style = "red" if piece.outcome == "failed" else "green" if piece.outcome in ("added", "removed") else "dim"
    head = [StyledText(f"{piece.agent}: ", "bold"), StyledText(f"{what} {said}", style), StyledText(f"  {piece.file}")]
    if piece.problem:
        return [head, [StyledText(f"  {piece.problem}", "red")]]
    if dry_run and piece.outcome == "added" and piece.what != "skill":
        return [head, *([StyledText(f"  + {line}", "dim")] for line in piece.text.strip("\r\n").splitlines())]
    return [head]
