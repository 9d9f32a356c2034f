"""The endpoint, against a service on loopback that does everything wrong a service can do."""

from __future__ import annotations

import json
import socket
import traceback
from base64 import b64encode
from email.utils import formatdate

import numpy as np
import pytest
from fake_embeddings import DIMENSIONS, HASHING, base64, floats, numbers, reply
from loopback_service import KEY, LoopbackService, Reply, Script, failure, serve

from headnote.embedding.openai import Batches, OpenAIEmbedder
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
from headnote.services.settings import Limits, Service, find_service

QUICK = Limits(timeout=2, tries=4, first_wait=0.01, longest_wait=5)
TEXTS = ["one fish", "two fish", "red bicycle", "blue ocean"]


def connect(service: LoopbackService, limits: Limits = QUICK, batches: Batches | None = None) -> OpenAIEmbedder:
    return OpenAIEmbedder("model-x", service=Service(service.url, KEY), limits=limits, batches=batches)


def failing(*script: Script, limits: Limits = QUICK) -> tuple[EmbeddingError, LoopbackService]:
    """The error that comes of it, which never has the key in it."""
    with serve(*script) as service, pytest.raises(EmbeddingError) as caught:
        connect(service, limits).embed(TEXTS)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert KEY not in repr(caught.value.__dict__)
    assert "\n" not in str(caught.value)
    assert caught.value.remedy
    return caught.value, service


# ── answers ──


@pytest.mark.parametrize("answers", [base64, floats])
def test_both_forms_of_answers(answers: Script) -> None:
    with serve(answers) as service:
        embedder = connect(service)
        vectors = embedder.embed(TEXTS)
        assert embedder.dimensions == DIMENSIONS
    assert vectors.dtype == np.float32
    assert np.abs(vectors - HASHING.embed(TEXTS)).max() < 1e-6
    assert service.paths == ["/v1/embeddings"]
    assert service.questions == [{"model": "model-x", "input": TEXTS, "encoding_format": "base64"}]
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_a_service_that_does_not_know_base64() -> None:
    with serve(failure(400, "unknown field encoding_format"), floats) as service:
        embedder = connect(service)
        embedder.embed(TEXTS)
        embedder.embed(TEXTS)
    assert ["encoding_format" in question for question in service.questions] == [True, False, False]


def test_dimensions_come_with_the_first_answer() -> None:
    with serve(base64) as service:
        embedder = connect(service)
        assert embedder.dimensions == DIMENSIONS
        assert len(service.questions) == 1
        assert embedder.dimensions == DIMENSIONS
        assert len(service.questions) == 1


def test_dimensions_can_be_asked_for() -> None:
    with serve(base64) as service:
        embedder = OpenAIEmbedder("m", dimensions=DIMENSIONS, service=Service(service.url))
        assert embedder.embed_query("text").shape == (DIMENSIONS,)
        assert service.questions[0]["dimensions"] == DIMENSIONS
        assert embedder.name.endswith(f":{DIMENSIONS}")
        assert "Authorization" not in service.headers[0]


def test_blank_texts_are_not_sent() -> None:
    with serve(base64) as service:
        vectors = connect(service).embed(["", "word", " \n"])
    assert vectors.any(axis=1).tolist() == [False, True, False]
    assert service.questions[0]["input"] == ["word"]


def test_only_blank_texts() -> None:
    with serve(base64) as service:
        assert connect(service).embed(["", " "]).shape == (2, DIMENSIONS)


def test_no_texts_no_question() -> None:
    with serve(base64) as service:
        assert len(connect(service).embed([])) == 0
    assert service.questions == []


def test_lone_surrogates_can_be_sent() -> None:
    with serve(base64) as service:
        assert connect(service).embed(["a \ud800 b"]).any()


# ── batches ──


def test_batches_by_number_of_texts() -> None:
    texts = [f"text {number}" for number in range(25)]
    with serve(base64) as service:
        vectors = connect(service, batches=Batches(texts=10)).embed(texts)
    assert sorted(len(question["input"]) for question in service.questions) == [5, 10, 10]
    assert np.abs(vectors - HASHING.embed(texts)).max() < 1e-6


def test_batches_by_tokens() -> None:
    texts = ["word " * 30] * 6
    with serve(base64) as service:
        connect(service, batches=Batches(tokens=70)).embed(texts)
    assert [len(question["input"]) for question in service.questions] == [2, 2, 2]


