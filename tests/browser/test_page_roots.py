"""Several folders on the page: where a hit is from, what is said about it, and links from one to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser_kit import PHONE, Server, Visit, expect, overflow, serve, take_picture, visiting

from headnote.api import trust_folder

pytest_plugins = ["browser_fixtures"]


PAGES = {
    "docs/runbooks/refund.md": "# Refund a payment\n\nPress *reverse* in the ledger. [[Who decides]]\n",
    "notes/Who decides.md": "# Who decides\n\nAna decides about every refund of a payment.\n",
    "home/headnote.toml": (
        '[roots.payments]\npath = "../docs"\n[roots.notes]\npath = "../notes"\n'
        '[context]\n"payments/runbooks" = "Runbooks of the payment team, current."\n'
    ),
}


@pytest.fixture(scope="module")
def roots_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("roots")
    for path, text in PAGES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    trust_folder(folder / "home")
    with serve(folder / "home") as server:
        yield server


@pytest.fixture
def roots(browser: Any, roots_server: Server) -> Iterator[Visit]:
    with visiting(browser, roots_server) as visit:
        yield visit


def test_a_hit_says_where_it_is_from_and_what_that_is(roots: Visit) -> None:
    page = roots.page
    roots.go("#/search?q=refund+payment")
    hit = page.locator(".hit").filter(has_text="payments/runbooks/refund.md")
    expect(hit.locator(".hit-about")).to_have_text("Runbooks of the payment team, current.")
    expect(page.locator(".hit").filter(has_text="notes/Who decides.md")).to_have_count(1)
    take_picture(page, "roots-wide")
    page.set_viewport_size(PHONE)
    expect(hit.locator(".hit-about")).to_be_visible()
    assert not overflow(page)
    take_picture(page, "roots-phone")


def test_a_link_leads_from_one_folder_to_the_other(roots: Visit) -> None:
    roots.go("#/document?path=payments%2Frunbooks%2Frefund.md")
    roots.page.get_by_role("link", name="Who decides").first.click()
    expect(roots.page.get_by_text("Ana decides about every refund")).to_be_visible()
