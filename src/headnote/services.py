"""Calls to other people's servers: which service it is, with address, key and limits; JSON out, JSON or a stream back,
and every failure as one of our errors.

Built on the standard library: a request here carries hundreds of texts or asks for a whole answer, so pooling
connections would gain little.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from threading import Event, Lock
from typing import Any, Literal, NoReturn, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

from headnote.errors import (
    MissingKey,
    RateLimited,
    RequestRefused,
    ServiceError,
    ServiceUnavailable,
    SettingsError,
    WrongAnswer,
)

OPENAI_URL = "https://api.openai.com/v1"
"""The service used unless the environment names another."""

MAX_DEADLINE = 86_400
"""The longest deadline that can be set: a day, in seconds."""

Purpose = Literal["embedding", "chat"]
"""What a service is for. Each purpose has its own environment variables."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait, how often to try, how fast to send."""

    timeout: float = 60.0
    """Seconds of silence after which a try counts as failed."""
    tries: int = 6
    first_wait: float = 0.5
    """Seconds before the second try; doubled before each further one."""
    longest_wait: float = 60.0
    """Seconds. If a service demands a longer wait, we give up."""
    deadline: float = 300.0
    """Seconds for a whole request: all tries, the waits between them, and the response to its last byte. Five minutes
    let a rate limit of a minute pass four times; a service that drips one byte a second would never end."""
    requests_per_minute: float | None = None
    """At most this many, counted over all threads."""


@dataclass(frozen=True, slots=True)
class Service:
    """The address and key of a service. The key never appears in its text form."""

    url: str
    key: str = field(default="", repr=False)
    key_variable: str = "HEADNOTE_EMBEDDING_KEY"
    """The variable the key comes from, for error messages."""
    purpose: Purpose = "embedding"

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
            raise SettingsError(
                f"the address of the {self.purpose} service cannot be used",
                remedy="set it to http://… or https://…, without a user name or password",
            )
        # http.client refuses an ill-formed header with an error that quotes it, key included.
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise MissingKey(f"the key in {self.key_variable} contains invalid characters", remedy="set it again")

    @property
    def address(self) -> str:
        """Host and path: enough to name the service in messages."""
        parts = urlsplit(self.url)
        return f"{parts.netloc}{parts.path.rstrip('/')}"


def find_service(environment: Mapping[str, str], purpose: Purpose) -> Service:
    """The service named by the environment. A key is only sent to the address it was set for.

    `HEADNOTE_EMBEDDING_URL` goes with `HEADNOTE_EMBEDDING_KEY`, `OPENAI_BASE_URL` with `OPENAI_API_KEY`. Our own key
    may stand in for OpenAI's, never the other way round. The same holds for `HEADNOTE_CHAT_URL`.
    """
    own_variable = f"HEADNOTE_{purpose.upper()}_KEY"
    own_url = environment.get(f"HEADNOTE_{purpose.upper()}_URL", "").strip()
    own_key = environment.get(own_variable, "").strip()
    if own_url:
        return Service(own_url, own_key, own_variable, purpose)
    url = environment.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL
    key = own_key or environment.get("OPENAI_API_KEY", "").strip()
    if not key and url.rstrip("/") == OPENAI_URL:
        raise MissingKey(f"the {purpose} service needs a key", remedy="set OPENAI_API_KEY in the environment")
    return Service(url, key, own_variable if own_key else "OPENAI_API_KEY", purpose)


def find_limits(environment: Mapping[str, str], purpose: Purpose, default: Limits) -> Limits:
    """`default`, with the deadline from `HEADNOTE_EMBEDDING_DEADLINE` or `HEADNOTE_CHAT_DEADLINE` if that is set."""
    variable = deadline_variable(purpose)
    value = environment.get(variable, "").strip()
    if not value:
        return default
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_DEADLINE:
        raise SettingsError(
            f"{variable} must be a number of seconds", remedy=f"use more than 0, at most {MAX_DEADLINE:,}"
        )
    return replace(default, deadline=seconds)


def deadline_variable(purpose: Purpose) -> str:
    return f"HEADNOTE_{purpose.upper()}_DEADLINE"


# -- Cancelling a request from another thread, which may block in a read for minutes.


class Cancelled(Exception):
    """The request was cancelled: nobody waits for its result any more."""


