"""The socket, the server on it, and its time limits."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
import time
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from headnote.errors import SettingsError

PORT = 8377
NEXT_PORTS = 50
"""How many ports after it are tried if none is given."""
CONNECTIONS = 512
"""More at a time get a 503."""
IDLE_SECONDS = 30
"""A connection without a request is closed after this, whether it has sent one before or not."""
MAX_HEADER_BYTES = 128 * 1024
"""Bytes of an address and headers: a query of 10,000 characters, each of them nine bytes in an address."""
MAX_ACCEPTED = 1
"""Connections. A worker that takes all that wait leaves none to the others, and serves them as long as they last."""
HESITATION = 0.0001
"""Seconds that a worker leaves to the others before it accepts another connection, for each that it has."""
MAX_HESITATION = 0.005
GRACE_SECONDS = 2


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def reachable(host: str) -> list[str]:
    """Addresses that a browser can open: of a server that listens on all, the one in the network, and that of this
    machine for itself."""
    try:
        everywhere = not host or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        everywhere = False
    if not everywhere:
        return [host]
    far, own = ("2001:db8::1", "::1") if ":" in host else ("192.0.2.1", "127.0.0.1")
    outside = _address_towards(far)
    return [outside, own] if outside and outside != own else [own]


def _address_towards(far: str) -> str:
    """The address of this machine as one elsewhere would see it; empty without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET6 if ":" in far else socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect((far, 9))
            return str(asked.getsockname()[0])
        except OSError:
            return ""


def open_socket(host: str, port: int | None) -> socket.socket:
    """Listen at a port; if none is given, at the first free one from the default on."""
    candidates = [port] if port is not None else range(PORT, PORT + NEXT_PORTS)
    for candidate in candidates:
        try:
            return _listen(host, candidate)
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES) and candidate != candidates[-1]:
                continue
            reason = (error.strerror or str(error)).lower()
            raise SettingsError(
                f"cannot listen at {host}:{candidate}: {reason}", remedy="choose another --port or --host"
            ) from None
    raise AssertionError("a port was tried or refused")


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    opened = socket.socket(family, kind, protocol)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(CONNECTIONS)
    except OSError:
        opened.close()
        raise
    return opened


class SharedSocket(socket.socket):
    """A listening socket of several processes. The one with the fewest connections is the first to accept the next.

    Connections last, and all requests of a process wait for each other. The system wakes every process and knows
    nothing of that: of fifty connections, one of two workers had up to 33.
    """

    def __init__(self, listening: socket.socket, count_connections: Callable[[], int]) -> None:
        super().__init__(fileno=listening.detach())
        self._count_connections = count_connections

    def accept(self) -> tuple[socket.socket, Any]:
        time.sleep(min(self._count_connections() * HESITATION, MAX_HESITATION))
        return super().accept()


def run_server(app: ASGIApp, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until the process is stopped. `ready` is called once the server accepts requests."""
    make_server(app, ready).run([listening])


def make_server(app: ASGIApp, ready: Callable[[], None]) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        backlog=MAX_ACCEPTED,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )
    return _Server(config, ready)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(CONNECTIONS)  # the server has set it to what it accepts at a time
        if self.started:
            self._ready()


class TimedProtocol(H11Protocol):
    """HTTP with time limits: a client must send a whole request, and read the response, in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait(self._close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle  # there is none before the first request
        if cycle is not None and not cycle.response_complete:
            self._stop_waiting()
        elif self._deadline is None:
            self._wait(self._close)

    def timeout_keep_alive_handler(self) -> None:
        """No further request came."""
        self._close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self, then: Callable[[], None]) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(self.timeout_keep_alive, then)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        """Close after the response is sent; abort if the client does not read it."""
        self.transport.close()
        self._wait(self.transport.abort)
