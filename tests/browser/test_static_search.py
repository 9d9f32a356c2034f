"""The static search in a real browser: a host of plain files, a strict content policy, and a path below the top."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from browser_kit import take_picture

from headnote import Index

pytest_plugins = ("browser_fixtures",)

POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docs</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><link rel="stylesheet" href="theme.css">
<link rel="stylesheet" href="headnote/search.css">
<script type="module" src="headnote/search.js"></script></head>
<body class="text"><headnote-search label="Search the handbook"></headnote-search></body></html>"""

THEME = """.text a { color: #f00; text-decoration: underline } .text mark { background: #0f0 }
.text ul:not([hidden]) { list-style: disc; margin-left: 2em }"""
"""As themes style the texts of pages."""


class Strict(SimpleHTTPRequestHandler):
    """Plain files, uncompressed, under the policy."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[str]:
    top = tmp_path_factory.mktemp("host")
    site = top / "some" / "prefix"
    site.mkdir(parents=True)
    (site / "index.html").write_text(PAGE)
    (site / "theme.css").write_text(THEME)
    root = tmp_path_factory.mktemp("docs") / "handbook"
    shutil.copytree(repository / "examples" / "handbook", root, ignore=shutil.ignore_patterns(".headnote"))
    with Index.open(root, embedder="instant") as index:
        index.update()
        index.export(site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Strict, directory=str(top)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/some/prefix/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_query_is_answered_without_a_server(browser: Any, address: str, scheme: str) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 390, "height": 800})
    problems: list[str] = []
    loaded: list[int] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("response", lambda response: loaded.append(len(response.body())))
    page.goto(address)
    page.get_by_role("combobox", name="Search the handbook").fill("how often do I calibrate")
    first = page.get_by_role("option").first
    first.wait_for(timeout=30_000)
    assert "alibrat" in first.inner_text()
    assert page.locator("mark").count()
    assert "hits" in page.get_by_role("status").inner_text()
    style = "node => [getComputedStyle(node).color, getComputedStyle(node).textDecorationLine]"
    own, text = first.locator("a").evaluate(style), page.locator("body").evaluate(style)
    assert own == text, "the theme styles hits as links of a text"
    page.keyboard.press("ArrowDown")
    assert first.get_attribute("aria-selected") == "true"
    assert first.locator("a").get_attribute("href").startswith(address)
    take_picture(page, f"static-search-{scheme}")
    assert [problem for problem in problems if "data:," not in problem] == []
    assert sum(loaded) <= 300_000
    page.keyboard.press("Escape")
    assert page.get_by_role("option").count() == 0
    page.close()


@pytest.fixture
def box(browser: Any, address: str) -> Iterator[Any]:
    page = browser.new_page(viewport={"width": 360, "height": 700})
    page.goto(address)
    yield page.get_by_role("combobox", name="Search the handbook")
    page.close()


def test_enter_opens_what_was_typed_last(box: Any) -> None:
    """Whoever types on and presses Enter at once must not get the page that the words before have found."""
    page = box.page
    box.fill("battery")
    page.get_by_role("option").first.wait_for(timeout=30_000)
    box.fill("how often do I calibrate")
    page.keyboard.press("Enter")
    page.wait_for_url("**/calibrat**", timeout=30_000)
    assert "battery" not in page.url


def test_letter_by_letter_ends_with_the_hits_of_the_whole_query(box: Any) -> None:
    page = box.page
    box.press_sequentially("mount a gauge", delay=20)
    page.get_by_role("option").filter(has_text="ount").first.wait_for(timeout=30_000)
    page.wait_for_load_state("networkidle")
    typed = page.get_by_role("option").all_inner_texts()
    box.fill("")
    page.get_by_role("option").first.wait_for(state="detached")
    box.fill("mount a gauge")
    page.get_by_role("option").first.wait_for(timeout=30_000)
    assert page.get_by_role("option").all_inner_texts() == typed


def test_no_hits_and_an_empty_box_are_told_apart(box: Any) -> None:
    page = box.page
    status = page.get_by_role("status")
    box.fill("xyzzy plugh")
    page.get_by_text("No page is about that.").wait_for(timeout=30_000)
    assert box.get_attribute("aria-expanded") == "false"
    page.keyboard.press("Escape")
    assert (box.input_value(), status.inner_text()) == ("", "")
    box.fill("how often do I calibrate")
    page.get_by_role("option").first.wait_for(timeout=30_000)
    assert not any(mark.endswith((",", ".")) for mark in page.locator("mark").all_inner_texts())
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
