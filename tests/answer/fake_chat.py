"""What a chat service answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from loopback_service import Reply


def streamed(pieces: Iterable[bytes], **options: Any) -> Reply:
    return Reply(pieces, kind="text/event-stream", **options)


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
    return streamed([b": ping\n\n", OPENING, *pieces_of(text, size), ending(), usage, DONE])


def whole(text: str) -> Reply:
    """From a service that does not stream."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Reply([json.dumps({"choices": [choice]}).encode()])
