"""The response of a chat service → pieces of text, and how it ended.

It is a stream of events, one JSON object each, or a single object from services that do not stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any, NamedTuple

LONGEST_LINE = 1_000_000
"""Bytes. No event of a stream has more."""
_GOOD_ENDS = {"stop", "end_turn", "eos", "tool_calls", "function_call"}


class Malformed(Exception):
    """Not the response of a chat service; the message continues "the answer …"."""


class ServiceFailed(Exception):
    """The service reports an error in the middle of its answer."""

    def __init__(self, content: Any) -> None:
        self.content = content


class Event(NamedTuple):
    """A piece of text, an end, or both."""

    text: str = ""
    end: str | None = None
    """`stop` if the model finished; otherwise the reason why it did not."""


def read_events(response: HTTPResponse) -> Iterator[Event]:
    """Events as they arrive. The last one has an end; if none has, the connection was closed early."""
    if "event-stream" not in response.headers.get("Content-Type", ""):
        content = b"".join(iter(lambda: response.read(LONGEST_LINE), b""))
        # Some services stream without the content type.
        yield from _parsed(content.splitlines()) if content.lstrip().startswith((b"data:", b":")) else [_whole(content)]
        return
    yield from _parsed(iter(lambda: response.readline(LONGEST_LINE), b""))


def _parsed(lines: Any) -> Iterator[Event]:
    end = None
    for line in lines:
        if not line.startswith(b"data:"):
            continue  # blank lines, comments that keep the connection open, names of events
        data = line[5:].strip()
        if data == b"[DONE]":
            yield Event(end=end or "stop")
            return
        event = _event(_load(data))
        end = event.end or end
        if event.text:
            yield Event(event.text)
    if end:
        yield Event(end=end)


def _event(content: Any) -> Event:
    choice = _first_choice(content)
    if choice is None:
        return Event()  # usage statistics and the like
    delta = choice.get("delta")
    return Event(_text_of(delta) if isinstance(delta, dict) else "", _end_of(choice))


def _whole(data: bytes) -> Event:
    choice = _first_choice(_load(data))
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        raise Malformed("has no message in it")
    return Event(_text_of(message), _end_of(choice) or "stop")


def _load(data: bytes) -> Any:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise Malformed("is not JSON") from None
    if not isinstance(content, dict):
        raise Malformed("is not what a chat service sends")
    if content.get("error"):
        raise ServiceFailed(content)
    return content


def _first_choice(content: Any) -> dict[str, Any] | None:
    choices = content.get("choices")
    if not isinstance(choices, list):
        raise Malformed("is not what a chat service sends")
    return choices[0] if choices and isinstance(choices[0], dict) else None


def _text_of(message: dict[str, Any]) -> str:
    """The text of a message, or its refusal."""
    content = message.get("content") or message.get("refusal")
    return content if isinstance(content, str) else ""


def _end_of(choice: dict[str, Any]) -> str | None:
    reason = choice.get("finish_reason")
    if not isinstance(reason, str) or not reason:
        return None
    return "stop" if reason in _GOOD_ENDS else reason
