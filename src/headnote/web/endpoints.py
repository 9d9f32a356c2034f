"""The API as a table: each row an address, what it takes, what it gives, and the function between them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from headnote import __version__
from headnote.api import DocumentView, Index
from headnote.chunking.aliases import translate
from headnote.chunking.budgets import with_changes
from headnote.chunking.chunker import chunk_document
from headnote.chunking.cut_blocks import cut_blocks
from headnote.chunking.describe import STANDS_FOR, describe_settings, plain_settings
from headnote.chunking.presets import find_preset, presets
from headnote.chunking.settings import Settings
from headnote.errors import SettingsError
from headnote.index.task import Progress
from headnote.markdown.document import Document
from headnote.search.filter_parsing import read_fields, read_recency, read_since
from headnote.search.snippets import marked_terms
from headnote.sources.decode import count_lines
from headnote.tokens import NAMES as COUNTERS
from headnote.web import answers, requests
from headnote.web.render import render
from headnote.web.shapes import (
    block_answers,
    chunk_answer,
    chunk_item,
    heading_answers,
    hit_answer,
    link_answer,
    link_answers,
)

MOST_CHARACTERS = 20_000_000
"""Characters that all chunks of a text together may come to, overlap included."""
MOST_CHUNKS = 200_000
"""How many characters of a text there may be for each token that a chunk may have."""

_STAGES: dict[str, Literal["documents", "vectors"]] = {"read": "documents", "embed": "vectors"}


class State(NamedTuple):
    """What an index is doing."""

    problem: str = ""
    """Why it may not be up to date."""
    busy: bool = False
    progress: Progress | None = None


def _at_rest() -> State:
    return State()


@dataclass(frozen=True, slots=True)
class Served:
    """What the endpoints ask."""

    index: Index
    state: Callable[[], State] = _at_rest


def health(_: Served, __: requests.Nothing) -> answers.Health:
    """Whether the server answers."""
    return answers.Health(True, __version__)


def status(served: Served, _: requests.Nothing) -> answers.StatusAnswer:
    """How much there is, and whether it is up to date."""
    index, state = served.index.status(), served.state()
    progress = state.progress
    now = answers.ProgressAnswer(_STAGES[progress.stage], progress.done, progress.total) if progress else None
    return answers.StatusAnswer(
        root=served.index.root.resolve().name or "/",
        **{name: getattr(index, name) for name in ("documents", "chunks", "links", "pending", "model")},
        **{name: getattr(index, name) for name in ("bytes_on_disk", "updated", "generation")},
        problem=state.problem,
        busy=state.busy,
        progress=now,
        settings=plain_settings(index.settings),
        ask_model=served.index.chat_settings.model or None,
    )


def search(served: Served, asked: requests.SearchRequest) -> answers.SearchAnswer:
    """Passages that answer a query, best first."""
    began = time.perf_counter()
    hits = served.index.search(
        asked.q,
        asked.limit,
        asked.mode,
        path=asked.path,
        tags=asked.tag,
        where=read_fields(asked.where, "where"),
        since=read_since(asked.since, place="since") if asked.since else None,
        per_document=asked.per_document,
        min_score=asked.min_score,
        budget=asked.budget,
        expand=asked.expand,
        fusion=asked.fusion,
        **_recency(asked),
    )
    wanted = marked_terms(asked.q)
    found = [hit_answer(hit, wanted) for hit in hits]
    return answers.SearchAnswer(asked.q, found, round((time.perf_counter() - began) * 1000, 2))


def _recency(asked: requests.SearchRequest) -> dict[str, Any]:
    if not asked.recency:
        return {"recency_days": asked.recency_days}
    if asked.recency_days is not None:
        raise SettingsError("recency and recency_days are both given", remedy="keep one of them")
    return read_recency(asked.recency, "recency")


def documents(served: Served, _: requests.Nothing) -> answers.DocumentsAnswer:
    """All documents, by path."""
    return answers.DocumentsAnswer([answers.DocumentItem(*summary) for summary in served.index.contents()])


def outline(served: Served, asked: requests.PathRequest) -> answers.OutlineAnswer:
    """The headings of a document."""
    view = served.index.document(asked.path)
    return answers.OutlineAnswer(asked.path, heading_answers(view.document.text, view.headings))


def read(served: Served, asked: requests.ReadRequest) -> answers.ReadAnswer:
    """Lines of a document: by number, under a heading, or those of a chunk."""
    if asked.chunk:
        chunk = served.index.chunk(asked.chunk)
        return answers.ReadAnswer(chunk.path, chunk.row.start_line, chunk.row.end_line, chunk.text)
    if not asked.path:
        raise SettingsError("neither path nor chunk is given", remedy="name a document or the key of a chunk")
    if asked.heading:
        return answers.ReadAnswer(*served.index.section(asked.path, asked.heading))
    return answers.ReadAnswer(*served.index.read(asked.path, asked.start_line, asked.end_line))


def document(served: Served, asked: requests.PathRequest) -> answers.DocumentAnswer:
    """A document with all that is known of it, also as HTML."""
    view = served.index.document(asked.path)
    row = view.document
    return answers.DocumentAnswer(
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


def links(served: Served, asked: requests.PathRequest) -> answers.LinksAnswer:
    """What a document links to, and what links to it."""
    return answers.LinksAnswer(asked.path, **_links_of(served.index.document(asked.path)))


def _links_of(view: DocumentView) -> dict[str, list[answers.LinkAnswer]]:
    return {
        "links": link_answers(view.links, view.broken),
        "backlinks": link_answers(view.backlinks, view.broken),
    }


def graph(served: Served, _: requests.Nothing) -> answers.GraphAnswer:
    """Which documents lead to which, and what leads nowhere."""
    found = served.index.graph()
    return answers.GraphAnswer(
        [answers.NodeAnswer(*node) for node in found.nodes],
        found.edges,
        found.orphans,
        [link_answer(link, True) for link in found.broken],
    )


def list_presets(_: Served, __: requests.Nothing) -> answers.PresetsAnswer:
    """The presets, and every setting of chunks."""
    return answers.PresetsAnswer(
        [answers.PresetAnswer(name, STANDS_FOR[name], plain_settings(found)) for name, found in presets().items()],
        [answers.SettingAnswer(*info[:2], list(info.choices), *info[3:]) for info in describe_settings()],
    )


def chunk(_: Served, asked: requests.ChunkRequest) -> answers.ChunkingAnswer:
    """The chunks and blocks of a text that is sent along."""
    began = time.perf_counter()
    settings = with_changes(find_preset(asked.preset), translate(asked.settings))
    _check_effort(len(asked.text), settings)
    document = Document(asked.text, asked.path, settings.mdx)
    chunks = chunk_document(document, settings)
    return answers.ChunkingAnswer(
        [chunk_answer(chunk) for chunk in chunks],
        block_answers(document.blocks, cut_blocks(chunks, document)),
        plain_settings(settings),
        round(time.perf_counter() - began, 4),
    )


def _check_effort(length: int, settings: Settings) -> None:
    """Refuses what would read files of this machine, or would make far more of a text than anybody can look at."""
    if settings.counter not in COUNTERS:
        raise SettingsError(f"unknown counter {str(settings.counter)[:80]!r}", remedy=f"use {', '.join(COUNTERS)}")
    repeated = length * settings.max_tokens / (settings.max_tokens - settings.overlap_tokens)
    if repeated > MOST_CHARACTERS or length / settings.max_tokens > MOST_CHUNKS:
        raise SettingsError(
            "that many chunks are more than can be shown",
            remedy="send less text, raise max_tokens, lower overlap_tokens",
        )


class Endpoint(NamedTuple):
    """One row of the API."""

    method: Literal["GET", "POST"]
    address: str
    takes: type[msgspec.Struct]
    gives: type[msgspec.Struct]
    run: Callable[[Served, Any], Any]
    heavy: bool = False
    """Whether it may take seconds, so that only a few run at a time."""


ENDPOINTS = (
    Endpoint("GET", "/api/health", requests.Nothing, answers.Health, health),
    Endpoint("GET", "/api/status", requests.Nothing, answers.StatusAnswer, status),
    Endpoint("GET", "/api/search", requests.SearchRequest, answers.SearchAnswer, search),
    Endpoint("GET", "/api/documents", requests.Nothing, answers.DocumentsAnswer, documents),
    Endpoint("GET", "/api/outline", requests.PathRequest, answers.OutlineAnswer, outline),
    Endpoint("GET", "/api/read", requests.ReadRequest, answers.ReadAnswer, read),
    Endpoint("GET", "/api/document", requests.PathRequest, answers.DocumentAnswer, document, heavy=True),
    Endpoint("GET", "/api/links", requests.PathRequest, answers.LinksAnswer, links),
    Endpoint("GET", "/api/graph", requests.Nothing, answers.GraphAnswer, graph, heavy=True),
    Endpoint("GET", "/api/presets", requests.Nothing, answers.PresetsAnswer, list_presets),
    Endpoint("POST", "/api/chunk", requests.ChunkRequest, answers.ChunkingAnswer, chunk, heavy=True),
)
