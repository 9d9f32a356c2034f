"""The socket at which several workers accept connections."""

from __future__ import annotations

import socket
import time

import pytest

from headnote.web.workers import HESITATION, MAX_HESITATION, SharedSocket, open_socket


def test_the_more_connections_the_longer_a_worker_leaves_the_next_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    counts = iter([0, 1, 20, 400])
    with SharedSocket(open_socket("127.0.0.1", 0), lambda: next(counts)) as listening:
        for text in (b"first", b"second", b"third", b"fourth"):
            with socket.create_connection(listening.getsockname()) as client:
                accepted, _ = listening.accept()
                with accepted:
                    client.sendall(text)
                    assert accepted.recv(10) == text
    assert pauses == [0, HESITATION, 20 * HESITATION, MAX_HESITATION]


def test_a_connection_that_another_worker_has_accepted_is_gone() -> None:
    listening = open_socket("127.0.0.1", 0)
    with SharedSocket(listening.dup(), lambda: 1) as one, SharedSocket(listening, lambda: 2) as other:
        one.setblocking(False)
        other.setblocking(False)
        with socket.create_connection(one.getsockname()):
            accepted, _ = one.accept()
            accepted.close()
            with pytest.raises(BlockingIOError):
                other.accept()
