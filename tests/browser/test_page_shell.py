"""What holds in every view: keys, theme, the way between views."""

from __future__ import annotations

import pytest
from browser_kit import Visit, expect, overflow

pytest_plugins = ["browser_fixtures"]


HEADINGS = ["Search", "Documents", "Playground", "Graph", "Ask", "Status"]


def test_every_view_has_a_digit_and_a_letter(visit: Visit) -> None:
    page = visit.page
    visit.go("#/status")
    expect(page.get_by_role("heading", name="Status", level=1)).to_be_attached()
    for digit, letter, heading in zip("123456", "sdprai", HEADINGS, strict=True):
        for keys in ([digit], ["g", letter]):
            page.keyboard.press("Escape")
            for key in keys:
                page.keyboard.press(key)
            expect(page.locator(".views a[aria-current]")).to_have_text(heading)
            expect(page.get_by_role("heading", name=heading, level=1)).to_be_attached()
            page.evaluate("document.activeElement.blur()")


def test_slash_searches_from_anywhere(visit: Visit) -> None:
    page = visit.page
    visit.go("#/status")
    expect(page.locator(".figures")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type("a/b?")
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("a/b?")


def test_the_list_of_keys_opens_and_closes(visit: Visit) -> None:
    page = visit.page
    visit.go("#/status")
    expect(page.locator(".figures")).to_be_visible()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_label("Enable single-key shortcuts").uncheck()
    dialog.get_by_role("button", name="Close").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("1")
    expect(page.locator(".views a[aria-current]")).to_have_text("Status")


def test_the_theme_is_the_systems_until_one_is_chosen(visit: Visit) -> None:
    page = visit.page
    theme = page.locator("html")
    page.emulate_media(color_scheme="dark")
    visit.go("#/status")
    expect(theme).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Use the light theme").click()
    expect(theme).to_have_attribute("data-theme", "light")
    page.reload()
    expect(theme).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Use the dark theme").click()
    page.emulate_media(color_scheme="light")
    expect(theme).to_have_attribute("data-theme", "light")


def test_the_skip_link_comes_first_and_leads_to_the_content(visit: Visit) -> None:
    page = visit.page
    visit.go("#/status")
    expect(page.locator(".figures")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    expect(page).to_have_url(f"{visit.address}/#/status")


def test_a_view_is_found_as_it_was_left(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=battery")
    expect(page.locator(".hit").first).to_be_visible()
    page.get_by_role("link", name="Status", exact=True).click()
    expect(page.locator(".figures")).to_be_visible()
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Search").click()
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("battery")
    expect(page.locator(".hit").first).to_be_visible()
    expect(page).to_have_url(f"{visit.address}/#/search?q=battery")


@pytest.mark.parametrize("width", [1400, 1300, 1024, 390])
def test_the_bar_says_whole_that_all_is_up_to_date(visit: Visit, width: int) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": 800})
    visit.go("#/status")
    page.locator("#index-state[data-state=fresh]").wait_for(state="attached")
    page.evaluate("() => (document.getElementById('folder').textContent = 'the-documentation-of-everything')")
    text = page.locator("#index-state .state-text")
    assert text.evaluate("(one) => one.scrollWidth <= one.clientWidth || one.clientWidth <= 1")
    assert overflow(page) == []


def test_status_follows_the_folder(visit: Visit, handbook_server: object) -> None:
    page = visit.page
    visit.go("#/status")
    documents = page.locator(".figures div").filter(has_text="document").locator("dd")
    before = int(documents.inner_text())
    folder = handbook_server.folder  # type: ignore[attr-defined]
    (folder / "extra.md").write_text("# Extra\n\nOne more page.\n", encoding="utf-8")
    try:
        expect(documents).to_have_text(str(before + 1))
    finally:
        (folder / "extra.md").unlink()
    expect(documents).to_have_text(str(before))


def test_what_is_loaded_ahead_waits_until_the_view_has_its_answer(visit: Visit) -> None:
    page, held, asked = visit.page, [], []
    page.route("**/api/graph", lambda route: held.append(route))  # noqa: PLW0108  it is given attributes
    page.on("request", lambda request: asked.append(request.url))
    visit.go("#/graph")
    expect(page.locator(".graph-waiting")).to_be_visible()
    page.wait_for_timeout(500)
    assert not [url for url in asked if url.endswith(("/api/headings", "/palette/palette.js"))]
    with page.expect_request("**/api/headings"):
        held.pop().continue_()
    expect(page.locator("canvas[data-layout]")).to_be_visible()
