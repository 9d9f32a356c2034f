"""The chat client against a fake service that does everything wrong a service can do."""

from __future__ import annotations

import json
import traceback

import pytest
from fake_service import (
    DONE,
    KEY,
    OPENING,
    Reply,
    chat_reply,
    delta,
    deltas,
    event,
    failure,
    finish,
    serve,
    streamed,
    unreachable_url,
    unstreamed_chat_reply,
)
from shown_samples import samples

from headnote.answer.answering import NOTHING, answer_from
from headnote.answer.chat import Chat, find_chat
from headnote.embedding.embedder import NoEmbedder
from headnote.errors import AnswerError, MissingKey, RateLimited, RequestRefused, ServiceUnavailable, WrongAnswer
from headnote.model import Answer
from headnote.services import Limits, Service

QUICK = Limits(timeout=2, tries=3, first_wait=0.01, longest_wait=5)
GOOD = "The lamp blinks twice a minute [care.md:3]. A dark lamp means an empty battery [care.md:4]."


def ask(chat: Chat | None) -> Answer:
    return answer_from("What does the lamp do?", samples(), chat, NoEmbedder())


def answered(*script: Reply, limits: Limits = QUICK) -> Answer:
    with serve(*script) as service:
        heard: list[str] = []
        chat = Chat("model-x", Service(service.url, KEY, "HEADNOTE_CHAT_KEY", "chat"), limits)
        answer = answer_from("What does the lamp do?", samples(), chat, NoEmbedder(), listener=heard.append)
    assert "".join(heard) == answer.text, "emitted text is never taken back"
    assert KEY not in repr(answer) + repr(chat)
    return answer


def failing(*script: Reply, limits: Limits = QUICK) -> tuple[AnswerError, int]:
    """The error, which never has the key in it, and the number of requests."""
    with serve(*script) as service, pytest.raises(AnswerError) as caught:
        ask(Chat("model-x", Service(service.url, KEY, "HEADNOTE_CHAT_KEY", "chat"), limits))
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert "\n" not in str(caught.value)
    assert caught.value.remedy
    return caught.value, len(service.requests)


# ── answers ──


@pytest.mark.parametrize(
    "reply",
    [
        chat_reply(GOOD),
        chat_reply(GOOD, size=1),
        chat_reply(GOOD, size=1000),
        unstreamed_chat_reply(GOOD),
        streamed([OPENING, *deltas(GOOD), finish()]),
        streamed([*deltas(GOOD), DONE]),
        Reply([b"".join([*deltas(GOOD), finish(), DONE])], content_type="text/plain"),
        streamed([piece.replace(b"\n", b"\r\n") for piece in [*deltas(GOOD), DONE]]),
    ],
    ids=["stream", "small", "large", "whole", "no-done", "no-reason", "unnamed", "crlf"],
)
def test_an_answer(reply: Reply) -> None:
    answer = answered(reply)
    assert answer.text == GOOD
    assert answer.complete
    assert answer.model == "model-x"
    assert answer.note == ""
    assert [citation.place for citation in answer.citations] == ["care.md:3", "care.md:4"]
    assert [hit.path for hit in answer.sources] == ["care.md", "care.md", "guides/mount.md"]


def test_what_is_sent() -> None:
    with serve(chat_reply(GOOD)) as service:
        ask(Chat("model-x", Service(service.url, KEY), QUICK))
    assert service.requests[0].path == "/v1/chat/completions"
    assert service.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    [payload] = service.payloads
    assert (payload["model"], payload["stream"], payload["temperature"]) == ("model-x", True, 0)
    assert [message["role"] for message in payload["messages"]] == ["system", "user"]
    assert "source: care.md:1-4" in service.prompt
    assert KEY not in json.dumps(payload)


def test_a_model_with_one_temperature() -> None:
    with serve(failure(400, "temperature does not support 0 with this model"), chat_reply(GOOD)) as service:
        chat = Chat("model-x", Service(service.url, KEY), QUICK)
        assert ask(chat).text == GOOD
        assert ask(chat).text == GOOD
    assert ["temperature" in payload for payload in service.payloads] == [True, False, False]


