"""Finding by the palette, by recent searches, by facets, and page by page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_kit import PHONE, Server, Serving, Visit, expect, expect_address, flaws, overflow, serve, visiting

pytest_plugins = ["browser_fixtures"]


FOLDERS = ("guides", "guides/setup", "logs")


@pytest.fixture(scope="module")
def logbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A folder whose searches have several pages: 90 notes about the tide."""
    root = tmp_path_factory.mktemp("logbook")
    for number in range(90):
        folder = root / FOLDERS[number % 3]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"note-{number}.md").write_text(
            f"---\ntags: [{'water' if number % 2 else 'land'}]\nstatus: {'draft' if number % 5 else 'done'}\n---\n"
            f"# Note {number}\n\nThe tide of day {number} was {number * 37 % 91} steps above stone"
            f" {number * 53 % 89}.\n"
            f"Nobody but keeper {number * 7 % 83} saw it.\n",
            encoding="utf-8",
        )
    with serve(root) as server:
        yield server


@pytest.fixture
def tides(browser: Any, logbook: Server) -> Iterator[Visit]:
    with visiting(browser, logbook) as opened:
        opened.go("#/search?q=tide&mode=keyword")
        expect(opened.page.locator("#search-summary")).to_contain_text("of 90 passages")
        yield opened


# -- pages


def test_more_hits_come_by_the_button_and_nothing_moves(tides: Visit) -> None:
    page = tides.page
    hits = page.locator(".hit-place")
    expect(page.locator("#search-summary")).to_contain_text("20 of 90 passages")
    expect(hits).to_have_count(20)
    before = hits.all_inner_texts()
    page.evaluate("document.querySelector('.more button').click()")
    expect(page.locator("a.hit-link").nth(20)).to_be_focused()
    after = hits.all_inner_texts()
    assert after[:20] == before
    assert len(set(after)) == len(after) >= 40


def test_scrolling_brings_all_hits_and_the_list_ends(tides: Visit) -> None:
    page = tides.page
    for count in (40, 60, 80, 90):
        page.locator(".more").scroll_into_view_if_needed()
        expect(page.locator(".hit")).to_have_count(count)
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)


def test_the_next_pages_belong_to_the_search_that_is_shown(tides: Visit) -> None:
    page = tides.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "offset=20" in request.url else None)
    page.evaluate("document.querySelector('.more button').click()")
    expect(page.locator(".hit")).to_have_count(40)
    assert len(asked) == 1
    assert "q=tide" in asked[0]
    assert "mode=keyword" in asked[0]
    page.get_by_role("searchbox", name="Search").fill("keeper")
    expect(page.locator("#announcer")).to_contain_text("for keeper")
    expect(page.locator(".hit")).to_have_count(20)


def test_no_page_follows_while_another_search_is_awaited(tides: Visit) -> None:
    page = tides.page
    held: list[Any] = []
    late: list[str] = []
    page.on("request", lambda request: late.append(request.url) if "offset=" in request.url else None)
    page.route("**/api/search?q=keeper*", lambda route: held.append(route))  # noqa: PLW0108  it is given attributes
    with page.expect_request("**/api/search?q=keeper*"):
        page.get_by_role("searchbox", name="Search").fill("keeper")
    page.evaluate("document.querySelector('.more button').click()")
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")
    for route in held:
        route.continue_()
    expect(page.locator("#announcer")).to_contain_text("for keeper")
    assert late == []
    expect(page.locator(".hit")).to_have_count(20)


# -- facets


def narrow(page: Any, facet: str, value: str) -> None:
    """Open a facet, and choose one of its values."""
    page.get_by_role("group", name="Narrow the search").get_by_role("button", name=facet, exact=True).click()
    page.get_by_role("button", name=f"Narrow to {value}").click()


def test_a_facet_leaves_what_it_says_and_can_be_removed(tides: Visit) -> None:
    page = tides.page
    facets = page.get_by_role("group", name="Narrow the search")
    narrow(page, "Folder", "guides/: 60 passages")
    expect(page.locator("#search-summary")).to_contain_text("20 of 60 passages")
    narrow(page, "Folder", "setup/: 30 passages")
    expect(page.locator("#search-summary")).to_contain_text("20 of 30 passages")
    narrow(page, "Tag", "water: 15 passages")
    expect(page.locator("#search-summary")).to_contain_text("15 passages")
    expect_address(page, "tag=water")
    narrow(page, "status", "done: 3 passages")
    expect(page.locator(".hit")).to_have_count(3)
    page.reload()
    expect(page.locator(".hit")).to_have_count(3)
    for name in ("#water", "status=done", "guides/setup/"):
        facets.get_by_role("button", name=f"Remove the filter {name}").click()
    expect(page.locator("#search-summary")).to_contain_text("20 of 90 passages")


