"""Streamed answers from any service with OpenAI's `/chat/completions`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple

from headnote.answer.prompt import Message
from headnote.errors import AnswerError, ServiceError, ServiceUnavailable, WrongAnswer
from headnote.services import (
    Client,
    DeadlineExceeded,
    Limits,
    ResponseTooLarge,
    Retryable,
    Service,
    find_limits,
    find_service,
)

# -- The response of a chat service → pieces of text, and how it ended.
#
# It is a stream of events, one JSON object each, or a single object from services that do not stream.


MAX_LINE_CHARS = 1_000_000
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
        content = b"".join(iter(lambda: response.read(MAX_LINE_CHARS), b""))
        # Some services stream without the content type.
        yield from _parsed(content.splitlines()) if content.lstrip().startswith((b"data:", b":")) else [_whole(content)]
        return
    yield from _parsed(iter(lambda: response.readline(MAX_LINE_CHARS), b""))


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


# -- Streamed answers from any service with OpenAI's `/chat/completions`


MODEL_VARIABLE = "HEADNOTE_CHAT_MODEL"
LIMITS = Limits(timeout=60.0, tries=4, deadline=600.0)
"""A local model may write for minutes; ten are more than 200,000 characters take."""
MAX_REPLY_CHARS = 200_000
"""Characters of an answer. A model that does not stop is cut off there."""
_ENDS = {"length": "the model reached its output limit", "content_filter": "the service withheld the rest"}


class Piece(NamedTuple):
    """Some text, or the end of it."""

    text: str = ""
    """The next part of the answer."""
    broken: str = ""
    """Why the answer ends early; only in the last piece."""


class Chat:
    """A model at a service. Failures before the first word are retried, and raise in the end. Later failures end the
    answer early."""

    def __init__(self, model: str, service: Service, limits: Limits = LIMITS) -> None:
        self.model = model
        self._client = Client(service, limits)

    def ask(self, messages: Sequence[Message]) -> Iterator[Piece]:
        """The answer, piece by piece."""
        try:
            first, events, response = self._open(messages)
        except ServiceError as error:
            raise AnswerError(error.message, remedy=error.remedy) from error
        with response:
            yield from self._rest(first, events)

    def _open(self, messages: Sequence[Message]) -> tuple[Event, Iterator[Event], HTTPResponse]:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [message._asdict() for message in messages],
            "stream": True,
        }
        # Optional: some models have a fixed temperature and refuse the parameter.
        return self._client.post("/chat/completions", request, {"temperature": 0}, self._begin)

    def _begin(self, response: HTTPResponse) -> tuple[Event, Iterator[Event], HTTPResponse]:
        """The first piece of an answer, and the stream of the rest. Until then the request may be retried."""
        events = read_events(response)
        place = self._client.service.address
        remedy = f"is {self.model!r} a chat model?"
        try:
            first = next((event for event in events if event.text or event.end), None)
        except Malformed as malformed:
            raise WrongAnswer(f"the answer of {place} {malformed}", remedy=remedy) from None
        except ServiceFailed as failed:
            message = self._client.quote(failed.content)
            raise Retryable(ServiceUnavailable(f"{place} fails while it answers{message}")) from None
        if first is None:
            raise Retryable(ServiceUnavailable(f"{place} closed the connection"))
        if not first.text:
            why = _ENDS.get(first.end or "", "")
            raise WrongAnswer(f"the answer of {place} is empty" + (f": {why}" if why else ""), remedy=remedy)
        return first, events, response

    def _rest(self, first: Event, events: Iterator[Event]) -> Iterator[Piece]:
        length = len(first.text)
        yield Piece(first.text)
        end = first.end
        try:
            for event in events:
                if event.text:
                    length += len(event.text)
                    yield Piece(event.text)
                end = event.end or end
                if length > MAX_REPLY_CHARS:
                    yield Piece(broken="the model does not stop")
                    return
        except (OSError, HTTPException, ResponseTooLarge, Malformed, ServiceFailed) as error:
            yield Piece(broken=self._why(error))
            return
        if end is None:
            yield Piece(broken="the service closed the connection")
        elif end != "stop":
            yield Piece(broken=_ENDS.get(end, f"the service ended it: {self._client.without_key(end)[:80]}"))

    def _why(self, error: Exception) -> str:
        if isinstance(error, DeadlineExceeded):
            return f"it did not finish within {self._client.limits.deadline:g} seconds"
        if isinstance(error, ResponseTooLarge):
            return "the service sends too much data"
        if isinstance(error, TimeoutError):
            return f"the service sent nothing for {self._client.limits.timeout:g} seconds"
        if isinstance(error, ServiceFailed):
            return f"the service failed{self._client.quote(error.content)}"
        if isinstance(error, Malformed):
            return f"a part of the answer {error}"
        return "the service closed the connection"

    def __repr__(self) -> str:
        return f"<chat {self.model} at {self._client.service.address}>"


def find_chat(environment: Mapping[str, str], model: str | None = None) -> Chat | None:
    """The named model at the service of the environment; None if no model is named.

    A key alone is not enough: it may be set for something else, and passages would leave this machine.
    """
    name = (environment.get(MODEL_VARIABLE, "") if model is None else model).strip()
    if not name:
        return None
    try:
        return Chat(name, find_service(environment, "chat"), find_limits(environment, "chat", LIMITS))
    except ServiceError as error:
        raise AnswerError(error.message, remedy=error.remedy) from error
