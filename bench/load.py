"""Sends requests over many connections at once: the load of `bench/serve.py`, in a process of its own.

    python bench/load.py ADDRESS CONNECTIONS SECONDS < addresses

Each connection sends the next address as soon as it has the answer to the one before. One thread and plain sockets: it
shares the machine with the server, so it must cost little. Prints one JSON object: the seconds of each answer, what
failed, and its own processor time.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from collections import Counter
from itertools import cycle
from typing import NamedTuple
from urllib.parse import urlsplit

_END = b"\r\n\r\n"
_LENGTH = b"content-length:"
_CHUNK = 1 << 18


class Load(NamedTuple):
    """What became of all requests."""

    times: list[float]
    """Seconds of each that was answered, sorted."""
    errors: dict[str, int]
    core_seconds: float
    """Of the load itself."""


class Connection:
    """One request at a time, and the bytes of its answer."""

    def __init__(self, place: tuple[str, int]) -> None:
        self._place = place
        self.socket = socket.create_connection(place)
        self._received = bytearray()
        self._began = 0.0

    def send(self, request: bytes) -> None:
        self._received.clear()
        self._began = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> float | None:
        """Seconds since the request once all of the answer is here."""
        part = self.socket.recv(_CHUNK)
        if not part:
            raise ConnectionError("closed")
        self._received += part
        head = self._received.find(_END)
        if head < 0:
            return None
        start = self._received[:head].lower()
        length = int(start.partition(_LENGTH)[2].split(b"\r\n")[0])
        if len(self._received) < head + len(_END) + length:
            return None
        if not self._received.startswith(b"HTTP/1.1 200"):
            raise ValueError(start.split(b"\r\n")[0].decode("latin-1"))
        return time.perf_counter() - self._began


def load(address: str, connections: int, seconds: float, addresses: list[str]) -> Load:
    place = urlsplit(address)
    assert place.hostname is not None
    assert place.port is not None
    requests = cycle(f"GET {one} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode() for one in addresses)
    times: list[float] = []
    errors: Counter[str] = Counter()
    selector = selectors.DefaultSelector()

    def begin() -> None:
        connection = Connection((str(place.hostname), int(place.port or 0)))
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(next(requests))

    for _ in range(connections):
        begin()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for key, _ in selector.select(0.1):
            connection: Connection = key.data
            try:
                answered = connection.receive()
                if answered is not None:
                    times.append(answered)
                    connection.send(next(requests))
            except (OSError, ValueError) as error:
                errors[f"{type(error).__name__}: {error}"] += 1
                selector.unregister(connection.socket)
                connection.socket.close()
                begin()
    return Load(sorted(times), errors, time.process_time())


if __name__ == "__main__":
    result = load(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.stdin.read().splitlines())
    json.dump(result._asdict(), sys.stdout)