def test_on_a_phone_the_chips_are_one_line_to_its_edge(browser: Any, logbook: Server) -> None:
    with visiting(browser, logbook, viewport=PHONE, has_touch=True) as visit:
        page = visit.page
        visit.go("#/search?q=tide")
        facets = page.get_by_role("group", name="Narrow the search")
        expect(facets.get_by_role("button").nth(2)).to_be_visible()
        line, filters = facets.bounding_box(), page.locator(".filters").bounding_box()
        assert filters["x"] + filters["width"] <= line["x"] + 3  # room for the outline of a chip that has the focus
        assert line["x"] + line["width"] == PHONE["width"]
        assert abs(line["y"] + line["height"] / 2 - filters["y"] - filters["height"] / 2) < 1
        assert page.locator(".hit").first.bounding_box()["y"] < 250
        assert overflow(page) == []


# -- recent searches


def test_recent_searches_are_offered_and_can_be_cleared(visit: Visit) -> None:
    page = visit.page
    visit.go()
    box = page.get_by_role("searchbox", name="Search")
    box.fill("battery")
    expect(page.locator("#announcer")).to_contain_text("for battery")
    page.locator("a.hit-link").first.click()
    expect(page.locator(".document-head")).to_be_visible()
    visit.go("#/search")
    box.fill("")
    recent = page.get_by_role("list", name="Recent searches")
    expect(recent.get_by_role("link")).to_have_text(["battery"])
    recent.get_by_role("link", name="battery").click()
    expect(page.locator(".hit").first).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.locator("#palette-list").get_by_role("option").first).to_contain_text("battery")
    page.get_by_role("combobox", name="Go to").fill("clear recent")
    page.keyboard.press("Enter")
    box.fill("")
    expect(page.get_by_role("heading", name="Search your documents")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Search your documents")).to_be_visible()
    expect(recent).to_have_count(0)


def remember_a_search(visit: Visit, query: str) -> None:
    """Search, and open the first hit."""
    page = visit.page
    visit.go()
    page.get_by_role("searchbox", name="Search").fill(query)
    expect(page.locator("#announcer")).to_contain_text(f"for {query}")
    page.locator("a.hit-link").first.click()
    expect(page.locator(".document-head")).to_be_visible()


def test_each_folder_has_its_own_recent_searches(browser: Any, tmp_path: Path) -> None:
    for name in ("tide", "moon"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.md").write_text(f"# Note\n\nAbout the {name}.\n", encoding="utf-8")
    serving = Serving(tmp_path / "tide")
    try:
        with visiting(browser, serving.start()) as visit:
            recent = visit.page.get_by_role("list", name="Recent searches").get_by_role("link")
            remember_a_search(visit, "tide")
            for name, searches in (("moon", []), ("tide", ["tide"])):
                visit.page.goto("about:blank")
                serving.stop()
                serving.start(folder=tmp_path / name)
                visit.go()
                # The size of the folder is known with its status.
                expect(visit.page.locator(".empty")).to_contain_text("1 document")
                expect(recent).to_have_text(searches)
    finally:
        serving.stop()


def test_recent_searches_are_not_drawn_again_at_each_poll(visit: Visit) -> None:
    page = visit.page
    remember_a_search(visit, "battery")
    visit.go("#/search")
    page.get_by_role("searchbox", name="Search").fill("")
    link = page.get_by_role("list", name="Recent searches").get_by_role("link").element_handle()
    # All have heard the first answer when the second one is asked for.
    for _ in range(2):
        with page.expect_response("**/api/status"):
            page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    assert link.evaluate("(link) => link.isConnected")


# -- palette


def palette(page: Any) -> Any:
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Go to")
    expect(field).to_be_focused()
    return field


def active(page: Any) -> Any:
    """The row that Enter would choose, wherever it stands by now: names may come after a key."""
    chosen = '#palette-list [role="option"][aria-selected="true"]'
    field = page.get_by_role("combobox", name="Go to")
    named, selected = field.evaluate(
        "(field, chosen) => [field.getAttribute('aria-activedescendant'), document.querySelector(chosen)?.id]", chosen
    )
    assert named == selected, "screen readers are told of the row that is marked"
    return page.locator(chosen)


def test_the_palette_finds_a_document_by_the_beginning_of_its_title(visit: Visit) -> None:
    page = visit.page
    visit.go("#/graph")
    palette(page).press_sequentially("calib")
    documents = page.get_by_role("group", name="Documents")
    expect(documents.get_by_role("option").first).to_contain_text("calibration.md")
    expect(active(page)).to_contain_text("calibration.md")
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).to_have_text("calibration.md")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_what_is_typed_before_the_palette_is_there_goes_into_it(visit: Visit) -> None:
    page = visit.page
    held: list[Any] = []
    page.route("**/palette/palette.js", lambda route: held.append(route))  # noqa: PLW0108  playwright wants a function
    visit.go()
    box = page.get_by_role("searchbox", name="Search")
    expect(box).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.type("calib")
    expect(box).to_have_value("")
    for route in held:
        route.continue_()
    expect(page.get_by_role("combobox", name="Go to")).to_have_value("calib")
    expect(page.get_by_role("group", name="Documents")).to_contain_text("calibration.md")
    page.keyboard.type("ration")
    expect(page.get_by_role("combobox", name="Go to")).to_have_value("calibration")


def test_enter_waits_for_the_answer_to_the_words_in_the_field(visit: Visit) -> None:
    page = visit.page
    visit.go()
    field = palette(page)
    field.fill("battery")
    expect(page.get_by_role("group", name="Passages")).to_be_visible()
    held: list[Any] = []
    page.route("**/api/search?q=torque*", lambda route: held.append(route))  # noqa: PLW0108  it is given attributes
    with page.expect_request("**/api/search?q=torque*"):
        field.fill("torque wrench")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    for route in held:
        route.continue_()
    expect(page.locator(".prose")).to_contain_text("torque wrench")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_titles_and_headings_match_at_the_first_key_without_a_request(visit: Visit) -> None:
    page = visit.page
    with page.expect_response("**/api/headings"):
        visit.go("#/status")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/search" in request.url else None)
    held: list[Any] = []
    page.route("**/api/search?*", lambda route: held.append(route))  # noqa: PLW0108  it is given attributes
    page.locator("#palette-open").click()
    shown = page.evaluate("""() => {
      const field = document.querySelector(".palette-input");
      field.value = "c";
      field.dispatchEvent(new Event("input"));
      return [...document.querySelectorAll(".palette-group")].map((group) => group.textContent);
    }""")
    assert asked == []
    assert any(text.startswith("Documents") and "calibration.md" in text for text in shown)
    assert any(text.startswith("Headings") for text in shown)
    page.get_by_role("combobox", name="Go to").fill("calib")
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).to_have_text("calibration.md")


