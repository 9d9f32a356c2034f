"""`headnote trust`: let the settings of a folder name services, programs and places outside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from headnote.api import TrustedFolder, distrust_folder, state_of, trust_folder
from headnote.cli import choices, options
from headnote.cli.command import Argument, Command
from headnote.cli.formatting import setting_json, setting_text
from headnote.cli.terminal import StyledLine, StyledText, table, write_json, write_lines
from headnote.config import OutwardSetting, Trusted
from headnote.config.chunk_settings import ROOTS
from headnote.config.trust import records
from headnote.errors import SettingsError
from headnote.store.opening import shown_store


@click.command(
    "trust",
    cls=Command,
    examples=[
        ("let the file of a folder name services and places", "headnote trust docs"),
        ("what you trust", "headnote trust --list"),
        ("take it back", "headnote trust docs --remove"),
    ],
)
@click.argument(
    "folder",
    cls=Argument,
    required=False,
    type=options.PATH,
    shell_complete=choices.folders,
    about="Folder whose settings to trust; the current one by default.",
)
@click.option("--list", "show_list", is_flag=True, help="Show what you trust; change nothing.")
@click.option("--remove", is_flag=True, help="Stop trusting the folder.")
@options.as_json
def trust_command(folder: Path | None, show_list: bool, remove: bool, as_json: bool) -> None:
    """Let the file of a folder name services and places.

    A headnote.toml that came with somebody's documents decides nothing but sizes, presets, weights and names. What it
    says about models of a service, keys, databases, editors, and folders or files outside counts only after this
    command. It trusts the file as it is now; after a change, you have to trust it again. What you trust is remembered
    outside the folder. Flags, HEADNOTE_* variables and a headnote.toml of your own need no trust.
    """
    if show_list and (remove or folder is not None):
        raise SettingsError("--list shows all that you trust", path="--list", remedy="leave out the rest")
    if show_list:
        _show_records(records(), "trusted", as_json)
    elif remove:
        _show_records(distrust_folder(folder or Path()), "removed", as_json)
    else:
        _show(folder or Path(), trust_folder(folder or Path()), as_json)


def _show(folder: Path, trusted: TrustedFolder, as_json: bool) -> None:
    if as_json:
        settings = [
            {"setting": one.setting, "value": setting_json(_shown(one)), "place": one.place} for one in trusted.settings
        ]
        write_json({"root": str(folder), "file": trusted.file, "sha256": trusted.sha256, "settings": settings})
    elif trusted.settings:
        rows: dict[str, StyledLine] = {
            one.setting: [StyledText(f"{setting_text(_shown(one))}  "), StyledText(one.place, "dim")]
            for one in trusted.settings
        }
        write_lines(
            [
                [StyledText(f"{trusted.file or folder}", "bold"), StyledText(" is trusted, as it is now, to set")],
                *table(rows),
            ]
        )
    else:
        write_lines([[StyledText(f"nothing in {folder} needs trust")]])


def _shown(one: OutwardSetting) -> Any:
    """The value without secrets."""
    if one.name in ("key", "token"):
        return "set"
    if one.table == ROOTS:
        here = Path.cwd()
        return str(Path(one.value).relative_to(here)) if Path(one.value).is_relative_to(here) else one.value
    if one.name == "store":
        return shown_store(one.value)
    return one.value.partition("?")[0] if one.name == "url" else one.value


def _show_records(found: Sequence[Trusted], what: str, as_json: bool) -> None:
    if as_json:
        write_json({what: [{**record._asdict(), "state": state_of(record)} for record in found]})
    elif found:
        states = {_subject(record): state_of(record) for record in found}
        style = {"trusted": "green"}
        rows: dict[str, StyledLine] = {
            subject: [StyledText(what if what == "removed" else state, style.get(state, "yellow"))]
            for subject, state in states.items()
        }
        write_lines(table(rows))
    else:
        nothing = "nothing was trusted" if what == "removed" else "nothing is trusted yet: headnote trust FOLDER"
        write_lines([[StyledText(nothing)]])


def _subject(record: Trusted) -> str:
    return f"{record.path} ({record.setting} of its index)" if record.setting else record.path
