"""Named settings, one for each system whose users should feel at home: the defaults plus a difference."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from headnote.arguments import check_types
from headnote.chunking.aliases import translate
from headnote.chunking.budgets import with_changes
from headnote.chunking.settings import Settings
from headnote.errors import SettingsError, nearest, shown

_DIFFERENCES: dict[str, dict[str, Any]] = {
    "default": {},
    # Windows are exactly max tokens long: nothing is added to them or merged into them.
    "mdvdb": {
        "strategy": "window",
        "target_tokens": 512,
        "min_tokens": 0,
        "overlap_tokens": 50,
        "merge": False,
        "breadcrumb": False,
    },
    "ragdocs": {
        "strategy": "header",
        "packing": "greedy",
        "counter": "chars",
        "target_tokens": 1500,
        "max_tokens": 1500,
        "min_tokens": 200,
        "overlap_tokens": 50,
        "oversized": "keep",
        "include_parent_headers": True,
    },
    "refdocs": {
        "strategy": "section",
        "packing": "greedy",
        "heading_depth": 3,
        "counter": "chars4",
        "target_tokens": 800,
        "max_tokens": 800,
        "min_tokens": 100,
        "oversized": "keep",
    },
    "blocks": {
        "packing": "greedy",
        "heading_depth": 3,
        "counter": "estimate",
        "target_tokens": 750,
        "max_tokens": 1000,
        "min_tokens": 200,
        "overlap_tokens": 80,
        "overlap_across_sections": True,
        "plain_text": "fixed",
    },
}

_PRESETS = MappingProxyType({name: Settings(**difference) for name, difference in _DIFFERENCES.items()})


def presets() -> Mapping[str, Settings]:
    """Name → settings, the default first.

    >>> presets()["ragdocs"].max_tokens
    1500
    """
    return _PRESETS


def differences(name: str) -> dict[str, Any]:
    """What a preset changes in the defaults.

    >>> differences("default")
    {}
    """
    find_preset(name)
    return dict(_DIFFERENCES[name])


def find_preset(name: object) -> Settings:
    """The settings of that name."""
    if isinstance(name, str) and name in _PRESETS:
        return _PRESETS[name]
    known = tuple(_PRESETS)
    remedy = nearest(name, known) if isinstance(name, str) else f"use {', '.join(known)}"
    raise SettingsError(f"unknown preset {shown(name)}", remedy=remedy)


def make_settings(preset: str | Settings = "default", **given: Any) -> Settings:
    """A preset, or settings of your own, with changes. Sizes that are not given adapt to those that are.

    >>> make_settings("blocks", size="small", overlap="none").max_tokens
    500
    """
    try:
        return _cached(preset, **given)
    except TypeError:
        # A value that cannot be hashed, such as a mapping of block kinds, cannot be cached.
        return _make(preset, given)


def settings_from(preset: str, settings: Settings | None, options: Mapping[str, Any]) -> Settings:
    """The settings that a caller passes: complete ones, or a preset and single options."""
    if settings is None:
        return make_settings(preset, **options)
    check_types(settings=(settings, Settings))
    if options or preset != "default":
        raise SettingsError(
            "settings cannot be combined with a preset or single settings",
            remedy="use dataclasses.replace on the settings, or leave them out",
        )
    return settings


# Called for every document. Typed, because True equals 1 but is no size.
@lru_cache(maxsize=256, typed=True)
def _cached(preset: str | Settings, **given: Any) -> Settings:
    return _make(preset, given)


def _make(preset: str | Settings, given: Mapping[str, Any]) -> Settings:
    base = preset if isinstance(preset, Settings) else find_preset(preset)
    return with_changes(base, translate(given))
