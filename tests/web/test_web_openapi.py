"""The OpenAPI document matches the server: generated requests, valid and invalid, against the application."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient
from web_folder import json_of

from headnote.api.keeper import Served
from headnote.web.app import make_app
from headnote.web.routes import ENDPOINTS, openapi

pytest_plugins = ("web_fixtures",)


CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 25
ADDRESSES = [f"{row.method} {row.address}" for row in ENDPOINTS] + ["POST /api/ask"]

WITH_INPUT = [f"{row.method} {row.address}" for row in ENDPOINTS if row.takes.__struct_fields__] + ["POST /api/ask"]
PLAIN = [label for label in ADDRESSES if label not in ("GET /api/search", "GET /api/read", "POST /api/chunk")]
"""Those where nothing depends on two values at once: a least size above the most, one field with two values."""


def operation(label: str, served: Served) -> Any:
    schema = schemathesis.openapi.from_dict(openapi())
    schema.app = make_app(served)
    method, _, path = label.partition(" ")
    return schema[path][method]


def try_out(strategy: Any, checks: list[Any]) -> int:
    """The number of requests. The checks raise if a response is wrong."""
    made = 0

    @given(case=strategy)
    @settings(
        max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    def run(case: Any) -> None:
        nonlocal made
        made += 1
        case.call_and_validate(headers={"host": "127.0.0.1:8377"}, checks=checks)

    run()
    return made


@pytest.mark.parametrize("label", ADDRESSES)
def test_what_is_valid_is_answered_as_it_says(label: str, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)
    strategy = operation(label, served).as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE)
    assert try_out(strategy, CHECKS) >= 1


@pytest.mark.parametrize("label", PLAIN)
def test_what_is_valid_is_not_refused(label: str, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)
    strategy = operation(label, served).as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE)
    assert try_out(strategy, [positive_data_acceptance]) >= 1


@pytest.mark.parametrize("label", WITH_INPUT)
def test_what_is_not_valid_is_refused_as_it_says(label: str, served: Served) -> None:
    strategy = operation(label, served).as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    assert try_out(strategy, [*CHECKS, negative_data_rejection]) >= EXAMPLES // 2


def test_the_document_is_served_and_complete(client: TestClient) -> None:
    document = json_of(client, "/api/openapi.json")
    assert document["openapi"].startswith("3.1")
    assert [f"{method.upper()} {path}" for path, row in document["paths"].items() for method in row] == ADDRESSES
    for path in document["paths"].values():
        for row in path.values():
            assert row["summary"]
            assert {"200", "400", "401", "403", "503"} <= row["responses"].keys()
