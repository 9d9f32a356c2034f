"""Hostile services: whatever they send, the request ends in time, within memory, and with a readable error."""

from __future__ import annotations

import gzip
import time
import traceback
from collections.abc import Iterator
from itertools import repeat
from threading import Thread
from typing import Any

import pytest
from fake_service import (
    KEY,
    FakeService,
    Reply,
    Request,
    Script,
    chat_reply,
    delta,
    deltas,
    embeddings_reply,
    entries_reply,
    event,
    failure,
    float_embeddings,
    serve,
    streamed,
    vectors_of,
)
from shown_samples import samples

from headnote.answer.answering import answer_from
from headnote.answer.chat import Chat, find_chat
from headnote.embedding.embedder import NoEmbedder
from headnote.embedding.openai import OpenAIEmbedder
from headnote.errors import (
    AnswerError,
    RateLimited,
    RequestRefused,
    ServiceError,
    ServiceUnavailable,
    SettingsError,
    WrongAnswer,
)
from headnote.model import Answer
from headnote.services import Cancellation, Cancelled, Limits, Service

SHORT = Limits(timeout=20, tries=3, first_wait=0.01, longest_wait=5, deadline=0.5)
LONG = Limits(timeout=20, tries=2, first_wait=0.01, longest_wait=5, deadline=60)
TEXTS = ["one", "two", "three"]
DRIP = 0.02
"""Seconds between two bytes: far less than any timeout, so that only the deadline ends the request."""


def embed(service: FakeService, limits: Limits) -> Any:
    return OpenAIEmbedder("m", service=Service(service.url, KEY), limits=limits).embed(TEXTS)


def chat(service: FakeService, limits: Limits) -> Answer:
    model = Chat("m", Service(service.url, KEY, "HEADNOTE_CHAT_KEY", "chat"), limits)
    return answer_from("What does the lamp do?", samples(), model, NoEmbedder())


def failing(ask: Any, reply: Script, limits: Limits) -> ServiceError:
    """The `ServiceError` behind a failure of either client, checked to be one line without the key."""
    with serve(reply) as service, pytest.raises((ServiceError, AnswerError)) as caught:
        ask(service, limits)
    shown = str(caught.value)
    assert "\n" not in shown
    assert caught.value.remedy
    assert KEY not in "".join(traceback.format_exception(caught.value))
    cause = caught.value.__cause__ if isinstance(caught.value, AnswerError) else caught.value
    assert isinstance(cause, ServiceError)
    return cause


BOTH = pytest.mark.parametrize("ask", [embed, chat])


# ── time ──


def bytes_one_by_one(data: bytes, then: bytes = b" ") -> Iterator[bytes]:
    yield from (data[at : at + 1] for at in range(len(data)))
    yield from repeat(then)


