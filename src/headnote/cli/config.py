"""`headnote config`: which settings hold for a folder, and who said so."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from headnote.cli import options
from headnote.cli.command import Command
from headnote.cli.opening import tell_differences
from headnote.cli.terminal import Line, Span, remark, write_json, write_lines

if TYPE_CHECKING:
    from headnote.config import IndexSettings, LoadedSettings, LoadedTable

SERVICE_VARIABLES = (
    *("HEADNOTE_EMBEDDING_URL", "HEADNOTE_EMBEDDING_KEY", "HEADNOTE_EMBEDDING_DEADLINE"),
    *("HEADNOTE_CHAT_URL", "HEADNOTE_CHAT_KEY", "HEADNOTE_CHAT_MODEL", "HEADNOTE_CHAT_DEADLINE"),
)
"""Only whether they are set is anybody's business: one is a secret, and the other may hold one."""


class Loaded(NamedTuple):
    file: str | None
    chunking: LoadedSettings
    of_index: LoadedTable[IndexSettings]
    others: dict[str, LoadedTable[Any]]
    """Title of each other table → its settings."""


@click.command("config", cls=Command)
@options.root
@options.as_json
def config_command(root: Path, as_json: bool) -> None:
    """Show the settings in force, and who said so.

    Later ones count more: the preset, headnote.toml or [tool.headnote] in pyproject.toml, HEADNOTE_* variables, flags.
    What an index was made with is kept in it, and holds until headnote index is run again.
    """
    loaded = _load(root)
    if as_json:
        write_json(_record(loaded, root))
    else:
        write_lines(_lines(loaded, root))


def _load(root: Path) -> Loaded:
    from headnote.api import check_folder, settings_of_index
    from headnote.config import (
        choose,
        load_chat_settings,
        load_search_settings,
        load_server_settings,
        settings_file,
    )
    from headnote.errors import IndexFailure, MissingExtra

    check_folder(root)
    try:
        choice = settings_of_index(root)
    except (IndexFailure, MissingExtra) as error:
        remark(f"without what the index keeps: {error}")
        choice = choose({}, root)
    tell_differences(choice)
    return Loaded(
        file=settings_file(root),
        chunking=choice.chunking,
        of_index=choice.of_index,
        others={
            "search": load_search_settings({}, root),
            "llm": load_chat_settings(root),
            "server": load_server_settings({}, root),
        },
    )


def _tables(loaded: Loaded) -> dict[str, dict[str, tuple[Any, str]]]:
    """Title → setting → value and origin."""
    from headnote.chunking.settings import FIELD_NAMES
    from headnote.config import INDEX_NAMES
    from headnote.store.opening import shown_store

    chunking, of_index = loaded.chunking, loaded.of_index
    of_settings = {name: (getattr(of_index.settings, name), of_index.origins[name]) for name in INDEX_NAMES}
    of_settings["store"] = (shown_store(of_index.settings.store), of_index.origins["store"])  # without its password
    preset = {"preset": (chunking.preset, chunking.origins["preset"])}
    return {
        "chunking": preset | {name: (getattr(chunking.settings, name), chunking.origins[name]) for name in FIELD_NAMES},
        "index": of_settings,
        **{title: _rows(table) for title, table in loaded.others.items()},
    }


def _rows(table: LoadedTable[Any]) -> dict[str, tuple[Any, str]]:
    values = {name: getattr(table.settings, name) for name in table.origins}
    return {name: (_without_secret(name, value), table.origins[name]) for name, value in values.items()}


def _without_secret(name: str, value: Any) -> Any:
    """A key is nobody's business, and the address of a service may hold one behind its path."""
    if name in ("key", "token"):
        return "set" if value else "none"
    return value.partition("?")[0] if name == "url" else value


def _record(loaded: Loaded, root: Path) -> dict[str, Any]:
    tables = {
        title: {name: {"value": _plain(value), "origin": origin} for name, (value, origin) in rows.items()}
        for title, rows in _tables(loaded).items()
    }
    service = {variable: bool(os.environ.get(variable, "").strip()) for variable in SERVICE_VARIABLES}
    return {"root": str(root), "file": loaded.file, **tables, "set": service}


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset | tuple):
        return sorted(value) if isinstance(value, frozenset) else list(value)
    return value if isinstance(value, str | int | float | None) else str(value)


def _lines(loaded: Loaded, root: Path) -> list[Line]:
    from headnote.cli.presets import shown_value

    said = f"file {loaded.file}" if loaded.file else "no file with settings here or above"
    lines: list[Line] = [[Span(str(root), "bold"), Span(f"  {said}", "dim")]]
    for title, rows in _tables(loaded).items():
        shown = {name: _shown(value, shown_value) for name, (value, _) in rows.items()}
        names, values = max(map(len, shown)), max(map(len, shown.values()))
        lines += [[], [Span(title, "bold")]]
        for name, (_, origin) in rows.items():
            style = "dim" if origin == "default" else "cyan"
            lines.append([Span(f"  {name.ljust(names)}  {shown[name].ljust(values)}  "), Span(origin, style)])
    lines.append([])
    for variable in SERVICE_VARIABLES:
        state = "set" if os.environ.get(variable, "").strip() else "not set"
        lines.append([Span(f"{variable.ljust(max(map(len, SERVICE_VARIABLES)))}  "), Span(state, "dim")])
    return lines


def _shown(value: Any, shown_value: Any) -> str:
    return ", ".join(value) or "none" if isinstance(value, tuple) else str(shown_value(value)) or "none"
