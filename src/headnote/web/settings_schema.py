"""JSON Schema of the settings in a request: exactly what the server accepts."""

from __future__ import annotations

from typing import Any

from headnote.chunking.aliases import BASIC_NAMES, FIELD_OF_ALIAS, KIND_OF_ALIAS, VALUE_ALIASES
from headnote.chunking.budgets import OVERLAPS, SIZES
from headnote.chunking.describe import SettingInfo, describe_settings
from headnote.chunking.settings import BLOCK_KINDS, RANGES

Schema = dict[str, Any]

_KINDS = [*BLOCK_KINDS, *KIND_OF_ALIAS]
_BASIC: dict[str, Schema] = {
    "size": {"anyOf": [{"enum": list(SIZES)}, {"type": "integer", "minimum": 1}]},
    "overlap": {"anyOf": [{"enum": list(OVERLAPS)}, {"type": "integer", "minimum": 0}]},
}


def settings_schema() -> Schema:
    """Our names and those of other systems. The server also accepts other spellings of them."""
    by_name = {info.name: _with_description(info) for info in describe_settings()} | _BASIC
    by_alias = {alias: by_name[name] for alias, name in FIELD_OF_ALIAS.items()}
    return {
        "description": "Changes to the preset. Names from other systems are understood, too.",
        "properties": by_name | by_alias,
        "additionalProperties": False,
    }


def _with_description(info: SettingInfo) -> Schema:
    return {"description": info.description} | _schema_of(info)


def _schema_of(info: SettingInfo) -> Schema:
    if info.name in RANGES:
        least, most = RANGES[info.name]
        return {"type": "integer", "minimum": least} | ({} if most is None else {"maximum": most})
    if info.name == "keep_whole":
        return {"type": "array", "items": {"enum": _KINDS}}
    if info.name == "mdx":
        return {"type": ["boolean", "null"]}
    if info.type == "boolean":
        return {"type": "boolean"}
    words = [*info.choices, *VALUE_ALIASES.get(info.name, {})]
    if info.name == "oversized":
        return {"anyOf": [{"enum": [*words, True, False]}, _by_kind([*words, True, False])]}
    return {"enum": words}


def _by_kind(values: list[Any]) -> Schema:
    return {"type": "object", "propertyNames": {"enum": _KINDS}, "additionalProperties": {"enum": values}}


assert tuple(_BASIC) == BASIC_NAMES
