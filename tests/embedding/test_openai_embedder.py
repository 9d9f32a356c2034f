"""The OpenAI embedder against a fake service that does everything wrong a service can do."""

from __future__ import annotations

import json
import traceback
from base64 import b64encode
from email.utils import formatdate

import numpy as np
import pytest
from fake_service import (
    DIMENSIONS,
    HASHING,
    KEY,
    FakeService,
    Reply,
    Request,
    Script,
    base64_embeddings,
    embeddings_reply,
    failure,
    float_embeddings,
    serve,
    unreachable_url,
    vectors_of,
)

from headnote.embedding.openai import OpenAIEmbedder, TextBatches
from headnote.errors import (
    EmbeddingError,
    HeadnoteError,
    MissingKey,
    RateLimited,
    RequestRefused,
    ServiceUnavailable,
    SettingsError,
    WrongAnswer,
)
from headnote.services import Limits, Service, find_service

QUICK = Limits(timeout=2, tries=4, first_wait=0.01, longest_wait=5)
TEXTS = ["one fish", "two fish", "red bicycle", "blue ocean"]


def connect(service: FakeService, limits: Limits = QUICK, batches: TextBatches | None = None) -> OpenAIEmbedder:
    return OpenAIEmbedder("model-x", service=Service(service.url, KEY), limits=limits, batches=batches)


def failing(*script: Script, limits: Limits = QUICK) -> tuple[EmbeddingError, FakeService]:
    """The resulting error, checked to be one line without the key."""
    with serve(*script) as service, pytest.raises(EmbeddingError) as caught:
        connect(service, limits).embed(TEXTS)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert KEY not in repr(caught.value.__dict__)
    assert "\n" not in str(caught.value)
    assert caught.value.remedy
    return caught.value, service


# ── vectors ──


@pytest.mark.parametrize("script", [base64_embeddings, float_embeddings])
def test_both_encodings(script: Script) -> None:
    with serve(script) as service:
        embedder = connect(service)
        vectors = embedder.embed(TEXTS)
        assert embedder.dimensions == DIMENSIONS
    assert vectors.dtype == np.float32
    assert np.abs(vectors - HASHING.embed(TEXTS)).max() < 1e-6
    assert service.requests[0].path == "/v1/embeddings"
    assert service.payloads == [{"model": "model-x", "input": TEXTS, "encoding_format": "base64"}]
    assert service.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_a_service_that_does_not_know_base64() -> None:
    with serve(failure(400, "unknown field encoding_format"), float_embeddings) as service:
        embedder = connect(service)
        embedder.embed(TEXTS)
        embedder.embed(TEXTS)
    assert ["encoding_format" in payload for payload in service.payloads] == [True, False, False]


def test_dimensions_come_with_the_first_response() -> None:
    with serve(base64_embeddings) as service:
        embedder = connect(service)
        assert embedder.dimensions == DIMENSIONS
        assert len(service.requests) == 1
        assert embedder.dimensions == DIMENSIONS
        assert len(service.requests) == 1


def test_dimensions_can_be_requested() -> None:
    with serve(base64_embeddings) as service:
        embedder = OpenAIEmbedder("m", dimensions=DIMENSIONS, service=Service(service.url))
        assert embedder.embed_query("text").shape == (DIMENSIONS,)
        assert service.payloads[0]["dimensions"] == DIMENSIONS
        assert embedder.name.endswith(f":{DIMENSIONS}")
        assert "Authorization" not in service.requests[0].headers


def test_blank_texts_are_not_sent() -> None:
    with serve(base64_embeddings) as service:
        vectors = connect(service).embed(["", "word", " \n"])
    assert vectors.any(axis=1).tolist() == [False, True, False]
    assert service.payloads[0]["input"] == ["word"]


def test_only_blank_texts() -> None:
    with serve(base64_embeddings) as service:
        assert connect(service).embed(["", " "]).shape == (2, DIMENSIONS)


def test_no_texts_no_request() -> None:
    with serve(base64_embeddings) as service:
        assert len(connect(service).embed([])) == 0
    assert service.requests == []


def test_lone_surrogates_can_be_sent() -> None:
    with serve(base64_embeddings) as service:
        assert connect(service).embed(["a \ud800 b"]).any()


# ── batches ──


def test_batches_by_number_of_texts() -> None:
    texts = [f"text {number}" for number in range(25)]
    with serve(base64_embeddings) as service:
        vectors = connect(service, batches=TextBatches(texts=10)).embed(texts)
    assert sorted(len(payload["input"]) for payload in service.payloads) == [5, 10, 10]
    assert np.abs(vectors - HASHING.embed(texts)).max() < 1e-6


def test_batches_by_tokens() -> None:
    texts = ["word " * 30] * 6
    with serve(base64_embeddings) as service:
        connect(service, batches=TextBatches(tokens=70)).embed(texts)
    assert [len(payload["input"]) for payload in service.payloads] == [2, 2, 2]


