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


class PassageAnswer(msgspec.Struct):
    """The passage that answers a question, and its place among the chunks. `is_given` tells that the request named its
    lines. `chunks` have some of it as their own text, `whole_in` has all of it: null if it is torn. `rank` is that of
    `whole_in`, or else of the best of `chunks`; null if the search finds none of them."""

    start: int
    end: int
    start_line: int
    end_line: int
    is_given: bool
    chunks: list[int]
    whole_in: int | None
    rank: int | None


class QuestionAnswer(msgspec.Struct):
    """How the chunks answer a question. `scores` and `ranks` have an entry for each chunk, 0 and null where a search
    does not find it. If nothing is `relevant`, a search would show no hit. `model` is empty if only words count."""

    scores: list[float]
    ranks: list[int | None]
    relevant: bool
    model: str
    passage: PassageAnswer | None


class ChunkingAnswer(msgspec.Struct):
    """`question` is null unless the request asks one."""

    chunks: list[ChunkAnswer]
    blocks: list[BlockAnswer]
    settings: dict[str, Any]
    seconds: float
    question: QuestionAnswer | None
