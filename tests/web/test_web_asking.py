"""`/api/ask` with a model that answers piece by piece, to somebody who leaves in the middle."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable

import pytest
from web_folder import listening

from headnote import Answer, Index
from headnote.web.asking import ask_lines
from headnote.web.endpoints import Served
from headnote.web.requests import AskRequest

pytest_plugins = ("web_fixtures",)


class Talker(Index):
    """Goes on talking until somebody stops it."""

    stopped: threading.Event
    told = 0

    def ask(self, question: str, *, stream: Callable[[str], object] | None = None, **_: object) -> Answer:
        assert stream is not None
        try:
            while self.told < 10_000:
                self.told += 1
                stream(f"{question} {self.told} ")
                time.sleep(0.001)
        finally:
            self.stopped.set()
        return Answer("never")


@pytest.fixture
def talker(index: Index) -> Talker:
    talker = Talker(index.root, index._store, index.settings, index.index_settings, index.embedder)
    talker.stopped = threading.Event()
    return talker


def test_who_stops_listening_stops_the_model(talker: Talker) -> None:
    async def listen() -> list[bytes]:
        lines = ask_lines(talker, AskRequest("why?"))
        heard = [await anext(lines) for _ in range(3)]
        await lines.aclose()
        return heard

    heard = asyncio.run(listen())
    assert heard[0] == b'{"type":"text","text":"why? 1 "}\n'
    assert talker.stopped.wait(60)
    assert talker.told < 10_000


def test_a_client_that_hangs_up_stops_the_model(talker: Talker) -> None:
    body = b'{"question": "why?"}'
    head = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    with listening(Served(talker)) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(head.encode() + b"\r\n\r\n" + body)
            received = b""
            while b"why? 3" not in received:
                received += connection.recv(1024)
        assert talker.stopped.wait(60)
    assert talker.told < 10_000


def test_a_failure_nobody_foresaw_ends_the_stream_with_an_error(index: Index, caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Index):
        def ask(self, question: str, **_: object) -> Answer:
            raise ZeroDivisionError(question)

    failing = Failing(index.root, index._store, index.settings, index.index_settings, index.embedder)

    async def listen() -> list[bytes]:
        return [line async for line in ask_lines(failing, AskRequest("why?"))]

    [line] = asyncio.run(listen())
    assert b'"type":"error"' in line
    assert b"ZeroDivision" not in line
    assert "ZeroDivisionError: why?" in caplog.text  # written down before the client was told
