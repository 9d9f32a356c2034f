"""The API as a table: each row has an address, a request type, a response type, and the function between them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from headnote import __version__
from headnote.api import DocumentView
from headnote.chunking.aliases import translate
from headnote.chunking.budgets import with_changes
from headnote.chunking.chunker import chunk_document
from headnote.chunking.cut_blocks import cut_blocks
from headnote.chunking.describe import STANDS_FOR, describe_settings, plain_settings
from headnote.chunking.presets import find_preset, presets
from headnote.chunking.settings import Settings
from headnote.errors import MissingSource, SettingsError
from headnote.keeper import Served
from headnote.markdown.document import Document
from headnote.search.filter_parsing import read_fields, read_recency, read_since
from headnote.search.options import Recency, SearchOptions
from headnote.search.spelling import corrected_query
from headnote.sources.decode import count_lines
from headnote.tokens import NAMES as COUNTERS
from headnote.web import requests, responses
from headnote.web.conversion import (
    block_answers,
    chunk_answer,
    chunk_item,
    files_read_answer,
    heading_answers,
    hit_answer,
    link_answer,
    link_answers,
)
from headnote.web.rendering.page import render

MOST_CHARACTERS = 20_000_000
"""Characters of all chunks of a text together, overlap included."""
MOST_CHUNKS = 200_000
"""Chunks of a text, at one character per token."""

_STAGES: dict[str, Literal["documents", "vectors"]] = {"read": "documents", "embed": "vectors"}


def health(served: Served, _: requests.Nothing) -> responses.Health:
    """Whether the server answers, and whether it has read the whole folder."""
    return responses.Health(True, __version__, ready=served.state().files_read is None)


def status(served: Served, _: requests.Nothing) -> responses.StatusAnswer:
    """The size of the index, and whether it is up to date."""
    index, state = served.index.status(), served.state()
    progress = state.progress
    now = responses.ProgressAnswer(_STAGES[progress.stage], *progress[1:]) if progress else None
    return responses.StatusAnswer(
        root=served.index.root.resolve().name or "/",
        **{name: getattr(index, name) for name in ("documents", "chunks", "links", "pending", "model")},
        **{name: getattr(index, name) for name in ("bytes_on_disk", "updated", "generation")},
        problem=state.problem,
        busy=state.busy,
        progress=now,
        settings=plain_settings(index.settings),
        ask_model=served.index.chat_settings.model or None,
        models=[responses.ModelAnswer(*model) for model in index.models],
        answering=index.answering,
        files_read=files_read_answer(state.files_read),
    )


def search(served: Served, request: requests.SearchRequest) -> responses.SearchAnswer:
    """Passages that answer a query, best first."""
    began = time.perf_counter()
    # Asked before the search: what is read meanwhile may be missing from the hits.
    read = served.state().files_read
    options: SearchOptions = {
        "path": request.path,
        "tags": request.tag,
        "where": read_fields(request.where, "where"),
        "since": read_since(request.since, place="since") if request.since else None,
        "per_document": request.per_document,
        "min_score": request.min_score,
        "budget": request.budget,
        "expand": request.expand,
        "fusion": request.fusion,
        **_recency(request),
    }
    hits = served.index.search(request.q, request.limit, request.mode, **options)
    return responses.SearchAnswer(
        query=request.q,
        answered=corrected_query(request.q, hits),
        hits=[hit_answer(hit, request.q) for hit in hits],
        note="" if hits else served.index.why_empty(request.q, request.limit, request.mode, **options),
        milliseconds=round((time.perf_counter() - began) * 1000, 2),
        files_read=files_read_answer(read),
    )


def _recency(request: requests.SearchRequest) -> Recency:
    if not request.recency:
        return {"recency_days": request.recency_days}
    if request.recency_days is not None:
        raise SettingsError("recency and recency_days are both given", remedy="keep one of them")
    return read_recency(request.recency, "recency")


def documents(served: Served, _: requests.Nothing) -> responses.DocumentsAnswer:
    """All documents, by path."""
    return responses.DocumentsAnswer(
        [responses.DocumentItem(one.path, one.title, one.chunks) for one in served.index.contents()]
    )


def outline(served: Served, request: requests.PathRequest) -> responses.OutlineAnswer:
    """The headings of a document."""
    view = _document(served, request.path)
    return responses.OutlineAnswer(view.document.path, heading_answers(view.document.text, view.headings))


def read(served: Served, request: requests.ReadRequest) -> responses.ReadAnswer:
    """Lines of a document: by number, under a heading, or those of a chunk."""
    if request.chunk:
        chunk = served.index.chunk(request.chunk)
        return responses.ReadAnswer(chunk.path, chunk.row.start_line, chunk.row.end_line, chunk.text)
    if not request.path:
        raise SettingsError("neither path nor chunk is given", remedy="name a document or the key of a chunk")
    if request.heading:
        passage = served.index.section(request.path, request.heading)
    else:
        passage = served.index.read(request.path, request.start_line, request.end_line)
    _check_address(request.path, passage.path)
    return responses.ReadAnswer(*passage)


def document(served: Served, request: requests.PathRequest) -> responses.DocumentAnswer:
    """A document with its headings, chunks, links and metadata, also as HTML."""
    view = _document(served, request.path)
    row = view.document
    return responses.DocumentAnswer(
        path=row.path,
        title=row.title,
        html=render(view),
        text=row.text,
        lines=count_lines(row.text),
        chunks=[chunk_item(chunk) for chunk in view.chunks],
        headings=heading_answers(row.text, view.headings),
        tags=list(row.tags),
        metadata=row.metadata,
        **_links_of(view),
    )


def _document(served: Served, path: str) -> DocumentView:
    view = served.index.document(path)
    _check_address(path, view.document.path)
    return view


def _check_address(asked: str, meant: str) -> None:
    """An address has one spelling. The index understands others, among them the folder on this machine, which a client
    must not be able to guess."""
    if asked != meant:
        raise MissingSource("not in the index", path=asked, remedy=f"nearest: {meant}")


def links(served: Served, request: requests.PathRequest) -> responses.LinksAnswer:
    """What a document links to, and what links to it."""
    view = _document(served, request.path)
    return responses.LinksAnswer(view.document.path, **_links_of(view))


def _links_of(view: DocumentView) -> dict[str, list[responses.LinkAnswer]]:
    return {
        "links": link_answers(view.links, view.broken),
        "backlinks": link_answers(view.backlinks, view.broken),
    }


def graph(served: Served, _: requests.Nothing) -> responses.GraphAnswer:
    """Which documents link to which, and which links are broken."""
    whole = served.index.graph()
    return responses.GraphAnswer(
        [responses.NodeAnswer(*node) for node in whole.nodes],
        whole.edges,
        whole.orphans,
        [link_answer(link, True) for link in whole.broken],
    )


def list_presets(_: Served, __: requests.Nothing) -> responses.PresetsAnswer:
    """The presets, and every setting of chunks."""
    return responses.PresetsAnswer(
        [
            responses.PresetAnswer(name, STANDS_FOR[name], plain_settings(settings))
            for name, settings in presets().items()
        ],
        [responses.SettingAnswer(*info[:2], list(info.choices), *info[3:]) for info in describe_settings()],
    )


def chunk(_: Served, request: requests.ChunkRequest) -> responses.ChunkingAnswer:
    """The chunks and blocks of a text in the request."""
    began = time.perf_counter()
    settings = with_changes(find_preset(request.preset), translate(request.settings))
    _check_effort(len(request.text), settings)
    document = Document(request.text, request.path, settings.mdx)
    chunks = chunk_document(document, settings)
    return responses.ChunkingAnswer(
        [chunk_answer(chunk) for chunk in chunks],
        block_answers(document.blocks, cut_blocks(chunks, document)),
        plain_settings(settings),
        round(time.perf_counter() - began, 4),
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


class Endpoint(NamedTuple):
    """One row of the API."""

    method: Literal["GET", "POST"]
    address: str
    takes: type[msgspec.Struct]
    gives: type[msgspec.Struct]
    run: Callable[[Served, Any], Any]
    heavy: bool = False
    """It may take seconds, so only a few run at a time."""


ENDPOINTS = (
    Endpoint("GET", "/api/health", requests.Nothing, responses.Health, health),
    Endpoint("GET", "/api/status", requests.Nothing, responses.StatusAnswer, status),
    Endpoint("GET", "/api/search", requests.SearchRequest, responses.SearchAnswer, search),
    Endpoint("GET", "/api/documents", requests.Nothing, responses.DocumentsAnswer, documents),
    Endpoint("GET", "/api/outline", requests.PathRequest, responses.OutlineAnswer, outline),
    Endpoint("GET", "/api/read", requests.ReadRequest, responses.ReadAnswer, read),
    Endpoint("GET", "/api/document", requests.PathRequest, responses.DocumentAnswer, document, heavy=True),
    Endpoint("GET", "/api/links", requests.PathRequest, responses.LinksAnswer, links),
    Endpoint("GET", "/api/graph", requests.Nothing, responses.GraphAnswer, graph, heavy=True),
    Endpoint("GET", "/api/presets", requests.Nothing, responses.PresetsAnswer, list_presets),
    Endpoint("POST", "/api/chunk", requests.ChunkRequest, responses.ChunkingAnswer, chunk, heavy=True),
)
