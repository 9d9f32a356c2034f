"""The notes of `examples/formats` on the page: every construct is content, and leads where it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser_kit import PHONE, WIDE, Server, Visit, copy_example, expect, serve, visiting

pytest_plugins = ["browser_fixtures"]


RAW = (":::", "!!!", "???", "{{<", "{%", "[!", "![[", "==", "import {", "<Tab", "</")


@pytest.fixture(scope="module")
def formats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(copy_example("formats", tmp_path_factory.mktemp("served"))) as server:
        yield server


@pytest.fixture
def visit(browser: Any, formats_server: Server) -> Iterator[Visit]:
    with visiting(browser, formats_server) as opened:
        yield opened


def open_note(visit: Visit, path: str) -> Any:
    visit.go(f"#/document?path={path}")
    expect(visit.page.locator(".document-head .mono")).to_have_text(path)
    expect(visit.page.locator(".prose h1").first).to_be_attached()
    return visit.page


PATHS = ["index.md", "callouts.md", "formulas.md", "embeds.md", "tabs.md", "direction.md"]
SITE = ["site/components.mdx", "site/shortcodes.md"]


def test_no_note_shows_raw_markup(visit: Visit) -> None:
    for path in [*PATHS, *SITE]:
        page = open_note(visit, path)
        shown = page.locator(".prose").evaluate(
            "(prose) => { const copy = prose.cloneNode(true);"
            " for (const code of copy.querySelectorAll('pre, code, .math, details.code-of-page')) code.remove();"
            " return copy.textContent; }"
        )
        assert [(path, mark) for mark in RAW if mark in shown] == []
        page.set_viewport_size(PHONE)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
        page.set_viewport_size(WIDE)


def test_callouts_have_titles_and_fold(visit: Visit) -> None:
    page = open_note(visit, "callouts.md")
    kinds = page.locator(".callout").evaluate_all("(all) => all.map((one) => one.dataset.callout)")
    assert kinds == [
        *("note", "tip", "warning", "bug", "info", "danger", "example", "question", "success"),
    ]
    expect(page.locator(".callout > .callout-title > svg")).to_have_count(len(kinds))
    tip = page.locator("details[data-callout=tip]")
    expect(tip.locator("li").first).to_be_hidden()
    tip.locator("summary").click()
    expect(tip.locator("li").first).to_be_visible()


def test_a_line_in_a_folded_callout_can_be_asked_for(visit: Visit) -> None:
    open_note(visit, "callouts.md")
    visit.go("#/document?path=callouts.md&line=9")
    expect(visit.page.locator("details[data-callout=tip] li").first).to_be_visible()


def test_embeds_show_notes_and_lead_to_them(visit: Visit) -> None:
    page = open_note(visit, "embeds.md")
    embeds = page.locator("section.embed")
    expect(embeds).to_have_count(4)
    expect(embeds.nth(0)).to_contain_text("Boats wait here")
    expect(embeds.nth(1)).not_to_contain_text("Boats wait here")
    expect(embeds.nth(2)).to_contain_text("four metres")
    expect(embeds.nth(3)).to_contain_text("two wings")
    expect(page.locator(".prose img[width='120']")).to_be_visible()
    page.locator(".aside-part summary", has_text="Links to").click()
    picture = page.locator(".aside-links").get_by_role("link", name="gauge.svg", exact=True)
    expect(picture).to_have_attribute("href", "/files/gauge.svg")
    embeds.nth(1).locator(".embed-title a").click()
    expect(page.locator(".document-head .mono")).to_have_text("harbour.md")


def test_a_tag_leads_to_a_search_for_it(visit: Visit) -> None:
    page = open_note(visit, "harbour.md")
    page.locator(".prose a.tag").click()
    expect(page).to_have_url(f"{visit.address}/#/search?tag=harbour")


def test_arabic_and_hebrew_are_read_from_right_to_left(visit: Visit) -> None:
    page = open_note(visit, "direction.md")
    directions = page.locator(".prose p").evaluate_all("(all) => all.map((one) => getComputedStyle(one).direction)")
    assert directions == ["ltr", "rtl"]


def test_arabic_is_found_from_right_to_left(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9")
    hit = page.locator(".hit", has=page.locator(".hit-place", has_text="direction.md")).first
    line = hit.locator(".hit-line", has=page.locator("mark"))
    assert line.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
    assert hit.locator(".hit-place").evaluate("(one) => getComputedStyle(one).direction") == "ltr"


def test_a_tag_leads_to_its_documents(visit: Visit) -> None:
    page = open_note(visit, "harbour.md")
    tag = page.locator("article a.tag").first
    name = tag.inner_text()
    tag.click()
    expect(page.locator(".search-summary")).to_contain_text(f"with {name}")
    expect(page.locator(".hits .hit-place", has_text="harbour.md")).to_be_visible()
    page.get_by_role("searchbox").press("ArrowDown")
    expect(page.locator("a.hit-link").first).to_be_focused()


def test_a_tag_that_nobody_has_says_so(visit: Visit) -> None:
    visit.go("#/search?tag=nobody")
    expect(visit.page.get_by_role("heading", name="No document has #nobody")).to_be_visible()
