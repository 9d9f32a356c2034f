"""Search."""

from __future__ import annotations

import time

from headnote.errors import SettingsError
from headnote.keeper import Served
from headnote.search.filter_arguments import read_recency, read_since
from headnote.search.options import Recency, SearchOptions
from headnote.search.spelling import corrected_query
from headnote.web import requests, responses
from headnote.web.conversion import facet_answer, files_read_answer, hit_answer, read_query_answer


def search(served: Served, request: requests.SearchRequest) -> responses.SearchAnswer:
    """Passages that answer a query, best first, page by page."""
    began = time.perf_counter()
    # Asked before the search: what is read meanwhile may be missing from the hits.
    read = served.state().files_read
    options: SearchOptions = {
        "path": request.path,
        "roots": request.root,
        "tags": request.tag,
        "where": request.where,
        "since": read_since(request.since, place="since") if request.since else None,
        "per_document": request.per_document,
        "min_score": request.min_score,
        "budget": request.budget,
        "expand": request.expand,
        "fusion": request.fusion,
        "literal": request.literal,
        **_recency(request),
    }
    page = served.index.search_page(
        request.q, request.limit, request.mode, offset=request.offset, facets=request.facets, **options
    )
    is_empty = page.total == 0
    return responses.SearchAnswer(
        query=request.q,
        answered=corrected_query(request.q, page.hits),
        understood=read_query_answer(served.index.understand(request.q, literal=request.literal, where=request.where)),
        hits=[hit_answer(hit, request.q, request.literal) for hit in page.hits],
        total=page.total,
        offset=page.offset,
        facets=list(map(facet_answer, page.facets)),
        note=served.index.why_empty(request.q, request.limit, request.mode, **options) if is_empty else "",
        has_nearest=is_empty and _has_nearest(served, request, options),
        milliseconds=round((time.perf_counter() - began) * 1000, 2),
        files_read=files_read_answer(read),
    )


def _has_nearest(served: Served, request: requests.SearchRequest, options: SearchOptions) -> bool:
    if request.min_score == 0:
        return False
    anything: SearchOptions = {**options, "min_score": 0.0}
    return bool(served.index.search(request.q, 1, request.mode, **anything))


def _recency(request: requests.SearchRequest) -> Recency:
    if not request.recency:
        return {"recency_days": request.recency_days}
    if request.recency_days is not None:
        raise SettingsError("recency and recency_days are both given", remedy="keep one of them")
    return read_recency(request.recency, "recency")


def questions(served: Served, request: requests.QuestionsRequest) -> responses.QuestionsAnswer:
    """Questions that the folder can answer, made from its own headings."""
    return responses.QuestionsAnswer(served.index.suggested_questions(request.limit))
