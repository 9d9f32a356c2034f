"""`[chunking]`: the preset and the settings of chunks, which may also stand at the top of the file.

A preset is chosen like any other setting. A single setting overrides the preset, whatever source it comes from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from headnote.arguments import expect, is_whole_number, read_switch, read_whole_number
from headnote.chunking.aliases import FIELD_OF_ALIAS, KNOWN_NAMES, find_name, plain_name, translate
from headnote.chunking.budgets import BUDGETS, cause_of, with_changes
from headnote.chunking.presets import differences, find_preset
from headnote.chunking.settings import FIELD_NAMES, RANGES, Settings, is_path_of_tokenizer
from headnote.config.folder_settings import INDEX, INDEXING, PARSERS, SEARCH
from headnote.config.server_settings import LLM, SERVER
from headnote.config.tables import (
    OWN_FILE,
    VARIABLE_PREFIX,
    Layer,
    SettingEntry,
    SettingsFile,
    SettingValue,
    Values,
    errors_at,
    flag_of,
    is_given,
    nearest_file,
    user_file,
    withheld_among,
)
from headnote.config.trust import USER_FOLDER, is_inside
from headnote.errors import SettingsError, nearest
from headnote.tokens import NAMES as COUNTERS

# -- The settings of chunks in the file, the environment and the flags: each a layer of entries with typed values.


TABLE = "chunking"
"""The table for settings of chunks, which may also stand at the top of the file."""

_OTHER_TABLES = (INDEX, SEARCH, LLM, SERVER)

# Variables with our prefix that are not settings: they belong to builds and tests, or set up a service.
_OTHER_VARIABLES = frozenset(
    (
        *("HEADNOTE_FUZZ", "HEADNOTE_PACKAGING", "HEADNOTE_SHARED", "HEADNOTE_ARTEFACTS", "HEADNOTE_CHROMIUM"),
        *("HEADNOTE_ALONE", "HEADNOTE_COMPILE", "HEADNOTE_COMPILED", "HEADNOTE_BUNDLE", "HEADNOTE_HOMES"),
        *("HEADNOTE_EMBEDDING_URL", "HEADNOTE_EMBEDDING_KEY", "HEADNOTE_EMBEDDING_DEADLINE", "HEADNOTE_CHAT_DEADLINE"),
        USER_FOLDER,
    )
).union(*(table.variables for table in _OTHER_TABLES))

_PRESET_VARIABLES = {"mdvdb": ("MDVDB_CHUNK_MAX_TOKENS", "MDVDB_CHUNK_OVERLAP_TOKENS")}

_NAMES = (*KNOWN_NAMES, "preset")
ROOTS = "roots"
"""The table of the folders of an index, each a table of its own."""
ROOT_KEYS = ("path", "include", "exclude", "formats")
"""What the table of a root has besides settings of chunks."""
LINKS, SCHEMA = "links", "schema"
"""Tables for checks: which findings stay, and rules for frontmatter."""
CONTEXT = "context"
"""The table of sentences about folders and documents."""
_OF_FOLDERS = (LINKS, SCHEMA, ROOTS, CONTEXT, INDEXING, PARSERS)
"""Tables that only the file of a folder has."""
_TABLE_NAMES = (TABLE, *(table.name for table in _OTHER_TABLES), *_OF_FOLDERS)
_VARIABLE_NAMES = (
    *_NAMES,
    *sorted(variable.removeprefix(VARIABLE_PREFIX).lower() for table in _OTHER_TABLES for variable in table.variables),
)

_RAGDOCS_NAMES = {"min_chunk_chars", "max_chunk_chars", "overlap_chars"}
"""Names that only `ragdocs` has. A file with one of them gets that preset, unless it names another."""


# Flags and variables


def read_flags(flags: Mapping[str, Any]) -> Layer:
    """The flags that were given."""
    return [_from_text(SettingEntry(name, value, flag_of(name))) for name, value in flags.items() if is_given(value)]


def read_variables(environment: Mapping[str, str]) -> Layer:
    """The `HEADNOTE_*` variables that are about chunks. Unknown ones raise."""
    layer = []
    for variable, text in sorted(environment.items()):
        # An empty variable counts as unset.
        if not variable.startswith(VARIABLE_PREFIX) or variable in _OTHER_VARIABLES or not text.strip():
            continue
        name = variable.removeprefix(VARIABLE_PREFIX).lower()
        layer.append(_from_text(SettingEntry(name, text, variable), _variable_of, _VARIABLE_NAMES))
    return layer


def _variable_of(name: str) -> str:
    return VARIABLE_PREFIX + name.upper()


def read_other_variables(preset: object, environment: Mapping[str, str]) -> Layer:
    """The variables of the system that the preset reproduces."""
    variables = [name for name in _PRESET_VARIABLES.get(str(preset), ()) if environment.get(name, "").strip()]
    return [_from_text(SettingEntry(variable, environment[variable], variable)) for variable in variables]


def _from_text(entry: SettingEntry, spelled: Callable[[str], str] = str, names: Sequence[str] = _NAMES) -> SettingEntry:
    """The entry with its text parsed for the setting."""
    field = _field_of(entry, spelled, names)
    name = "preset" if field == "preset" else entry.name
    if not isinstance(entry.value, str):
        return entry._replace(name=name)
    with errors_at(entry):
        return entry._replace(name=name, value=_parse(field, entry.value.strip()))


def _field_of(entry: SettingEntry, spelled: Callable[[str], str] = str, names: Sequence[str] = _NAMES) -> str:
    plain = plain_name(entry.name)
    if plain == "preset":
        return plain
    try:
        return find_name(plain)
    except SettingsError as error:
        # A TOML table is matched with names of tables only.
        is_table = isinstance(entry.value, dict)
        known, also = (_TABLE_NAMES, ()) if is_table else (names, FIELD_OF_ALIAS)
        remedy = nearest(plain, known, spelled=spelled, also=also)
        raise SettingsError(error.message, path=entry.path, line=entry.line, remedy=remedy) from None


def _parse(field: str, text: str) -> Any:
    if field in RANGES:
        return read_whole_number(text)
    if field in _SWITCHES:
        return read_switch(text)
    if field == "mdx":
        return None if text.lower() == "auto" else read_switch(text)
    if field in ("size", "overlap") and is_whole_number(text):
        return read_whole_number(text)
    if field == "oversized" and "=" in text:
        return dict(_pair(part) for part in text.split(","))
    return text


_SWITCHES = {field.name for field in fields(Settings) if type(field.default) is bool}


def _pair(text: str) -> tuple[str, str]:
    kind, _, policy = text.partition("=")
    return kind.strip(), policy.strip()


# The file


def read_file(start: Path) -> Layer:
    """The settings of chunks in the nearest file."""
    file = nearest_file(start)
    return _read(file, _entries(file), _NAMES) if file else []


def read_user_file() -> Layer:
    """The settings of chunks in the user's own file."""
    file = user_file()
    if file is None:
        return []
    for entry in file.entries():
        if entry.name in _OF_FOLDERS:
            message, remedy = f"[{entry.name}] is about a single folder", f"write it into the {OWN_FILE} of that folder"
            raise SettingsError(message, path=entry.path, line=entry.line, remedy=remedy)
    return _read(file, _entries(file), _NAMES)


