"""The files of the page: where they lie, how long browsers keep them, and how they are compressed."""

from __future__ import annotations

import gzip
import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from headnote.web.page_files import BUNDLE, MIN_COMPRESSED_BYTES, STYLES, PageFiles, page

pytest_plugins = ("web_fixtures",)

STATIC = Path(str(files("headnote.web") / "static"))
PLAIN = {"Accept-Encoding": "identity"}
SCRIPTS = sorted(file.relative_to(STATIC).as_posix() for file in STATIC.rglob("js/**/*.js"))


def address(path: str) -> str:
    return f"/static/{page().digest}/{path}"


def named_in(html: str) -> list[str]:
    return re.findall(r'(?:href|src)="(/[^"]+)"', html)


# -- the page names its files, and they are kept for ever


def test_everything_the_page_names_is_there_for_ever(client: TestClient) -> None:
    html = client.get("/").text
    assert "{static}" not in html
    addresses = named_in(html)
    assert address("js/main.js") in addresses
    for named in addresses:
        response = client.get(named)
        assert response.status_code == 200
        assert response.headers["cache-control"] == "max-age=31536000, immutable"


def test_the_page_itself_is_asked_for_every_time(client: TestClient) -> None:
    first = client.get("/")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/", headers={"If-None-Match": 'W/"0123456789abcdef"'}).status_code == 200


def test_the_first_view_waits_for_no_module(client: TestClient) -> None:
    """What a preloaded module imports is preloaded, too."""
    preloaded = re.findall(r'rel="modulepreload" href="/static/\w+/([^"]+)"', client.get("/").text)
    assert {"js/main.js", "js/search/search-view.js", "js/core/dom.js"} <= set(preloaded)
    assert len(preloaded) == len(set(preloaded))
    for path in preloaded:
        script = (STATIC / path).read_text(encoding="utf-8")
        for target in re.findall(r'from "(\.[^"]+)"', script):
            imported = ((STATIC / path).parent / target).resolve().relative_to(STATIC.resolve()).as_posix()
            assert imported in preloaded, f"{path} imports {imported}"
    assert {path.split("/")[1] for path in preloaded} == {"main.js", "core", "search", "shell"}


def test_a_package_with_a_bundle_loads_that_alone() -> None:
    contents = {"index.html": b'<script src="{static}/js/main.js"></script><!-- modules -->', "js/main.js": b"1"}
    sources, bundled = PageFiles(contents), PageFiles({**contents, BUNDLE: b"2"})
    assert b'main.js"></script><link rel="modulepreload"' in sources.index("notes").body
    assert bundled.index("notes").body == f'<script src="/static/{bundled.digest}/{BUNDLE}"></script>'.encode()


def test_every_stylesheet_is_in_the_one_that_is_loaded(client: TestClient) -> None:
    styles = client.get(address(STYLES)).text
    sheets = list(STATIC.glob("css/*.css"))
    assert len(sheets) > 8
    for sheet in sheets:
        assert sheet.read_text(encoding="utf-8") in styles
    assert styles.index(":root {") < styles.index(".bar {") < styles.index(".search-form")


@pytest.mark.parametrize("path", SCRIPTS)
def test_modules_name_each_other_relatively(path: str) -> None:
    """An address without the digest leads nowhere."""
    assert '"/static' not in (STATIC / path).read_text(encoding="utf-8")


# -- another version


def test_another_version_says_so(client: TestClient) -> None:
    response = client.get("/static/0123456789abcdef/js/main.js")
    assert response.status_code == 410
    error = response.json()["error"]
    assert error["code"] == "page_outdated"
    assert "reload" in error["remedy"]
    assert "immutable" not in response.headers["cache-control"]


def test_the_status_tells_the_version_of_the_page(client: TestClient) -> None:
    assert client.get("/api/status").json()["page"] == page().digest


@pytest.mark.parametrize("path", ["nothing.js", "index.html", "", "../app.py", "js", "css/", "js/../../app.py"])
def test_there_is_nothing_else(client: TestClient, path: str) -> None:
    response = client.get(address(path))
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/json"


@given(st.dictionaries(st.text(max_size=5), st.binary(max_size=5), max_size=3))
def test_the_digest_stands_for_every_name_and_byte(contents: dict[str, bytes]) -> None:
    digest = PageFiles(contents).digest
    assert digest == PageFiles(dict(reversed(contents.items()))).digest
    assert digest != PageFiles({**contents, "new": b""}).digest
    for path, body in contents.items():
        assert digest != PageFiles({**contents, path: body + b"."}).digest


# -- compression


def test_files_are_compressed_for_those_who_take_it(client: TestClient) -> None:
    for path in ("js/search/search-view.js", STYLES):
        plain = client.get(address(path), headers=PLAIN)
        small = client.get(address(path), headers={"Accept-Encoding": "br, gzip"})
        assert "content-encoding" not in plain.headers
        assert small.headers["content-encoding"] == "gzip"
        assert int(small.headers["content-length"]) < len(plain.content) / 2
        assert small.content == plain.content
        assert plain.headers["vary"] == small.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    ("accepts", "compressed"),
    [("gzip", True), ("*", True), ("deflate, GZIP;q=0.5", True), ("gzip;q=0", False), ("br", False), ("", False)],
)
def test_who_takes_gzip(client: TestClient, accepts: str, compressed: bool) -> None:
    response = client.get("/api/openapi.json", headers={"Accept-Encoding": accepts})
    assert ("content-encoding" in response.headers) == compressed
    assert response.json()["openapi"]


def test_answers_are_compressed_unless_they_are_small(client: TestClient) -> None:
    for address in ("/api/presets", "/api/search?q=tide", "/api/graph", "/api/health", "/api/documents"):
        plain = client.get(address, headers=PLAIN)
        small = client.get(address, headers={"Accept-Encoding": "gzip"})
        assert ("content-encoding" in small.headers) == (len(plain.content) >= MIN_COMPRESSED_BYTES)
        assert small.json().keys() == plain.json().keys()
    assert "content-encoding" not in client.get("/api/health").headers


def test_streams_and_pictures_are_left_alone(client: TestClient) -> None:
    accepts = {"Accept-Encoding": "gzip"}
    streamed = client.post("/api/ask", json={"question": "How high is the tide? " * 100}, headers=accepts)
    assert "content-encoding" not in streamed.headers
    assert "content-encoding" not in client.get("/files/places/gauge.png", headers=accepts).headers


def test_prepared_files_are_the_same_in_every_process() -> None:
    first, second = (PageFiles({"index.html": b"", "js/a.js": b"let a = 1;\n" * 1000}) for _ in range(2))
    assert first._files["js/a.js"].gzipped == second._files["js/a.js"].gzipped
    assert gzip.decompress(first._files["js/a.js"].gzipped or b"") == b"let a = 1;\n" * 1000


# -- the frame that draws diagrams


def test_the_frame_of_diagrams_has_a_policy_of_its_own(client: TestClient) -> None:
    policy = client.get(address("frames/diagram.html")).headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'", "it can neither load nor send anything"
    assert rules["script-src"] == "'self'"
    assert rules["frame-ancestors"] == "'self'"
    assert "connect-src" not in rules
    assert "img-src" not in rules


def test_nothing_else_can_be_framed_or_styled_inline(client: TestClient) -> None:
    for path in ("/", address("js/main.js"), address("vendor/mermaid/mermaid.esm.min.mjs"), "/api/health", "/none"):
        policy = client.get(path).headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-src 'self'" in policy
