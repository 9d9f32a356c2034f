"""Questions to a service: JSON out, JSON or a stream back, with patience for a service that is busy, and with an end.

Built on the standard library: a request here carries hundreds of texts or asks for a whole answer, so keeping
connections open would gain little.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse, IncompleteRead
from threading import Lock
from typing import Any, NoReturn, TypeVar
from urllib.error import HTTPError, URLError

from headnote.errors import (
    EmbeddingError,
    RateLimited,
    RequestRefused,
    ServiceUnavailable,
    WrongAnswer,
)
from headnote.services.cancelling import current_cancellation
from headnote.services.line import Line, Overdue, Overlong, Question, make_opener
from headnote.services.service import Patience, Service, deadline_variable

MOST_BYTES = 64 << 20
"""Of an answer, where whoever asks does not know better: three hundred bytes around each of 200,000 characters of a
stream, or what one request for vectors brings, fit in; a machine holds it in memory."""
_AT_ONCE = 1 << 16
"""Bytes that are read together. The size that a service declares is not believed: memory would be taken for it."""
_A_DAY = 86_400
_BUSY = 429
_LONGEST_QUOTE = 200

Read = TypeVar("Read")


class Busy(Exception):
    """This try failed, the next may not."""

    def __init__(self, why: EmbeddingError, wait: float | None = None) -> None:
        self.why = why
        self.wait = wait


class Endpoint:
    """One service, for any number of threads."""

    def __init__(self, service: Service, patience: Patience | None = None) -> None:
        self.service = service
        self.patience = patience or Patience()
        self._opener = make_opener()
        self._lock = Lock()
        self._next_start = 0.0

    def post(self, path: str, question: dict[str, Any], most_bytes: int = MOST_BYTES) -> Any:
        """The answer as plain data, after as many tries as it takes."""
        return self.ask(path, question, self._read_json, most_bytes)

    def ask(
        self,
        path: str,
        question: dict[str, Any],
        read: Callable[[HTTPResponse], Read],
        most_bytes: int = MOST_BYTES,
    ) -> Read:
        """What `read` makes of the answer, after as many tries as it takes.

        It closes the answer, now or later. If it fails as connections fail, or raises `Busy`, that was one try.
        """
        body = json.dumps(question).encode()
        until = time.monotonic() + self.patience.deadline
        for number in range(1, self.patience.tries + 1):
            self._keep_pace(until)
            line = Line(until, self.patience.timeout, most_bytes)
            try:
                return self._try(path, body, read, line)
            except Busy as busy:
                wait = self._wait(number, busy.wait)
                if (
                    number == self.patience.tries
                    or (busy.wait or 0) > self.patience.longest_wait
                    or time.monotonic() + wait > until
                ):
                    self._give_up(busy, number)
                current_cancellation().pause(wait)
        raise AssertionError("unreachable: at least one try")

    def _try(self, path: str, body: bytes, read: Callable[[HTTPResponse], Read], line: Line) -> Read:
        headers = {"Content-Type": "application/json", "User-Agent": "headnote"}
        headers["Accept"] = "application/json, text/event-stream"
        if self.service.key:
            headers["Authorization"] = f"Bearer {self.service.key}"
        try:
            return self._exchange(Question(line, self.service.url.rstrip("/") + path, body, headers), read)
        except HTTPError as error:
            with error:
                self._explain(error)
        except Overlong:
            raise WrongAnswer(
                f"{self.service.place} answers without end", remedy="is this the right service, and the right model?"
            ) from None
        except (URLError, OSError, HTTPException) as error:
            self._explain_silence(error)

    def _exchange(self, question: Question, read: Callable[[HTTPResponse], Read]) -> Read:
        try:
            response = self._opener.open(question, timeout=self.patience.timeout)
        except HTTPError:
            raise  # an answer all the same, which closes its line itself
        except BaseException:
            question.line.close()
            raise
        try:
            if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                # Nobody asked for that, and a few bytes could become any number of them.
                raise WrongAnswer(f"{self.service.place} compresses its answer", remedy=self._doubt)
            return read(response)
        except BaseException:
            response.close()
            raise

    def _read_json(self, response: HTTPResponse) -> Any:
        """An answer that comes in one piece."""
        with response:
            content = b"".join(iter(lambda: response.read(_AT_ONCE), b""))
        if response.length:
            raise IncompleteRead(content, response.length)
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise WrongAnswer(f"{self.service.place} did not answer in JSON", remedy=self._doubt) from None

    @property
    def _doubt(self) -> str:
        return f"does this address belong to a service for {self.service.purpose}?"

    def _explain(self, error: HTTPError) -> NoReturn:
        """What the service said, as one of ours."""
        status = error.code
        place = self.service.place
        if status == _BUSY:
            raise Busy(RateLimited(f"{place} asks for fewer requests"), _retry_after(error.headers)) from None
        if status in {408, 409, 425} or status >= 500:
            failed = ServiceUnavailable(f"{place} fails with status {status}{self._quote(error)}")
            raise Busy(failed, _retry_after(error.headers)) from None
        if status in {401, 403}:
            # Its words are left out: some services repeat a part of the key.
            raise RequestRefused(
                f"{place} does not accept the key (status {status})", remedy=f"set {self.service.key_variable}"
            ) from None
        if 300 <= status < 400:
            raise RequestRefused(
                f"{place} has moved (status {status})", remedy="set the address to where it is now"
            ) from None
        raise RequestRefused(
            f"{place} refuses the request with status {status}{self._quote(error)}",
            remedy="check the address and the name of the model",
        ) from None

    def _explain_silence(self, error: Exception) -> NoReturn:
        reason = error.reason if isinstance(error, URLError) else error
        place = self.service.place
        if isinstance(reason, Overdue):
            raise ServiceUnavailable(
                f"{place} was not done within {self.patience.deadline:g} seconds",
                remedy=f"try again later, or set {deadline_variable(self.service.purpose)} to more",
            ) from None
        if isinstance(reason, TimeoutError):
            seconds = f"{self.patience.timeout:g} seconds"
            raise Busy(ServiceUnavailable(f"{place} did not answer within {seconds}")) from None
        if isinstance(reason, (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, HTTPException)):
            raise Busy(ServiceUnavailable(f"{place} broke off the connection")) from None
        said = getattr(reason, "strerror", None) or str(reason)
        raise ServiceUnavailable(
            f"{place} cannot be reached: {self.without_key(said)}", remedy="check the address and the network"
        ) from None

    def _quote(self, error: HTTPError) -> str:
        """What the service says about it, if it says anything, on one line."""
        try:
            return self.quote(json.loads(error.read(100_000)))
        except (ValueError, RecursionError, Overlong, OSError, HTTPException):
            return ""

    def quote(self, content: Any) -> str:
        """The same of an answer that was read already."""
        try:
            found = content["error"]
            said = found["message"] if isinstance(found, dict) else found
        except (KeyError, TypeError):
            return ""
        line = "".join(char if char.isprintable() else " " for char in self.without_key(str(said)))
        return f": {' '.join(line.split())[:_LONGEST_QUOTE]}"

    def without_key(self, text: str) -> str:
        return text.replace(self.service.key, "…") if self.service.key else text

    def _give_up(self, busy: Busy, tries: int) -> NoReturn:
        times = "1 try" if tries == 1 else f"{tries} tries"
        remedy = "try again later"
        if busy.wait and busy.wait > self.patience.longest_wait:
            seconds = f"{busy.wait:.0f} seconds" if busy.wait <= _A_DAY else "more than a day"
            remedy = f"it asks to wait for {seconds}"
        elif isinstance(busy.why, RateLimited):
            remedy = "try again later, or set a lower number of requests per minute"
        raise type(busy.why)(f"{busy.why.message}, after {times}", remedy=remedy) from None

    def _wait(self, number: int, asked: float | None) -> float:
        """Longer each time, and never quite the same: many who wait must not all come back at once."""
        wait = min(self.patience.first_wait * 2.0 ** (number - 1), self.patience.longest_wait)
        jittered: float = wait * random.uniform(0.5, 1)
        return max(jittered, asked + jittered / 4) if asked is not None else jittered

    def _keep_pace(self, until: float) -> None:
        if not self.patience.requests_per_minute:
            return
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next_start)
            self._next_start = start + 60 / self.patience.requests_per_minute
        if start > now:
            current_cancellation().pause(min(start, until) - now)


def _retry_after(headers: Message[str, str]) -> float | None:
    """Seconds, or a date; nothing if it is neither."""
    said = headers.get("retry-after-ms")
    try:
        if said:
            return max(0.0, float(said) / 1000)
        said = headers.get("retry-after")
        if not said:
            return None
        if said.strip().replace(".", "", 1).isdigit():
            return float(said)
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
