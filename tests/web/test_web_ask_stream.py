"""`/api/ask` with a model that streams, and clients that disconnect midway."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPResponse

import pytest
from fake_service import FakeService, Reply, chat_reply, delta, deltas, serve, streamed
from starlette.testclient import TestClient
from web_folder import listening

from headnote import Answer, Index
from headnote.api.keeper import Served
from headnote.web.ask_stream import MAX_ANSWERS, RETRY_SECONDS, AnswerStream
from headnote.web.requests import AskRequest

pytest_plugins = ("web_fixtures",)


class Talker(Index):
    """Streams until it is stopped."""

    stopped: threading.Event
    sent = 0

    def ask(self, question: str, *, stream: Callable[[str], object] | None = None, **_: object) -> Answer:
        assert stream is not None
        try:
            while self.sent < 10_000:
                self.sent += 1
                stream(f"{question} {self.sent} ")
                time.sleep(0.001)
        finally:
            self.stopped.set()
        return Answer("never")


@pytest.fixture
def talker(index: Index) -> Talker:
    talker = Talker(index.root, index._store, index.choice, index.models)
    talker.stopped = threading.Event()
    return talker


def test_who_stops_listening_stops_the_model(talker: Talker) -> None:
    async def listen() -> list[bytes]:
        answering = AnswerStream(Served(talker), AskRequest("why?"), ended.set)
        lines = answering.lines()
        heard = [await anext(lines) for _ in range(3)]
        answering.cancel()
        return heard

    ended = threading.Event()
    heard = asyncio.run(listen())
    assert heard[0] == b'{"type":"text","text":"why? 1 ","blocks":[{"number":0,"html":"<p>why? 1</p>\\n"}]}\n'
    assert talker.stopped.wait(60)
    assert ended.wait(60)
    assert talker.sent < 10_000


def test_a_client_that_hangs_up_stops_the_model(talker: Talker) -> None:
    with listening(Served(talker)) as port:
        with ask(port, "why?") as connection:
            received = b""
            while b"why? 3" not in received:
                received += connection.recv(1024)
        assert talker.stopped.wait(60)
    assert talker.sent < 10_000


def test_an_unexpected_failure_ends_the_stream_with_an_error(index: Index, caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Index):
        def ask(self, question: str, **_: object) -> Answer:
            raise ZeroDivisionError(question)

    failing = Failing(index.root, index._store, index.choice, index.models)

    async def listen() -> list[bytes]:
        return [line async for line in AnswerStream(Served(failing), AskRequest("why?"), ended.set).lines()]

    ended = threading.Event()

    [line] = asyncio.run(listen())
    assert b'"type":"error"' in line
    assert b"ZeroDivision" not in line
    assert "ZeroDivisionError: why?" in caplog.text  # logged before the client learns of it


# -- a real server, a model that takes its time, and many who do not wait

QUESTION = "Why do boats wait in the harbour for the tide?"
SILENCES = {
    "before the first byte": Reply(raw=True, stalls=True),
    "before the first word": streamed([], stalls=True),
    "in the middle": streamed([delta("Boats wait for the tide. ")], stalls=True),
}


def ask(port: int, question: str = QUESTION) -> socket.socket:
    body = json.dumps({"question": question}).encode()
    head = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(head.encode() + b"\r\n\r\n" + body)
    return connection


@contextmanager
def question_to(port: int) -> Iterator[HTTPResponse]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/api/ask", json.dumps({"question": QUESTION}), {"Content-Type": "application/json"})
    with connection.getresponse() as response:
        yield response
    connection.close()


def until(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to that")


def was_asked(service: FakeService, times: int) -> bool:
    return len(service.requests) == times


def nobody_works() -> bool:
    return not any(thread.name == "headnote ask" for thread in threading.enumerate())


@pytest.fixture
def use_model(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeService], None]:
    def use(service: FakeService) -> None:
        monkeypatch.setenv("HEADNOTE_CHAT_URL", service.url)
        monkeypatch.setenv("HEADNOTE_CHAT_MODEL", "m")

    return use


@pytest.mark.parametrize("silence", SILENCES)
def test_a_hundred_who_hang_up_leave_nothing_behind(
    silence: str, index: Index, use_model: Callable[[FakeService], None]
) -> None:
    with serve(SILENCES[silence]) as service, listening(Served(index)) as port:
        use_model(service)
        for number in range(1, 13):
            connections = [ask(port) for _ in range(MAX_ANSWERS)]
            until(partial(was_asked, service, number * MAX_ANSWERS))
            for connection in connections:
                connection.close()
            for _ in connections:
                assert service.disconnects.acquire(timeout=60), "the model still talks to nobody"
            until(nobody_works)


def test_only_a_few_questions_run_at_a_time(index: Index, use_model: Callable[[FakeService], None]) -> None:
    with serve(*[SILENCES["in the middle"]] * MAX_ANSWERS, chat_reply("Boats wait.")) as service:
        use_model(service)
        with listening(Served(index)) as port:
            connections = [ask(port) for _ in range(MAX_ANSWERS)]
            until(partial(was_asked, service, MAX_ANSWERS))
            with question_to(port) as refusal:
                assert refusal.status == 503
                assert refusal.headers["Retry-After"] == str(RETRY_SECONDS)
                error = json.load(refusal)["error"]
            assert error == {
                "code": "busy",
                "message": "8 questions are being answered already",
                "remedy": "ask again in 5 seconds",
            }
            for connection in connections:
                connection.close()
            until(nobody_works)
            with question_to(port) as answer:
                assert answer.status == 200
                assert b'"type":"answer"' in answer.read()


def test_a_server_that_ends_ends_its_answers(index: Index, use_model: Callable[[FakeService], None]) -> None:
    with serve(streamed(deltas("Boats wait. "), stalls=True)) as service:
        use_model(service)
        with listening(Served(index)) as port:
            connection = ask(port)
            until(partial(was_asked, service, 1))
        assert service.disconnects.acquire(timeout=60), "the model still talks to nobody"
        until(nobody_works)
        connection.close()


def test_the_limit_is_in_the_document(client: TestClient) -> None:
    refusal = client.get("/api/openapi.json").json()["paths"]["/api/ask"]["post"]["responses"]["503"]
    assert refusal["headers"]["Retry-After"]["schema"] == {"type": "integer"}
