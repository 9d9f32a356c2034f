"""An embedding service on loopback that answers as it is told to, and remembers what it was asked."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from headnote.embedding.hashing import HashingEmbedder

DIMENSIONS = 16
HASHING = HashingEmbedder(DIMENSIONS)


@dataclass
class Answer:
    """What comes back."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    hang_up: bool = False


def numbers(question: dict[str, Any]) -> list[list[float]]:
    vectors: list[list[float]] = (HASHING.embed(question["input"]) * 5).tolist()
    return vectors


def reply(vectors: list[Any], **changes: Any) -> Answer:
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return Answer(body=json.dumps({"object": "list", "data": data, **changes}).encode())


def floats(question: dict[str, Any]) -> Answer:
    return reply(numbers(question))


def base64(question: dict[str, Any]) -> Answer:
    """As asked for, and in disorder, which the indexes undo."""
    vectors = HASHING.embed(question["input"]) * 5
    answer = reply([b64encode(vector.astype("<f4").tobytes()).decode() for vector in vectors])
    content = json.loads(answer.body)
    content["data"].reverse()
    return Answer(body=json.dumps(content).encode())


def failure(status: int, message: str = "", **headers: str) -> Answer:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps({"error": {"message": message}}).encode(), names)


Script = Callable[[dict[str, Any]], Answer]


class FakeService:
    """Answers in turn, the last one for ever."""

    def __init__(self, *script: Script | Answer) -> None:
        self._script = list(script)
        self._lock = Lock()
        self.questions: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.url = ""

    def answer(self, path: str, headers: dict[str, str], question: dict[str, Any]) -> Answer:
        with self._lock:
            step = self._script[min(len(self.questions), len(self._script) - 1)]
            self.questions.append(question)
            self.headers.append(headers)
            self.paths.append(path)
            self.times.append(time.monotonic())
        return step if isinstance(step, Answer) else step(question)


@contextmanager
def serve(*script: Script | Answer) -> Iterator[FakeService]:
    service = FakeService(*script)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = service.answer(self.path, dict(self.headers.items()), question)
            time.sleep(answer.delay)
            if answer.hang_up:
                self.close_connection = True
                return
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)
            except OSError:
                pass  # who asked has stopped waiting

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
