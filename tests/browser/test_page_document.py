"""Reading a document: its text first, and around it what belongs to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser_kit import FRAMES, PHONE, Server, Visit, expect, overflow, serve, visiting

pytest_plugins = ["browser_fixtures"]


# Distance in pixels between the top of each band and the top of the block its chunk begins with.
DISTANCES = """async (path) => {
  const { chunks } = await (await fetch(`/api/document?path=${path}`)).json();
  const bands = [...document.querySelectorAll(".band")];
  if (bands.length !== chunks.length) return [`${bands.length} bands for ${chunks.length} chunks`];
  return chunks.flatMap((chunk, at) => {
    const block = document.querySelector(`.prose [data-start-line="${chunk.start_line}"]`);
    return block ? [Math.abs(block.getBoundingClientRect().top - bands[at].getBoundingClientRect().top)] : [];
  });
}"""


def open_document(visit: Visit, path: str, rest: str = "") -> Any:
    visit.go(f"#/document?path={path}{rest}")
    expect(visit.page.locator(".document-head .mono")).to_have_text(path)
    expect(visit.page.locator(".band").first).to_be_visible()
    return visit.page


def test_bands_lie_beside_the_text_of_their_chunks(visit: Visit) -> None:
    for path in ("troubleshooting.md", "calibration.md", "gauge-widget.mdx"):
        page = open_document(visit, path)
        page.evaluate(FRAMES)
        distances = page.evaluate(DISTANCES, path)
        assert distances
        assert max(distances) < 4, path


COUNT_GESTURES = """
window.gestures = { keys: 0, clicks: 0 };
addEventListener("keydown", () => (window.gestures.keys += 1), true);
addEventListener("pointerdown", () => (window.gestures.clicks += 1), true);
"""


def test_a_newcomer_finds_a_page_and_sees_why_it_is_cut_where_it_is(visit: Visit) -> None:
    """Both tasks by keys, and by clicks, without anything that must be known before."""
    page = visit.page
    page.add_init_script(COUNT_GESTURES)
    question = "when the water moves"
    visit.go()
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type(question)
    expect(page.locator(".hit-link").first).to_contain_text("When the water will not hold still")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".target-lines")).to_be_in_viewport()
    assert page.evaluate("gestures") == {"keys": len(question) + 2, "clicks": 0}
    page.keyboard.press("]")
    expect(page.locator(".band.active .band-reason")).to_be_in_viewport()
    expect(page.locator(".band.active .band-reason")).to_have_text("Cut here because a section begins.")
    assert page.evaluate("gestures") == {"keys": len(question) + 3, "clicks": 0}

    page.goto("about:blank")
    visit.go("#/search?q=when+the+water+moves")
    page.locator(".hit-link").first.click()
    expect(page.locator(".target-lines")).to_be_in_viewport()
    page.locator(".band").nth(1).hover()
    expect(page.locator(".band.active .band-reason")).to_have_text("Cut here because a section begins.")
    assert page.evaluate("gestures") == {"keys": 0, "clicks": 1}


def test_the_label_of_a_band_is_above_the_outline(visit: Visit) -> None:
    page = open_document(visit, "troubleshooting.md")
    page.locator(".band").nth(1).hover()
    label = page.locator(".band.active .band-label")
    expect(label).to_be_visible()
    covered = """(label) => {
      const { left, top, width, height } = label.getBoundingClientRect();
      const place = [left + width / 2, top + height / 2];
      return label.contains(document.elementFromPoint(...place));
    }"""
    assert label.evaluate(covered)


def test_a_band_lights_up_its_text(visit: Visit) -> None:
    page = open_document(visit, "troubleshooting.md")
    glow = page.locator(".chunk-glow")
    page.locator(".prose p").first.hover()
    expect(glow).to_be_hidden()
    expect(page.locator(".band-label").nth(1)).to_be_hidden()
    page.locator(".band").nth(1).hover()
    expect(glow).to_be_visible()
    expect(page.locator(".band-label").nth(1)).to_contain_text("tokens")
    tops = page.evaluate(
        """() => [".chunk-glow", ".band:nth-child(2)"]
          .map((one) => document.querySelector(one).getBoundingClientRect().top)"""
    )
    assert abs(tops[0] - tops[1]) < 4
    page.mouse.move(0, 0)
    expect(glow).to_be_hidden()
    page.keyboard.press("]")
    expect(page.locator(".band").first).to_be_focused()
    page.keyboard.press("]")
    expect(page.locator(".band").nth(1)).to_be_focused()
    expect(glow).to_be_visible()


def test_links_between_documents_stay_in_the_page(visit: Visit) -> None:
    page = open_document(visit, "index.md")
    page.locator(".prose").get_by_role("link", name="Calibration", exact=True).first.click()
    expect(page.locator(".document-head .mono")).to_have_text("calibration.md")
    expect(page.locator(".target-lines")).to_be_in_viewport()
    backlinks = page.locator(".aside-part").filter(has_text="Linked from")
    expect(backlinks).to_contain_text("which is why calibration comes before everything else.")
    # A link by the title of the document, and one by the sentence; its path stands beside them.
    expect(backlinks.locator("li", has_text="index.md").get_by_role("link").first).to_have_text("Tidewater handbook")
    backlinks.get_by_role("link", name="calibration comes before everything else").click()
    expect(page.locator(".document-head .mono")).to_have_text("index.md")
    expect(page.locator(".target-lines")).to_be_in_viewport()
    page.go_back()
    expect(page.locator(".document-head .mono")).to_have_text("calibration.md")


def test_the_outline_leads_to_its_headings(visit: Visit) -> None:
    page = open_document(visit, "troubleshooting.md")
    page.locator(".outline a").last.click()
    expect(page.locator(".target-lines")).to_be_in_viewport()
    expect(page.locator(".prose h2").last).to_be_in_viewport()
    current = page.locator(".outline a[aria-current]")
    expect(current).to_have_text(page.locator(".outline a").last.inner_text())
    page.evaluate("scrollTo(0, 0)")
    expect(current).to_have_text(page.locator(".outline a").first.inner_text())


# How many letters each full line of the paragraphs has.
LETTERS = """() => [...document.querySelectorAll(".prose .piece > p")].flatMap((paragraph) => {
  const lines = new Map();
  const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    for (let at = 0; at < text.data.length; at += 1) {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const line = Math.round(range.getBoundingClientRect().bottom / 10);
      lines.set(line, (lines.get(line) ?? 0) + 1);
    }
  }
  return [...lines.values()].slice(0, -1);
})"""
SHOWN = """() => [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility() && one.clientHeight)
  .filter((one) => !one.closest(".document-text, .document-head > h1") && !one.querySelector(".document-text"))
  .map((one) => one.className)"""


def test_the_text_comes_first(visit: Visit) -> None:
    page = open_document(visit, "index.md")
    letters = sorted(page.evaluate(LETTERS))
    assert 60 <= letters[len(letters) // 4] <= letters[len(letters) // 2] <= 75
    page.emulate_media(media="print", color_scheme="dark")
    assert [name for name in page.evaluate(SHOWN) if name not in ("document-head", "found-bar")] == []
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')") == "#fbfbf9"
    page.emulate_media(media="screen", color_scheme="light")

    page.set_viewport_size(PHONE)
    expect(page.locator(".outline")).to_be_hidden()
    assert page.locator(".prose p").first.bounding_box()["y"] < PHONE["height"] / 2
    page.get_by_role("button", name="Contents and links").click()
    sheet = page.get_by_role("dialog", name="Contents and links")
    expect(sheet.get_by_role("heading", name="Linked from")).to_be_visible()
    assert overflow(page) == []
    sheet.locator(".outline a").last.click()
    expect(sheet).to_be_hidden()
    expect(page.locator(".target-lines")).to_be_in_viewport()


def test_an_address_that_leads_nowhere_offers_the_nearest(visit: Visit) -> None:
    page = visit.page
    visit.go("#/document?path=guides/calibrations.md")
    expect(page.get_by_role("heading", name="Document not found")).to_be_visible()
    expect(page.locator(".missing-document")).to_contain_text("guides/calibrations.md is not in this folder")
    expect(page.get_by_role("link", name="Search for “calibrations”")).to_be_visible()
    page.locator(".missing-document").get_by_role("link", name="Calibration", exact=True).click()
    expect(page.locator(".document-head .mono")).to_have_text("calibration.md")
    for address in ("nonsense", "document/calibration.md"):
        visit.go(f"#/{address}")
        expect(page.get_by_role("heading", name="Not found")).to_be_visible()
        expect(page.get_by_role("main")).to_contain_text(f"“{address}”")
    page.get_by_role("main").get_by_role("link", name="Search").click()
    expect(page.get_by_role("heading", name="Search your documents")).to_be_visible()
    # The browser itself reports the status of the answer.
    assert all("404" in error for error in visit.errors)
    visit.errors.clear()


def test_a_read_only_index_says_so(visit: Visit) -> None:
    page = visit.page
    status = page.request.get(f"{visit.address}/api/status").json()
    assert status["read_only"] is False
    models = [{"role": "instant", "name": "instant", "done": 9, "total": 9}]
    stays = {**status, "read_only": True, "pending": 20, "model": "deep", "models": models, "answering": "instant"}
    page.route("**/api/status", lambda route: route.fulfill(json=stays))
    visit.go("#/status")
    expect(page.locator("#index-state")).to_have_text("Read-only")
    expect(page.get_by_text("This server is read-only")).to_be_visible()
    expect(page.get_by_text(re.compile("prepar", re.IGNORECASE))).to_have_count(0)


def test_the_line_asked_for_is_marked(visit: Visit) -> None:
    page = open_document(visit, "troubleshooting.md", "&line=46&end=50")
    expect(page.locator(".target-lines")).to_be_in_viewport()
    marked, heading = page.evaluate(
        """() => [".target-lines", '.prose [data-start-line="46"]']
          .map((one) => document.querySelector(one).getBoundingClientRect().top)"""
    )
    assert abs(marked - heading) < 4


MARKED = """(text) => {
  const mark = document.querySelector(".target-lines").getBoundingClientRect();
  const walker = document.createTreeWalker(document.querySelector(".prose"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(text);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + text.length);
    const { top, bottom } = range.getBoundingClientRect();
    return { inside: top >= mark.top - 3 && bottom <= mark.bottom + 3, lines: mark.height / (bottom - top) };
  }
}"""


@pytest.mark.parametrize(
    ("line", "text"), [(53, "a level above the sensor"), (26, "count to ten"), (17, "It is red"), (18, "Weed on the")]
)
def test_a_row_and_an_item_are_marked_alone(visit: Visit, line: int, text: str) -> None:
    page = open_document(visit, "troubleshooting.md", f"&line={line}")
    expect(page.locator(".target-lines")).to_be_in_viewport()
    marked = page.evaluate(MARKED, text)
    assert marked["inside"]
    assert marked["lines"] < 3


def test_a_line_of_code_is_marked_alone(visit: Visit) -> None:
    page = open_document(visit, "installing.md", "&line=59")
    expect(page.locator(".target-lines")).to_be_in_viewport()
    expect(page.locator(".code-copy").first).to_be_attached()
    page.evaluate(FRAMES)
    marked = page.evaluate(MARKED, "sensor_height")
    assert marked["inside"]
    assert marked["lines"] < 2


def test_lines_that_are_folded_away_are_unfolded(visit: Visit) -> None:
    page = open_document(visit, "troubleshooting.md")
    expect(page.locator(".prose details")).not_to_have_attribute("open", "")
    page = open_document(visit, "troubleshooting.md", "&line=36")
    expect(page.locator(".prose details")).to_have_attribute("open", "")
    expect(page.locator(".target-lines")).to_be_in_viewport()


def test_documents_are_listed_and_narrowed(visit: Visit) -> None:
    page = visit.page
    visit.go("#/document")
    expect(page.locator(".document-rows [role=treeitem]")).to_have_count(8)
    page.get_by_label("Filter").fill("gauge inst")
    expect(page.locator(".document-rows [role=treeitem]")).to_have_count(1)
    page.locator(".document-rows a").click()
    expect(page.locator(".document-head .mono")).to_have_text("installing.md")


def test_a_document_that_is_edited_shows_what_it_says_now(visit: Visit, handbook_server: Server) -> None:
    page = open_document(visit, "publishing.md")
    file = handbook_server.folder / "publishing.md"
    before = file.read_text(encoding="utf-8")
    file.write_text(before + "\n## Just added\n\nBy another program.\n", encoding="utf-8")
    try:
        expect(page.locator(".prose")).to_contain_text("By another program.")
        expect(page.locator(".outline")).to_contain_text("Just added")
    finally:
        file.write_text(before, encoding="utf-8")
    expect(page.locator(".prose")).not_to_contain_text("By another program.")


def test_a_hub_shows_some_of_its_backlinks_and_the_others_on_demand(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "hub.md").write_text("# Hub\n", encoding="utf-8")
    for number in range(30):
        text = f"# Spoke {number}\n\nFirst to the [hub](hub.md).\n\nThen to the [hub](hub.md) again.\n"
        (tmp_path / f"spoke {number:02}.md").write_text(text, encoding="utf-8")
    with serve(tmp_path) as server, visiting(browser, server) as visit:
        page = visit.page
        visit.go("#/document?path=hub.md")
        sentences = page.locator(".backlinks .aside-text")
        expect(sentences).to_have_count(40)
        page.locator(".backlinks").get_by_role("button", name="Show more").click()
        expect(sentences).to_have_count(60)
        expect(page.locator(".backlinks button")).to_have_count(0)