def read_root(file: SettingsFile, entries: Layer) -> Layer:
    """The settings of chunks in the table of a root."""
    return _read(file, entries, (*ROOT_KEYS, *_NAMES))


def _read(file: SettingsFile, entries: Layer, names: Sequence[str]) -> Layer:
    withheld = withheld_among(outward_counters(file, entries), file)
    layer = [_from_toml(entry, file.path.parent, names) for entry in entries if entry not in withheld]
    return [*_implied_preset(layer), *layer]


def outward_settings(file: SettingsFile) -> Layer:
    """The settings of chunks that count only if the user trusts the file."""
    return outward_counters(file, _entries(file))


def outward_counters(file: SettingsFile, entries: Layer) -> Layer:
    """Tokenizers outside the folder of the file."""
    return [entry for entry in entries if _is_counter(entry) and leads_out(entry.value, file.path.parent)]


def leads_out(counter: Any, folder: Path) -> bool:
    """Whether a counter is a file outside of this folder."""
    return _is_file(counter) and not is_inside(counter, folder)


def _is_counter(entry: SettingEntry) -> bool:
    return FIELD_OF_ALIAS.get(plain_name(entry.name), plain_name(entry.name)) == "counter"


def _is_file(counter: Any) -> bool:
    return isinstance(counter, str) and counter not in COUNTERS and is_path_of_tokenizer(counter)


def _implied_preset(layer: Layer) -> Layer:
    """The preset implied by names that only one preset has, if the layer names none."""
    if any(entry.name == "preset" for entry in layer):
        return []
    hints = [entry for entry in layer if plain_name(entry.name) in _RAGDOCS_NAMES or entry.value == "header_based"]
    return [entry._replace(name="preset", value="ragdocs") for entry in hints[:1]]


def _entries(file: SettingsFile) -> Layer:
    """The settings of chunks, at the top and in the table."""
    top = [entry for entry in file.entries() if entry.name not in _TABLE_NAMES]
    for entry in file.entries():
        if entry.name in _TABLE_NAMES and entry.name != SCHEMA and not isinstance(entry.value, dict):
            message, remedy = f"{entry.name} is a table", f"write [{entry.name}] with its settings below"
            raise SettingsError(message, path=entry.path, line=entry.line, remedy=remedy)
    inner = file.entries(TABLE)
    for entry in inner:
        if entry.name in file.tables:
            message = f"{entry.name} is set at the top level and in [{TABLE}]"
            raise SettingsError(message, path=entry.path, line=entry.line, remedy="keep one of them")
    return [*top, *inner]


