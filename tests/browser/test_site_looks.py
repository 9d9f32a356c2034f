"""The site of the documentation in a browser, in light, in dark and on a phone: it asks nobody else for anything."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from browser_kit import COLOURS, PHONE, WIDE, Server, expect, expect_address, faults, overflow, take_picture, visiting

pytest_plugins = ["browser_fixtures"]

pytest.importorskip("axe_playwright_python", reason="axe is not installed: nothing to judge the page by")


PAGES = ("index", "indexing", "configuration", "commands", "strategies/default", "reference/indexes", "quality")
KINDS = ("index", "strategies/default", "configuration", "reference/indexes")
"""The front page, prose with code, tables, and what is made from docstrings."""
# Which pages axe judges, and by which rules: one of each kind in light, and the colours in dark. What it judges is the
# same at every width; what sticks out is not.
LOOKS: dict[str, tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]] = {
    "light": ({"viewport": WIDE, "color_scheme": "light"}, KINDS, ()),
    "dark": ({"viewport": WIDE, "color_scheme": "dark"}, KINDS[:2], COLOURS),
    "phone": ({"viewport": PHONE, "color_scheme": "light"}, (), ()),
}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and writes no log."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site_server(site: Path) -> Iterator[Server]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Server(f"http://127.0.0.1:{server.server_port}", site)
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("look", LOOKS)
def test_pages_look_right(look: str, browser: Any, site_server: Server) -> None:
    options, judged, rules = LOOKS[look]
    with visiting(browser, site_server, **options) as visit:
        for name in PAGES:
            visit.go(f"{name}.html")
            expect(visit.page.locator("h1").first).to_be_visible()
            assert overflow(visit.page) == [], name
            if name in judged:
                assert faults(visit.page, *rules) == [], name
            take_picture(visit.page, f"site-{name.replace('/', '-')}-{look}")


def test_pages_work_from_a_disk(browser: Any, site: Path) -> None:
    with visiting(browser, Server(site.as_uri(), site)) as visit:
        visit.go("index.html")
        visit.page.get_by_role("link", name="One index for a team").first.click()
        expect(visit.page.locator("h1")).to_contain_text("PostgreSQL")
        # Only the search needs a server.
        assert [
            error for error in visit.errors if "search_index" not in error and "ERR_FILE_NOT_FOUND" not in error
        ] == []
        visit.errors.clear()


def test_the_search_of_the_site_finds_a_page(browser: Any, site_server: Server) -> None:
    with visiting(browser, site_server) as visit:
        visit.go("index.html")
        visit.page.get_by_role("textbox", name="Search").fill("moved folder adopt")
        result = visit.page.locator(".md-search-result__link").first
        expect(result).to_be_visible()
        result.click()
        expect(visit.page.locator("h1")).to_be_visible()
        expect_address(visit.page, "indexing")
