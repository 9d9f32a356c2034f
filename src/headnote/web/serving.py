"""A socket, a server on it, and the moment it answers."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from headnote.errors import SettingsError

PORT = 8377
NEXT_PORTS = 50
"""How many ports after it are tried, if nobody asked for one."""
CONNECTIONS = 512
"""More at a time are told to come back later."""
IDLE_SECONDS = 30
"""A connection that asks nothing is closed after this, whether it has asked before or not."""
LONGEST_HEADERS = 128 * 1024
"""Bytes of an address and headers: a query of 10,000 characters, each of them nine bytes in an address."""
GRACE_SECONDS = 2


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_socket(host: str, port: int | None) -> socket.socket:
    """Listens at a port, or at the first free one from the usual one on if none is given."""
    wanted = [port] if port is not None else range(PORT, PORT + NEXT_PORTS)
    for candidate in wanted:
        try:
            return _listen(host, candidate)
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES) and candidate != wanted[-1]:
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


def run_server(app: ASGIApp, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serves until the process is told to end. `ready` is called once it answers."""
    make_server(app, ready).run([listening])


def make_server(app: ASGIApp, ready: Callable[[], None]) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=LONGEST_HEADERS,
    )
    return _Server(config, ready)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


class PatientProtocol(H11Protocol):
    """HTTP with an end of patience: whoever opens a connection has to ask something, all of it, and to take what was
    asked for, in time."""

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
        """Nothing more was asked."""
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
        """What was answered is still sent; whoever does not take it either is cut off."""
        self.transport.close()
        self._wait(self.transport.abort)