def test_hallucinated_citations() -> None:
    text = (
        "The lamp blinks twice a minute [care.md:3; evil.md:1-2]. It is green [care.md:90]. "
        "A dark lamp means an empty battery [guides/mount.md:3].\n"
    )
    answer = answered(chat_reply(text))
    assert answer.text == (
        "The lamp blinks twice a minute [care.md:3]. It is green. A dark lamp means an empty battery.\n"
    )
    assert [citation.place for citation in answer.citations] == ["care.md:3"]
    assert {one.written: one.reason for one in answer.dropped} == {
        "evil.md:1-2": "not among the sources",
        "care.md:90": "these lines were not shown",
        "guides/mount.md:3": "its lines do not say this",
    }


def test_without_passages_no_model_is_asked() -> None:
    with serve(chat_reply(GOOD)) as service:
        heard: list[str] = []
        answer = answer_from("What?", [], Chat("m", Service(service.url, KEY)), NoEmbedder(), listener=heard.append)
    assert service.requests == []
    assert answer.text == NOTHING == "".join(heard)
    assert answer.model is None
    assert answer.sources == ()
    assert "no model was asked" in answer.note


# ── retries, before the first word ──


def test_too_many_requests_then_fine() -> None:
    with serve(failure(429, Retry_After="1"), chat_reply(GOOD)) as service:
        assert ask(Chat("m", Service(service.url, KEY), QUICK)).text == GOOD
    assert service.requests[1].time - service.requests[0].time >= 1


def test_failing_twice_then_fine() -> None:
    assert answered(failure(500), failure(503), chat_reply(GOOD)).text == GOOD


def test_failing_always() -> None:
    error, times = failing(failure(500, f"no luck with {KEY}"))
    assert "failed with status 500: no luck with …, after 3 tries" in str(error)
    assert isinstance(error.__cause__, ServiceUnavailable)
    assert times == QUICK.tries


def test_too_many_requests_always() -> None:
    error, times = failing(failure(429))
    assert isinstance(error.__cause__, RateLimited)
    assert times == QUICK.tries
    error, times = failing(failure(429, Retry_After="3600"))
    assert "3600 seconds" in error.remedy
    assert times == 1


@pytest.mark.parametrize(
    "before",
    [streamed([]), streamed([OPENING]), streamed([event({"error": {"message": "overloaded"}})])],
    ids=["closed", "opened", "error"],
)
def test_what_breaks_before_the_first_word_is_tried_again(before: Reply) -> None:
    assert answered(before, chat_reply(GOOD)).text == GOOD


def test_silence_before_the_first_word() -> None:
    limits = Limits(timeout=0.3, tries=2, first_wait=0.01)
    assert answered(streamed([OPENING], stalls=True), chat_reply(GOOD), limits=limits).text == GOOD
    error, times = failing(streamed([OPENING], stalls=True), limits=limits)
    assert "did not answer within 0.3 seconds, after 2 tries" in str(error)
    assert times == 2


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key(status: int) -> None:
    error, times = failing(failure(status, f"wrong key {KEY[:12]}"))
    assert KEY[:6] not in str(error)
    assert error.remedy == "set HEADNOTE_CHAT_KEY"
    assert isinstance(error.__cause__, RequestRefused)
    assert times == 1


def test_an_unknown_model() -> None:
    error, _ = failing(failure(404, "no model model-x"))
    assert "no model model-x" in str(error)


