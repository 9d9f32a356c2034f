"""`[chunking]`: the preset and the settings of chunks, which may also stand at the top of the file.

A preset is chosen like any other setting; what is said about single settings, anywhere, counts more than the preset.
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
from headnote.config.entries import Entry, Layer, Meant, Said, blaming
from headnote.config.layers import read_file, read_flags, read_other_variables, read_variables
from headnote.errors import SettingsError


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in force, and why they are what they are."""

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
    """What holds for documents in `start`. A flag that is None or an empty list was not given."""
    given = said_by_flags({**flags, "preset": preset})
    outside = said_outside(start, os.environ if environment is None else environment, given.get("preset"))
    return settled([outside, given])


def said_by_flags(flags: Mapping[str, Any]) -> Said:
    """What flags say; one that is None or an empty list was not given."""
    return _understand(read_flags(flags))


def said_outside(start: Path, environment: Mapping[str, str], preset: Meant | None = None) -> Said:
    """What file and environment say; `preset` is the one of somebody who counts more."""
    file, variables = read_file(start), read_variables(environment)
    presets = [entry.value for entry in (*file, *variables) if entry.name == "preset"]
    chosen = preset.value if preset else presets[-1] if presets else ""
    # Those of another program are weaker than those which can only be meant for this one.
    said: Said = {}
    for layer in (file, read_other_variables(chosen, environment), variables):
        said = override(said, _understand(layer))
    return said


def settled(layers: Iterable[Said]) -> LoadedSettings:
    """What holds if each of them counts more than those before it."""
    said: Said = {}
    for layer in layers:
        said = override(said, layer)
    chosen = said.pop("preset", Meant("default", "default"))
    with blaming(Entry("preset", chosen.value, chosen.origin)):
        find_preset(chosen.value)
    settings = _apply(chosen.value, said)
    return LoadedSettings(chosen.value, settings, _origins(chosen, settings, said))


def override(weaker: Said, stronger: Said) -> Said:
    """Basic and advanced names speak of the same things, so the stronger of either replaces the weaker of both."""
    replaced: set[str] = set()
    if "size" in stronger:
        replaced |= {"target_tokens", "max_tokens", "min_tokens"}
    if "overlap" in stronger or "overlap_tokens" in stronger:
        replaced |= {"overlap", "overlap_tokens"}
    return {name: meant for name, meant in weaker.items() if name not in replaced} | stronger


def _understand(layer: Layer) -> Said:
    """What the entries of one layer mean in our names; the first that makes no sense is refused with its place."""
    said: Said = {}
    for entry in layer:
        with blaming(entry):
            meaning = _meaning(entry)
        said |= {name: Meant(value, entry.place) for name, value in meaning.items()}
    try:
        translate({entry.name: entry.value for entry in layer if entry.name != "preset"})
    except SettingsError as error:
        raise SettingsError(error.message, path=_common_path(layer), remedy=error.remedy) from None
    return said


def _meaning(entry: Entry) -> dict[str, Any]:
    # Of several presets, only the one that is chosen has to exist.
    return {"preset": entry.value} if entry.name == "preset" else translate({entry.name: entry.value})


def _common_path(layer: Layer) -> str:
    paths = {entry.path for entry in layer}
    return paths.pop() if len(paths) == 1 else ""


def _apply(preset: str, said: Mapping[str, Meant]) -> Settings:
    try:
        return with_changes(find_preset(preset), {name: meant.value for name, meant in said.items()})
    except SettingsError as error:
        # Each value was good by itself, so what is wrong is how the sizes go together.
        given = [f"{name} from {said[name].origin}" for name in (*BUDGETS, "size", "overlap") if name in said]
        raise SettingsError("; ".join([error.message, *given]), remedy=error.remedy) from None


def _origins(preset: Meant, settings: Settings, said: Mapping[str, Meant]) -> dict[str, str]:
    base = find_preset(preset.value)
    of_preset = differences(preset.value)
    origins = {"preset": preset.origin}
    for name in FIELD_NAMES:
        if name in said:
            origins[name] = said[name].origin
        elif getattr(settings, name) != getattr(base, name):
            origins[name] = _origin_of_change(name, base, said)
        else:
            origins[name] = f"preset {preset.value}" if name in of_preset else "default"
    return origins


def _origin_of_change(name: str, base: Settings, said: Mapping[str, Meant]) -> str:
    """Why a setting differs from its preset although nobody named it."""
    if name not in BUDGETS:
        return said["oversized"].origin
    cause = cause_of(name, base, {name: meant.value for name, meant in said.items()})
    return said[cause].origin if cause in ("size", "overlap") else f"follows {cause}"
