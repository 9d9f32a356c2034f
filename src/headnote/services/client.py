"""The HTTP client: JSON out, JSON or a stream back, and every failure as one of our errors.

Built on the standard library: a request here carries hundreds of texts or asks for a whole answer, so pooling
connections would gain little.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any, NoReturn, TypeVar
from urllib.error import HTTPError, URLError

from headnote.errors import RateLimited, RequestRefused, ServiceUnavailable, WrongAnswer
from headnote.services.connection import Allowance, DeadlineExceeded, LimitedRequest, ResponseTooLarge, make_opener
from headnote.services.retries import Pace, Retryable, parse_retry_after, with_retries
from headnote.services.settings import Limits, Service, deadline_variable

MAX_BYTES = 64 << 20
"""Of a response, unless the caller knows better. It fits in memory and holds three hundred bytes around each of 200,000
characters of a stream, or the vectors of one request."""
_READ_BYTES = 1 << 16
"""Read at a time. The declared Content-Length is not trusted, because it would decide how much memory is allocated."""
_MAX_QUOTE = 200

Result = TypeVar("Result")
Reader = Callable[[HTTPResponse], Result]
"""Turns a response into a result and closes it, now or later. `Retryable` and connection errors fail this try only."""


class Client:
    """Sends requests to one service, from any number of threads."""

    def __init__(self, service: Service, limits: Limits | None = None) -> None:
        self.service = service
        self.limits = limits or Limits()
        self._opener = make_opener()
        self._pace = Pace(self.limits.requests_per_minute)
        self._refused_options: set[str] = set()

    def post_json(
        self, path: str, payload: dict[str, Any], options: Mapping[str, Any], max_bytes: int = MAX_BYTES
    ) -> Any:
        """POST and return the decoded JSON of the response; see `post`."""
        return self.post(path, payload, options, self._read_json, max_bytes)

    def post(
        self,
        path: str,
        payload: dict[str, Any],
        options: Mapping[str, Any],
        read: Reader[Result],
        max_bytes: int = MAX_BYTES,
    ) -> Result:
        """POST until a try succeeds or the limits are reached; return what `read` makes of the response.

        `options` are fields that some services do not know. One that a service refuses by name is never sent again.
        """
        accepted = {name: value for name, value in options.items() if name not in self._refused_options}
        try:
            return self._post({**payload, **accepted}, path, read, max_bytes)
        except RequestRefused as refusal:
            refused = {name for name in accepted if name in refusal.message}
            if not refused:
                raise
        self._refused_options |= refused
        return self.post(path, payload, options, read, max_bytes)

    def _post(self, payload: dict[str, Any], path: str, read: Reader[Result], max_bytes: int) -> Result:
        body = json.dumps(payload).encode()

        def send(deadline: float) -> Result:
            return self._try(path, body, read, Allowance(deadline, self.limits.timeout, max_bytes))

        return with_retries(send, self.limits, self._pace)

    def _try(self, path: str, body: bytes, read: Reader[Result], allowance: Allowance) -> Result:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "headnote",
            "Accept": "application/json, text/event-stream",
        }
        if self.service.key:
            headers["Authorization"] = f"Bearer {self.service.key}"
        try:
            return self._exchange(LimitedRequest(allowance, self.service.url.rstrip("/") + path, body, headers), read)
        except HTTPError as error:
            with error:
                self._raise_for_status(error)
        except ResponseTooLarge:
            raise WrongAnswer(
                f"{self.service.address} sends too much data", remedy="check the address and the name of the model"
            ) from None
        except (URLError, OSError, HTTPException) as error:
            self._raise_for_connection(error)

    def _exchange(self, request: LimitedRequest, read: Reader[Result]) -> Result:
        try:
            response = self._opener.open(request, timeout=self.limits.timeout)
        except HTTPError:
            raise  # it is a response too, and releases its allowance when it is closed
        except BaseException:
            request.allowance.release()
            raise
        try:
            if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                # We did not ask for compression, and a few bytes could expand to any number.
                raise WrongAnswer(f"{self.service.address} sends compressed data", remedy=self._address_remedy)
            return read(response)
        except BaseException:
            response.close()
            raise

    def _read_json(self, response: HTTPResponse) -> Any:
        with response:
            content = b"".join(iter(lambda: response.read(_READ_BYTES), b""))
        if response.length:
            raise IncompleteRead(content, response.length)
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise WrongAnswer(f"{self.service.address} did not return JSON", remedy=self._address_remedy) from None

    @property
    def _address_remedy(self) -> str:
        return f"is this the address of a service for {self.service.purpose}?"

    def _raise_for_status(self, error: HTTPError) -> NoReturn:
        status = error.code
        address = self.service.address
        if status == 429:
            raise Retryable(
                RateLimited(f"{address} gets too many requests"), parse_retry_after(error.headers)
            ) from None
        if status in {408, 409, 425} or status >= 500:
            failure = ServiceUnavailable(f"{address} fails with status {status}{self._quote_body(error)}")
            raise Retryable(failure, parse_retry_after(error.headers)) from None
        if status in {401, 403}:
            # The body is not quoted: some services repeat a part of the key.
            raise RequestRefused(
                f"{address} does not accept the key (status {status})", remedy=f"set {self.service.key_variable}"
            ) from None
        if 300 <= status < 400:
            raise RequestRefused(f"{address} has moved (status {status})", remedy="set the new address") from None
        raise RequestRefused(
            f"{address} refuses the request with status {status}{self._quote_body(error)}",
            remedy="check the address and the name of the model",
        ) from None

    def _raise_for_connection(self, error: Exception) -> NoReturn:
        reason = error.reason if isinstance(error, URLError) else error
        address = self.service.address
        if isinstance(reason, DeadlineExceeded):
            raise ServiceUnavailable(
                f"{address} did not finish within {self.limits.deadline:g} seconds",
                remedy=f"try again later, or raise {deadline_variable(self.service.purpose)}",
            ) from None
        if isinstance(reason, TimeoutError):
            failure = ServiceUnavailable(f"{address} did not answer within {self.limits.timeout:g} seconds")
            raise Retryable(failure) from None
        if isinstance(reason, (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, HTTPException)):
            raise Retryable(ServiceUnavailable(f"{address} closed the connection")) from None
        detail = getattr(reason, "strerror", None) or str(reason)
        raise ServiceUnavailable(
            f"{address} cannot be reached: {self.without_key(detail)}", remedy="check the address and the network"
        ) from None

    def _quote_body(self, error: HTTPError) -> str:
        try:
            return self.quote(json.loads(error.read(100_000)))
        except (ValueError, RecursionError, ResponseTooLarge, OSError, HTTPException):
            return ""

    def quote(self, content: Any) -> str:
        """The error message in a decoded response as `: message`, on one line; empty if it has none."""
        try:
            error = content["error"]
            message = error["message"] if isinstance(error, dict) else error
        except (KeyError, TypeError):
            return ""
        line = "".join(char if char.isprintable() else " " for char in self.without_key(str(message)))
        return f": {' '.join(line.split())[:_MAX_QUOTE]}"

    def without_key(self, text: str) -> str:
        return text.replace(self.service.key, "…") if self.service.key else text
