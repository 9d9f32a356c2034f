"""`[[schema]]`: what lint wants of frontmatter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headnote.arguments import check_texts, check_word
from headnote.config.chunk_settings import SCHEMA
from headnote.config.folder_settings import header_lines
from headnote.config.tables import nearest_file
from headnote.errors import SettingsError, nearest, shown
from headnote.links.checking.frontmatter_rules import FIELD_TYPES, FieldType, SchemaRule

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
    lines = header_lines(file, SCHEMA)
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
