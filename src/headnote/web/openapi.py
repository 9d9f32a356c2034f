"""The OpenAPI document, generated from the table of endpoints and its types."""

from __future__ import annotations

from functools import cache
from inspect import getdoc
from typing import Any

import msgspec

from headnote import __version__
from headnote.web.ask_stream import LINES
from headnote.web.requests import AskRequest
from headnote.web.responses import AskEvent, Failure
from headnote.web.routes import ENDPOINTS, Endpoint

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
