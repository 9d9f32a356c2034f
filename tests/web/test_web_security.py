"""Who is not answered: other names, other sites, those without the token, paths that leave the folder, floods."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message
from web_folder import ADDRESS, PNG, client_of, listening, write_files

from headnote import Index, SettingsError
from headnote.api.keeper import Served
from headnote.config.server_settings import allowed_names
from headnote.web import security
from headnote.web.conversion import Refused
from headnote.web.security import POLICY, Guard, read_body

pytest_plugins = ("web_fixtures",)

TOKEN = "a-token-that-nobody-guesses"
OF_A_DOCUMENT = [
    f"/api/{name}" for name in "document read outline links preview piece found neighbourhood related unlinked".split()
]
JSON = {"Content-Type": "application/json"}


def code_of(response: Any, status: int) -> str:
    assert response.status_code == status, response.text
    return str(response.json()["error"]["code"])


# -- names


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8377", "localhost:1", "LOCALHOST", "[::1]:8377", "127.9.9.9"])
def test_our_own_names(client: TestClient, host: str) -> None:
    assert client.get("/api/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8377", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.7"),
        *("0.0.0.0", "", "127.0.0.1@evil.example", "evil.example/127.0.0.1", "[::1", "localhost:port", "127.0.0.1#x"),
        *("2130706433", "127.1", "[::ffff:8.8.8.8]"),
    ],
)
@pytest.mark.parametrize("address", ["/", "/api/search?q=a", "/static/nothing.js", "/files/places/gauge.png"])
def test_an_unknown_host_name_is_refused(client: TestClient, host: str, address: str) -> None:
    assert code_of(client.get(address, headers={"Host": host}), 403) == "wrong_host"


def test_a_server_for_others_answers_to_addresses_and_to_names_it_was_given(served: Served) -> None:
    guard = Guard(frozenset({"localhost", "docs.example"}), loopback_only=False, token=TOKEN)
    client = client_of(served, guard)
    for host in ("192.168.1.7:8377", "docs.example", "[fe80::1]"):
        assert client.get("/api/health", headers={"Host": host}).status_code == 200
    assert code_of(client.get("/api/health", headers={"Host": "evil.example"}), 403) == "wrong_host"


# -- origins


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "https://127.0.0.1:8377"},
        {"Origin": "http://localhost:8377"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_pages_of_other_sites_get_nothing(client: TestClient, headers: dict[str, str]) -> None:
    assert code_of(client.get("/api/search?q=tide", headers=headers), 403) == "wrong_origin"
    assert code_of(client.post("/api/chunk", json={"text": "a"}, headers=headers), 403) == "wrong_origin"


def test_our_own_page_and_plain_programs_get_answers(client: TestClient) -> None:
    own = {"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
    for headers in ({}, own, {"Sec-Fetch-Site": "none"}):
        assert client.post("/api/chunk", json={"text": "a"}, headers=headers).status_code == 200


def test_another_site_may_lead_to_the_page_and_to_nothing_else(client: TestClient) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("/", headers=link).status_code != 403
    assert code_of(client.get("/files/places/gauge.png", headers=link), 403) == "wrong_origin"


# -- behind a proxy that ends the encryption

PUBLIC = Guard(allowed=allowed_names(["docs.example", "Wiki.example:8443"]))


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("docs.example", "https://docs.example"),
        ("docs.example:8443", "https://docs.example:8443"),
        ("DOCS.example", "https://docs.example"),
        ("127.0.0.1:8377", "https://docs.example"),
        ("wiki.example", "https://wiki.example:8443"),
        ("wiki.example:8443", "https://wiki.example:8443"),
        ("docs.example", "http://docs.example"),
    ],
)
def test_the_own_page_behind_a_proxy(served: Served, host: str, origin: str) -> None:
    headers = {"Host": host, "Origin": origin, "Sec-Fetch-Site": "same-origin", "X-Forwarded-Proto": "https"}
    response = client_of(served, PUBLIC).post("/api/chunk", json={"text": "a"}, headers=headers)
    assert response.status_code == 200, response.text


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("docs.example", "https://evil.example"),
        ("docs.example", "https://docs.example:9999"),
        ("docs.example", "https://docs.example.evil.example"),
        ("docs.example", "https://wiki.example"),
        ("127.0.0.1:8377", "https://127.0.0.1:8377"),
        ("localhost:8377", "https://localhost:8377"),
        ("127.0.0.1:8377", "http://docs.example"),
        ("docs.example", "ftp://docs.example"),
        ("docs.example", "docs.example"),
    ],
)
def test_other_pages_behind_a_proxy(served: Served, host: str, origin: str) -> None:
    headers = {"Host": host, "Origin": origin, "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    response = client_of(served, PUBLIC).post("/api/chunk", json={"text": "a"}, headers=headers)
    assert code_of(response, 403) == "wrong_origin"


@pytest.mark.parametrize("name", ["https://docs.example", "docs.example/wiki", "", "a@b", "docs.example:port"])
def test_what_is_no_name_of_a_host(name: str) -> None:
    with pytest.raises(SettingsError, match="is not the name of a host"):
        allowed_names([name])


class Proxy(BaseHTTPRequestHandler):
    """What a server with a certificate does behind it: passes on the request, with the name it was asked by."""

    port = 0

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        behind = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        behind.request("POST", self.path, body, {**dict(self.headers), "X-Forwarded-Proto": "https"})
        answer = behind.getresponse()
        data = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        behind.close()

    def log_message(self, *_: object) -> None: ...


def test_a_real_server_behind_a_proxy(served: Served) -> None:
    with listening(served, guard=PUBLIC) as port, ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        Proxy.port = port
        Thread(target=proxy.serve_forever, daemon=True).start()
        for origin, status in (("https://docs.example", 200), ("https://evil.example", 403)):
            asked = http.client.HTTPConnection("127.0.0.1", proxy.server_address[1], timeout=60)
            asked.request("POST", "/api/chunk", '{"text": "a"}', {**JSON, "Host": "docs.example", "Origin": origin})
            assert asked.getresponse().status == status
            asked.close()
        proxy.shutdown()


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_can_send_is_no_request(client: TestClient, media: str) -> None:
    response = client.post("/api/chunk", content=b'{"text": "a"}', headers={"Content-Type": media})
    assert code_of(response, 415) == "not_json"


def test_no_answer_says_that_others_may_read_it(client: TestClient) -> None:
    response = client.options(
        "/api/search", headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    )
    assert response.status_code == 403
    for address in ("/api/health", "/nothing"):
        assert not [name for name in client.get(address).headers if name.startswith("access-control")]


# -- the token


@pytest.fixture
def locked(served: Served) -> TestClient:
    return client_of(served, Guard(token=TOKEN, cookie="headnote_8377"))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer \u00e4\u00f6"},
        {"Cookie": f"other={TOKEN}"},
        {"Cookie": "headnote_8377="},
        {"Cookie": "headnote_8377=wrong; ;;=,"},
    ],
)
def test_without_the_token_there_is_nothing(locked: TestClient, headers: dict[str, str]) -> None:
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
    for address in ("/", "/api/status", "/static/a.js", "/files/places/gauge.png", "/api/openapi.json", "/?token=no"):
        assert code_of(locked.get(address, headers=raw), 401) == "token_wanted"


def test_the_token_opens(locked: TestClient) -> None:
    assert locked.get("/api/status", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert locked.get("/api/status", headers={"Authorization": f"bearer {TOKEN}"}).status_code == 200
    assert locked.get("/api/health").status_code == 200


@pytest.mark.parametrize(
    "cookies",
    [
        f"a=b; headnote_8377={TOKEN}",
        f"headnote_8377=of-another-path; headnote_8377={TOKEN}",
        f'{{"json": "of, another"}}; headnote_8377={TOKEN}; c',
        f"bad name=x; =; ;; @[]=1; headnote_8377={TOKEN}",
        f'headnote_8377="{TOKEN}"',
        f'open="; headnote_8377={TOKEN}',
        f"headnote_8377={TOKEN}; headnote_8377=later",
    ],
)
def test_cookies_of_others_are_no_obstacle(locked: TestClient, cookies: str) -> None:
    assert locked.get("/api/status", headers={"Cookie": cookies}).status_code == 200


def test_the_page_is_opened_with_the_token_once(locked: TestClient) -> None:
    response = locked.get(f"/?token={TOKEN}")
    assert response.status_code == 303
    assert response.headers["location"] == "/"
    cookie = response.headers["set-cookie"].lower()
    for part in ("httponly", "samesite=strict", "path=/"):
        assert part in cookie
    assert locked.get("/api/status").status_code == 200
    assert locked.get("/api/status?token=x").status_code == 400


def test_a_token_in_the_address_is_for_the_page_alone(locked: TestClient) -> None:
    assert code_of(locked.get(f"/api/status?token={TOKEN}"), 401) == "token_wanted"


# -- headers


@pytest.mark.parametrize("address", ["/api/health", "/nothing", "/api/search", "/files/places/gauge.png", "/static/x"])
def test_everything_carries_the_headers(client: TestClient, address: str) -> None:
    headers = client.get(address).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_refusals_carry_them_too(client: TestClient) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).headers["content-security-policy"] == POLICY


# -- files


def test_pictures_are_served(client: TestClient) -> None:
    response = client.get("/files/places/gauge.png")
    assert (response.status_code, response.content) == (200, PNG)
    assert response.headers["content-type"] == "image/png"


def test_a_drawing_may_only_draw(client: TestClient) -> None:
    response = client.get("/files/places/drawing.svg")
    assert response.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in response.headers["content-security-policy"]
    assert "script" not in response.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        *("tides.md", "notes.csv", ".gitignore", ".headnote/index.db", "places", "places/", "", "nothing.png"),
        *("private/secret.png", ".hidden.png", "../outside.png", "places/../../outside.png", "..%2foutside.png"),
        *("%2e%2e/outside.png", "%2e%2e%2foutside.png", "..%5coutside.png", "..%252foutside.png", "places%00.png"),
        *("/etc/logo.png", "%2fetc%2flogo.png", "C:/logo.png", "out/outside.png", "link.png", "places//gauge.png"),
        *(
            "loop/loop.png",
            ".headnote/x.png",
            "sub/../.hidden.png",
            "gauge.png%0a",
            "private%2fsecret.png",
            "inner.png",
        ),
    ],
)
def test_nothing_else_is_served(tmp_path: Path, path: str) -> None:
    root = write_files(tmp_path / "root")
    (tmp_path / "outside.png").write_bytes(PNG)
    (root / "out").symlink_to(tmp_path)
    (root / "link.png").symlink_to(tmp_path / "outside.png")
    (root / "loop").symlink_to(root / "loop")
    (root / "inner.png").symlink_to(root / "private" / "secret.png")
    with Index.open(root, embedder="none") as index:
        index.update()
        (root / ".headnote" / "x.png").write_bytes(PNG)
        response = client_of(Served(index)).get(f"/files/{path}")
        assert code_of(response, 404) == "not_found"
        assert str(tmp_path) not in response.text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    with Index.open(tmp_path, embedder="none") as index:
        assert client_of(Served(index)).get("/files/pipe.png").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..\\..\\x",
        "places/../tides.md",
        "places/HARBOUR.MD",
        "tides.md\0",
        "./tides.md",
    ],
)
def test_documents_are_those_of_the_index(client: TestClient, path: str) -> None:
    for address in OF_A_DOCUMENT:
        assert code_of(client.get(address, params=with_query(address, path)), 404) == "not_found"


def with_query(address: str, path: str) -> dict[str, str]:
    return {"path": path} | ({"q": "tide"} if address == "/api/found" else {})


@pytest.mark.parametrize("address", OF_A_DOCUMENT)
def test_nobody_learns_where_the_folder_lies(client: TestClient, served_root: Path, address: str) -> None:
    """A guess that is right gets the answer of one that is wrong."""
    right, wrong = str(served_root), f"{served_root.parent}/f0lder"
    extras: tuple[dict[str, str], ...] = ({},)
    if address == "/api/read":
        extras = ({}, {"heading": "none"}, {"start_line": "9999"})
    for place in ("tides.md", "tides", "TIDES.MD", "", "tides.md:3", "tides.md#spring-tides", "nothing.md"):
        for extra in extras:
            answers = [
                client.get(address, params=with_query(address, f"{folder}/{place}") | extra)
                for folder in (right, wrong)
            ]
            assert {answer.status_code for answer in answers} == {404}
            texts = [answer.text.replace(folder, "") for answer, folder in zip(answers, (right, wrong), strict=True)]
            assert texts[0] == texts[1]


def test_a_place_in_a_document_is_found(client: TestClient) -> None:
    for place in ("tides.md:9", "tides.md#spring-tides", "tides.md"):
        assert client.get("/api/related", params={"path": place}).status_code == 200
        assert client.get("/api/unlinked", params={"path": place}).status_code == 200
    assert client.get("/api/unlinked").status_code == 200


def test_a_document_that_is_a_link_out_of_the_root_is_not_there(tmp_path: Path) -> None:
    root = write_files(tmp_path / "root")
    (tmp_path / "outside.md").write_text("# Outside\n\nSecret harbour.\n", encoding="utf-8")
    (root / "outside.md").symlink_to(tmp_path / "outside.md")
    with Index.open(root, embedder="none") as index:
        index.update()
        client = client_of(Served(index))
        assert code_of(client.get("/api/document?path=outside.md"), 404) == "not_found"
        assert "Secret" not in client.get("/api/search?q=secret&min_score=0").text


# -- floods


def test_a_body_that_is_too_large(client: TestClient) -> None:
    body = b'{"text": "' + b"a" * 2_000_000 + b'"}'
    assert code_of(client.post("/api/chunk", content=body, headers=JSON), 413) == "too_large"


def test_a_body_that_is_too_large_without_saying_so(client: TestClient) -> None:
    def pieces() -> Any:
        for _ in range(300):
            yield b"a" * 10_000

    assert code_of(client.post("/api/chunk", content=pieces(), headers=JSON), 413) == "too_large"


MEGABYTES = b"a" * 3_000_000


@pytest.mark.parametrize(
    ("address", "headers", "status", "code"),
    [
        ("/api/chunk", JSON, 413, "too_large"),
        ("/api/chunk", {"Content-Type": "text/plain"}, 415, "not_json"),
        ("/api/chunk", {**JSON, "Origin": "http://evil.example"}, 403, "wrong_origin"),
        ("/api/nothing", JSON, 404, "not_found"),
    ],
)
@pytest.mark.parametrize("pieces", [False, True], ids=["at once", "in pieces"])
@pytest.mark.parametrize("wish", ["keep-alive", "close"])
def test_who_sends_too_much_gets_an_answer(
    index: Index, address: str, headers: dict[str, str], status: int, code: str, pieces: bool, wish: str
) -> None:
    """Over a real connection, where a server that closes it too early is only heard to have done so."""
    body: Any = iter([MEGABYTES[:1_000_000]] * 3) if pieces else MEGABYTES
    with listening(Served(index)) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", address, body, {**headers, "Connection": wish}, encode_chunked=pieces)
        response = connection.getresponse()
        assert (response.status, json.loads(response.read())["error"]["code"]) == (status, code)
        connection.close()


def test_who_asks_before_sending_is_not_waited_for(index: Index) -> None:
    head = b"POST /api/chunk HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    with listening(Served(index)) as port, socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(head + b"Content-Length: 3000000\r\nExpect: 100-continue\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 413"


@pytest.mark.parametrize("length", ["-1", "many", "9" * 5000, "²"])
def test_a_length_that_is_none(length: str) -> None:
    with pytest.raises(Refused) as refused:
        asyncio.run(read_body(request_with([], {"content-length": length})))
    assert refused.value.status == 413


def request_with(messages: list[Message], headers: dict[str, str]) -> Request:
    """A request whose client sends these pieces, and then nothing more."""

    async def stream() -> AsyncIterator[Message]:
        for message in messages:
            yield message
        await asyncio.Event().wait()

    pieces = stream()
    every = {"content-type": "application/json", **headers}
    raw = [(name.encode(), value.encode("utf-8")) for name, value in every.items()]
    return Request({"type": "http", "method": "POST", "headers": raw}, pieces.__anext__)


def test_a_body_that_never_ends() -> None:
    piece = {"type": "http.request", "body": b'{"te', "more_body": True}
    with pytest.raises(Refused) as refused:
        asyncio.run(read_body(request_with([piece], {}), seconds=0.05))
    assert (refused.value.status, refused.value.problem.code) == (408, "too_slow")


def test_a_client_that_leaves() -> None:
    with pytest.raises(Refused) as refused:
        asyncio.run(read_body(request_with([{"type": "http.disconnect"}], {})))
    assert refused.value.problem.code == "broken_off"


def test_a_client_that_does_not_take_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is let go, and nothing is raised."""
    monkeypatch.setattr(security, "SEND_SECONDS", 0.05)
    app = Guard().around(_hello)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"127.0.0.1")], "scheme": "http"}

    async def stuck(_: Message) -> None:
        await asyncio.Event().wait()

    async def nothing() -> Message:
        return {"type": "http.disconnect"}

    asyncio.run(app({**scope, "query_string": b""}, nothing, stuck))  # type: ignore[arg-type]


async def _hello(_: Any, __: Any, send: Callable[[Message], Any]) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})