def _from_toml(entry: SettingEntry, folder: Path, names: Sequence[str] = _NAMES) -> SettingEntry:
    field = _field_of(entry, names=names)
    if field == "preset":
        with errors_at(entry):
            expect(isinstance(entry.value, str), entry.value, "a preset", "write its name in quotes")
        return entry._replace(name=field)
    if field == "counter" and _is_file(entry.value):
        # A path in the file is relative to the file.
        return entry._replace(value=str(folder / entry.value))
    return entry


# -- `[chunking]`


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in effect, and where each comes from."""

    preset: str
    settings: Settings
    origins: dict[str, str]
    """`preset` and every setting → `default`, `preset blocks`, `headnote.toml:3`, `HEADNOTE_MAX_TOKENS`, `--size` …"""


def load_settings(
    preset: str | None, flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
) -> LoadedSettings:
    """The settings for documents in `start`. A flag that is None or an empty list was not given."""
    from_flags = flag_values({**flags, "preset": preset})
    ambient = ambient_values(start, os.environ if environment is None else environment, from_flags.get("preset"))
    return resolve([ambient, from_flags])


def flag_values(flags: Mapping[str, Any]) -> Values:
    """The values of the flags that were given."""
    return _values(read_flags(flags))


def root_values(file: SettingsFile, entries: Layer) -> Values:
    """The values in the table of a root."""
    return _values(read_root(file, entries))


def variable_values(environment: Mapping[str, str]) -> Values:
    """The values of the variables alone."""
    return _values(read_variables(environment))


def ambient_values(start: Path, environment: Mapping[str, str], preset: SettingValue | None = None) -> Values:
    """The values of files and environment. `preset` is one that overrides theirs."""
    own, file, variables = read_user_file(), read_file(start), read_variables(environment)
    presets = [entry.value for entry in (*own, *file, *variables) if entry.name == "preset"]
    preset_name = preset.value if preset else presets[-1] if presets else ""
    # Variables of another program are weaker than HEADNOTE_*, which can only be meant for this one.
    values: Values = {}
    for layer in (own, file, read_other_variables(preset_name, environment), variables):
        values = override(values, _values(layer))
    return values


def resolve(layers: Iterable[Values]) -> LoadedSettings:
    """The settings in effect if each layer overrides those before it."""
    values: Values = {}
    for layer in layers:
        values = override(values, layer)
    preset = values.pop("preset", SettingValue("default", "default"))
    with errors_at(SettingEntry("preset", preset.value, preset.origin)):
        find_preset(preset.value)
    settings = _apply(preset.value, values)
    return LoadedSettings(preset.value, settings, _origins(preset, settings, values))


def override(weaker: Values, stronger: Values) -> Values:
    """Both layers as one. Basic and advanced names set the same things, so either replaces both of the weaker layer."""
    replaced: set[str] = set()
    if "size" in stronger:
        replaced |= {"target_tokens", "max_tokens", "min_tokens"}
    if "overlap" in stronger or "overlap_tokens" in stronger:
        replaced |= {"overlap", "overlap_tokens"}
    return {name: value for name, value in weaker.items() if name not in replaced} | stronger


def _values(layer: Layer) -> Values:
    """The values of one layer, by our names. The first bad entry raises, with its place."""
    values: Values = {}
    for entry in layer:
        with errors_at(entry):
            translated = _translate(entry)
        values |= {name: SettingValue(value, entry.place) for name, value in translated.items()}
    try:
        translate({entry.name: entry.value for entry in layer if entry.name != "preset"})
    except SettingsError as error:
        raise SettingsError(error.message, path=_common_path(layer), remedy=error.remedy) from None
    return values


def _translate(entry: SettingEntry) -> dict[str, Any]:
    # Only the preset that wins has to exist.
    return {"preset": entry.value} if entry.name == "preset" else translate({entry.name: entry.value})


def _common_path(layer: Layer) -> str:
    paths = {entry.path for entry in layer}
    return paths.pop() if len(paths) == 1 else ""


def _apply(preset: str, values: Values) -> Settings:
    try:
        return with_changes(find_preset(preset), {name: value.value for name, value in values.items()})
    except SettingsError as error:
        # Each value passed its own check, so the sizes contradict each other.
        sizes = [f"{name} from {values[name].origin}" for name in (*BUDGETS, "size", "overlap") if name in values]
        raise SettingsError("; ".join([error.message, *sizes]), remedy=error.remedy) from None


def _origins(preset: SettingValue, settings: Settings, values: Values) -> dict[str, str]:
    base = find_preset(preset.value)
    of_preset = differences(preset.value)
    origins = {"preset": preset.origin}
    for name in FIELD_NAMES:
        if name in values:
            origins[name] = values[name].origin
        elif getattr(settings, name) != getattr(base, name):
            origins[name] = _origin_of_change(name, base, values)
        else:
            origins[name] = f"preset {preset.value}" if name in of_preset else "default"
    return origins


def _origin_of_change(name: str, base: Settings, values: Values) -> str:
    """Why a setting that nobody named differs from its preset."""
    if name not in BUDGETS:
        return values["oversized"].origin
    cause = cause_of(name, base, {name: value.value for name, value in values.items()})
    return values[cause].origin if cause in ("size", "overlap") else f"follows {cause}"
