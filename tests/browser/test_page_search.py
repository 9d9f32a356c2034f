"""Searching, as a person would: by typing, by keys, by mouse."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from browser_kit import PHONE, Visit, expect, expect_address, playwright

pytest_plugins = ["browser_fixtures"]


def search(page: Any, query: str) -> Any:
    """Type a query; the hits, once they answer it."""
    page.get_by_role("searchbox", name="Search").fill(query)
    expect(page.locator("#announcer")).to_contain_text(f"for {query}")
    return page.locator(".hit")


def parameters(page: Any) -> dict[str, list[str]]:
    """The parameters in the address."""
    return parse_qs(page.url.partition("?")[2])


def test_hits_come_while_typing(visit: Visit) -> None:
    page = visit.page
    visit.go()
    expect(page.get_by_role("heading", name="Search your documents")).to_be_visible()
    page.get_by_role("searchbox", name="Search").press_sequentially("battery of a gauge")
    first = page.locator(".hit").first
    expect(first.locator("mark").first).to_be_visible()
    expect(page.locator("#search-summary")).to_contain_text("passage")
    expect_address(page, "?q=battery+of+a+gauge")
    assert parameters(page) == {"q": ["battery of a gauge"]}
    first.locator("summary").click()
    why = first.locator(".why")
    expect(why).to_contain_text("By words")
    expect(why).to_contain_text("similarity")
    expect(why).to_contain_text("battery")


def test_enter_in_the_box_opens_the_first_hit(visit: Visit) -> None:
    page = visit.page
    visit.go()
    first = search(page, "gauge").first
    path, _, _ = first.locator(".hit-place").first.inner_text().rpartition(":")
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).to_have_text(path)
    page.go_back()
    page.get_by_role("searchbox", name="Search").fill("")
    expect(page.get_by_role("list", name="Recent searches").get_by_role("link")).to_have_text(["gauge"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="Recent searches")).to_be_visible()


def test_arrows_lead_to_a_hit_and_enter_opens_it_at_its_line(visit: Visit) -> None:
    page = visit.page
    visit.go()
    hits = search(page, "gauge")
    links = hits.locator("a.hit-link")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    for key, at in [("ArrowDown", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)]:
        page.keyboard.press(key)
        expect(links.nth(at)).to_be_focused()
    path, _, lines = links.nth(1).locator(".hit-place").inner_text().rpartition(":")
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).to_have_text(path)
    expect(page.locator(".target-lines")).to_be_in_viewport()
    expect_address(page, f"line={lines.split('–')[0]}")
    assert parameters(page)["line"] == [lines.split("–")[0]]
    page.go_back()
    expect(links.nth(1)).to_be_visible()
    expect_address(page, "?q=gauge")
    assert parameters(page) == {"q": ["gauge"]}


def test_hits_stand_with_their_document_and_high_on_the_page(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=gauge")
    group = page.locator(".hit-group", has=page.locator(".hit-rest .hit")).first
    expect(group.locator(".hit:visible")).to_have_count(2)
    more = group.get_by_role("button", name="more here")
    count = 2 + int(more.inner_text().partition(" ")[0])
    paths = page.locator(".hit-group").evaluate_all(
        "(groups) => groups.map((one) => new Set([...one.querySelectorAll('.hit-place')].map((place) =>"
        " place.textContent.replace(/:\\d+$/, ''))).size)"
    )
    assert set(paths) == {1}
    assert page.locator(".hit-link").first.bounding_box()["y"] < 250
    expect(page.get_by_text("similarity").first).to_be_hidden()
    more.click()
    expect(group.locator(".hit:visible")).to_have_count(count)
    expect(group.locator(".hit-link").nth(2)).to_be_focused()
    page.set_viewport_size(PHONE)
    page.evaluate("scrollTo(0, 0)")
    assert page.locator(".hit-link").first.bounding_box()["y"] < 250


def test_filters_narrow_and_are_part_of_the_address(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=gauge")
    expect(page.locator(".hit").first).to_be_visible()
    page.locator(".filters > summary").click()
    page.get_by_label("Path").fill("calibration.md, publishing.md")
    expect(page.locator(".hit-place").filter(has_text="installing.md")).to_have_count(0)
    places = page.locator(".hit-place").all_inner_texts()
    assert {place.partition(":")[0] for place in places} <= {"calibration.md", "publishing.md"}
    page.get_by_label("Tag").fill("calibration")
    page.get_by_role("radio", name="Words").check()
    expect(page.locator(".hit-place").filter(has_text="publishing.md")).to_have_count(0)
    expect_address(page, "mode=keyword")
    page.reload()
    expect(page.get_by_label("Tag")).to_have_value("calibration")
    expect(page.locator(".hit-place").first).to_contain_text("calibration.md")


def test_escape_in_a_filter_leads_to_the_box_and_only_there_clears_it(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=gauge")
    expect(page.locator(".hit").first).to_be_visible()
    page.locator(".filters > summary").click()
    page.get_by_label("Tag").focus()
    page.keyboard.press("Escape")
    box = page.get_by_role("searchbox", name="Search")
    expect(box).to_be_focused()
    expect(box).to_have_value("gauge")
    page.keyboard.press("Escape")
    expect(box).to_have_value("")


def test_nothing_relevant_offers_a_way_out(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=zyzzyvas+quux&mode=keyword")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    anyway = page.get_by_role("button", name="Show the closest passages anyway")
    expect(anyway, "by words alone nothing is near").to_have_count(0)
    # The button comes with the new search, so it cannot be clicked too early.
    page.locator(".filters > summary").click()
    page.get_by_role("radio", name="Both").check()
    page.keyboard.press("Escape")
    anyway.click()
    expect(page.locator(".hit").first).to_be_visible()


def test_an_answer_that_comes_too_late_is_dropped(visit: Visit) -> None:
    page = visit.page
    held: list[Any] = []
    page.route("**/api/search?q=first*", lambda route: held.append(route))  # noqa: PLW0108  it is given attributes
    visit.go()
    with page.expect_request("**/api/search?q=first*"):
        page.get_by_role("searchbox", name="Search").fill("first")
    search(page, "calibration")
    for route in held:
        # The page has called it off, so the browser may refuse to hear the answer at all.
        with suppress(playwright.Error):
            route.fulfill(json={"query": "first", "hits": [], "milliseconds": 1})
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.get_by_role("heading", name="Nothing found")).to_have_count(0)


def test_news_of_the_index_do_not_take_the_place_of_an_answer(visit: Visit) -> None:
    page = visit.page
    held: list[Any] = []
    page.route("**/api/search?*", lambda route: held.append(route))  # noqa: PLW0108  it is given attributes
    visit.go("#/search")
    expect(page.get_by_role("heading", name="Search your documents")).to_be_visible()
    with page.expect_request("**/api/search?*"):
        visit.go("#/search?q=zyzzyva&mode=keyword&tag=x")
    with page.expect_response("**/api/status"):
        page.evaluate("window.dispatchEvent(new Event('online'))")
    with page.expect_response("**/api/status"):  # the one before was worked on before this one is asked for
        page.evaluate("window.dispatchEvent(new Event('online'))")
    [route] = held
    route.continue_()
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()


def test_an_error_is_shown_with_its_remedy(visit: Visit) -> None:
    page = visit.page
    error = {"code": "locked", "message": "The index is locked.", "remedy": "Wait for the other program."}
    page.route("**/api/search*", lambda route: route.fulfill(status=503, json={"error": error}))
    visit.go("#/search?q=gauge")
    expect(page.get_by_role("alert")).to_have_text("The index is locked.Wait for the other program.")
    # The browser itself reports the status of the answer.
    assert all("503" in error for error in visit.errors)
    visit.errors.clear()


def test_items_of_a_list_have_bullets(visit: Visit) -> None:
    page = visit.page
    answer = {"text": "- [x] Wash the gauge", "marks": [[0, 10]], "code": False}

    def with_task(route: Any) -> None:
        response = route.fetch()
        body = response.json()
        body["hits"][0]["snippet"]["lines"] = [answer]
        route.fulfill(response=response, json=body)

    page.route("**/api/search*", with_task)
    visit.go("#/search?q=gauge")
    line = page.locator(".hit-line").first
    expect(line).to_have_text("☑ Wash the gauge")
    expect(line.locator("mark")).to_have_text("Wash")


def test_half_a_filter_is_no_error(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=gauge&where=status")
    expect(page.locator(".hit").first).to_be_visible()
    page.locator(".filters > summary").click()
    page.get_by_label("Frontmatter").fill("review.by=survey group")
    expect(page.locator(".hit-place").filter(has_text="installing.md")).to_have_count(0)
    expect(page.locator(".hit-place").first).to_contain_text("calibration.md")


def test_an_index_that_is_filling_says_so(visit: Visit) -> None:
    page = visit.page

    def filling(route: Any) -> None:
        status = route.fetch().json()
        progress = {"stage": "vectors", "done": 3, "total": 23}
        route.fulfill(json={**status, "busy": True, "pending": 20, "progress": progress})

    page.route("**/api/status", filling)
    visit.go("#/search?q=gauge")
    expect(page.locator(".search-filling")).to_contain_text("Preparing search by meaning: 13%. Search works already")
    expect(page.locator("#index-state")).to_contain_text("13%")
    page.keyboard.press("Escape")
    visit.go("#/status")
    expect(page.get_by_role("progressbar")).to_be_visible()


def test_a_folder_that_is_being_read_says_so_and_is_searched_again(visit: Visit) -> None:
    page = visit.page
    known = page.request.get(f"{visit.address}/api/status").json()
    reading: dict[str, Any] = {"files_read": {"done": 1200, "total": 6591}}

    def status(route: Any) -> None:
        route.fulfill(json={**known, **reading})

    def search(route: Any) -> None:
        if reading["files_read"]:
            route.fulfill(json={**route.fetch().json(), "hits": [], "total": 0, **reading})
        else:
            route.continue_()

    page.route("**/api/status", status)
    page.route("**/api/search?*", search)
    visit.go("#/search?q=gauge")
    expect(page.locator(".results")).to_contain_text("Nothing found yet")
    expect(page.locator(".search-filling")).to_contain_text("1,200 of 6,591 files read")
    expect(page.locator("#index-state")).to_contain_text("Reading, 18%")
    expect(page.locator(".results")).not_to_contain_text("Nothing relevant")
    reading["files_read"] = None
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.locator(".search-filling")).not_to_contain_text("files read")


def test_the_count_stops_where_passages_are_less_relevant(visit: Visit) -> None:
    page = visit.page
    scores = iter([0.9, 0.5])

    def weaken(route: Any) -> None:
        answer = route.fetch().json()
        hits = [{**hit, "score": next(scores, 0.1)} for hit in answer["hits"][:8]]
        route.fulfill(json={**answer, "hits": hits, "total": 12})

    page.route("**/api/search?*", weaken)
    visit.go("#/search?q=gauge")
    expect(page.locator("#search-summary")).to_have_text("2 passages, and 10 less relevant")
