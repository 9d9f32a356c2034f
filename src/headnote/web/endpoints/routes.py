"""The API as a table: each row has an address, a request type, a response type, and the function between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from headnote.api.keeper import Served
from headnote.links.graph import Neighbourhood
from headnote.model import Passage
from headnote.web import requests, responses
from headnote.web.endpoints import folder, texts


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
    Endpoint("GET", "/api/health", requests.Nothing, responses.Health, folder.health),
    Endpoint("GET", "/api/status", requests.Nothing, responses.StatusAnswer, folder.status),
    Endpoint("GET", "/api/search", requests.SearchRequest, responses.SearchAnswer, folder.search),
    Endpoint("GET", "/api/questions", requests.QuestionsRequest, responses.QuestionsAnswer, folder.questions),
    Endpoint("GET", "/api/documents", requests.Nothing, responses.DocumentsAnswer, folder.documents),
    Endpoint("GET", "/api/outline", requests.PathRequest, responses.OutlineAnswer, folder.outline),
    Endpoint("GET", "/api/read", requests.ReadRequest, Passage, folder.read),
    Endpoint("GET", "/api/document", requests.PathRequest, responses.DocumentAnswer, folder.document, heavy=True),
    Endpoint("GET", "/api/piece", requests.PieceRequest, responses.PieceAnswer, folder.piece, heavy=True),
    Endpoint("GET", "/api/found", requests.FoundRequest, responses.FoundAnswer, folder.found, heavy=True),
    Endpoint("GET", "/api/preview", requests.PreviewRequest, responses.PreviewAnswer, folder.preview),
    Endpoint("GET", "/api/editor", requests.PathRequest, responses.EditorAnswer, folder.editor, local=True),
    Endpoint("GET", "/api/links", requests.PathRequest, responses.LinksAnswer, folder.links),
    Endpoint("GET", "/api/related", requests.RelatedRequest, responses.RelatedAnswer, folder.related, heavy=True),
    Endpoint("GET", "/api/unlinked", requests.UnlinkedRequest, responses.RelatedAnswer, folder.unlinked, heavy=True),
    Endpoint("GET", "/api/graph", requests.Nothing, responses.GraphAnswer, folder.graph, heavy=True),
    Endpoint(
        "GET",
        "/api/neighbourhood",
        requests.NeighbourhoodRequest,
        Neighbourhood,
        folder.neighbourhood,
    ),
    Endpoint("GET", "/api/presets", requests.Nothing, responses.PresetsAnswer, texts.list_presets),
    Endpoint("POST", "/api/chunk", requests.ChunkRequest, responses.ChunkingAnswer, texts.chunk, heavy=True),
)
