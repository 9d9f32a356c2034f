"""What checks of a folder obey: `[[links.ignore]]`, what is never reported, and `[[schema]]`, what lint wants of
frontmatter. Apart from the other settings of a folder, since a search needs none of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from headnote.arguments import check_texts, check_word
from headnote.config.chunk_settings import LINKS, SCHEMA
from headnote.config.tables import SettingsFile, nearest_file
from headnote.errors import SettingsError, nearest, shown
from headnote.links.checking.link_report import KINDS
from headnote.links.checking.policy import FIELD_TYPES, FieldType, IgnoreEntry, SchemaRule

# -- `[[links.ignore]]`

IGNORE = "ignore"
_KEYS = ("path", "target", "kind", "reason")
_HEADER = re.compile(r"\s*\[\[([^\[\]]*)\]\]")
_EXAMPLE = 'write [[links.ignore]] with target = "old/*" and reason = "why it stays"'


def load_ignore_list(start: Path) -> list[IgnoreEntry]:
    """The entries in the settings file for documents in `start`. One that is not complete raises, with its line."""
    file = nearest_file(start)
    table = file.tables.get(LINKS) if file else None
    if file is None or not isinstance(table, dict):
        return []
    known = {entry.name: entry for entry in file.entries(LINKS)}
    for name, entry in known.items():
        if name != IGNORE:
            remedy = nearest(name, (IGNORE,))
            raise SettingsError(f"unknown setting {name}", path=file.shown, line=entry.line, remedy=remedy)
    entries = table.get(IGNORE, [])
    line = known[IGNORE].line if known else None
    if not isinstance(entries, list):
        raise SettingsError("ignore is a list of tables", path=file.shown, line=line, remedy=_EXAMPLE)
    lines = _header_lines(file, LINKS, IGNORE)
    places = lines if len(lines) == len(entries) else [line] * len(entries)
    return [_entry(entry, file.shown, place) for entry, place in zip(entries, places, strict=True)]


def _header_lines(file: SettingsFile, *table: str) -> list[int | None]:
    """The line of each table in a list of tables."""
    wanted = ".".join((*file.prefix, *table))
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
    if "kind" in entry and entry["kind"] not in KINDS:
        raise refused(f"unknown kind {shown(entry['kind'])}", nearest(entry["kind"], tuple(KINDS)))
    return IgnoreEntry(**{name: value.strip() for name, value in entry.items()}, place=place, line=line)


# -- `[[schema]]`

_OF_SCHEMA = ("path", "required", "types", "values")
_SCHEMA_EXAMPLE = 'write [[schema]] with required = ["title"]'


def load_schema(start: Path) -> list[SchemaRule]:
    """The rules in the settings file for documents in `start`."""
    file = nearest_file(start)
    rules = file.tables.get(SCHEMA, []) if file else []
    if file is None or not rules:
        return []
    if not isinstance(rules, list):
        raise SettingsError("schema is a list of tables", path=file.shown, remedy=_SCHEMA_EXAMPLE)
    lines = _header_lines(file, SCHEMA)
    places = lines if len(lines) == len(rules) else [None] * len(rules)
    return [_schema_rule(rule, file.shown, place) for rule, place in zip(rules, places, strict=True)]


def _schema_rule(rule: Any, place: str, line: int | None) -> SchemaRule:
    try:
        if not isinstance(rule, dict):
            raise SettingsError(f"{shown(rule)} is not a rule of the schema", remedy=_SCHEMA_EXAMPLE)
        for name in rule:
            if name not in _OF_SCHEMA:
                raise SettingsError(f"unknown key {name} in [[schema]]", remedy=nearest(name, _OF_SCHEMA))
        return SchemaRule(
            path=_glob(rule.get("path", "")),
            required=check_texts(rule.get("required", ()), "a list of fields", _SCHEMA_EXAMPLE),
            types={field: _field_type(kind) for field, kind in _table(rule, "types").items()},
            values={field: check_texts(one) for field, one in _table(rule, "values").items()},
        )
    except SettingsError as error:
        raise SettingsError(error.message, path=place, line=line, remedy=error.remedy) from None


def _glob(value: Any) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{shown(value)} is not a glob", remedy='write path = "posts/**"')
    return value


def _field_type(value: Any) -> FieldType:
    word = check_word(value, FIELD_TYPES)
    return next(kind for kind in FIELD_TYPES if kind == word)


def _table(rule: dict[str, Any], name: str) -> dict[str, Any]:
    value = rule.get(name, {})
    if not isinstance(value, dict):
        raise SettingsError(f"{name} is a table", remedy=f"write {name} = {{ date = … }}")
    return value
