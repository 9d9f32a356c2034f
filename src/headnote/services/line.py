"""A connection to a service that holds its limits, whatever the service does.

A socket knows how long it may be silent, and nothing else: who sends one byte a second is never silent, and never done.
So every read passes here, where the time of the whole question runs out and bytes are counted, and where another thread
can cut the line.
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

from headnote.services.cancelling import current_cancellation

CONNECT_SECONDS = 10.0
"""Until a connection is there, encryption included. Nobody can hang up before, so it is short; a service that is there
needs a second."""


class Overdue(TimeoutError):
    """The time of the whole question is over."""


class Overlong(Exception):
    """The answer has more bytes than any that makes sense."""


class Line:
    """What one request may take: until when, how long in silence, and how many bytes of an answer."""

    def __init__(self, until: float, silence: float, most_bytes: int) -> None:
        self._until = until
        self._silence = silence
        self._bytes_left = most_bytes
        self._socket: socket.socket | None = None
        self._cancellation = current_cancellation()
        self._cancellation.add(self._cut)

    def patience(self) -> float:
        """Seconds that the next step may take."""
        self._cancellation.check()
        left = self._until - time.monotonic()
        if left <= 0:
            raise Overdue
        return min(left, self._silence)

    def connected(self, opened: socket.socket) -> None:
        self._socket = opened
        opened.settimeout(self.patience())

    def count(self, received: int) -> None:
        self._cancellation.check()
        self._bytes_left -= received
        if self._bytes_left < 0:
            raise Overlong

    def close(self) -> None:
        self._cancellation.discard(self._cut)

    def _cut(self) -> None:
        """Whoever reads from it comes back at once."""
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it has gone already
                # Not the method of an encrypted socket, which would take away what the reader is using.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class Question(Request):
    """A request with the line it goes over."""

    def __init__(self, line: Line, url: str, body: bytes, headers: dict[str, str]) -> None:
        super().__init__(url, data=body, headers=headers, method="POST")
        self.line = line


def make_opener() -> OpenerDirector:
    """Opens questions. The proxies of the environment are used, and redirects are not followed."""
    return build_opener(_NoRedirects, _Plain, _Encrypted)


class _NoRedirects(HTTPRedirectHandler):
    """The key is for one host. Where that sends us next is for the user to decide."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Plain(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        assert isinstance(req, Question)
        return self.do_open(partial(_Connection, req.line), req)


class _Encrypted(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        assert isinstance(req, Question)
        return self.do_open(partial(_EncryptedConnection, req.line), req)


class _Lined(HTTPConnection):
    """The part of a connection that keeps to its line."""

    def __init__(self, line: Line, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._line = line
        self.response_class = partial(_Response, line)  # type: ignore[assignment]

    def connect(self) -> None:
        self.timeout = min(CONNECT_SECONDS, self._line.patience())
        super().connect()
        self._line.connected(self.sock)


class _Connection(_Lined):
    pass


class _EncryptedConnection(_Lined, HTTPSConnection):
    pass


class _Response(HTTPResponse):
    def __init__(self, line: Line, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        raw = sock.makefile("rb", buffering=0)
        self.fp.close()
        self.fp = io.BufferedReader(_Incoming(line, sock, raw))


class _Incoming(io.RawIOBase):
    """The bytes of an answer, as they come in."""

    def __init__(self, line: Line, sock: socket.socket, raw: socket.SocketIO) -> None:
        super().__init__()
        self._line = line
        self._socket = sock
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        patience = self._line.patience()
        self._socket.settimeout(patience)
        try:
            received = self._raw.readinto(buffer)
        except TimeoutError:
            self._line.patience()  # which of the two has run out?
            raise
        self._line.count(received or 0)
        return received

    def close(self) -> None:
        self._line.close()
        self._raw.close()
        super().close()