def test_a_row_reached_by_arrows_stays_chosen_when_the_answer_comes(visit: Visit) -> None:
    page = visit.page
    visit.go()
    held: list[Any] = []
    page.route("**/api/search?*", lambda route: held.append(route))  # noqa: PLW0108  it is given attributes
    field = palette(page)
    with page.expect_request("**/api/search?*"):
        field.fill("gauge")
    page.keyboard.press("ArrowUp")
    expect(active(page)).to_contain_text("Search for “gauge”")
    for route in held:
        route.continue_()
    expect(page.get_by_role("group", name="Passages").get_by_role("option").first).to_be_visible()
    expect(active(page)).to_contain_text("Search for “gauge”")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#/search.q=gauge"))


def test_what_was_found_stays_in_sight_while_more_is_typed(visit: Visit) -> None:
    page = visit.page
    visit.go()
    palette(page).fill("calib")
    expect(active(page)).to_contain_text("calibration.md")
    seen = page.evaluate("""() => {
      const field = document.querySelector(".palette-input");
      field.value = "calibration";
      field.dispatchEvent(new Event("input"));
      return getComputedStyle(document.querySelector(".palette-row")).visibility;
    }""")
    assert seen == "visible"


def test_the_palette_forgives_typing_errors(visit: Visit) -> None:
    page = visit.page
    visit.go()
    palette(page).fill("calibratoin")
    expect(page.locator(".palette-row", has_text="calibration.md").first).to_be_visible()


def test_the_palette_has_headings_and_passages_that_lead_to_their_lines(visit: Visit) -> None:
    page = visit.page
    visit.go()
    palette(page).fill("battery")
    rows = page.get_by_role("group", name=re.compile("Headings|Passages")).get_by_role("option")
    expect(rows.first).to_be_visible()
    rows.first.click()
    expect(page.locator(".target-lines").first).to_be_in_viewport()