class Cancellation:
    """A switch that ends every request made while it is active: it shuts connections down, and cuts pauses short."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._called = Event()
        self._connections: set[socket.socket] = set()

    def cancel(self) -> None:
        """End every wait, present and future."""
        with self._lock:
            self._called.set()
            connections, self._connections = self._connections, set()
        for connected in connections:
            with contextlib.suppress(OSError):  # already closed
                # Not SSLSocket.shutdown: it would drop the TLS state that the reading thread is using.
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

    def check(self) -> None:
        if self._called.is_set():
            raise Cancelled

    def add(self, connected: socket.socket) -> None:
        """A connection that `cancel` has to shut down. Raises `Cancelled` if it was called already."""
        with self._lock:
            self.check()
            self._connections.add(connected)

    def discard(self, connected: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connected)

    def pause(self, seconds: float) -> None:
        self._called.wait(seconds)
        self.check()

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Inside the block, this thread's requests can be cancelled."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


def current_cancellation() -> Cancellation:
    """The cancellation active in this thread, or one that nobody can trigger."""
    return _current.get() or Cancellation()


# -- HTTP connections that keep to a deadline and a maximum size, whatever the server does.
#
# A socket timeout only limits silence: a server that sends one byte a second never times out and never finishes. So
# every read goes through `_LimitedStream`, which checks the deadline of the whole request, counts bytes, and can be
# interrupted from another thread.


CONNECT_SECONDS = 10.0
"""To connect, TLS handshake included. This phase cannot be cancelled, so it is short; a live server needs a second."""


class DeadlineExceeded(TimeoutError):
    """The time for the whole request is over."""


class ResponseTooLarge(Exception):
    """The response has more bytes than any sensible one."""


class Allowance:
    """What one request may still use: time until its deadline, silence between two reads, bytes of the response."""

    def __init__(self, deadline: float, max_silence: float, max_bytes: int) -> None:
        """`deadline` is a time of `time.monotonic`."""
        self._deadline = deadline
        self._max_silence = max_silence
        self._bytes_left = max_bytes
        self._socket: socket.socket | None = None
        self._cancellation = current_cancellation()

    def seconds(self) -> float:
        """How long the next read may take."""
        self._cancellation.check()
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise DeadlineExceeded
        return min(left, self._max_silence)

    def attach(self, connected: socket.socket) -> None:
        self._socket = connected
        self._cancellation.add(connected)
        connected.settimeout(self.seconds())

    def use_bytes(self, received: int) -> None:
        self._cancellation.check()
        self._bytes_left -= received
        if self._bytes_left < 0:
            raise ResponseTooLarge

    def release(self) -> None:
        if self._socket is not None:
            self._cancellation.discard(self._socket)


class LimitedRequest(Request):
    """A POST with the allowance it has to keep to."""

    def __init__(self, allowance: Allowance, url: str, body: bytes, headers: dict[str, str]) -> None:
        super().__init__(url, data=body, headers=headers, method="POST")
        self.allowance = allowance


def make_opener() -> OpenerDirector:
    """Opens `LimitedRequest`s. Uses the proxies of the environment and follows no redirects."""
    return build_opener(_NoRedirects, _LimitedHTTPHandler, _LimitedHTTPSHandler)


class _NoRedirects(HTTPRedirectHandler):
    """The key is for one host. Users decide whether to trust another."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _LimitedHTTPHandler(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        assert isinstance(req, LimitedRequest)
        return self.do_open(partial(_LimitedHTTPConnection, req.allowance), req)


