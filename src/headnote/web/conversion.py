"""Objects of the index → responses where the page gets something else or more, and responses → JSON. Every error → one
JSON body, and a status that says whose fault it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from http import HTTPStatus
from typing import Any, Literal, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from headnote.answer.answering import is_clear, quotes_in
from headnote.errors import AnswerError, EmbeddingError, HeadnoteError, IndexFailure, MissingSource, SettingsError
from headnote.index.plan import FilesRead
from headnote.markdown.headings import OutlineEntry
from headnote.markdown.shown_headings import shown_breadcrumb, shown_heading
from headnote.model import Answer, Block, Chunk, Facet, Hit, folder_glob
from headnote.rendering.answers import render_answer
from headnote.rendering.link_targets import picture_address
from headnote.search.filter_language import quoted_condition
from headnote.search.snippets import excerpt_of, excerpt_with, marked_terms, marks
from headnote.store.rows import DocumentSummary, LinkRow, StoredChunk
from headnote.tokens import get_counter
from headnote.web import responses
from headnote.web.responses import Failure, Problem

Sent = TypeVar("Sent", bound=msgspec.Struct)


def hit_answer(hit: Hit, query: str, literal: bool = False) -> responses.HitAnswer:
    terms = marked_terms(query, hit.why.terms, hit.text, literal)
    snippet = excerpt_of(hit, terms)
    return responses.HitAnswer(
        **{name: getattr(hit, name) for name in Hit.__slots__},
        line=snippet.lines[0].line if snippet.lines else hit.start_line,
        marks=list(marks(hit.text, terms)),
        snippet=snippet,
    )


def facet_answer(facet: Facet) -> responses.FacetAnswer:
    parameter: Literal["path", "tag", "where"]
    if facet.kind == "folder":
        parameter, argument = "path", folder_glob(facet.value)
    elif facet.kind == "tag":
        parameter, argument = "tag", facet.value
    else:
        parameter, argument = "where", quoted_condition(facet.name, facet.value)
    return responses.FacetAnswer(
        facet.kind, facet.name, facet.value, facet.total, parameter=parameter, argument=argument
    )


def answer_event(answer: Answer, question: str, read: FilesRead | None) -> responses.AnswerEvent:
    sources = [hit_answer(hit, question) for hit in answer.sources]
    if answer.model is None:
        quotes = list(quotes_in(answer.text, answer.citations))
        for hit, source in zip(answer.sources, sources, strict=True):
            # What is quoted is shown where it stands.
            source.snippet = excerpt_with(hit, quotes) or source.snippet
            source.line = source.snippet.lines[0].line if source.snippet.lines else source.line
    return responses.AnswerEvent(
        text=answer.text,
        html=render_answer(answer.text, answer.citations),
        citations=answer.citations,
        sources=sources,
        dropped=answer.dropped,
        complete=answer.complete,
        clear=is_clear(answer),
        model=answer.model,
        note=answer.note,
        files_read=read,
    )


def heading_answers(text: str, entries: Sequence[OutlineEntry]) -> list[responses.HeadingAnswer]:
    sizes = get_counter().count_many([text[entry.start : entry.end] for entry in entries])
    return [
        responses.HeadingAnswer(
            level=entry.heading.level,
            text=shown_heading(entry.heading.text),
            slug=entry.heading.slug,
            start_line=entry.start_line,
            end_line=entry.end_line,
            tokens=size,
        )
        for entry, size in zip(entries, sizes, strict=True)
    ]


def _like(kind: type[Sent], source: Any, **others: Any) -> Sent:
    """A response of this kind: fields that `source` has by the same names, and `others`."""
    names = (name for name in kind.__struct_fields__ if name not in others)
    return kind(**{name: getattr(source, name) for name in names}, **others)


def link_answer(link: LinkRow, broken: bool) -> responses.LinkAnswer:
    return _like(responses.LinkAnswer, link, broken=broken, picture=picture_address(link.resolved), sentence="")


def link_answers(links: Sequence[LinkRow], broken: Collection[LinkRow]) -> list[responses.LinkAnswer]:
    return [link_answer(link, link in broken) for link in links]


def document_item(summary: DocumentSummary) -> responses.DocumentItem:
    changed = summary.dated.time_ns / 1e9
    return _like(responses.DocumentItem, summary, changed=changed, tags=list(summary.tags))


def chunk_item(chunk: StoredChunk) -> responses.ChunkItem:
    row = chunk.row
    breadcrumb = shown_breadcrumb(row.heading_path)
    return _like(responses.ChunkItem, row, index=row.number, key=chunk.key, breadcrumb=breadcrumb)


def chunk_answer(chunk: Chunk) -> responses.ChunkAnswer:
    return _like(responses.ChunkAnswer, chunk)


def block_answers(blocks: Sequence[Block], cut: Collection[int]) -> list[responses.BlockAnswer]:
    return [
        responses.BlockAnswer(block.kind, block.start, block.end, block.start_line, block.end_line, at in cut)
        for at, block in enumerate(blocks)
    ]


def encoded(response: Any) -> bytes:
    """The response as JSON. A lone surrogate, which files may hold, becomes a question mark."""
    try:
        return msgspec.json.encode(response)
    except UnicodeEncodeError:
        return msgspec.json.encode(_whole_characters(msgspec.to_builtins(response)))


def _whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return [_whole_characters(item) for item in value] if isinstance(value, list | tuple) else value


# -- Every error → one JSON body, and a status that says whose fault it is.

_KINDS: tuple[tuple[type[HeadnoteError], int, str], ...] = (
    (MissingSource, 404, "not_found"),
    (SettingsError, 400, "bad_request"),
    (AnswerError, 502, "model_failed"),
    (EmbeddingError, 502, "model_failed"),
    (IndexFailure, 503, "index_unavailable"),
    (HeadnoteError, 503, "unavailable"),
)

# The traceback goes to the terminal of the server, never to the client.
INTERNAL_ERROR = Problem("failed", "the server failed", "see the output on its terminal")


class Refused(Exception):
    """A request that is refused before it reaches the index."""

    def __init__(
        self, status: int, code: str, message: str, remedy: str = "", headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.problem = Problem(code, message, remedy)


def failure(status: int, problem: Problem, headers: dict[str, str] | None = None) -> Response:
    return Response(encoded(Failure(problem)), status, headers, "application/json")


def problem_of(error: HeadnoteError) -> tuple[int, Problem]:
    """The status and body for an error, without the folders of this machine."""
    status, code = next((status, code) for kind, status, code in _KINDS if isinstance(error, kind))
    if isinstance(error, MissingSource):
        remedy = error.remedy if error.remedy.startswith(("it has", "nearest", "search")) else "see /api/documents"
        return status, Problem(code, f"{error.path}: {error.message}", remedy)
    where = f"{error.path}: " if isinstance(error, SettingsError) and error.path else ""
    return status, Problem(code, where + error.message, error.remedy)


def on_headnote_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HeadnoteError)
    return failure(*problem_of(error))


def on_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return failure(error.status, error.problem, error.headers)


def on_http_error(_: Request, error: Exception) -> Response:
    """No such address, or the wrong method."""
    status = int(getattr(error, "status_code", 500))
    phrase = HTTPStatus(status).phrase
    headers = dict(getattr(error, "headers", None) or {})
    return failure(status, Problem(phrase.lower().replace(" ", "_"), phrase, "see /api/openapi.json"), headers)


def on_unexpected(_: Request, __: Exception) -> Response:
    return failure(500, INTERNAL_ERROR)
