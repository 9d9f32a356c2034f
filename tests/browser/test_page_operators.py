"""Operators and conditions on the page: chips that say how a query is read, and passages near a document."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from browser_kit import Visit, expect, expect_address

pytest_plugins = ["browser_fixtures"]


def typed(page: Any, query: str) -> None:
    page.get_by_role("searchbox", name="Search").fill(query)
    expect(page.locator("#announcer")).to_contain_text(f"for {query}")


def test_operators_are_chips_that_can_be_removed(visit: Visit) -> None:
    page = visit.page
    visit.go()
    typed(page, '"torque wrench" gauge -radio')
    chips = page.get_by_role("group", name="Operators in the query").get_by_role("button")
    expect(chips).to_have_count(2)
    expect(chips.nth(0)).to_contain_text("“torque wrench”")
    expect(chips.nth(1)).to_contain_text("without radio")
    expect(page.locator(".hit")).to_have_count(1)
    expect(page.locator(".hit mark", has_text="torque wrench")).to_be_visible()
    _picture(page, "operators")
    page.get_by_role("button", name="Remove the phrase torque wrench").click()
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("gauge -radio")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    expect(chips).to_have_count(1)
    page.get_by_role("button", name="Stop excluding radio").focus()
    page.keyboard.press("Delete")
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("gauge")
    expect(chips).to_have_count(0)
    expect_address(page, "?q=gauge")


def test_a_phrase_is_demanded_only_when_its_quote_is_closed(visit: Visit) -> None:
    page = visit.page
    visit.go()
    box = page.get_by_role("searchbox", name="Search")
    for letter in '"torque wrench':
        box.press_sequentially(letter)
    expect(page.locator("#announcer")).to_contain_text('for "torque wrench')
    expect(page.get_by_role("group", name="Operators in the query")).to_be_hidden()
    expect(page.locator(".hit").first).to_be_visible()
    box.press_sequentially('"')
    expect(page.get_by_role("button", name="Remove the phrase torque wrench")).to_be_visible()


def test_conditions_on_the_frontmatter(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=gauge")
    page.locator(".filters summary").click()
    field = page.get_by_label("Frontmatter")
    # While it is typed, what is unfinished is not sent: the hits stay, and nothing complains.
    field.press_sequentially("updated >= 2026-10 and tags in (handbook, harbour)")
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.get_by_role("button", name="Remove the filter updated")).to_be_visible()
    expect(page.locator(".hit-place").first).to_contain_text("index.md")
    expect(page.locator(".filter-problem")).to_be_hidden()


def test_a_document_shows_what_is_near_it(visit: Visit) -> None:
    page = visit.page
    visit.go("#/document?path=installing.md")
    part = page.locator(".aside-part", has=page.get_by_role("heading", name="Related"))
    links = part.get_by_role("link")
    expect(links.first).to_be_visible()
    expect(part.get_by_text("similar text").first).to_be_hidden()
    part.locator(".related-why summary").first.click()
    expect(part.get_by_text("similar text").first).to_be_visible()
    expect(part).not_to_contain_text("installing.md")
    _picture(page, "related")
    links.first.click()
    expect(page.locator(".document-head .mono")).not_to_have_text("installing.md")


def _picture(page: Any, name: str) -> None:
    """For people who want to look: TEST_PICTURES names a folder."""
    if folder := os.environ.get("TEST_PICTURES"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=Path(folder) / f"{name}-{scheme}.png")
        wide = page.viewport_size
        page.set_viewport_size({"width": 390, "height": 800})
        page.screenshot(path=Path(folder) / f"{name}-phone.png")
        page.set_viewport_size(wide)