def test_a_long_passage_leaves_room_for_its_place(visit: Visit) -> None:
    page = visit.page
    visit.go()
    palette(page).fill("gauge")
    expect(page.get_by_role("group", name="Passages").get_by_role("option").nth(3)).to_be_visible()
    cut = """() => [...document.querySelectorAll(".palette-detail")]
      .filter((place) => place.scrollWidth > place.clientWidth).map((place) => place.textContent)"""
    assert page.evaluate(cut) == []


def test_a_heading_leads_to_the_best_of_its_hits(visit: Visit) -> None:
    page = visit.page

    def with_worse_hits(route: Any) -> None:
        """As if each section were so long that a later part of it is found, too."""
        answer = route.fetch().json()
        worse = [{**hit, "start_line": hit["end_line"]} for hit in answer["hits"]]
        route.fulfill(json={**answer, "hits": answer["hits"] + worse})

    page.route("**/api/search?*", with_worse_hits)
    visit.go()
    with page.expect_response("**/api/search?q=still*") as found:
        palette(page).fill("still")
    best = next(hit for hit in found.value.json()["hits"] if "still" in hit["breadcrumb"].rpartition(" > ")[2])
    page.get_by_role("group", name="Headings").get_by_role("option").first.click()
    expect(page).to_have_url(re.compile(f"line={best['start_line']}(&|$)"))


def test_the_link_to_a_page_is_copied_without_leave_for_the_clipboard(visit: Visit) -> None:
    page = visit.page
    visit.go("#/graph")
    page.evaluate("""() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
      document.execCommand = () => Boolean((window.copied = getSelection().toString()));
    }""")
    palette(page).fill("copy a link")
    page.keyboard.press("Enter")
    expect(page.locator("#announcer")).to_have_text("Link copied")
    assert page.evaluate("window.copied").endswith("#/graph")


def test_commands_run_by_key(visit: Visit) -> None:
    page = visit.page
    visit.go()
    theme = page.evaluate("document.documentElement.dataset.theme")
    palette(page).fill("theme")
    page.keyboard.press("Enter")
    # The command runs once the names are known, which come before it.
    page.wait_for_function("theme => document.documentElement.dataset.theme !== theme", arg=theme)
    palette(page).fill("gra")
    expect(active(page)).to_contain_text("Graph")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#/graph"))


def test_what_a_heading_is_called_goes_before_commands(visit: Visit) -> None:
    page = visit.page
    visit.go()
    palette(page).fill("settings")
    expect(page.get_by_role("option", name="Playground")).to_be_visible()
    expect(active(page)).to_contain_text("The gauge widget")


def test_no_command_is_chosen_before_names_are_known(visit: Visit) -> None:
    page = visit.page
    held: list[Any] = []
    is_open = False

    def hold(route: Any) -> None:
        if is_open:
            route.continue_()
        else:
            held.append(route)

    page.route("**/api/headings", hold)
    page.route("**/api/search*", hold)
    visit.go("#/status")
    palette(page).fill("settings")
    expect(page.get_by_role("option", name="Playground")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    is_open = True
    for route in held:
        route.continue_()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page).to_have_url(re.compile("#/document"))


def test_arrows_go_round_and_escape_gives_the_focus_back(visit: Visit) -> None:
    page = visit.page
    visit.go()
    box = page.get_by_role("searchbox", name="Search")
    expect(box).to_be_focused()
    palette(page)
    expect(page.locator("#palette-list").get_by_role("option", selected=True)).to_have_count(1)
    page.keyboard.press("ArrowUp")
    expect(active(page)).to_have_attribute("aria-selected", "true")
    expect(active(page)).to_be_in_viewport()
    page.keyboard.press("ArrowDown")
    expect(active(page)).to_have_attribute("id", "palette-row-0")
    page.keyboard.press("Escape")
    expect(box).to_be_focused()
    palette(page)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_everything_can_be_searched_from_the_palette(visit: Visit) -> None:
    page = visit.page
    visit.go("#/status")
    palette(page).fill("quay wall")
    page.get_by_role("option", name="Search for “quay wall”").click()
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("quay wall")


def test_nothing_is_inaccessible(browser: Any, logbook: Server) -> None:
    with visiting(browser, logbook) as visit:
        page = visit.page
        visit.go("#/search?q=tide&tag=water")
        expect(page.locator(".facet").first).to_be_visible()
        assert flaws(page, "finding-facets") == []
        page.locator("#palette-open").click()
        page.get_by_role("combobox", name="Go to").fill("note")
        expect(page.locator(".palette-row").nth(3)).to_be_visible()
        assert flaws(page, "finding-palette") == []
