"""How the chunks of a text in the request answer a question."""

from __future__ import annotations

from headnote.chunking.records import line_ends
from headnote.chunking.settings import Settings
from headnote.embedding.registry import Models, get_models
from headnote.errors import SettingsError
from headnote.keeper import Served
from headnote.search.single_text import SearchableText, best_passage, is_relevant, passage_count, searchable
from headnote.search.tearing import Range, place_of, range_of_lines
from headnote.web import requests, responses

MOST_CHUNKS = 20_000
"""Chunks of a text that is searched, and passages. Indexing so many takes about two seconds."""


def ask_text(
    served: Served, request: requests.ChunkRequest, settings: Settings, chunks: int
) -> responses.QuestionAnswer:
    """The scores of all chunks, and the place of the passage that answers the question."""
    if chunks > MOST_CHUNKS:
        raise SettingsError(
            f"a question needs less than {MOST_CHUNKS} chunks, and these are {chunks}",
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
    if passages > MOST_CHUNKS:
        raise SettingsError(
            f"a question needs less than {MOST_CHUNKS} passages, and this text has {passages}",
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
