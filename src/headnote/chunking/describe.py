"""Presets and settings as words and types, for help texts and forms."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from headnote.chunking.settings import FIELD_NAMES, Settings
from headnote.tokens import NAMES as COUNTERS

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