def test_the_key_does_not_follow_a_redirect() -> None:
    with serve(chat_reply(GOOD)) as elsewhere:
        moved = Reply([], 302, headers={"Location": elsewhere.url + "/chat/completions"})
        failing(moved)
    assert elsewhere.requests == []


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply([b"<html>"], content_type="text/html"), "is not JSON"),
        (Reply([b"[1, 2"]), "is not JSON"),
        (Reply([b"[" * 100_000]), "is not JSON"),
        (Reply([b"null"]), "is not what a chat service sends"),
        (Reply([b'{"data": []}']), "is not what a chat service sends"),
        (Reply([b'{"choices": [{}]}']), "has no message in it"),
        (streamed([b"data: {oops\n\n"]), "is not JSON"),
        (streamed([b"data: 7\n\n"]), "is not what a chat service sends"),
        (streamed([OPENING, finish(), DONE]), "is empty"),
        (streamed([OPENING, finish("length"), DONE]), "its output limit"),
        (streamed([event({"choices": [{"delta": {"content": 7}, "finish_reason": "stop"}]})]), "is empty"),
    ],
)
def test_a_wrong_answer(reply: Reply, message: str) -> None:
    error, times = failing(reply)
    assert message in str(error)
    assert isinstance(error.__cause__, WrongAnswer)
    assert times == 1


def test_no_service_at_the_address() -> None:
    with unreachable_url() as url, pytest.raises(AnswerError, match="cannot be reached"):
        ask(Chat("m", Service(url, KEY), QUICK))


# ── after the first word ──

HALF = "The lamp blinks twice a minute [care.md:3]. A dark lamp [care.m"
KEPT = "The lamp blinks twice a minute [care.md:3]. A dark lamp"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (streamed(deltas(HALF)), "closed the connection"),
        (streamed(deltas(HALF), headers={"Content-Length": "100000"}), "closed the connection"),
        (streamed([*deltas(HALF), finish("length"), DONE]), "its output limit"),
        (streamed([*deltas(HALF), finish("content_filter"), DONE]), "withheld"),
        (streamed([*deltas(HALF), b"data: {oops\n\n"]), "is not JSON"),
        (streamed([*deltas(HALF), event({"error": {"message": f"gone, {KEY}"}})]), "the service failed: gone, …"),
    ],
    ids=["half", "half-of-a-length", "length", "filter", "garbled", "error"],
)
def test_what_was_received_is_kept(reply: Reply, why: str) -> None:
    with serve(reply) as service:
        answer = ask(Chat("m", Service(service.url, KEY), QUICK))
    assert len(service.requests) == 1, "a started answer is not requested again"
    assert answer.text == KEPT
    assert not answer.complete
    assert why in answer.note
    assert KEY not in answer.note
    assert [citation.place for citation in answer.citations] == ["care.md:3"]


def test_a_stall_in_the_middle() -> None:
    answer = answered(streamed(deltas(HALF), stalls=True), limits=Limits(timeout=0.4, tries=3))
    assert answer.text == KEPT
    assert answer.note == "the answer is not complete: the service sent nothing for 0.4 seconds"


def test_a_model_that_does_not_stop() -> None:
    answer = answered(streamed([delta("word " * 10_000)] * 10))
    assert not answer.complete
    assert "does not stop" in answer.note


# ── address and key ──


def test_no_model_is_named() -> None:
    assert find_chat({"OPENAI_API_KEY": KEY}) is None
    assert find_chat({"OPENAI_API_KEY": KEY, "HEADNOTE_CHAT_MODEL": " "}) is None
    assert find_chat({"OPENAI_API_KEY": KEY, "HEADNOTE_CHAT_MODEL": "m"}, "") is None


def test_the_environment_says_where() -> None:
    chat = find_chat({"OPENAI_API_KEY": KEY, "HEADNOTE_CHAT_MODEL": "m"})
    assert repr(chat) == "<chat m at api.openai.com/v1>"
    own = {"HEADNOTE_CHAT_URL": "http://localhost:1/v1", "HEADNOTE_CHAT_KEY": KEY}
    assert repr(find_chat({**own, "OPENAI_BASE_URL": "http://x/v1"}, "n")) == "<chat n at localhost:1/v1>"


def test_no_key() -> None:
    with pytest.raises(AnswerError, match="the chat service needs a key") as caught:
        find_chat({}, "m")
    assert isinstance(caught.value.__cause__, MissingKey)


def test_a_key_goes_only_where_it_was_set_for() -> None:
    with serve(chat_reply(GOOD)) as service:
        chat = find_chat({"HEADNOTE_CHAT_URL": service.url, "OPENAI_API_KEY": KEY}, "m")
        ask(chat)
    assert "Authorization" not in service.requests[0].headers
