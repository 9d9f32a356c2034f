"""May a folder be read that nobody named? Whoever forgets it, or types it wrongly, may stand in a whole home folder."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from headnote.api import has_index
from headnote.cli.terminal import write_note
from headnote.config.tables import nearest_file
from headnote.errors import SettingsError
from headnote.sources.discover import has_more_files

MAX_FILES = 20_000
"""Documents of a folder that is read without a question."""
NAMED = "headnote.named"
"""Where a command notes that a folder is among its words."""
_PLACES = ("root", "folders", "home", "pack")
_WORDS = ("words", "places", "path")


def ask_before_first_read(root: Path, place: dict[str, Any]) -> None:
    """Ask whether to read the current folder, if nobody named it, it has neither an index nor settings, and it is
    large. Without a terminal, or after a no, that is an error. `place` says where the index is."""
    refusal = first_read_refusal(root, place)
    if refusal is None:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        write_note(f"{refusal.message} yet: {refusal.path}")
        if click.confirm("Read all of it?", err=True):
            click.get_current_context().meta[NAMED] = True  # once is enough
            return
    raise refusal


def first_read_refusal(root: Path, place: dict[str, Any]) -> SettingsError | None:
    """Why the folder is not read unasked; None if it may be."""
    context = click.get_current_context(silent=True)
    if context is None or _is_named(context) or has_index(root, place.get("store"), place.get("schema")):
        return None
    if nearest_file(root) is not None:
        return None
    real = Path(os.path.realpath(root))
    if (home := _home()) is not None and home.is_relative_to(real):
        what = "is your home folder" if real == home else "contains your home folder"
    elif has_more_files(real, MAX_FILES):
        what = f"has more than {MAX_FILES:,} files"
    else:
        return None
    remedy = f"name a folder, or to read this one: {_line(context)}"
    message = f"no folder is named, and the current one {what}: nothing was read"
    return SettingsError(message, path=str(real), remedy=remedy)


def _is_named(context: click.Context) -> bool:
    sources = map(context.get_parameter_source, _PLACES)
    given = (source not in (None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP) for source in sources)
    return bool(context.meta.get(NAMED)) or any(given)


def _line(context: click.Context) -> str:
    """The same command with the current folder named."""
    values = [context.params[name] for name in _WORDS if context.params.get(name)]
    words = [word for value in values for word in ([value] if isinstance(value, str) else value)]
    takes_words = any(name in context.params for name in _WORDS)
    return shlex.join([*context.command_path.split(), *map(str, words), *(["-r", "."] if takes_words else ["."])])


def _home() -> Path | None:
    try:
        return Path(os.path.realpath(Path.home()))
    except RuntimeError:  # a system without users
        return None