def test_a_text_longer_than_the_model_reads_is_sent_in_parts() -> None:
    long = "".join(f"word{number} " for number in range(300)) + "zebra"
    with serve(base64_embeddings) as service:
        embedder = connect(service, batches=TextBatches(text_tokens=100))
        plain, marked = embedder.embed([long.removesuffix("zebra"), long])
    sent = "".join(text for payload in service.payloads for text in payload["input"])
    assert sent.endswith(long)
    assert np.abs(plain - marked).max() > 1e-4
    assert np.linalg.norm(marked) == pytest.approx(1, abs=1e-6)


# ── retries ──


def test_two_errors_then_success() -> None:
    with serve(failure(500), failure(503), base64_embeddings) as service:
        assert connect(service).embed(TEXTS).shape == (4, DIMENSIONS)
    assert len(service.requests) == 3


def test_waits_as_long_as_the_service_demands() -> None:
    with serve(failure(429, Retry_After="1"), base64_embeddings) as service:
        connect(service).embed(TEXTS)
    assert service.requests[1].time - service.requests[0].time >= 1


# Each test worker collects parameters itself, so a date among them must be constant: this one is long past.
@pytest.mark.parametrize("header", ["soon", "", "-5", formatdate(1_000_000_000, usegmt=True), "nan"])
def test_a_senseless_wait_is_ignored(header: str) -> None:
    with serve(failure(429, Retry_After=header), base64_embeddings) as service:
        assert connect(service).embed(TEXTS).shape == (4, DIMENSIONS)


def test_a_wait_in_milliseconds() -> None:
    with serve(failure(429, Retry_After_Ms="300"), base64_embeddings) as service:
        connect(service).embed(TEXTS)
    assert 0.3 <= service.requests[1].time - service.requests[0].time < 1.5


def test_gives_up_if_the_wait_is_too_long() -> None:
    error, service = failing(failure(429, Retry_After="3600"))
    assert isinstance(error, RateLimited)
    assert "3600 seconds" in error.remedy
    assert len(service.requests) == 1


def test_rate_limited_on_every_try() -> None:
    error, service = failing(failure(429, f"slow down, {KEY}"))
    assert isinstance(error, RateLimited)
    assert "after 4 tries" in str(error)
    assert len(service.requests) == QUICK.tries


def test_failing_on_every_try() -> None:
    error, service = failing(failure(502, f"bad\n gateway for {KEY}"))
    assert isinstance(error, ServiceUnavailable)
    assert "status 502: bad gateway for …" in str(error)
    assert len(service.requests) == QUICK.tries


def test_too_slow_once() -> None:
    limits = Limits(timeout=0.3, tries=3, first_wait=0.01)
    with serve(Reply(delay=0.8), base64_embeddings) as service:
        assert connect(service, limits).embed(TEXTS).shape == (4, DIMENSIONS)
    assert len(service.requests) == 2


def test_too_slow_always() -> None:
    error, _ = failing(Reply(delay=0.5), limits=Limits(timeout=0.1, tries=2, first_wait=0.01))
    assert isinstance(error, ServiceUnavailable)
    assert "did not answer within 0.1 seconds, after 2 tries" in str(error)


def test_one_closed_connection() -> None:
    with serve(Reply(hangs_up=True), base64_embeddings) as service:
        assert connect(service).embed(TEXTS).shape == (4, DIMENSIONS)


def test_a_truncated_response() -> None:
    with serve(Reply([b"{"], headers={"Content-Length": "500"}), base64_embeddings) as service:
        with pytest.raises(EmbeddingError):
            connect(service, Limits(timeout=1, tries=1)).embed(TEXTS)
        assert connect(service).embed(TEXTS).shape == (4, DIMENSIONS)


def test_no_server() -> None:
    with unreachable_url() as url, pytest.raises(ServiceUnavailable, match="cannot be reached") as caught:
        OpenAIEmbedder("m", service=Service(url, KEY), limits=QUICK).embed(TEXTS)
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_our_own_rate_limit() -> None:
    limits = Limits(requests_per_minute=300)
    with serve(base64_embeddings) as service:
        connect(service, limits, TextBatches(texts=1)).embed(TEXTS)
    times = sorted(request.time for request in service.requests)
    assert times[-1] - times[0] >= 3 * 60 / 300 - 0.05


# ── refusals and wrong responses ──


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key(status: int) -> None:
    error, service = failing(failure(status, f"Incorrect API key provided: {KEY[:12]}"))
    assert isinstance(error, RequestRefused)
    assert KEY[:6] not in str(error)
    assert error.remedy == "set HEADNOTE_EMBEDDING_KEY"
    assert len(service.requests) == 1


def test_an_unknown_model() -> None:
    error, service = failing(failure(404, "no model model-x"))
    assert isinstance(error, RequestRefused)
    assert "no model model-x" in str(error)
    assert len(service.requests) == 1


