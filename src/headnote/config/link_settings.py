"""`[links]`: the ignore list of `headnote links --check`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from headnote.config.tables import SettingsFile, nearest_file
from headnote.errors import SettingsError, nearest, shown
from headnote.links.checking.ignoring import IgnoreEntry
from headnote.links.checking.link_report import KINDS

TABLE = "links"
IGNORE = "ignore"
_KEYS = ("path", "target", "kind", "reason")
_HEADER = re.compile(r"\s*\[\[([^\[\]]*)\]\]")
_EXAMPLE = 'write [[links.ignore]] with target = "old/*" and reason = "why it stays"'


def load_ignore_list(start: Path) -> list[IgnoreEntry]:
    """The entries in the settings file for documents in `start`. One that is not complete raises, with its line."""
    file = nearest_file(start)
    table = file.tables.get(TABLE) if file else None
    if file is None or not isinstance(table, dict):
        return []
    known = {entry.name: entry for entry in file.entries(TABLE)}
    for name, entry in known.items():
        if name != IGNORE:
            remedy = nearest(name, (IGNORE,))
            raise SettingsError(f"unknown setting {name}", path=file.shown, line=entry.line, remedy=remedy)
    entries = table.get(IGNORE, [])
    line = known[IGNORE].line if known else None
    if not isinstance(entries, list):
        raise SettingsError("ignore is a list of tables", path=file.shown, line=line, remedy=_EXAMPLE)
    lines = _header_lines(file)
    places = lines if len(lines) == len(entries) else [line] * len(entries)
    return [_entry(entry, file.shown, place) for entry, place in zip(entries, places, strict=True)]


def _header_lines(file: SettingsFile) -> list[int | None]:
    """The line of each `[[links.ignore]]`."""
    wanted = ".".join((*file.prefix, TABLE, IGNORE))
    headers = ((number, _HEADER.match(line)) for number, line in enumerate(file.text.split("\n"), 1))
    return [number for number, match in headers if match and re.sub(r"[\s\"']", "", match[1]) == wanted]


def _entry(entry: Any, place: str, line: int | None) -> IgnoreEntry:
    def refused(message: str, remedy: str) -> SettingsError:
        return SettingsError(message, path=place, line=line, remedy=remedy)

    if not isinstance(entry, dict):
        raise refused(f"{shown(entry)} is not an entry of the ignore list", _EXAMPLE)
    for name, value in entry.items():
        if name not in _KEYS:
            raise refused(f"unknown key {name} in [[links.ignore]]", nearest(name, _KEYS))
        if not isinstance(value, str) or not value.strip():
            raise refused(f"{name} needs a text", f'write {name} = "…"')
    if "reason" not in entry:
        raise refused("an entry of the ignore list needs a reason", 'add reason = "why it stays"')
    if not {"path", "target"} & entry.keys():
        raise refused("an entry without path and target would ignore everything", "add one of them")
    if entry.get("kind", KINDS[0]) not in KINDS:
        raise refused(f"unknown kind {shown(entry['kind'])}", nearest(entry["kind"], KINDS))
    return IgnoreEntry(**{name: value.strip() for name, value in entry.items()}, place=place, line=line)
