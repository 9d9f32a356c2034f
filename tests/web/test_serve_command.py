"""`headnote serve` and `headnote open` as people and programs start them: real processes, real sockets."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

import pytest
from web_folder import listening, write_files

from headnote import SettingsError
from headnote.api.keeper import Served
from headnote.cli import serve
from headnote.cli.main import main
from headnote.config.server_settings import is_token, kept_token
from headnote.web import workers
from headnote.web.workers import PORT, is_loopback

pytest_plugins = ("web_fixtures",)


Captured = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "folder")


@contextmanager
def started(root: Path, *options: str, command: str = "serve", **environment: str) -> Iterator[dict[str, Any]]:
    """A running server: its ready message and its process."""
    arguments = [sys.executable, "-m", "headnote", command, str(root), "--json", "--embedder", "hashing:64", *options]
    process = subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield {**json.loads(line), "process": process}
    finally:
        process.kill()
        process.communicate()


def fetch(address: str, **headers: str) -> Any:
    with urlopen(Request(address, headers=headers), timeout=60) as response:
        return json.load(response)


def until(address: str, condition: Any) -> Any:
    """The response, once it meets the condition."""
    deadline = time.monotonic() + 60
    while not condition(answer := fetch(address)):
        assert time.monotonic() < deadline, answer
        time.sleep(0.1)
    return answer


def test_started_asked_and_ended(root: Path) -> None:
    """Ready means that it answers; new files are found; Ctrl-C ends it silently."""
    with started(root, "--port", "0") as ready:
        address = ready["address"]
        assert ready["token"] is None
        assert fetch(f"{address}api/health")["ok"] is True
        until(f"{address}api/status", lambda status: status["documents"] == 4 and not status["busy"])
        (root / "kraken.md").write_text("# Kraken\n\nThe kraken sleeps.\n", encoding="utf-8")
        answer = until(f"{address}api/search?q=kraken", lambda answer: answer["hits"])
        assert answer["hits"][0]["path"] == "kraken.md"
        process: subprocess.Popen[str] = ready["process"]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode in (0, 130)
        assert "Traceback" not in errors


def test_ctrl_c_does_not_wait_for_those_who_are_connected(root: Path) -> None:
    with started(root, "--port", "0") as ready:
        port = int(ready["address"].rstrip("/").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as idle:
            idle.sendall(b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            ready["process"].send_signal(signal.SIGINT)
            _, errors = ready["process"].communicate(timeout=60)
        assert "Traceback" not in errors


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_sigterm_ends_it_silently_while_it_reads_in_processes(tmp_path: Path) -> None:
    """Services are stopped so. What is shared with the processes that read the files is given back first."""
    long = "".join(f"## Part {part}\n\nA text about the tides.\n\n" for part in range(300))
    for number in range(2000):
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\n{long}", encoding="utf-8")
    with started(tmp_path, "--port", "0") as ready:
        until(f"{ready['address']}api/status", lambda status: status["files_read"] and status["files_read"]["done"])
        process: subprocess.Popen[str] = ready["process"]
        process.terminate()
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (-signal.SIGTERM, "")


def test_the_next_free_port_is_taken_unless_one_was_asked_for(root: Path, capsys: Captured) -> None:
    with started(root) as first, started(root) as second:
        ports = [int(one["address"].rstrip("/").rpartition(":")[2]) for one in (first, second)]
        assert ports[0] != ports[1]
        assert all(PORT <= port < PORT + 50 for port in ports)
        assert main(["serve", str(root), "--embedder", "none", "--port", str(ports[0])]) == 2
    assert f"cannot listen at 127.0.0.1:{ports[0]}" in capsys.readouterr().err


def test_for_others_a_token_is_needed(root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADNOTE_TOKEN", raising=False)
    for host in ("0.0.0.0", "::", "192.168.1.7", "example.org", ""):
        assert main(["serve", str(root), "--host", host]) == 2
        error = capsys.readouterr().err
        assert "--token new" in error
        assert error.count("\n") == 1
    assert main(["serve", str(root), "--token", "short"]) == 2
    assert "too easy to guess" in capsys.readouterr().err


def test_with_a_token_made_for_it(root: Path) -> None:
    with started(root, "--port", "0", "--host", "0.0.0.0", "--token", "new") as ready:
        token = ready["token"]
        port = int(ready["address"].partition("?")[0].rstrip("/").rpartition(":")[2])
        assert ready["address"].endswith(f"/?token={token}")
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/api/status")
        assert connection.getresponse().status == 401
        assert fetch(f"http://127.0.0.1:{port}/api/status", Authorization=f"Bearer {token}")["root"] == root.name
        connection.close()


def test_the_address_can_be_opened(root: Path) -> None:
    """No browser can open 0.0.0.0: the addresses of this machine are told, and what a name needs."""
    with started(root, "--port", "0", "--host", "0.0.0.0", "--token", "new") as ready:
        assert "0.0.0.0" not in "".join(ready["addresses"])
        for address in ready["addresses"]:
            health, _, _ = address.partition("?")
            assert fetch(f"{health}api/health")["ok"] is True
        assert ready["address"] == ready["addresses"][0]


@pytest.mark.parametrize(("host", "own"), [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("", "127.0.0.1")])
def test_addresses_of_a_server_that_listens_on_all(host: str, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_address_towards", lambda _: "192.0.2.7")
    assert workers.reachable(host) == ["192.0.2.7", own]
    monkeypatch.setattr(workers, "_address_towards", lambda _: "")
    assert workers.reachable(host) == [own]
    assert workers.reachable("docs.example") == ["docs.example"]
    assert workers.reachable("127.0.0.1") == ["127.0.0.1"]


def test_how_it_is_announced(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(serve, "_run_in_one_process", lambda *given: given[-1]())
    monkeypatch.setattr(serve, "gethostname", lambda: "Quay")
    monkeypatch.setattr(workers, "_address_towards", lambda _: "192.0.2.7")
    arguments = ["serve", str(root), "--port", "0", "--host", "0.0.0.0", "--token", "a-token-of-sixteen"]
    assert main(arguments) == 0
    said = capsys.readouterr().err
    assert "at http://192.0.2.7:" in said
    assert "and http://127.0.0.1:" in said
    assert "start it with --allow-host quay" in said
    assert main([*arguments, "--allow-host", "quay"]) == 0
    assert "--allow-host" not in capsys.readouterr().err


def test_a_token_that_stays(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADNOTE_CONFIG_FOLDER", str(tmp_path / "mine"))
    first = kept_token(root)
    assert is_token(first)
    assert kept_token(root / ".." / root.name) == first
    [file] = (tmp_path / "mine" / "tokens").iterdir()
    if os.name != "nt":
        assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    renewed = kept_token(root, renew=True)
    assert renewed != first
    assert kept_token(root) == renewed
    assert kept_token(root / "places") not in (first, renewed), "each folder has its own"
    assert not [path for path in root.rglob("*") if path.is_file() and renewed.encode() in path.read_bytes()]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_a_token_that_is_none_any_more(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADNOTE_CONFIG_FOLDER", str(tmp_path / "mine"))
    kept_token(root)
    [file] = (tmp_path / "mine" / "tokens").iterdir()
    file.chmod(0o644)
    with pytest.raises(SettingsError, match=r"others may read.*--token renew"):
        kept_token(root)
    file.chmod(0o600)
    file.write_text("short")
    with pytest.raises(SettingsError, match=r"no token is kept there.*--token renew"):
        kept_token(root)
    assert is_token(kept_token(root, renew=True))
    monkeypatch.setenv("HEADNOTE_CONFIG_FOLDER", str(root / "inside"))
    with pytest.raises(SettingsError, match="would be kept inside of it"):
        kept_token(root)
    monkeypatch.setenv("HEADNOTE_CONFIG_FOLDER", str(root / "tides.md"))
    with pytest.raises(SettingsError, match="HEADNOTE_CONFIG_FOLDER"):
        kept_token(tmp_path / "elsewhere")


def test_a_restart_keeps_its_clients(root: Path, tmp_path: Path) -> None:
    mine = {"HEADNOTE_CONFIG_FOLDER": str(tmp_path / "mine")}
    tokens = []
    for word in ("keep", "keep", "renew"):
        with started(root, "--port", "0", "--token", word, **mine) as ready:
            tokens.append(ready["token"])
    assert tokens[0] == tokens[1] != tokens[2]


def test_the_token_may_come_from_the_environment(root: Path) -> None:
    with started(root, "--port", "0", HEADNOTE_TOKEN="from-the-environment") as ready:
        assert ready["token"] == "from-the-environment"


def test_open_starts_the_browser_once_it_answers(root: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{seen}"\n', encoding="utf-8")
    browser.chmod(0o755)
    with started(root, "--port", "0", command="open", BROWSER=str(browser)) as ready:
        deadline = time.monotonic() + 60
        while not seen.exists() or not seen.read_text(encoding="utf-8"):
            assert time.monotonic() < deadline, "no browser was started"
            time.sleep(0.1)
        assert seen.read_text(encoding="utf-8").strip() == ready["address"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "nowhere"], "no such file or folder"),
        (["serve", ".", "--port", "70000"], "--port"),
        (["serve", ".", "--embedder", "magic"], "magic"),
        (["open", "nowhere"], "no such file or folder"),
    ],
)
def test_bad_arguments(
    arguments: list[str], message: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "nh3", "markdown_it"])
def test_a_missing_package_names_its_install_command(
    package: str, root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["serve", str(root)]) == 2
    assert 'pip install "headnote-md[search,server]"' in capsys.readouterr().err


def test_addresses_of_this_machine() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "localhost", "::1", "127.3.2.1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "")))


# -- sockets, in this process


def answer_to(port: int, data: bytes) -> bytes:
    """The response to these bytes, until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        with suppress(ConnectionError):
            connection.sendall(data)
        parts = []
        # Who has not read all that was sent before it closes may seem to break off.
        with suppress(ConnectionError):
            while part := connection.recv(65536):
                parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    "path",
    [
        *(b"/files/../outside.png", b"/files/%2e%2e/outside.png", b"/files/..%2foutside.png", b"/static/../app.py"),
        *(b"/static/%2e%2e/app.py", b"/static/..%2fapp.py", b"/static/%2e%2e%2f__init__.py", b"//etc/passwd"),
        *(b"/files//etc/logo.png", b"/static//etc/passwd", b"/static/..\\app.py"),
    ],
)
def test_no_path_leads_out(served: Served, path: bytes) -> None:
    with listening(served) as port:
        answer = answer_to(port, b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 404")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"G",
        b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nG",
    ],
)
def test_those_who_never_finish_asking_are_let_go(served: Served, sent: bytes) -> None:
    with listening(served, patience=1) as port:
        answer_to(port, sent)  # it comes back at all: the server has closed


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nA: " + b"a" * 200_000 + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_what_is_no_http_is_refused(served: Served, sent: bytes) -> None:
    with listening(served, patience=2) as port:
        # Data that arrives all at once may be parsed before it is too long; then the address is unknown.
        assert answer_to(port, sent)[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.1 403", b"HTTP/1.1 404")
        assert fetch(f"http://127.0.0.1:{port}/api/health")["ok"]


def test_the_longest_query_is_short_enough(served: Served) -> None:
    with listening(served) as port:
        assert fetch(f"http://127.0.0.1:{port}/api/search?q={'%E6%BD%AE' * 10_000}")["query"] == "潮" * 10_000


def test_others_are_served_while_a_long_text_is_cut(served: Served) -> None:
    """A text that takes many seconds is sent, and does not end before others have had their answers."""
    text = "# a\n\nb\n\n" * 100_000
    body = json.dumps({"text": text}).encode()
    ended: list[float] = []

    def cut(port: int) -> None:
        fetch_chunks = Request(
            f"http://127.0.0.1:{port}/api/chunk", data=body, headers={"Content-Type": "application/json"}
        )
        with urlopen(fetch_chunks, timeout=300) as response:
            response.read()
        ended.append(time.monotonic())

    with listening(served) as port:
        thread = Thread(target=cut, args=(port,))
        thread.start()
        answered = 0
        while thread.is_alive():
            fetch(f"http://127.0.0.1:{port}/api/search?q=tide")
            answered += 1
        thread.join()
    assert ended
    assert answered > 3
