"""Streamed answers from any service with OpenAI's `/chat/completions`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple

from headnote.answer.chat_stream import Event, Malformed, ServiceFailed, read_events
from headnote.answer.prompt import Message
from headnote.errors import AnswerError, ServiceError, ServiceUnavailable, WrongAnswer
from headnote.services.client import Client
from headnote.services.connection import DeadlineExceeded, ResponseTooLarge
from headnote.services.retries import Retryable
from headnote.services.settings import Limits, Service, find_limits, find_service

MODEL_VARIABLE = "HEADNOTE_CHAT_MODEL"
LIMITS = Limits(timeout=60.0, tries=4, deadline=600.0)
"""A local model may write for minutes; ten are more than 200,000 characters take."""
LONGEST = 200_000
"""Characters of an answer. A model that does not stop is cut off there."""
_ENDS = {
    "length": "the model reached its output limit",
    "content_filter": "the service withheld the rest",
}


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
                if length > LONGEST:
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
            return f"nothing more came for {self._client.limits.timeout:g} seconds"
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
