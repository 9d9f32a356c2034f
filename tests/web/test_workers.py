"""`headnote serve --workers N`: real processes that share a socket and an index, and are stopped and killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import pytest
from web_folder import write_files

from headnote.cli.main import main

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are stopped and killed by signals"),
]

Captured = pytest.CaptureFixture[str]


class Server(NamedTuple):
    """A running server with two workers."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]

    @property
    def port(self) -> int:
        return int(self.ready["address"].partition("?")[0].rstrip("/").rpartition(":")[2])

    def children(self) -> list[int]:
        """The processes that it has started, the oldest first."""
        listing = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
        )
        rows = [line.split(None, 2) for line in listing.stdout.splitlines()]
        return sorted(
            int(pid) for pid, parent, what in rows if int(parent) == self.process.pid and "spawn_main" in what
        )

    def workers(self) -> list[int]:
        """The writer is started before them."""
        return self.children()[1:]

    @property
    def token(self) -> dict[str, str]:
        """The header that shows it."""
        return {"Authorization": f"Bearer {self.ready['token']}"}

    def ask(self, path: str) -> Any:
        """On a connection of its own, from whoever takes it."""
        request = Request(f"http://127.0.0.1:{self.port}{path}", headers={"Connection": "close", **self.token})
        with urlopen(request, timeout=60) as response:
            return json.load(response)


@contextmanager
def serving(root: Path, *options: str) -> Iterator[Server]:
    command = [sys.executable, "-m", "headnote", "serve", str(root), "--json", "--port", "0", "--workers", "2"]
    process = subprocess.Popen(
        [*command, "--embedder", "hashing:64", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield Server(process, json.loads(line))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@contextmanager
def only(worker: int, server: Server) -> Iterator[None]:
    """Meanwhile the other workers do nothing, so that this one takes every connection."""
    others = [other for other in server.workers() if other != worker]
    for other in others:
        os.kill(other, signal.SIGSTOP)
    try:
        yield
    finally:
        for other in others:
            with suppress(ProcessLookupError):
                os.kill(other, signal.SIGCONT)


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 120
    while not (value := condition()):
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)
    return value


def is_free(port: int) -> bool:
    with socket.socket() as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def is_gone(pid: int) -> bool:
    """A process that nobody has waited for yet is gone, too."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return state.stdout.strip()[:1] in ("", "Z")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "folder")


@pytest.fixture(scope="module")
def shared_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("workers") / "folder")


@pytest.fixture(scope="module")
def server(shared_root: Path) -> Iterator[Server]:
    """A server that outlives the end of its processes."""
    with serving(shared_root, "--token", "new") as server:
        until(lambda: finds(server, "tide"))
        yield server


def finds(server: Server, word: str) -> bool:
    return bool(server.ask(f"/api/search?q={word}")["hits"])


def test_every_worker_finds_what_the_writer_has_read(server: Server, shared_root: Path) -> None:
    assert server.ready["workers"] == 2
    assert len(server.children()) == 3
    (shared_root / "kraken.md").write_text("# Kraken\n\nThe kraken sleeps.\n", encoding="utf-8")
    for worker in server.workers():
        with only(worker, server):
            assert server.ask("/api/health")["ok"]
            until(lambda: finds(server, "kraken"))
            status = until(lambda: (now := server.ask("/api/status"))["busy"] is False and now)
            assert (status["documents"], status["problem"], status["files_read"]) == (5, "", None)


def test_one_token_for_all(server: Server) -> None:
    for worker in server.workers():
        with only(worker, server), closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as stranger:
            assert server.ask("/api/status")["root"] == "folder"
            stranger.request("GET", "/api/status")
            assert stranger.getresponse().status == 401


def test_the_end_of_a_worker_is_nothing_to_the_others(server: Server) -> None:
    """A connection of another worker goes on, new ones are answered, and a new worker takes its place."""
    stays, ends = server.workers()
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        with only(stays, server):
            connection.request("GET", "/api/health")
            connection.getresponse().read()
        os.kill(ends, signal.SIGKILL)
        for _ in range(20):
            connection.request("GET", "/api/search?q=tide", headers=server.token)
            response = connection.getresponse()
            assert response.status == 200
            assert json.loads(response.read())["hits"]
            assert finds(server, "moon")
    (new,) = until(lambda: [pid for pid in server.workers() if pid not in (stays, ends)])
    with only(new, server):
        assert finds(server, "tide")


def test_another_writer_takes_over(server: Server, shared_root: Path) -> None:
    writer, *workers = server.children()
    os.kill(writer, signal.SIGKILL)
    (shared_root / "octopus.md").write_text("# Octopus\n\nThe octopus sleeps.\n", encoding="utf-8")
    until(lambda: finds(server, "octopus"))
    assert set(workers) <= set(server.children())
    # It watches the folder, too.
    (shared_root / "squid.md").write_text("# Squid\n\nThe squid wakes.\n", encoding="utf-8")
    until(lambda: finds(server, "squid"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_ends_them_all(root: Path, number: signal.Signals) -> None:
    """Ctrl-C reaches every process of a terminal, other signals only the one they are sent to."""
    with serving(root) as server:
        children = server.children()
        idle = socket.create_connection(("127.0.0.1", server.port))
        if number is signal.SIGINT:
            os.killpg(server.process.pid, number)
        else:
            os.kill(server.process.pid, number)
        _, errors = server.process.communicate(timeout=60)
        idle.close()
        assert server.process.returncode == (130 if number is signal.SIGINT else -number)
        assert errors == ""
        assert all(map(is_gone, children))
        assert is_free(server.port)


def test_ctrl_c_while_they_start(root: Path) -> None:
    command = [sys.executable, "-m", "headnote", "serve", str(root), "--port", "0", "--workers", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    server = Server(process, {})
    until(server.children)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors


def test_no_orphans(root: Path) -> None:
    with serving(root) as server:
        children = server.children()
        server.process.kill()
        until(lambda: all(map(is_gone, children)))
        assert is_free(server.port)


def test_a_read_only_index_needs_no_writer(root: Path) -> None:
    assert main(["index", str(root), "--embedder", "hashing:64"]) == 0
    with serving(root, "--read-only") as server:
        assert len(server.children()) == 2
        assert finds(server, "tide")
        status = server.ask("/api/status")
        assert (status["busy"], status["files_read"]) == (False, None)


@pytest.mark.parametrize(
    ("options", "settings", "message"),
    [
        (["--workers", "0"], "", "--workers"),
        (["--workers", "many"], "", "--workers"),
        (["--workers", "1000"], "", "--workers"),
        ([], "[server]\nworkers = 0\n", "give a number, from 1 to 64"),
        (["--workers", "2", "--embedder", "magic"], "", "magic"),
        (["--workers", "2", "--read-only"], "", "no index"),
    ],
)
def test_what_cannot_be_served_is_said_once(
    root: Path, options: list[str], settings: str, message: str, capsys: Captured
) -> None:
    (root / "headnote.toml").write_text(settings, encoding="utf-8")
    assert main(["serve", str(root), "--port", "0", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
