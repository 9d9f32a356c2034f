"""`[chunking]`: the preset and the settings of chunks, which may also stand at the top of the file.

A preset is chosen like any other setting. A single setting overrides the preset, whatever source it comes from.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headnote.chunking.aliases import translate
from headnote.chunking.budgets import BUDGETS, cause_of, with_changes
from headnote.chunking.presets import differences, find_preset
from headnote.chunking.settings import FIELD_NAMES, Settings
from headnote.config.entries import Entry, Layer, Value, Values, errors_at
from headnote.config.files import SettingsFile
from headnote.config.layers import (
    read_file,
    read_flags,
    read_other_variables,
    read_root,
    read_user_file,
    read_variables,
)
from headnote.errors import SettingsError


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in effect, and where each comes from."""

    preset: str
    settings: Settings
    origins: dict[str, str]
    """`preset` and every setting → `default`, `preset blocks`, `headnote.toml:3`, `HEADNOTE_MAX_TOKENS`, `--size` …"""


def load_settings(
    preset: str | None,
    flags: Mapping[str, Any],
    start: Path,
    environment: Mapping[str, str] | None = None,
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


def ambient_values(start: Path, environment: Mapping[str, str], preset: Value | None = None) -> Values:
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
    preset = values.pop("preset", Value("default", "default"))
    with errors_at(Entry("preset", preset.value, preset.origin)):
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
        values |= {name: Value(value, entry.place) for name, value in translated.items()}
    try:
        translate({entry.name: entry.value for entry in layer if entry.name != "preset"})
    except SettingsError as error:
        raise SettingsError(error.message, path=_common_path(layer), remedy=error.remedy) from None
    return values


def _translate(entry: Entry) -> dict[str, Any]:
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


def _origins(preset: Value, settings: Settings, values: Values) -> dict[str, str]:
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
