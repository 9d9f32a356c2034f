"""Presets, settings and chunks."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class PresetAnswer(msgspec.Struct):
    name: str
    description: str
    settings: dict[str, Any]


class SettingAnswer(msgspec.Struct):
    name: str
    type: Literal["integer", "boolean", "choice", "text"]
    choices: list[str]
    default: Any
    description: str


class PresetsAnswer(msgspec.Struct):
    presets: list[PresetAnswer]
    settings: list[SettingAnswer]


class ChunkAnswer(msgspec.Struct):
    """A chunk of the text that was sent."""

    index: int
    id: str
    key: str
    start: int
    end: int
    start_line: int
    end_line: int
    breadcrumb: str
    tokens: int
    text: str
    prefix: str
    suffix: str
    overlap: str
    is_split: bool
    part: int | None


class BlockAnswer(msgspec.Struct):
    """A block of the text that was sent."""

    kind: str
    start: int
    end: int
    start_line: int
    end_line: int
    cut: bool


class ChunkingAnswer(msgspec.Struct):
    chunks: list[ChunkAnswer]
    blocks: list[BlockAnswer]
    settings: dict[str, Any]
    seconds: float
