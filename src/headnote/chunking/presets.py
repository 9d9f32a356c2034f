"""Named settings, one for each system whose users should feel at home: the defaults plus a difference. And settings as
words and types, for help texts and forms."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from headnote.arguments import check_types
from headnote.chunking.aliases import translate
from headnote.chunking.budgets import with_changes
from headnote.chunking.settings import FIELD_NAMES, Settings
from headnote.errors import SettingsError, nearest, shown
from headnote.tokens import NAMES as COUNTERS

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
        "document_title": False,
        "comments": True,
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
        "document_title": False,
        "comments": True,
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
        "document_title": False,
        "comments": True,
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
        "document_title": False,
        "comments": True,
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


# -- Presets and settings as words and types, for help texts and forms.

STANDS_FOR = {
    "default": "headnote's own: whole blocks, exact tokens, the limit always holds, boundaries that survive edits",
    "mdvdb": "mdvdb, a vector database of Markdown files: sections, and windows of exact tokens in long ones",
    "ragdocs": "ragdocs, question answering over notes: sections merged and split by characters, headings in the text",
    "refdocs": "refdocs, a documentation index for agents: sections to h3, siblings merged, split at paragraphs",
    "blocks": "a Markdown chunker for ingestion services: blocks packed to an estimated size, with overlap",
}
"""Preset → the system whose users it is for."""

SettingType = Literal["integer", "boolean", "choice", "text"]


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """A setting as a form shows it."""

    name: str
    type: SettingType
    choices: tuple[str, ...]
    """What it may be, if that can be listed."""
    default: Any
    description: str


def plain_settings(settings: Settings) -> dict[str, Any]:
    """Setting → value, ready for JSON."""
    values = {name: getattr(settings, name) for name in FIELD_NAMES}
    counter = values["counter"] if isinstance(values["counter"], str) else str(values["counter"])
    return values | {"counter": counter, "keep_whole": sorted(settings.keep_whole)}


def describe_settings() -> list[SettingInfo]:
    """Every setting, in the order in which they are shown."""
    types = get_type_hints(Settings)
    helps, defaults = docstrings(), plain_settings(Settings())
    return [
        SettingInfo(name, *_type_of(name, types[name]), defaults[name], helps.get(name, "")) for name in FIELD_NAMES
    ]


def _type_of(name: str, kind: Any) -> tuple[SettingType, tuple[str, ...]]:
    if name == "counter":
        return "choice", COUNTERS
    if get_origin(kind) is Literal:
        return "choice", get_args(kind)
    if bool in (kind, *get_args(kind)):
        return "boolean", ()
    return ("integer", ()) if kind is int else ("text", ())


@cache
def docstrings(of: type = Settings) -> dict[str, str]:
    """Field → the docstring below it. Python drops those, so they are read from the source code."""
    try:
        tree = ast.parse(inspect.getsource(of))
    except (OSError, SyntaxError):
        return {}
    [definition] = tree.body
    assert isinstance(definition, ast.ClassDef)
    descriptions = {}
    for field, text in zip(definition.body, definition.body[1:], strict=False):
        is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if is_text and isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            descriptions[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())  # type: ignore[attr-defined]
    return descriptions
