"""HTTP connections that keep to a deadline and a maximum size, whatever the server does.

A socket timeout only limits silence: a server that sends one byte a second never times out and never finishes. So every
read goes through `_LimitedStream`, which checks the deadline of the whole request, counts bytes, and can be interrupted
from another thread.
"""

from __future__ import annotations

import contextlib
import io
import socket
import time
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

from headnote.services.cancellation import current_cancellation

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
        self._cancellation.add(self._shut_down)

    def seconds(self) -> float:
        """How long the next read may take."""
        self._cancellation.check()
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise DeadlineExceeded
        return min(left, self._max_silence)

    def attach(self, connected: socket.socket) -> None:
        self._socket = connected
        connected.settimeout(self.seconds())

    def use_bytes(self, received: int) -> None:
        self._cancellation.check()
        self._bytes_left -= received
        if self._bytes_left < 0:
            raise ResponseTooLarge

    def release(self) -> None:
        self._cancellation.discard(self._shut_down)

    def _shut_down(self) -> None:
        """Make a blocked read return at once."""
        if self._socket is not None:
            with contextlib.suppress(OSError):  # already closed
                # Not SSLSocket.shutdown: it would drop the TLS state that the reading thread is using.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


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
