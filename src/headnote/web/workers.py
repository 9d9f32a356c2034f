"""The socket, the server on it and its time limits. With `headnote serve --workers N`, several processes answer at
it, and one keeps the index up to date.

    parent ─┬─ writer      reads the folder, watches it, embeds, and writes on a board how far it is
            ├─ worker 1    answers
            └─ worker N    answers

The system hands each connection to one of the workers. The parent only starts the others, and starts them again when
they end: what crashes or is killed does so in a process of its own. uvicorn has such a parent, too. But its workers are
all alike, while ours need one writer among them; they live on when it is killed; and a worker that is busy with one
long answer for some seconds seems dead to it, and is killed.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import ipaddress
import os
import signal
import socket
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawArray
from typing import Any, NamedTuple

import msgspec
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from headnote.api import Index
from headnote.api.keeper import KeeperState, Served, files_read_of, keep_fresh
from headnote.errors import IndexFailure, SettingsError, UnreadIndex, UntrustedSettings, reason_of
from headnote.processes import FROM_NOTHING, signals_later
from headnote.web.app import make_app
from headnote.web.conversion import encoded
from headnote.web.security import Guard

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
            remedy = "choose another --port or --host"
            raise SettingsError(f"cannot listen at {host}:{candidate}: {reason_of(error)}", remedy=remedy) from None
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


# -- A few bytes that several processes share: one writes how far the index is, the others read it.


SIZE = 16 * 1024
_HEADER = 8
_MAX_TEXT_BYTES = 1000
"""Characters of a text. It may repeat what a service says, and as JSON a character takes six bytes at most."""


class Board:
    """Holds one `State`. Nothing is locked, since a process may be killed at any moment: a reader tells a state that is
    half written by its checksum, and takes the one before."""

    def __init__(self) -> None:
        self._memory = RawArray("c", SIZE)
        self._last = KeeperState(busy=True)
        """What was read last; at first, nobody has written yet."""

    def write(self, state: KeeperState) -> None:
        body = encoded(
            state._replace(problem=state.problem[:_MAX_TEXT_BYTES], elsewhere=state.elsewhere[:_MAX_TEXT_BYTES])
        )
        header = len(body).to_bytes(4, "big") + zlib.crc32(body).to_bytes(4, "big")
        self._memory[: _HEADER + len(body)] = header + body

    def read(self) -> KeeperState:
        content = bytes(self._memory)
        size, checksum = int.from_bytes(content[:4], "big"), int.from_bytes(content[4:_HEADER], "big")
        body = content[_HEADER : _HEADER + size]
        if size and zlib.crc32(body) == checksum:
            self._last = msgspec.json.decode(body, type=KeeperState)
        return self._last


# -- `headnote serve --workers N`


START_PAUSE = 1.0
"""Seconds from one start of a process to the next one, if it ends again and again."""
END_SECONDS = 10.0
"""How long a process may take to end before it is killed. The writer finishes a batch of vectors."""
_LOOK_EVERY = 0.2
"""Seconds between looks at what no event tells: a signal that came, and the state of the writer."""


class ServedIndex(NamedTuple):
    """What is served, and where: all that a process needs to know."""

    open_index: Callable[[], Index]
    guard: Guard
    editor: str
    listening: socket.socket
    read_only: bool
    """Whether the index stays as it is, so that no writer is needed."""


_Work = Callable[[Connection], None]
"""What a process does. It sends True through the connection as soon as it does it."""


def run_workers(
    service: ServedIndex, count: int, ready: Callable[[], None], note: Callable[[str], None] = lambda _: None
) -> None:
    """Serve with `count` processes until this one is stopped. `ready` is called once all of them accept requests,
    `note` when one of them has ended and is started again."""
    board = Board()
    works: dict[str, _Work] = {"writer": partial(_write, service.open_index, board)}
    if service.read_only:
        works.clear()
        board.write(KeeperState())
    works |= {f"worker {number}": partial(_answer, service, board) for number in range(1, count + 1)}
    members: list[_Member] = []
    with signals_later() as caught:
        try:
            members += (_Member(name, work) for name, work in works.items())
            _wait_until_ready(members, caught)
            if not caught:
                ready()
            while not caught:
                wait([member.process.sentinel for member in members], timeout=_LOOK_EVERY)
                for member in members:
                    if how := member.replace_if_ended():
                        note(f"{member.name} {how}; restarting")
        finally:
            _end(members)


class _Member:
    """One process of the server, or the one that took its place."""

    def __init__(self, name: str, work: _Work) -> None:
        self.name = name
        self._work = work
        self._start()

    def _start(self) -> None:
        self._began = time.monotonic()
        self.started, told = FROM_NOTHING.Pipe(duplex=False)
        self.process = FROM_NOTHING.Process(target=_run, args=(self._work, told, gc.get_threshold()))
        with _blocked_interrupts():
            self.process.start()
        told.close()

    def replace_if_ended(self) -> str:
        """How it ended; empty if it did not."""
        if self.process.is_alive():
            return ""
        time.sleep(max(0.0, self._began + START_PAUSE - time.monotonic()))
        code = self.process.exitcode or 0
        self.started.close()
        self._start()
        return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"


def _wait_until_ready(members: Sequence[_Member], caught: Sequence[int]) -> None:
    """Return once all do their work, or a signal came. A process that cannot begin would not begin later either."""
    for member in members:
        while not caught and not member.started.poll(_LOOK_EVERY):
            pass
        if not caught and not _has_started(member):
            raise IndexFailure(f"the {member.name} of the server could not start", remedy="see the messages above")


def _has_started(member: _Member) -> bool:
    """Whether it said so before it closed its end."""
    try:
        return bool(member.started.recv())
    except EOFError:
        return False


def _end(members: Sequence[_Member]) -> None:
    for member in members:
        member.process.terminate()
    deadline = time.monotonic() + END_SECONDS
    for member in members:
        member.process.join(max(0.0, deadline - time.monotonic()))
        member.process.kill()
        member.process.join()


# -- in a process of its own


def _run(work: _Work, started: Connection, collection: tuple[int, int, int]) -> None:
    gc.set_threshold(*collection)  # as in the parent
    # Ctrl-C reaches every process of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(started)


def _answer(service: ServedIndex, board: Board, started: Connection) -> None:
    """A worker: it answers requests from the index as it is."""
    # The writer is reading the folder; the response says how far it is.
    warnings.simplefilter("ignore", UnreadIndex)
    warnings.simplefilter("ignore", UntrustedSettings)
    with service.open_index() as index:
        served = Served(index, partial(_state, index, board, [index.generation]), service.editor)
        server = make_server(make_app(served, service.guard), partial(_tell, started))

        def stop() -> None:
            server.should_exit = True

        _end_with_parent(stop)
        server.run([SharedSocket(service.listening, lambda: len(server.server_state.connections))])


def _state(index: Index, board: Board, seen: list[int]) -> KeeperState:
    work = board.read()
    if (generation := index.generation) != seen[0]:
        # The writer follows the settings file: what it has stored with other settings is searched with those.
        index.take_settings()
        seen[0] = generation
    return work._replace(files_read=files_read_of(index, work.progress))


def _write(open_index: Callable[[], Index], board: Board, started: Connection) -> None:
    """The writer: it keeps the index up to date."""
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    _end_with_parent(stopping.set)
    with keep_fresh(open_index) as keeper:
        keeper.open()
        _tell(started)
        # A keeper that has failed for good ends this process, and another one takes over.
        while keeper.is_alive() and not stopping.wait(_LOOK_EVERY):
            board.write(keeper.work())
        board.write(keeper.work())


def _tell(started: Connection) -> None:
    started.send(True)
    started.close()


def _end_with_parent(stop: Callable[[], None]) -> None:
    """Call `stop` when the parent is gone, and end the process if that takes too long."""

    def follow() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            stop()
            time.sleep(GRACE_SECONDS + END_SECONDS)
            os._exit(1)

    threading.Thread(target=follow, name="headnote parent", daemon=True).start()


# -- signals


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """A process that starts meanwhile never sees Ctrl-C, not even before it can say so; this one sees it afterwards."""
    block: Any = getattr(signal, "pthread_sigmask", None)
    if block is None:
        yield
        return
    # It starts with the first process, and then lets interrupts through again.
    resource_tracker.ensure_running()
    before = block(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        block(signal.SIG_SETMASK, before)
