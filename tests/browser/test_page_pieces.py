"""A long document in the browser: the first text at once, the rest as it comes near, and every line within reach."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser_kit import Server, Visit, expect, serve, visiting

pytest_plugins = ("browser_fixtures",)

SECTIONS = 1200


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("long")
    words = "The gauge writes down every hour what the water does, and nobody reads it until the flood. " * 3
    sections = [f"## Section {n}\n\nPassage {n}. {words}[^note]\n" for n in range(SECTIONS)]
    (folder / "long.md").write_text(
        "# Long\n\n" + "\n".join(sections) + "\n[^note]: The only note.\n", encoding="utf-8"
    )
    (folder / "report.md").write_text("# Report\n\n" + "\n".join(sections[:600]) + "\n![[part]]\n", encoding="utf-8")
    (folder / "part.md").write_text("# Part\n\nThe old words.\n", encoding="utf-8")
    # The first piece is low for its letters, so that the places of those after it are guessed too high up.
    code = "```\n" + ("a line that is not folded " * 12 + "\n") * 150 + "```\n"
    ways = [*sections[:300], "The way to [the part](part.md) is here.\n", *sections[300:900]]
    (folder / "way.md").write_text("\n".join(["# Way", "", code, *ways]) + "\n![[part]]\n", encoding="utf-8")
    with serve(folder) as running:
        yield running


@pytest.fixture
def reader(browser: Any, server: Server) -> Iterator[Visit]:
    with visiting(browser, server) as opened:
        yield opened


def test_only_what_is_near_is_drawn(reader: Visit) -> None:
    reader.go("#/document?path=long.md")
    article = reader.page.locator("article.prose")
    expect(article.get_by_text("Passage 0.")).to_be_visible()
    waiting = article.locator(".piece[data-first-line]")
    assert waiting.count() > 5
    reader.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(article.get_by_text(f"Passage {SECTIONS - 1}.")).to_be_attached()
    assert waiting.count() > 3, "those between stay as they are"


def test_bands_are_drawn_where_the_reader_is(reader: Visit) -> None:
    reader.go("#/document?path=long.md")
    page = reader.page
    bands = page.locator(".band")
    expect(bands.first).to_be_visible()
    of_all = re.fullmatch(r"Chunk 1 of (\d+), .*", bands.first.get_attribute("aria-label"))
    assert of_all
    assert bands.count() * 3 < int(of_all[1])
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(bands.last).to_have_accessible_name(re.compile(f"Chunk {of_all[1]} of"))
    expect(page.locator(".outline a[aria-current]")).to_be_in_viewport()
    assert bands.count() * 3 < int(of_all[1])
    # The keys go on from there, as in a short document.
    bands.last.focus()
    page.keyboard.press("[")
    expect(page.locator(".band:focus")).to_have_accessible_name(re.compile(f"Chunk {int(of_all[1]) - 1} of"))


def test_a_line_far_away_is_shown(reader: Visit) -> None:
    line = 3 + 4 * 900
    reader.go(f"#/document?path=long.md&line={line}")
    heading = reader.page.locator("article").get_by_role("heading", name="Section 900", exact=True)
    expect(heading).to_be_in_viewport()
    target = reader.page.locator(".target-lines").bounding_box()
    assert abs(target["y"] - heading.bounding_box()["y"]) < 30


def test_the_outline_leads_to_a_piece_that_is_not_drawn(reader: Visit) -> None:
    reader.go("#/document?path=long.md")
    reader.page.locator(".outline a", has_text="Section 700").click()
    expect(reader.page.locator("article").get_by_role("heading", name="Section 700", exact=True)).to_be_in_viewport()


def test_footnotes_at_the_end_are_reached(reader: Visit) -> None:
    reader.go("#/document?path=long.md")
    reader.page.locator("article sup a").first.click()
    expect(reader.page.get_by_text("The only note.")).to_be_in_viewport()


@pytest.mark.parametrize("changed", [{"start_line": 1}, None])
def test_a_footnote_that_does_not_arrive_is_looked_for_once(reader: Visit, changed: dict[str, int] | None) -> None:
    """The document has just changed: its last piece has other lines, or is gone."""
    page = reader.page
    reader.go("#/document?path=long.md")
    note = page.locator("article sup a").first
    expect(note).to_be_visible()
    asked: list[str] = []

    def answer(route: Any) -> None:
        asked.append(route.request.url)
        if changed is None:
            route.fulfill(status=404, body="{}")
        else:
            route.fulfill(body=json.dumps({**route.fetch().json(), **changed}))

    page.route("**/api/piece?*", answer)
    with page.expect_response("**/api/piece?*"):
        note.click()
    page.wait_for_timeout(500)
    assert len(asked) == 1
    page.unroute("**/api/piece?*")
    note.click()
    expect(page.get_by_text("The only note.")).to_be_in_viewport()
    reader.errors = [error for error in reader.errors if "404" not in error]


def test_a_piece_follows_what_it_embeds_and_the_sidebar_what_links_here(reader: Visit, server: Server) -> None:
    page = reader.page
    reader.go(f"#/document?path=report.md&line={2 + 4 * 600}")
    embedded = page.locator("article .embed")
    expect(embedded).to_contain_text("The old words.")
    expect(page.locator(".aside-part", has_text="Linked from")).to_have_count(0)
    (server.folder / "part.md").write_text("# Part\n\nThe new words.\n", encoding="utf-8")
    (server.folder / "other.md").write_text("# Other\n\nSee [[report]].\n", encoding="utf-8")
    expect(embedded).to_contain_text("The new words.")
    expect(embedded).to_be_in_viewport()
    expect(page.locator(".aside-part", has_text="Linked from")).to_contain_text("See report.")


def test_back_returns_to_a_link_in_a_piece_that_is_not_drawn(reader: Visit, server: Server) -> None:
    page = reader.page
    text = (server.folder / "way.md").read_text(encoding="utf-8")
    line = text[: text.index("The way to")].count("\n") + 1
    reader.go("#/document?path=way.md")
    expect(page.locator("article pre")).to_be_visible()
    page.evaluate(
        """(line) => [...document.querySelectorAll(".piece[data-last-line]")]
          .find((piece) => Number(piece.dataset.lastLine) >= line).scrollIntoView()""",
        line,
    )
    link = page.locator("article").get_by_role("link", name="the part", exact=True)
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).to_have_text("part.md")
    # The server is busy: what is far down comes later than anybody would expect.
    page.clock.install()
    late: list[Any] = []
    page.route("**/api/piece?*", lambda route: late.append(route))  # noqa: PLW0108  it is given attributes
    with page.expect_request("**/api/piece?*"):
        page.go_back()
    expect(page.locator(".document-head .mono")).to_have_text("way.md")
    page.clock.fast_forward(20_000)
    for route in late:
        route.continue_()
    page.unroute("**/api/piece?*")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
