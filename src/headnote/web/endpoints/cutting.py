"""A text of the request cut into chunks, and the settings for it."""

from __future__ import annotations

import time

from headnote.chunking.aliases import translate
from headnote.chunking.budgets import with_changes
from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.cut_blocks import cut_blocks
from headnote.chunking.describe import STANDS_FOR, describe_settings, plain_settings
from headnote.chunking.presets import find_preset, presets
from headnote.chunking.settings import Settings
from headnote.errors import SettingsError
from headnote.keeper import Served
from headnote.tokens import NAMES as COUNTERS
from headnote.web import requests, responses
from headnote.web.conversion import block_answers, chunk_answer
from headnote.web.endpoints.asking_text import ask_text

MOST_CHARACTERS = 20_000_000
"""Characters of all chunks of a text together, overlap included."""
MOST_CHUNKS = 200_000
"""Chunks of a text, at one character per token."""


def list_presets(_: Served, __: requests.Nothing) -> responses.PresetsAnswer:
    """The presets, and every setting of chunks."""
    return responses.PresetsAnswer(
        [
            responses.PresetAnswer(name, STANDS_FOR[name], plain_settings(settings))
            for name, settings in presets().items()
        ],
        [responses.SettingAnswer(*info[:2], list(info.choices), *info[3:]) for info in describe_settings()],
    )


def chunk(served: Served, request: requests.ChunkRequest) -> responses.ChunkingAnswer:
    """The chunks and blocks of a text in the request, and how they answer a question."""
    began = time.perf_counter()
    settings = with_changes(find_preset(request.preset), translate(request.settings))
    _check_effort(len(request.text), settings)
    document = read_document(request.text, request.path, settings)
    chunks = chunk_document(document, settings)
    return responses.ChunkingAnswer(
        chunks=[chunk_answer(chunk) for chunk in chunks],
        blocks=block_answers(document.blocks, cut_blocks(chunks, document)),
        settings=plain_settings(settings),
        seconds=round(time.perf_counter() - began, 4),
        question=ask_text(served, request, settings, len(chunks)) if request.question.strip() else None,
    )


def _check_effort(length: int, settings: Settings) -> None:
    """Refuse counters that read files of this machine, and settings that make too many chunks to show."""
    if settings.counter not in COUNTERS:
        raise SettingsError(f"unknown counter {str(settings.counter)[:80]!r}", remedy=f"use {', '.join(COUNTERS)}")
    repeated = length * settings.max_tokens / (settings.max_tokens - settings.overlap_tokens)
    if repeated > MOST_CHARACTERS or length / settings.max_tokens > MOST_CHUNKS:
        raise SettingsError(
            "these settings make too many chunks to show",
            remedy="send less text, raise max_tokens or lower overlap_tokens",
        )