def test_the_key_does_not_follow_a_redirect() -> None:
    with serve(base64_embeddings) as elsewhere:
        moved = Reply(status=302, headers={"Location": elsewhere.url + "/embeddings"})
        error, _ = failing(moved)
    assert isinstance(error, RequestRefused)
    assert elsewhere.requests == []


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply([b"<html>"]), "did not return JSON"),
        (Reply([b""]), "did not return JSON"),
        (Reply([b"\xff\xfe"]), "did not return JSON"),
        (Reply([b"[]"]), "contains no vectors"),
        (Reply([b"null"]), "contains no vectors"),
        (Reply([b'{"data": 3}']), "contains no vectors"),
        (Reply([b'{"data": [1, 2, 3, 4]}']), "contains no vectors"),
        (embeddings_reply([]), "has 0 vectors for 4 texts"),
        (embeddings_reply([[1.0], [1.0]]), "has 2 vectors for 4 texts"),
        (embeddings_reply([[1.0, 2.0]] * 3 + [[1.0]]), "has vectors of 1 dimensions instead of 2"),
        (embeddings_reply([[]] * 4), "without a direction"),
        (embeddings_reply([[0.0, 0.0]] * 4), "without a direction"),
        (embeddings_reply([[1.0, float("nan")]] * 4), "without a direction"),
        (embeddings_reply([[[1.0]]] * 4), "contains no vectors"),
        (embeddings_reply(["not base64!"] * 4), "contains no vectors"),
        (embeddings_reply([b64encode(b"abc").decode()] * 4), "contains no vectors"),
        (embeddings_reply([None] * 4), "contains no vectors"),
    ],
)
def test_a_wrong_response(reply: Reply, problem: str) -> None:
    error, _ = failing(reply)
    assert isinstance(error, WrongAnswer)
    assert problem in str(error)


def test_a_model_that_changes_its_dimensions() -> None:
    def smaller(request: Request) -> Reply:
        return embeddings_reply([vector[:4] for vector in vectors_of(request)])

    with serve(base64_embeddings, smaller) as service:
        embedder = connect(service)
        embedder.embed(TEXTS)
        with pytest.raises(WrongAnswer, match="4 dimensions instead of 16"):
            embedder.embed(TEXTS)


# ── address and key ──


def test_the_key_is_never_shown() -> None:
    service = Service("https://service.example/v1", KEY)
    embedder = OpenAIEmbedder("m", service=service)
    assert KEY not in repr(service) + str(service) + repr(embedder) + embedder.name


@pytest.mark.parametrize("key", [f"{KEY}\nX-Other: 1", f"{KEY} x", "schlüssel", "\x00"])
def test_a_key_that_cannot_be_sent(key: str) -> None:
    with pytest.raises(MissingKey) as caught:
        Service("https://service.example/v1", key)
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("url", ["service.example", "file:///etc/passwd", "https://", f"https://user:{KEY}@host/v1"])
def test_an_address_that_cannot_be_used(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Service(url)
    assert KEY not in str(caught.value)


def test_the_environment_names_the_service() -> None:
    official = find_service({"OPENAI_API_KEY": " k \n"}, "embedding")
    assert official == Service("https://api.openai.com/v1", "k", "OPENAI_API_KEY")
    local = find_service({"OPENAI_BASE_URL": "http://localhost:1/v1"}, "embedding")
    assert (local.url, local.key) == ("http://localhost:1/v1", "")
    own = {"HEADNOTE_EMBEDDING_URL": "http://localhost:2/v1", "HEADNOTE_EMBEDDING_KEY": "own"}
    assert find_service({**own, "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://x/"}, "embedding").key == "own"
    assert find_service({"HEADNOTE_EMBEDDING_KEY": "own", "OPENAI_API_KEY": "k"}, "embedding").key == "own"


def test_a_key_is_only_sent_to_its_own_address() -> None:
    service = find_service({"HEADNOTE_EMBEDDING_URL": "http://localhost:2/v1", "OPENAI_API_KEY": "k"}, "embedding")
    assert service.key == ""
    assert service.key_variable == "HEADNOTE_EMBEDDING_KEY"


def test_no_key() -> None:
    with pytest.raises(MissingKey, match="set OPENAI_API_KEY"):
        find_service({}, "embedding")


def test_two_services_have_two_names() -> None:
    names = {
        OpenAIEmbedder("m", service=Service(url, KEY)).name for url in ("http://a/v1", "http://a:8/v1", "http://b")
    }
    assert len(names) == 3
    official = OpenAIEmbedder("m", service=Service("https://api.openai.com/v1/", KEY))
    assert official.name == "openai:m"


def test_dimensions_must_be_positive() -> None:
    with pytest.raises(HeadnoteError, match="at least 1"):
        OpenAIEmbedder("m", dimensions=0, service=Service("http://a"))


def test_the_request_is_json() -> None:
    with serve(base64_embeddings) as service:
        connect(service).embed_query('quotes " and \\ and\nlines')
    assert service.requests[0].headers["Content-Type"] == "application/json"
    assert json.dumps(service.payloads[0]["input"]) == json.dumps(['quotes " and \\ and\nlines'])
