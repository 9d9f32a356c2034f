"""A text of the request: cut into chunks with any settings, and asked a question."""

from __future__ import annotations

import time

from headnote.api.keeper import Served
from headnote.chunking.aliases import translate
from headnote.chunking.budgets import with_changes
from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.cut_blocks import cut_blocks
from headnote.chunking.describe import STANDS_FOR, describe_settings, plain_settings
from headnote.chunking.presets import find_preset, presets
from headnote.chunking.records import line_ends
from headnote.chunking.settings import Settings
from headnote.embedding.registry import Models, get_models
from headnote.errors import SettingsError
from headnote.search.single_text import (
    Range,
    SearchableText,
    best_passage,
    is_relevant,
    passage_count,
    place_of,
    range_of_lines,
    searchable,
)
from headnote.tokens import NAMES as COUNTERS
from headnote.web import requests, responses
from headnote.web.conversion import block_answers, chunk_answer

# -- How the chunks of a text in the request answer a question.


MAX_CHUNKS = 20_000
"""Chunks of a text that is searched, and passages. Indexing so many takes about two seconds."""


def ask_text(
    served: Served, request: requests.ChunkRequest, settings: Settings, chunks: int
) -> responses.QuestionAnswer:
    """The scores of all chunks, and the place of the passage that answers the question."""
    if chunks > MAX_CHUNKS:
        raise SettingsError(
            f"a question needs less than {MAX_CHUNKS} chunks, and these are {chunks}",
            remedy="raise max_tokens, send less text, or leave the question out",
        )
    models = _models(served)
    searched = searchable(request.text, request.path, settings, models)
    ranking = searched.rank(request.question)
    scores, ranks = [0.0] * chunks, dict[int, int]()
    for rank, (number, score) in enumerate(ranking, 1):
        scores[number], ranks[number] = score, rank
    return responses.QuestionAnswer(
        scores=scores,
        ranks=[ranks.get(number) for number in range(chunks)],
        relevant=is_relevant(ranking),
        model=models.instant.name if models.instant else "",
        passage=_passage(request, searched, ranks, models),
    )


def _models(served: Served) -> Models:
    """The instant model, unless the folder is searched by words alone. Others are too slow to follow a slider."""
    return Models() if served.index.embedder.name == "none" else get_models("instant")


def _check_passages(text: str, path: str) -> None:
    passages = passage_count(text, path)
    if passages > MAX_CHUNKS:
        raise SettingsError(
            f"a question needs less than {MAX_CHUNKS} passages, and this text has {passages}",
            remedy="send less text, choose the lines that answer the question, or leave it out",
        )


def _passage(
    request: requests.ChunkRequest, searched: SearchableText, ranks: dict[int, int], models: Models
) -> responses.PassageAnswer | None:
    text, given = request.text, request.passage
    if given and given.end_line < given.start_line:
        raise SettingsError("the passage ends before it begins", remedy="swap start_line and end_line")
    if given:
        passage: Range | None = range_of_lines(text, given.start_line, given.end_line)
    else:
        _check_passages(text, request.path)
        passage = best_passage(text, request.path, request.question, models)
    if passage is None or passage.start == passage.end:
        return None
    place = place_of(passage, text, searched.chunks, ranks)
    first = 1 + line_ends(text, 0, passage.start)
    return responses.PassageAnswer(
        start=passage.start,
        end=passage.end,
        start_line=first,
        end_line=first + line_ends(text, passage.start, passage.end),
        is_given=given is not None,
        chunks=list(place.chunks),
        whole_in=place.whole_in,
        rank=place.rank,
    )


# -- A text of the request cut into chunks, and the settings for it


MAX_CHARACTERS = 20_000_000
"""Characters of all chunks of a text together, overlap included."""
MAX_CHUNKS_SHOWN = 200_000
"""Chunks of a text, at one character per token."""


def list_presets(_: Served, __: requests.Nothing) -> responses.PresetsAnswer:
    """The presets, and every setting of chunks."""
    return responses.PresetsAnswer(
        [
            responses.PresetAnswer(name, STANDS_FOR[name], plain_settings(settings))
            for name, settings in presets().items()
        ],
        describe_settings(),
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
    if repeated > MAX_CHARACTERS or length / settings.max_tokens > MAX_CHUNKS_SHOWN:
        raise SettingsError(
            "these settings make too many chunks to show",
            remedy="send less text, raise max_tokens or lower overlap_tokens",
        )
