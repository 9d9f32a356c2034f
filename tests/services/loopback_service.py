"""A service on loopback that answers as it is told to, and remembers what it was asked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Semaphore, Thread
from typing import Any

KEY = "sk-secret-0123456789"
LONGEST_STALL = 60
"""Seconds after which even a service that stalls has enough, so that a test that fails ends."""


@dataclass
class Reply:
    """What comes back: pieces, one after the other, for as long as there are any."""

    pieces: Iterable[bytes] = ()
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the first byte."""
    pause: float = 0.0
    """Seconds after each piece."""
    hangs_up: bool = False
    """Says nothing at all."""
    stalls: bool = False
    """Says nothing more after its pieces, and stays until who asked has gone."""
    raw: bool = False
    """The pieces are all there is: no status, no headers but those in them."""


Script = Reply | Callable[[dict[str, Any]], Reply]
"""A reply, or what makes one of a question."""


def failure(status: int, message: str = "", **headers: str) -> Reply:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply([json.dumps({"error": {"message": message}}).encode()], status, headers=names)


class LoopbackService:
    """Answers in turn, the last one for ever."""

    def __init__(self, *script: Script) -> None:
        self._script = script
        self._lock = Lock()
        self.questions: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.left = Semaphore(0)
        """Released whenever somebody has gone before the end of an answer."""
        self.url = ""

    def reply(self, path: str, headers: dict[str, str], question: dict[str, Any]) -> Reply:
        with self._lock:
            step = self._script[min(len(self.questions), len(self._script) - 1)]
            self.questions.append(question)
            self.headers.append(headers)
            self.paths.append(path)
            self.times.append(time.monotonic())
        return step if isinstance(step, Reply) else step(question)

    @property
    def prompt(self) -> str:
        """All that a chat service was sent last."""
        return "\n".join(message["content"] for message in self.questions[-1]["messages"])


class _Handler(BaseHTTPRequestHandler):
    service: LoopbackService

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.service.reply(self.path, dict(self.headers.items()), question)
        time.sleep(reply.delay)
        self.close_connection = True
        if reply.hangs_up:
            return
        try:
            self._send(reply)
        except OSError:
            self.service.left.release()

    def _send(self, reply: Reply) -> None:
        if not reply.raw:
            self.send_response(reply.status)
            for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
        for piece in reply.pieces:
            self.wfile.write(piece)
            self.wfile.flush()
            time.sleep(reply.pause)
        if reply.stalls:
            self.connection.settimeout(LONGEST_STALL)
            self.connection.recv(1)  # nothing more is sent, so this ends when the other side has gone
            self.service.left.release()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class _Server(ThreadingHTTPServer):
    request_queue_size = 200
    block_on_close = False


@contextmanager
def serve(*script: Script) -> Iterator[LoopbackService]:
    service = LoopbackService(*script)
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
