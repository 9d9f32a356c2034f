"""A chat service on loopback that answers as it is told to, and remembers what it was asked."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

KEY = "sk-secret-0123456789"


@dataclass
class Reply:
    """What comes back: pieces, one after the other."""

    pieces: Sequence[bytes] = ()
    status: int = 200
    kind: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    stalls: bool = False
    """Says nothing more after its pieces, and stays."""


def event(content: Any) -> bytes:
    return b"data: " + json.dumps(content).encode() + b"\n\n"


def delta(text: str) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"content": text}}]})


def ending(reason: str = "stop") -> bytes:
    return event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


DONE = b"data: [DONE]\n\n"
OPENING = event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})


def pieces_of(text: str, size: int = 7) -> list[bytes]:
    return [delta(text[at : at + size]) for at in range(0, len(text), size)]


def says(text: str, size: int = 7) -> Reply:
    """An answer as services send it, with all that they put around it."""
    usage = event({"choices": [], "usage": {"total_tokens": 3}})
    return Reply([b": ping\n\n", OPENING, *pieces_of(text, size), ending(), usage, DONE])


def whole(text: str) -> Reply:
    """From a service that does not stream."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Reply([json.dumps({"choices": [choice]}).encode()], kind="application/json")


def failure(status: int, message: str = "", **headers: str) -> Reply:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply([json.dumps({"error": {"message": message}}).encode()], status, "application/json", names)


class FakeChat:
    """Answers in turn, the last one for ever."""

    def __init__(self, *script: Reply) -> None:
        self._script = script
        self._lock = Lock()
        self.questions: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.url = ""
        self.closing = Event()

    def answer(self, path: str, headers: dict[str, str], question: dict[str, Any]) -> Reply:
        with self._lock:
            reply = self._script[min(len(self.questions), len(self._script) - 1)]
            self.questions.append(question)
            self.headers.append(headers)
            self.paths.append(path)
            self.times.append(time.monotonic())
        return reply

    @property
    def prompt(self) -> str:
        """All that was sent last."""
        return "\n".join(message["content"] for message in self.questions[-1]["messages"])


@contextmanager
def serve_chat(*script: Reply) -> Iterator[FakeChat]:
    chat = FakeChat(*script)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = chat.answer(self.path, dict(self.headers.items()), question)
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in reply.pieces:
                    self.wfile.write(piece)
                    self.wfile.flush()
            except OSError:
                return  # who asked has stopped listening
            if reply.stalls:
                chat.closing.wait(20)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    chat.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield chat
    finally:
        chat.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
