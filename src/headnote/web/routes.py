"""The API as a table, where each row has an address, a request type, a response type and the function between them; and
the OpenAPI document, which is made of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import getdoc
from typing import Any, Literal, NamedTuple

import msgspec

from headnote import __version__
from headnote.api.keeper import Served
from headnote.links.graph import Neighbourhood
from headnote.model import Passage
from headnote.web import endpoints, requests, responses
from headnote.web.ask_stream import LINES
from headnote.web.requests import AskRequest
from headnote.web.responses import AskEvent, Failure


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
    Endpoint("GET", "/api/neighbourhood", requests.NeighbourhoodRequest, Neighbourhood, endpoints.neighbourhood),
    Endpoint("GET", "/api/presets", requests.Nothing, responses.PresetsAnswer, endpoints.list_presets),
    Endpoint("POST", "/api/chunk", requests.ChunkRequest, responses.ChunkingAnswer, endpoints.chunk, heavy=True),
)


# -- The OpenAPI document, generated from the table and its types.

_REF = "#/components/schemas/{name}"
_JSON = "application/json"
_REFUSALS = {
    "400": "The request is invalid; the message says why.",
    "401": "The token is missing or wrong.",
    "403": "The request comes from another site, or names another host.",
    "404": "There is no such document, chunk or heading.",
    "408": "The body did not arrive in time.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "503": "The index is unavailable, or the server is busy.",
}


@cache
def openapi() -> dict[str, Any]:
    """The document, as OpenAPI 3.1."""
    bodies: list[Any] = [endpoint.takes for endpoint in ENDPOINTS if endpoint.method == "POST"]
    shapes = [*(endpoint.gives for endpoint in ENDPOINTS), *bodies, AskRequest, AskEvent, Failure]
    refs, components = msgspec.json.schema_components(shapes, ref_template=_REF)
    _, taken = msgspec.json.schema_components([*bodies, AskRequest], ref_template=_REF)
    for name in components.keys() - taken.keys():
        _require_all(components[name])
    of_type = dict(zip(map(str, shapes), refs, strict=True))
    paths = {row.address: {row.method.lower(): _operation(row, of_type)} for row in ENDPOINTS}
    paths["/api/ask"] = {"post": _ask(of_type)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "headnote",
            "version": __version__,
            "description": "Search a folder of Markdown, read it, and see how it is split into chunks.",
        },
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
    }


def _require_all(schema: dict[str, Any]) -> None:
    """What is sent has every field, also those that need not be given where it is made."""
    for field in schema["properties"].values():
        field.pop("default", None)
    schema["required"] = list(schema["properties"])


def _operation(row: Endpoint, of_type: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": row.run.__name__,
        "summary": getdoc(row.run),
        "responses": _responses(row.method == "POST", _JSON, of_type[str(row.gives)], of_type),
    }
    if row.method == "POST":
        operation["requestBody"] = _body(of_type[str(row.takes)])
    elif parameters := _parameters(row.takes):
        operation["parameters"] = parameters
    return operation


def _ask(of_type: dict[str, Any]) -> dict[str, Any]:
    # One event per line. Tools validate whole bodies, so the schema of a line is only named here.
    responses = _responses(True, LINES, {"type": "string", "description": "AskEvent"}, of_type)
    responses["503"]["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    return {
        "operationId": "ask",
        "summary": "An answer with checked citations, streamed line by line.",
        "requestBody": _body(of_type[str(AskRequest)]),
        "responses": responses,
    }


def _responses(posted: bool, media: str, gives: Any, of_type: dict[str, Any]) -> dict[str, Any]:
    refusal = {_JSON: {"schema": of_type[str(Failure)]}}
    only_posted = () if posted else ("408", "413", "415")
    refusals = {
        status: {"description": description, "content": refusal}
        for status, description in _REFUSALS.items()
        if status not in only_posted
    }
    return {"200": {"description": "The answer.", "content": {media: {"schema": gives}}}, **refusals}


def _body(schema: Any) -> dict[str, Any]:
    return {"required": True, "content": {_JSON: {"schema": schema}}}


def _parameters(shape: type[msgspec.Struct]) -> list[dict[str, Any]]:
    _, components = msgspec.json.schema_components([shape], ref_template=_REF)
    schema = components[shape.__name__]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": inner, **_exploded(inner)}
        for name, inner in schema["properties"].items()
    ]


def _exploded(schema: Any) -> dict[str, Any]:
    return {"style": "form", "explode": True} if schema.get("type") == "array" else {}
