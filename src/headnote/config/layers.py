"""What the file, the environment and the flags say of chunks: each is a layer of entries, with typed values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from headnote.chunking.aliases import KNOWN_NAMES, find_name, plain_name
from headnote.chunking.settings import Settings, is_path_of_tokenizer, nearest
from headnote.config.entries import Entry, Layer, blaming, flag_of, is_given
from headnote.config.files import SettingsFile, nearest_file
from headnote.config.index import INDEX
from headnote.config.tables import VARIABLE_PREFIX
from headnote.config.texts import is_whole_number, switch, whole_number
from headnote.errors import SettingsError
from headnote.tokens import NAMES as COUNTERS

TABLE = "chunking"
"""Where settings of chunks may stand, besides the top of the file."""

# They have our prefix but belong to the tests of this project, or say where a service is and what key it takes.
_NO_SETTINGS = {
    *("HEADNOTE_FUZZ", "HEADNOTE_PACKAGING", "HEADNOTE_SHARED", "HEADNOTE_ARTEFACTS", "HEADNOTE_CHROMIUM"),
    *("HEADNOTE_EMBEDDING_URL", "HEADNOTE_EMBEDDING_KEY", "HEADNOTE_EMBEDDING_DEADLINE"),
    *("HEADNOTE_CHAT_URL", "HEADNOTE_CHAT_KEY", "HEADNOTE_CHAT_MODEL", "HEADNOTE_CHAT_DEADLINE"),
    "HEADNOTE_TOKEN",
}

_OTHER_TABLES = (INDEX,)
_OTHER_VARIABLES = _NO_SETTINGS.union(*(table.variables for table in _OTHER_TABLES))

_VARIABLES_OF_PRESET = {"mdvdb": ("MDVDB_CHUNK_MAX_TOKENS", "MDVDB_CHUNK_OVERLAP_TOKENS")}

_NAMES = (*KNOWN_NAMES, "preset")


# Flags and variables


def read_flags(flags: Mapping[str, Any]) -> Layer:
    """Those that were given."""
    return [_from_text(Entry(name, value, flag_of(name))) for name, value in flags.items() if is_given(value)]


def read_variables(environment: Mapping[str, str]) -> Layer:
    """Variables of ours that are about chunks, and those that nobody knows, which are refused."""
    layer = []
    for variable, text in sorted(environment.items()):
        # A variable that is set to nothing is the usual way to take it back.
        if not variable.startswith(VARIABLE_PREFIX) or variable in _OTHER_VARIABLES or not text.strip():
            continue
        name = variable.removeprefix(VARIABLE_PREFIX).lower()
        layer.append(_from_text(Entry(name, text, variable), _variable_of))
    return layer


def _variable_of(name: str) -> str:
    return VARIABLE_PREFIX + name.upper()


def read_other_variables(preset: str, environment: Mapping[str, str]) -> Layer:
    """Variables of the system that the preset stands for."""
    variables = [name for name in _VARIABLES_OF_PRESET.get(preset, ()) if environment.get(name, "").strip()]
    return [_from_text(Entry(variable, environment[variable], variable)) for variable in variables]


def _from_text(entry: Entry, spelled: Callable[[str], str] = str) -> Entry:
    """The entry with text turned into what its setting takes."""
    field = _known(entry, spelled)
    name = "preset" if field == "preset" else entry.name
    if not isinstance(entry.value, str):
        return entry._replace(name=name)
    with blaming(entry):
        return entry._replace(name=name, value=_parse(field, entry.value.strip()))


def _known(entry: Entry, spelled: Callable[[str], str] = str) -> str:
    plain = plain_name(entry.name)
    if plain == "preset":
        return plain
    try:
        return find_name(plain)
    except SettingsError as error:
        remedy = nearest(plain, _NAMES, spelled=spelled)
        raise SettingsError(error.message, path=entry.path, line=entry.line, remedy=remedy) from None


def _parse(field: str, text: str) -> Any:
    if field in _WHOLE_NUMBERS:
        return whole_number(text)
    if field in _SWITCHES:
        return switch(text)
    if field == "mdx":
        return None if text.lower() == "auto" else switch(text)
    if field in ("size", "overlap") and is_whole_number(text):
        return whole_number(text)
    if field == "oversized" and "=" in text:
        return dict(_pair(part) for part in text.split(","))
    return text


_WHOLE_NUMBERS = {field.name for field in fields(Settings) if type(field.default) is int}
_SWITCHES = {field.name for field in fields(Settings) if type(field.default) is bool}


def _pair(text: str) -> tuple[str, str]:
    kind, _, policy = text.partition("=")
    return kind.strip(), policy.strip()


# The file


def read_file(start: Path) -> Layer:
    """What the nearest file says of chunks."""
    file = nearest_file(start)
    return [_from_toml(entry, file.path.parent) for entry in _entries(file)] if file else []


def _entries(file: SettingsFile) -> Layer:
    """What it says of chunks, at the top and in the table."""
    tables = (TABLE, *(table.name for table in _OTHER_TABLES))
    top = [entry for entry in file.entries() if entry.name not in tables or not isinstance(entry.value, dict)]
    inner = file.entries(TABLE)
    for entry in inner:
        if entry.name in file.tables:
            message = f"{entry.name} stands at the top and in [{TABLE}]"
            raise SettingsError(message, path=entry.path, line=entry.line, remedy="keep one of them")
    return [*top, *inner]


def _from_toml(entry: Entry, folder: Path) -> Entry:
    field = _known(entry)
    if field == "preset":
        return entry._replace(name=field)
    counter = entry.value
    if field == "counter" and isinstance(counter, str) and counter not in COUNTERS and is_path_of_tokenizer(counter):
        # As written there, so seen from there.
        return entry._replace(value=str(folder / counter))
    return entry
