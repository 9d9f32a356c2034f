"""A fake service on loopback that sends scripted replies and records requests, and the replies of chat and embedding
services."""

from __future__ import annotations

import json
import socket
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Semaphore, Thread
from typing import Any, NamedTuple

from headnote.embedding.embedder import HashingEmbedder

KEY = "sk-secret-0123456789"
LONGEST_STALL = 60
"""Seconds after which a stalled reply gives up, so that a failing test ends."""


# ── the server ──


@dataclass
class Reply:
    """A response: pieces sent one after the other, for as long as there are any."""

    pieces: Iterable[bytes] = ()
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the first byte."""
    pause: float = 0.0
    """Seconds after each piece."""
    hangs_up: bool = False
    """Closes the connection without a byte."""
    stalls: bool = False
    """Sends nothing after its pieces and keeps the connection open until the client has gone."""
    raw: bool = False
    """Sends the pieces only, without a status line and headers of its own."""


class Request(NamedTuple):
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    payload: dict[str, Any]
    time: float


Script = Reply | Callable[[Request], Reply]
"""A reply, or a function that makes one from the request."""


class FakeService:
    """Replies to each request with the next step of its script, and repeats the last step for ever."""

    def __init__(self, *script: Script) -> None:
        self._script = script
        self._lock = Lock()
        self.requests: list[Request] = []
        self.disconnects = Semaphore(0)
        """Released whenever a client leaves before the end of a reply."""
        self.url = ""

    def reply(self, path: str, headers: dict[str, str], payload: dict[str, Any]) -> Reply:
        request = Request(path, headers, payload, time.monotonic())
        with self._lock:
            step = self._script[min(len(self.requests), len(self._script) - 1)]
            self.requests.append(request)
        return step if isinstance(step, Reply) else step(request)

    @property
    def payloads(self) -> list[dict[str, Any]]:
        return [request.payload for request in self.requests]

    @property
    def prompt(self) -> str:
        """All messages of the last chat request."""
        return "\n".join(message["content"] for message in self.payloads[-1]["messages"])


@contextmanager
def serve(*script: Script) -> Iterator[FakeService]:
    service = FakeService(*script)
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"service": service}))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def unreachable_url() -> Iterator[str]:
    """An address with a port that is taken but does not listen."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"


class _Server(ThreadingHTTPServer):
    request_queue_size = 200
    block_on_close = False


class _Handler(BaseHTTPRequestHandler):
    service: FakeService

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.service.reply(self.path, dict(self.headers.items()), payload)
        time.sleep(reply.delay)
        self.close_connection = True
        if reply.hangs_up:
            return
        try:
            self._send(reply)
        except OSError:
            self.service.disconnects.release()

    def _send(self, reply: Reply) -> None:
        if not reply.raw:
            self.send_response(reply.status)
            for name, value in {"Content-Type": reply.content_type, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
        for piece in reply.pieces:
            self.wfile.write(piece)
            self.wfile.flush()
            time.sleep(reply.pause)
        if reply.stalls:
            self.connection.settimeout(LONGEST_STALL)
            self.connection.recv(1)  # clients send nothing more, so this returns when they have gone
            self.service.disconnects.release()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def failure(status: int, message: str = "", **headers: str) -> Reply:
    """An error as services report it; `Retry_After="1"` becomes a header `Retry-After`."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply([json.dumps({"error": {"message": message}}).encode()], status, headers=names)


# ── chat ──


def streamed(events: Iterable[bytes], **options: Any) -> Reply:
    return Reply(events, content_type="text/event-stream", **options)


def event(content: Any) -> bytes:
    return b"data: " + json.dumps(content).encode() + b"\n\n"


def delta(text: str) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"content": text}}]})


def deltas(text: str, size: int = 7) -> list[bytes]:
    """The text in pieces of a few characters."""
    return [delta(text[start : start + size]) for start in range(0, len(text), size)]


def finish(reason: str = "stop") -> bytes:
    return event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


OPENING = event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
DONE = b"data: [DONE]\n\n"


def chat_reply(text: str, size: int = 7) -> Reply:
    """A streamed answer with everything that real services put around it."""
    usage = event({"choices": [], "usage": {"total_tokens": 3}})
    return streamed([b": ping\n\n", OPENING, *deltas(text, size), finish(), usage, DONE])


def unstreamed_chat_reply(text: str) -> Reply:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Reply([json.dumps({"choices": [choice]}).encode()])


# ── embeddings ──

DIMENSIONS = 16
HASHING = HashingEmbedder(DIMENSIONS)


def embeddings_reply(embeddings: Iterable[Any]) -> Reply:
    """One entry for each embedding, with its index."""
    return entries_reply(
        [{"object": "embedding", "index": index, "embedding": embedding} for index, embedding in enumerate(embeddings)]
    )


def entries_reply(entries: list[dict[str, Any]]) -> Reply:
    return Reply([json.dumps({"object": "list", "data": entries}).encode()])


def vectors_of(request: Request) -> list[list[float]]:
    """The vectors of the requested texts, not of length one."""
    vectors: list[list[float]] = (HASHING.embed(request.payload["input"]) * 5).tolist()
    return vectors


def float_embeddings(request: Request) -> Reply:
    return embeddings_reply(vectors_of(request))


def base64_embeddings(request: Request) -> Reply:
    """As requested, and in reverse order, which the indexes undo."""
    vectors = HASHING.embed(request.payload["input"]) * 5
    entries = [
        {"object": "embedding", "index": index, "embedding": b64encode(vector.astype("<f4").tobytes()).decode()}
        for index, vector in enumerate(vectors)
    ]
    return entries_reply(entries[::-1])
