"""The page in another language than English: what the browser asks for, until the reader chooses."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from browser_kit import Server, Visit, expect, visiting

pytest_plugins = ["browser_fixtures"]

GERMAN: dict[str, Any] = json.loads((files("headnote.web") / "static/texts/de.json").read_text(encoding="utf-8"))


def test_the_page_speaks_the_language_that_the_browser_asks_for(browser: Any, handbook_server: Server) -> None:
    with visiting(browser, handbook_server, locale="de-AT") as visit:
        visit.go("#/status")
        expect(visit.page.locator("html")).to_have_attribute("lang", "de")
        expect(visit.page.locator(".views a[aria-current]")).to_have_text(GERMAN["view.status"])
        expect(visit.page.get_by_role("button", name=GERMAN["bar.find"])).to_be_visible()


def test_a_table_comes_along_with_the_modules(browser: Any, handbook_server: Server) -> None:
    with visiting(browser, handbook_server, locale="de") as visit:
        page = visit.page
        held: list[Any] = []
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.route("**/js/core/texts.js", lambda route: held.append(route))  # noqa: PLW0108  it is given attributes
        with page.expect_request("**/texts/de.json"), page.expect_request("**/js/core/texts.js"):
            page.goto(f"{visit.address}/#/status", wait_until="commit")
        [route] = held
        route.continue_()
        expect(page.locator(".views a[aria-current]")).to_have_text(GERMAN["view.status"])
        assert len([address for address in asked if address.endswith("/de.json")]) == 1


def test_a_language_that_there_is_not_leads_to_english_without_a_table(browser: Any, handbook_server: Server) -> None:
    with visiting(browser, handbook_server, locale="nl-NL") as visit:
        asked: list[str] = []
        visit.page.on("request", lambda request: asked.append(request.url))
        visit.go("#/status")
        expect(visit.page.locator("html")).to_have_attribute("lang", "en")
        expect(visit.page.locator(".figures")).to_be_visible()
        assert [address for address in asked if "/texts/" in address] == []


def test_a_language_that_is_chosen_is_kept(visit: Visit) -> None:
    page = visit.page
    visit.go("#/status")
    expect(page.locator(".figures")).to_be_visible()
    chosen = page.get_by_label("Language")
    assert chosen.locator("option").all_inner_texts() == ["English", "Deutsch"]
    chosen.select_option("de")
    expect(page.locator("html")).to_have_attribute("data-told", "de")
    expect(page).to_have_title(f"{GERMAN['view.status']} – headnote")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-told", "de")
    page.get_by_label(GERMAN["bar.language"]).select_option("en")
    expect(page.get_by_role("link", name="Documents")).to_be_visible()


def test_without_its_table_the_page_is_in_english(browser: Any, handbook_server: Server) -> None:
    with visiting(browser, handbook_server, locale="de") as visit:
        visit.page.route("**/texts/de.json", lambda route: route.abort())
        visit.go("#/status")
        expect(visit.page.get_by_role("link", name="Documents")).to_be_visible()
        expect(visit.page.locator("html")).to_have_attribute("lang", "en")
        visit.errors.clear()
