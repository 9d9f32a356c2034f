"""`headnote config`: the settings in effect for a folder, and where each comes from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import click

from headnote.api import check_folder, settings_of_index
from headnote.chunking.settings import FIELD_NAMES
from headnote.cli import options
from headnote.cli.access import IndexCommand, NamedIndex, note_differences, note_withheld
from headnote.cli.formatting import setting_json, setting_text
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines, write_note
from headnote.config import (
    INDEX_NAMES,
    IndexSettings,
    LoadedSettings,
    LoadedTable,
    choose,
    in_effect,
    load_chat_settings,
    load_search_settings,
    load_server_settings,
    settings_file,
)
from headnote.config.tables import user_file
from headnote.errors import IndexFailure, MissingExtra
from headnote.store.opening import shown_store

SERVICE_VARIABLES = (
    *("HEADNOTE_EMBEDDING_URL", "HEADNOTE_EMBEDDING_KEY", "HEADNOTE_EMBEDDING_DEADLINE"),
    *("HEADNOTE_CHAT_URL", "HEADNOTE_CHAT_KEY", "HEADNOTE_CHAT_MODEL", "HEADNOTE_CHAT_DEADLINE"),
)
"""The output tells only whether they are set: a key is a secret, and a URL may contain one."""


class Loaded(NamedTuple):
    """Every setting, with its origin."""

    file: str | None
    """The file of the folder, or above it."""
    user_file: str | None
    """The user's own."""
    chunking: LoadedSettings
    of_index: LoadedTable[IndexSettings]
    others: dict[str, LoadedTable[Any]]
    """Title of each other table → its settings."""
    withheld: dict[tuple[str, str], str]
    """Table and setting → where it stands without being used."""


@click.command(
    "config",
    cls=IndexCommand,
    examples=[
        ("which settings apply to a folder, and why", "headnote config docs"),
        ("the same for programs", "headnote config docs --json"),
    ],
)
@options.root
@options.as_json
def config_command(named: NamedIndex) -> None:
    """Show the settings in effect and where each comes from.

    Later sources win: the preset, the headnote.toml of your own, headnote.toml or [tool.headnote] in pyproject.toml,
    HEADNOTE_* variables, flags. What the file of a folder says about services, programs and places outside counts after
    headnote trust. An index stores the settings it was made with; flags last, and what came from a file follows that
    file with the next update.
    """
    loaded = _load(named.root)
    if named.as_json:
        write_json(_record(loaded, named.root))
    else:
        write_lines(_lines(loaded, named.root))


def _load(root: Path) -> Loaded:
    check_folder(root)
    try:
        choice = settings_of_index(root)
    except (IndexFailure, MissingExtra) as error:
        write_note(f"without the settings stored in the index: {error}")
        choice = choose({}, root)
    note_differences(choice)
    note_withheld(choice, root)
    return Loaded(
        withheld={(one.table, one.name): one.place for one in choice.withheld},
        file=settings_file(root),
        user_file=own.shown if (own := user_file()) else None,
        chunking=choice.chunking,
        of_index=choice.of_index,
        others={
            "search": in_effect(load_search_settings({}, root), choice.chunking.preset),
            "llm": load_chat_settings(root),
            "server": load_server_settings({}, root),
        },
    )


def _tables(loaded: Loaded) -> dict[str, dict[str, tuple[Any, str]]]:
    """Title → setting → value and origin."""
    chunking, of_index = loaded.chunking, loaded.of_index
    index_rows = {name: (getattr(of_index.settings, name), of_index.origins[name]) for name in INDEX_NAMES}
    index_rows["store"] = (shown_store(of_index.settings.store), of_index.origins["store"])  # without its password
    preset = {"preset": (chunking.preset, chunking.origins["preset"])}
    return {
        "chunking": preset | {name: (getattr(chunking.settings, name), chunking.origins[name]) for name in FIELD_NAMES},
        "index": index_rows,
        **{title: _rows(table) for title, table in loaded.others.items()},
    }


def _rows(table: LoadedTable[Any]) -> dict[str, tuple[Any, str]]:
    values = {name: getattr(table.settings, name) for name in table.origins}
    return {name: (_without_secret(name, value), table.origins[name]) for name, value in values.items()}


def _without_secret(name: str, value: Any) -> Any:
    """Hide keys, also one in the query of a URL."""
    if name in ("key", "token"):
        return "set" if value else "none"
    return value.partition("?")[0] if name == "url" else value


def _record(loaded: Loaded, root: Path) -> dict[str, Any]:
    tables = {
        title: {
            name: {"value": setting_json(value), "origin": origin} | _not_used(loaded, title, name)
            for name, (value, origin) in rows.items()
        }
        for title, rows in _tables(loaded).items()
    }
    service = {variable: bool(os.environ.get(variable, "").strip()) for variable in SERVICE_VARIABLES}
    withheld = [{"setting": ".".join(one), "place": place} for one, place in loaded.withheld.items()]
    return {
        "root": str(root),
        "file": loaded.file,
        "user_file": loaded.user_file,
        **tables,
        "set": service,
        "withheld": withheld,
    }


def _not_used(loaded: Loaded, table: str, name: str) -> dict[str, str]:
    place = loaded.withheld.get((table, name))
    return {"not_used": place} if place else {}


def _lines(loaded: Loaded, root: Path) -> list[StyledLine]:
    source = f"file {loaded.file}" if loaded.file else "no settings file here or above"
    own = f", and your own {loaded.user_file}" if loaded.user_file else ""
    lines: list[StyledLine] = [[StyledText(str(root), "bold"), StyledText(f"  {source}{own}", "dim")]]
    for title, rows in _tables(loaded).items():
        texts = {name: setting_text(value) or "none" for name, (value, _) in rows.items()}
        names, values = max(map(len, texts)), max(map(len, texts.values()))
        lines += [[], [StyledText(title, "bold")]]
        for name, (_, origin) in rows.items():
            style = "dim" if origin == "default" else "cyan"
            place = loaded.withheld.get((title, name))
            unused = [StyledText(f"; {place} is not used: headnote trust {root}", "yellow")] if place else []
            lines.append(
                [
                    StyledText(f"  {name.ljust(names)}  {texts[name].ljust(values)}  "),
                    StyledText(origin, style),
                    *unused,
                ]
            )
    lines.append([])
    for variable in SERVICE_VARIABLES:
        state = "set" if os.environ.get(variable, "").strip() else "not set"
        lines.append([StyledText(f"{variable.ljust(max(map(len, SERVICE_VARIABLES)))}  "), StyledText(state, "dim")])
    return lines