def test_a_text_longer_than_the_model_reads_is_sent_in_parts() -> None:
    long = "".join(f"word{number} " for number in range(300)) + "zebra"
    with serve(base64) as service:
        embedder = connect(service, batches=Batches(text_tokens=100))
        plain, marked = embedder.embed([long.removesuffix("zebra"), long])
    sent = "".join(text for question in service.questions for text in question["input"])
    assert sent.endswith(long)
    assert np.abs(plain - marked).max() > 1e-4
    assert np.linalg.norm(marked) == pytest.approx(1, abs=1e-6)


# ── limits ──


def test_twice_an_error_then_fine() -> None:
    with serve(failure(500), failure(503), base64) as service:
        assert connect(service).embed(TEXTS).shape == (4, DIMENSIONS)
    assert len(service.questions) == 3


def test_waits_as_long_as_it_is_told_to() -> None:
    with serve(failure(429, Retry_After="1"), base64) as service:
        connect(service).embed(TEXTS)
    assert service.times[1] - service.times[0] >= 1


# Each worker collects the tests anew, so a time among them must be the same for all: this one is always past.
@pytest.mark.parametrize("header", ["soon", "", "-5", formatdate(1_000_000_000, usegmt=True), "nan"])
def test_a_time_that_makes_no_sense_is_no_reason_to_stop(header: str) -> None:
    with serve(failure(429, Retry_After=header), base64) as service:
        assert connect(service).embed(TEXTS).shape == (4, DIMENSIONS)


def test_milliseconds_are_understood() -> None:
    with serve(failure(429, Retry_After_Ms="300"), base64) as service:
        connect(service).embed(TEXTS)
    assert 0.3 <= service.times[1] - service.times[0] < 1.5


def test_too_long_a_wait_is_not_waited_for() -> None:
    error, service = failing(failure(429, Retry_After="3600"))
    assert isinstance(error, RateLimited)
    assert "3600 seconds" in error.remedy
    assert len(service.questions) == 1


def test_rate_limited_to_the_end() -> None:
    error, service = failing(failure(429, f"slow down, {KEY}"))
    assert isinstance(error, RateLimited)
    assert "after 4 tries" in str(error)
    assert len(service.questions) == QUICK.tries


def test_failing_to_the_end() -> None:
    error, service = failing(failure(502, f"bad\n gateway for {KEY}"))
    assert isinstance(error, ServiceUnavailable)
    assert "status 502: bad gateway for …" in str(error)
    assert len(service.questions) == QUICK.tries


def test_too_slow_once() -> None:
    limits = Limits(timeout=0.3, tries=3, first_wait=0.01)
    with serve(Reply(delay=0.8), base64) as service:
        assert connect(service, limits).embed(TEXTS).shape == (4, DIMENSIONS)
    assert len(service.questions) == 2


def test_too_slow_always() -> None:
    error, _ = failing(Reply(delay=0.5), limits=Limits(timeout=0.1, tries=2, first_wait=0.01))
    assert isinstance(error, ServiceUnavailable)
    assert "did not answer within 0.1 seconds, after 2 tries" in str(error)


def test_hanging_up_once() -> None:
    with serve(Reply(hangs_up=True), base64) as service:
        assert connect(service).embed(TEXTS).shape == (4, DIMENSIONS)


def test_an_answer_that_breaks_off() -> None:
    with serve(Reply([b"{"], headers={"Content-Length": "500"}), base64) as service:
        with pytest.raises(EmbeddingError):
            connect(service, Limits(timeout=1, tries=1)).embed(TEXTS)
        assert connect(service).embed(TEXTS).shape == (4, DIMENSIONS)


def test_nobody_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(ServiceUnavailable, match="cannot be reached") as caught:
            OpenAIEmbedder("m", service=Service(url, KEY), limits=QUICK).embed(TEXTS)
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_rate_limit_of_our_own() -> None:
    limits = Limits(requests_per_minute=300)
    with serve(base64) as service:
        connect(service, limits, Batches(texts=1)).embed(TEXTS)
    times = sorted(service.times)
    assert times[-1] - times[0] >= 3 * 60 / 300 - 0.05


# ── refusals and wrong answers ──


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key(status: int) -> None:
    error, service = failing(failure(status, f"Incorrect API key provided: {KEY[:12]}"))
    assert isinstance(error, RequestRefused)
    assert KEY[:6] not in str(error)
    assert error.remedy == "set HEADNOTE_EMBEDDING_KEY"
    assert len(service.questions) == 1


