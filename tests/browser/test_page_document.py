"""Reading a document beside its chunks."""

from __future__ import annotations

from typing import Any

from browser_kit import Server, Visit, expect

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
        distances = page.evaluate(DISTANCES, path)
        assert distances
        assert max(distances) < 4, path


def test_a_band_lights_up_its_text(visit: Visit) -> None:
    page = open_document(visit, "troubleshooting.md")
    glow = page.locator(".chunk-glow")
    expect(glow).to_be_hidden()
    page.locator(".band").nth(1).hover()
    expect(glow).to_be_visible()
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
    backlinks.get_by_role("link").filter(has_text="index.md").first.click()
    expect(page.locator(".document-head .mono")).to_have_text("index.md")
    expect(page.locator(".target-lines")).to_be_in_viewport()
    page.go_back()
    expect(page.locator(".document-head .mono")).to_have_text("calibration.md")


def test_the_outline_leads_to_its_headings(visit: Visit) -> None:
    page = open_document(visit, "troubleshooting.md")
    page.locator(".outline a").last.click()
    expect(page.locator(".target-lines")).to_be_in_viewport()
    expect(page.locator(".prose h2").last).to_be_in_viewport()


def test_the_line_asked_for_is_marked(visit: Visit) -> None:
    page = open_document(visit, "troubleshooting.md", "&line=46&end=50")
    expect(page.locator(".target-lines")).to_be_in_viewport()
    marked, heading = page.evaluate(
        """() => [".target-lines", '.prose [data-start-line="46"]']
          .map((one) => document.querySelector(one).getBoundingClientRect().top)"""
    )
    assert abs(marked - heading) < 4


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


def test_a_document_that_is_not_there_is_an_error(visit: Visit) -> None:
    visit.go("#/document?path=nowhere.md")
    expect(visit.page.get_by_role("alert")).to_contain_text("nowhere.md")
    assert all("404" in error for error in visit.errors)
    visit.errors.clear()


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