class _LimitedHTTPSHandler(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        assert isinstance(req, LimitedRequest)
        return self.do_open(partial(_LimitedHTTPSConnection, req.allowance), req)


class _LimitedHTTPConnection(HTTPConnection):
    def __init__(self, allowance: Allowance, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._allowance = allowance
        self.response_class = partial(_LimitedResponse, allowance)  # type: ignore[assignment]

    def connect(self) -> None:
        self.timeout = min(CONNECT_SECONDS, self._allowance.seconds())
        super().connect()
        self._allowance.attach(self.sock)


class _LimitedHTTPSConnection(_LimitedHTTPConnection, HTTPSConnection):
    pass


class _LimitedResponse(HTTPResponse):
    def __init__(self, allowance: Allowance, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        raw = sock.makefile("rb", buffering=0)
        self.fp.close()
        self.fp = io.BufferedReader(_LimitedStream(allowance, sock, raw))


class _LimitedStream(io.RawIOBase):
    """The bytes of a response as they arrive."""

    def __init__(self, allowance: Allowance, sock: socket.socket, raw: socket.SocketIO) -> None:
        super().__init__()
        self._allowance = allowance
        self._socket = sock
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._allowance.seconds())
        try:
            received = self._raw.readinto(buffer)
        except TimeoutError:
            self._allowance.seconds()  # raises DeadlineExceeded if it was the deadline and not the silence
            raise
        self._allowance.use_bytes(received or 0)
        return received

    def close(self) -> None:
        self._allowance.release()
        self._raw.close()
        super().close()


# -- Trying again: which failures are worth it, how long to wait, when to give up.


_DAY = 86_400

Result = TypeVar("Result")


class Retryable(Exception):
    """This try failed; another one may succeed."""

    def __init__(self, error: ServiceError, retry_after: float | None = None) -> None:
        """`error` is raised if no further try follows; `retry_after` is the wait the service demands, in seconds."""
        self.error = error
        self.retry_after = retry_after


def with_retries(send: Callable[[float], Result], limits: Limits, pace: RetryPace) -> Result:
    """Call `send` with the deadline until it succeeds, fails for good, or limits are reached."""
    deadline = time.monotonic() + limits.deadline
    for attempt in range(1, limits.tries + 1):
        pace.wait(deadline)
        try:
            return send(deadline)
        except Retryable as failure:
            wait = _backoff(attempt, limits, failure.retry_after)
            is_last = attempt == limits.tries
            is_too_long = (failure.retry_after or 0) > limits.longest_wait
            is_too_late = time.monotonic() + wait > deadline
            if is_last or is_too_long or is_too_late:
                raise _final_error(failure, attempt, limits) from None
            current_cancellation().pause(wait)
    raise AssertionError("unreachable: at least one try")


def _backoff(attempt: int, limits: Limits, retry_after: float | None) -> float:
    """Exponential, with jitter: many waiting clients must not all come back at once."""
    wait = min(limits.first_wait * 2.0 ** (attempt - 1), limits.longest_wait)
    jittered: float = wait * random.uniform(0.5, 1)
    return jittered if retry_after is None else max(jittered, retry_after + jittered / 4)


def _final_error(failure: Retryable, tries: int, limits: Limits) -> ServiceError:
    error = failure.error
    wait = failure.retry_after
    if wait and wait > limits.longest_wait:
        seconds = f"{wait:.0f} seconds" if wait <= _DAY else "more than a day"
        remedy = f"it asks to wait for {seconds}"
    elif isinstance(error, RateLimited):
        remedy = "try again later, or send fewer requests per minute"
    else:
        remedy = "try again later"
    return type(error)(f"{error.message}, after {'1 try' if tries == 1 else f'{tries} tries'}", remedy=remedy)


class RetryPace:
    """Spaces requests evenly over a minute, across threads."""

    def __init__(self, requests_per_minute: float | None) -> None:
        self._interval = 60 / requests_per_minute if requests_per_minute else 0.0
        self._lock = Lock()
        self._next_start = 0.0

    def wait(self, deadline: float) -> None:
        if not self._interval:
            return
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next_start)
            self._next_start = start + self._interval
        if start > now:
            current_cancellation().pause(min(start, deadline) - now)


def parse_retry_after(headers: Message[str, str]) -> float | None:
    """The wait demanded by a response, in seconds. The header holds a number or a date; anything else is ignored."""
    try:
        milliseconds = headers.get("retry-after-ms")
        if milliseconds:
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after")
        if not value:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


# -- The HTTP client


MAX_BYTES = 64 << 20
"""Of a response, unless the caller knows better. It fits in memory and holds three hundred bytes around each of 200,000
characters of a stream, or the vectors of one request."""
_READ_BYTES = 1 << 16
"""Read at a time. The declared Content-Length is not trusted, because it would decide how much memory is allocated."""
_MAX_QUOTE = 200

Reader = Callable[[HTTPResponse], Result]
"""Turns a response into a result and closes it, now or later. `Retryable` and connection errors fail this try only."""


class Client:
    """Sends requests to one service, from any number of threads."""

    def __init__(self, service: Service, limits: Limits | None = None) -> None:
        self.service = service
        self.limits = limits or Limits()
        self._opener = make_opener()
        self._pace = RetryPace(self.limits.requests_per_minute)
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
            raise Retryable(RateLimited(f"{address} is rate-limiting"), parse_retry_after(error.headers)) from None
        if status in {408, 409, 425} or status >= 500:
            failure = ServiceUnavailable(f"{address} failed with status {status}{self._quote_body(error)}")
            raise Retryable(failure, parse_retry_after(error.headers)) from None
        if status in {401, 403}:
            # The body is not quoted: some services repeat a part of the key.
            raise RequestRefused(
                f"{address} rejected the key (status {status})", remedy=f"set {self.service.key_variable}"
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