def test_an_unknown_model() -> None:
    error, service = failing(failure(404, "no model model-x"))
    assert isinstance(error, RequestRefused)
    assert "no model model-x" in str(error)
    assert len(service.questions) == 1


def test_the_key_does_not_follow_a_redirect() -> None:
    with serve(base64) as elsewhere:
        moved = Reply(status=302, headers={"Location": elsewhere.url + "/embeddings"})
        error, _ = failing(moved)
    assert isinstance(error, RequestRefused)
    assert elsewhere.questions == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Reply([b"<html>"]), "did not return JSON"),
        (Reply([b""]), "did not return JSON"),
        (Reply([b"\xff\xfe"]), "did not return JSON"),
        (Reply([b"[]"]), "contains no vectors"),
        (Reply([b"null"]), "contains no vectors"),
        (Reply([b'{"data": 3}']), "contains no vectors"),
        (Reply([b'{"data": [1, 2, 3, 4]}']), "contains no vectors"),
        (reply([]), "has 0 vectors for 4 texts"),
        (reply([[1.0], [1.0]]), "has 2 vectors for 4 texts"),
        (reply([[1.0, 2.0]] * 3 + [[1.0]]), "has vectors of 1 dimensions instead of 2"),
        (reply([[]] * 4), "without a direction"),
        (reply([[0.0, 0.0]] * 4), "without a direction"),
        (reply([[1.0, float("nan")]] * 4), "without a direction"),
        (reply([[[1.0]]] * 4), "contains no vectors"),
        (reply(["not base64!"] * 4), "contains no vectors"),
        (reply([b64encode(b"abc").decode()] * 4), "contains no vectors"),
        (reply([None] * 4), "contains no vectors"),
    ],
)
def test_a_wrong_answer(answer: Reply, said: str) -> None:
    error, _ = failing(answer)
    assert isinstance(error, WrongAnswer)
    assert said in str(error)


def test_a_model_that_changes_its_size() -> None:
    def smaller(question: dict[str, list[str]]) -> Reply:
        return reply([vector[:4] for vector in numbers(question)])

    with serve(base64, smaller) as service:
        embedder = connect(service)
        embedder.embed(TEXTS)
        with pytest.raises(WrongAnswer, match="4 dimensions instead of 16"):
            embedder.embed(TEXTS)


# ── where it is and what opens it ──


def test_the_key_is_in_no_text() -> None:
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


def test_the_environment_says_where() -> None:
    official = find_service({"OPENAI_API_KEY": " k \n"}, "embedding")
    assert official == Service("https://api.openai.com/v1", "k", "OPENAI_API_KEY")
    local = find_service({"OPENAI_BASE_URL": "http://localhost:1/v1"}, "embedding")
    assert (local.url, local.key) == ("http://localhost:1/v1", "")
    own = {"HEADNOTE_EMBEDDING_URL": "http://localhost:2/v1", "HEADNOTE_EMBEDDING_KEY": "own"}
    assert find_service({**own, "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://x/"}, "embedding").key == "own"
    assert find_service({"HEADNOTE_EMBEDDING_KEY": "own", "OPENAI_API_KEY": "k"}, "embedding").key == "own"


def test_a_key_goes_only_where_it_was_set_for() -> None:
    service = find_service({"HEADNOTE_EMBEDDING_URL": "http://localhost:2/v1", "OPENAI_API_KEY": "k"}, "embedding")
    assert service.key == ""
    assert service.key_variable == "HEADNOTE_EMBEDDING_KEY"


def test_no_key() -> None:
    with pytest.raises(MissingKey, match="set OPENAI_API_KEY"):
        find_service({}, "embedding")


def test_two_services_are_two_names() -> None:
    names = {
        OpenAIEmbedder("m", service=Service(url, KEY)).name for url in ("http://a/v1", "http://a:8/v1", "http://b")
    }
    assert len(names) == 3
    official = OpenAIEmbedder("m", service=Service("https://api.openai.com/v1/", KEY))
    assert official.name == "openai:m"


def test_sizes_that_make_no_sense() -> None:
    with pytest.raises(HeadnoteError, match="at least 1"):
        OpenAIEmbedder("m", dimensions=0, service=Service("http://a"))


def test_what_is_sent_is_json() -> None:
    with serve(base64) as service:
        connect(service).embed_query('quotes " and \\ and\nlines')
    assert service.headers[0]["Content-Type"] == "application/json"
    assert json.dumps(service.questions[0]["input"]) == json.dumps(['quotes " and \\ and\nlines'])
