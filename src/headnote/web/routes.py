"""The API as a table: each row has an address, a request type, a response type, and the function between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from headnote.api.keeper import Served
from headnote.links.graph import Neighbourhood
from headnote.model import Passage
from headnote.web import endpoints, requests, responses


class Endpoint(NamedTuple):
    """One row of the API."""

    method: Literal["GET", "POST"]
    address: str
    takes: type[msgspec.Struct]
    gives: type
    run: Callable[[Served, Any], Any]
    heavy: bool = False
    """It may take seconds, so only a few run at a time."""
    local: bool = False
    """Only a reader on this machine gets it; others get an empty response."""


ENDPOINTS = (
    Endpoint("GET", "/api/health", requests.Nothing, responses.Health, endpoints.health),
    Endpoint("GET", "/api/status", requests.Nothing, responses.StatusAnswer, endpoints.status),
    Endpoint("GET", "/api/search", requests.SearchRequest, responses.SearchAnswer, endpoints.search),
    Endpoint("GET", "/api/questions", requests.QuestionsRequest, responses.QuestionsAnswer, endpoints.questions),
    Endpoint("GET", "/api/documents", requests.Nothing, responses.DocumentsAnswer, endpoints.documents),
    Endpoint("GET", "/api/headings", requests.Nothing, responses.HeadingsAnswer, endpoints.headings),
    Endpoint("GET", "/api/outline", requests.PathRequest, responses.OutlineAnswer, endpoints.outline),
    Endpoint("GET", "/api/read", requests.ReadRequest, Passage, endpoints.read),
    Endpoint("GET", "/api/document", requests.PathRequest, responses.DocumentAnswer, endpoints.document, heavy=True),
    Endpoint("GET", "/api/piece", requests.PieceRequest, responses.PieceAnswer, endpoints.piece, heavy=True),
    Endpoint("GET", "/api/found", requests.FoundRequest, responses.FoundAnswer, endpoints.found, heavy=True),
    Endpoint("GET", "/api/preview", requests.PreviewRequest, responses.PreviewAnswer, endpoints.preview),
    Endpoint("GET", "/api/editor", requests.PathRequest, responses.EditorAnswer, endpoints.editor, local=True),
    Endpoint("GET", "/api/links", requests.PathRequest, responses.LinksAnswer, endpoints.links),
    Endpoint("GET", "/api/related", requests.RelatedRequest, responses.RelatedAnswer, endpoints.related, heavy=True),
    Endpoint("GET", "/api/unlinked", requests.UnlinkedRequest, responses.RelatedAnswer, endpoints.unlinked, heavy=True),
    Endpoint("GET", "/api/graph", requests.Nothing, responses.GraphAnswer, endpoints.graph, heavy=True),
    Endpoint(
        "GET",
        "/api/neighbourhood",
        requests.NeighbourhoodRequest,
        Neighbourhood,
        endpoints.neighbourhood,
    ),
    Endpoint("GET", "/api/presets", requests.Nothing, responses.PresetsAnswer, endpoints.list_presets),
    Endpoint("POST", "/api/chunk", requests.ChunkRequest, responses.ChunkingAnswer, endpoints.chunk, heavy=True),
)