ENDLESS: dict[str, Script] = {
    "a body that drips": lambda _: Reply(repeat(b" "), pause=DRIP),
    "a status line that drips": lambda _: Reply(bytes_one_by_one(b"HTTP/1.1 200 ", b"O"), raw=True, pause=DRIP),
    "a header that drips": lambda _: Reply(bytes_one_by_one(b"HTTP/1.1 200 OK\r\nX: "), raw=True, pause=DRIP),
    "one interim response after the other": lambda _: Reply(
        repeat(b"HTTP/1.1 100 Continue\r\n\r\n"), raw=True, pause=DRIP
    ),
    "chunks that drip": lambda _: Reply(
        bytes_one_by_one(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"), raw=True, pause=DRIP
    ),
    "an error that drips": lambda _: Reply(repeat(b" "), status=400, pause=DRIP),
}


@BOTH
@pytest.mark.parametrize("case", ENDLESS)
def test_the_deadline_covers_the_whole_request(case: str, ask: Any) -> None:
    error = failing(ask, ENDLESS[case], SHORT)
    if case == "an error that drips":  # its status is enough
        assert isinstance(error, RequestRefused)
    else:
        assert isinstance(error, ServiceUnavailable)
        assert "did not finish within 0.5 seconds" in error.message
        assert error.remedy.endswith(("HEADNOTE_EMBEDDING_DEADLINE", "HEADNOTE_CHAT_DEADLINE"))


def test_deltas_without_text_and_without_end() -> None:
    error = failing(chat, streamed(repeat(delta("")), pause=DRIP), SHORT)
    assert isinstance(error, ServiceUnavailable)


def test_text_received_before_the_deadline_stays() -> None:
    def slowly(_: Request) -> Reply:
        return streamed((*deltas("The lamp blinks. "), *repeat(b": wait\n\n", 100)), pause=DRIP)

    with serve(slowly) as service:
        answer = chat(service, SHORT)
    assert not answer.complete
    assert answer.text.startswith("The lamp")
    assert answer.note == "the answer is not complete: it did not finish within 0.5 seconds"


@BOTH
def test_the_deadline_includes_tries_and_waits(ask: Any) -> None:
    error = failing(ask, failure(429, retry_after="3"), SHORT)
    assert isinstance(error, RateLimited)
    assert error.message.endswith("after 1 try")


@BOTH
@pytest.mark.parametrize("header", [str(10**9), "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_gives_up_if_asked_to_wait_for_years(ask: Any, header: str) -> None:
    error = failing(ask, failure(429, retry_after=header), LONG)
    assert isinstance(error, RateLimited)
    assert error.remedy == "it asks to wait for more than a day"


# ── size ──

MEGABYTE = b" " * (1 << 20)
TOO_MUCH = {
    "an endless body": Reply(repeat(MEGABYTE)),
    "one endless line": streamed([b": ", *[b"x" * (1 << 20)] * 100]),
    "endless comments": streamed(repeat(b": " + b"ping " * 2000 + b"\n\n")),
}


@BOTH
@pytest.mark.parametrize("case", TOO_MUCH)
def test_an_endless_response(case: str, ask: Any) -> None:
    error = failing(ask, TOO_MUCH[case], LONG)
    assert isinstance(error, WrongAnswer)
    assert error.message.endswith("sends too much data")


def test_an_endless_stream_after_the_first_word() -> None:
    with serve(
        streamed([delta("Words. "), *repeat(event({"choices": [], "usage": "much " * 10_000}), 2000)])
    ) as service:
        answer = chat(service, LONG)
    assert answer.note == "the answer is not complete: the service sends too much data"


def test_a_declared_size_takes_no_memory() -> None:
    error = failing(embed, Reply([b"{"], headers={"Content-Length": str(10**15)}), LONG)
    assert isinstance(error, ServiceUnavailable)
    assert "closed the connection" in error.message


@BOTH
def test_compression_is_refused(ask: Any) -> None:
    bomb = gzip.compress(bytes(10 << 20))
    error = failing(ask, Reply([bomb], headers={"Content-Encoding": "gzip"}), LONG)
    assert isinstance(error, WrongAnswer)
    assert error.message.endswith("sends compressed data")


@BOTH
@pytest.mark.parametrize(
    "headers", [b"X: y\r\n" * 1000, b"X: " + b"y" * 100_000 + b"\r\n"], ids=["too many", "one too long"]
)
def test_excessive_headers(ask: Any, headers: bytes) -> None:
    error = failing(ask, Reply([b"HTTP/1.1 200 OK\r\n", headers, b"\r\n{}"], raw=True), LONG)
    assert isinstance(error, ServiceUnavailable)


# ── content ──


@BOTH
@pytest.mark.parametrize(
    "body",
    [b"[" * 1_000_000, b'{"a":' * 100_000, b"9" * 100_000, b"<html>hello</html>", b"", b"\xff\xfe\x00", b'"data"'],
    ids=["nested lists", "nested objects", "a long number", "html", "nothing", "no text", "a string"],
)
@pytest.mark.parametrize("content_type", ["application/json", "text/html", "image/png", "", "text/event-stream"])
def test_nonsense(ask: Any, body: bytes, content_type: str) -> None:
    error = failing(ask, Reply([body], content_type=content_type), LONG)
    assert isinstance(error, WrongAnswer | ServiceUnavailable)  # an empty stream counts as a closed connection


def with_index(*indexes: Any) -> Script:
    def answer(request: Request) -> Reply:
        entries = [
            {"index": index, "embedding": vector} for index, vector in zip(indexes, vectors_of(request), strict=False)
        ]
        return entries_reply(entries)

    return answer


@pytest.mark.parametrize(
    "indexes", [(0, 0, 0), (1, 2, 3), (0, 1, 1), (-1, 0, 1), (0, 1, 99), ("0", "1", "2"), (None, None, None)]
)
def test_vectors_with_wrong_indexes(indexes: tuple[Any, ...]) -> None:
    error = failing(embed, with_index(*indexes), LONG)
    assert isinstance(error, WrongAnswer)
    assert "does not say which vector belongs to which text" in error.message


def test_vectors_without_indexes_are_in_order() -> None:
    def plain(request: Request) -> Reply:
        return entries_reply([{"embedding": vector} for vector in vectors_of(request)])

    with serve(plain) as without_indexes, serve(float_embeddings) as with_indexes:
        assert (embed(without_indexes, LONG) == embed(with_indexes, LONG)).all()


BAD_VECTORS: dict[str, Any] = {
    "not a number": [float("nan")] * 4,
    "infinite": [float("inf"), 1, 1, 1],
    "too large for float32": [1e300, 1, 1, 1],
    "zeros": [0, 0, 0, 0],
    "empty": [],
    "strings": ["1", "2", "3", "4"],
    "booleans": [True, False, True, True],
    "nothing": [None, None, None, None],
    "nested": [[1, 2], [3, 4]],
    "of another length": [1, 2, 3],
    "base64 of half a number": "AACAPwAA",
    "invalid base64": "!!!!",
    "an object": {"0": 1},
    "a number too long": [10**400, 1, 1, 1],
}


@pytest.mark.parametrize("case", BAD_VECTORS)
def test_bad_vectors(case: str) -> None:
    good = [1.0, 2.0, 3.0, 4.0]
    error = failing(embed, embeddings_reply([good, BAD_VECTORS[case], good]), LONG)
    assert isinstance(error, WrongAnswer)


# ── the key ──


@BOTH
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_key_follows_no_redirect(ask: Any, status: int) -> None:
    with serve(chat_reply("mine now")) as elsewhere:
        error = failing(ask, Reply(status=status, headers={"Location": elsewhere.url}), LONG)
        assert isinstance(error, RequestRefused)
        assert elsewhere.requests == []


# ── cancellation ──


@BOTH
@pytest.mark.parametrize(
    "silent",
    [Reply(stalls=True), Reply(raw=True, stalls=True), streamed([delta("A word")], stalls=True), failure(503)],
    ids=["before the body", "before the status", "in the middle", "between two tries"],
)
def test_a_cancelled_request_ends_at_once(ask: Any, silent: Reply) -> None:
    limits = Limits(timeout=600, tries=9, first_wait=600, longest_wait=900, deadline=10_000)
    cancellation = Cancellation()
    ends: list[Cancelled] = []

    def wait() -> None:
        try:
            with cancellation.active():
                ask(service, limits)
        except Cancelled as cancelled:
            ends.append(cancelled)

    with serve(silent) as service:
        thread = Thread(target=wait)
        thread.start()
        while not service.requests:
            time.sleep(0.01)
        cancellation.cancel()
        thread.join()
        if silent.stalls:
            assert service.disconnects.acquire(timeout=60), "the connection was not shut down"
    assert len(ends) == 1


def test_nothing_is_sent_after_a_cancellation() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with serve(float_embeddings) as service, cancellation.active(), pytest.raises(Cancelled):
        embed(service, LONG)
    assert service.requests == []


# ── settings ──


@pytest.mark.parametrize("value", ["soon", "0", "-1", "nan", "inf", "1e9"])
def test_an_invalid_deadline(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"HEADNOTE_CHAT_URL": "http://localhost:1/v1", "HEADNOTE_CHAT_DEADLINE": value}
    with pytest.raises(SettingsError, match="HEADNOTE_CHAT_DEADLINE must be a number of seconds"):
        find_chat(environment, "m")
    monkeypatch.setenv("HEADNOTE_EMBEDDING_DEADLINE", value)
    with pytest.raises(SettingsError, match="HEADNOTE_EMBEDDING_DEADLINE must be a number of seconds"):
        OpenAIEmbedder("m", service=Service("http://localhost:1/v1"))


def test_a_deadline_from_the_environment() -> None:
    with serve(streamed(repeat(delta("")), pause=DRIP)) as service:
        model = find_chat({"HEADNOTE_CHAT_URL": service.url, "HEADNOTE_CHAT_DEADLINE": "0.5"}, "m")
        with pytest.raises(AnswerError, match=r"did not finish within 0\.5 seconds"):
            answer_from("What does the lamp do?", samples(), model, NoEmbedder())
