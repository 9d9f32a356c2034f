"""The page while things change: keys, focus, a server that stops and comes back, typing, the first read."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from browser_kit import Server, Serving, Visit, copy_example, expect, expect_address, faults, visiting

from headnote import Index

pytest_plugins = ["browser_fixtures"]


HEADINGS = ["Search", "Documents", "Playground", "Graph", "Ask", "Status"]


# -- keys


def test_the_list_of_keys_has_those_of_the_view(visit: Visit) -> None:
    page = visit.page
    visit.go("#/document?path=calibration.md")
    expect(page.locator(".band").first).to_be_visible()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog.get_by_role("heading", level=3)).to_have_text(["Everywhere", "In documents"])
    expect(dialog.get_by_text("next chunk")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", name="Graph", level=1)).to_be_attached()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(dialog.get_by_role("heading", level=3)).to_have_text(["Everywhere", "In the graph", "In documents"])


def test_keys_of_another_view_do_nothing(visit: Visit) -> None:
    page = visit.page
    visit.go("#/document?path=calibration.md")
    expect(page.locator(".band").first).to_be_visible()
    page.keyboard.press("6")
    expect(page.locator(".figures")).to_be_visible()
    focused = page.evaluate("document.activeElement.outerHTML")
    page.keyboard.press("]")
    assert page.evaluate("document.activeElement.outerHTML") == focused


def test_a_key_belongs_to_one_thing(visit: Visit) -> None:
    visit.go("#/status")
    twice = """async () => {
      const main = document.querySelector("script[type=module]").src;
      const { registerKeys } = await import(main.replace("main.js", "shell/keys.js"));
      try { registerKeys("everywhere", [{press: ["t"], meaning: "twice"}]); } catch (error) { return error.message; }
    }"""
    assert "registered twice" in visit.page.evaluate(twice)


# -- a server that stops and comes back


class Away:
    """A page whose server a test stops and starts."""

    def __init__(self, visit: Visit, serving: Serving) -> None:
        self.visit = visit
        self.page = visit.page
        self.serving = serving
        self.note = self.page.locator("#connection")

    def open(self, route: str = "") -> None:
        """Opens the page, waits until it has loaded all it needs, and marks it: a reload would lose the mark."""
        self.visit.go(route)
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate("window.isSame = true")

    def beside(self, route: str) -> Away:
        """Another page of the same browser."""
        visit = replace(self.visit, page=self.page.context.new_page())
        visit.watch()
        other = Away(visit, self.serving)
        other.open(route)
        return other

    def stop(self) -> None:
        self.serving.stop()
        self.is_away()

    def is_away(self) -> None:
        expect(self.note).to_contain_text("headnote does not answer.")
        expect(self.page.locator("#index-state")).to_have_text("No answer")

    def start(self, *options: str, **more: Any) -> None:
        self.serving.start(*options, **more)

    def is_back(self) -> None:
        expect(self.note).to_be_empty()
        expect(self.page.locator("#index-state")).to_have_text("Up to date")
        assert self.page.evaluate("window.isSame"), "the page was reloaded"
        assert self.page.get_by_role("alert").count() == 0


@pytest.fixture
def away(browser: Any, tmp_path: Path) -> Iterator[Away]:
    serving = Serving(copy_example("handbook", tmp_path))
    serving.start()
    try:
        with visiting(browser, serving.server) as visit:
            yield Away(visit, serving)
            # The browser itself logs what it could not load.
            visit.errors[:] = [error for error in visit.errors if not error.startswith("Failed to load resource")]
    finally:
        serving.stop()


def search(page: Any) -> None:
    page.get_by_role("searchbox", name="Search").fill("calibration")
    expect(page.locator(".results")).to_have_attribute("aria-busy", "true")
    expect(page.locator(".hit mark").first).to_have_text("battery")
    assert faults(page) == []


def has_searched(page: Any) -> None:
    expect(page.locator(".hit mark").first).to_have_text(re.compile("calibrat", re.IGNORECASE))
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()


def open_views(page: Any) -> None:
    """Also those that were never shown before."""
    for name in HEADINGS:
        page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_attached()
        assert page.get_by_role("alert").count() == 0


CONTENTS = {
    "Documents": ".view:not([hidden]) a[href*='path=']",
    "Playground": ".band-mark, .pane *",
    "Graph": ".graph-rows a",
    "Status": ".figures",
}


def has_filled_views(page: Any) -> None:
    for name, content in CONTENTS.items():
        page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(page.locator(content).first).to_be_visible()


def open_document(page: Any) -> None:
    page.evaluate("location.hash = '#/document?path=calibration.md'")


def has_opened_document(page: Any) -> None:
    expect(page.get_by_role("article")).to_contain_text("Calibration")
    expect(page.locator(".band").first).to_be_visible()


def ask(page: Any) -> None:
    page.get_by_role("textbox").fill("calibration of a gauge")
    page.get_by_role("button", name="Ask").click()


def has_answered(page: Any) -> None:
    expect(page.locator(".source-cards .hit-link").first).to_be_visible()


# Route and what is to be seen there, what is done while the server is away, and what has become of it then.
WHILE_AWAY = (
    ("#/search?q=battery", ".hit", search, has_searched),
    ("", "h1", open_views, has_filled_views),
    ("#/document", "h1", open_document, has_opened_document),
    ("#/ask", "h1", ask, has_answered),
)


def test_what_is_begun_without_the_server_goes_on_when_it_is_back(away: Away) -> None:
    pages = [away.beside(route) for route, *_ in WHILE_AWAY]
    for one, (_, seen, *_) in zip(pages, WHILE_AWAY, strict=True):
        expect(one.page.locator(seen).first).to_be_attached()
    away.serving.stop()
    for one, (*_, begin, _) in zip(pages, WHILE_AWAY, strict=True):
        one.is_away()
        begin(one.page)
    away.start()
    for one, (*_, has_gone_on) in zip(pages, WHILE_AWAY, strict=True):
        one.is_back()
        has_gone_on(one.page)


def test_a_view_whose_modules_could_not_be_loaded_opens_later(away: Away) -> None:
    page = away.page
    page.route("**/js/graph/**", lambda route: route.abort())
    away.open()
    away.serving.stop()
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Graph").click()
    expect(page.get_by_role("heading", name="Graph", level=1)).to_be_visible()
    expect(page.get_by_text("Opening…")).to_be_visible()
    page.unroute("**/js/graph/**")
    away.start()
    expect(page.locator(".graph-rows a").first).to_be_visible()
    away.is_back()


def test_another_token_is_asked_for_and_taken(away: Away) -> None:
    """Whoever opens the new address helps all pages that are open."""
    page = away.page
    away.serving.stop()
    away.start("--token", "first-token-of-the-test")
    page.goto(away.serving.ready["address"])
    away.open("#/status")
    away.stop()
    away.start("--token", "second-token-of-the-test")
    expect(away.note).to_contain_text("another token")
    other = page.context.new_page()
    other.goto(away.serving.ready["address"])
    away.is_back()
    expect(page.locator(".figures")).to_be_visible()


def test_another_version_offers_to_reload(away: Away, tmp_path: Path) -> None:
    page = away.page
    away.open("#/search?q=battery")
    expect(page.locator(".hit").first).to_be_visible()
    away.stop()
    newer = tmp_path / "newer"
    package = Path(str(files("headnote")))
    shutil.copytree(package, newer / "headnote", ignore=shutil.ignore_patterns("__pycache__"))
    with (newer / "headnote/web/static/css/base.css").open("a", encoding="utf-8") as styles:
        styles.write("body { accent-color: red; }\n")
    away.start(PYTHONPATH=str(newer))
    expect(away.note).to_contain_text("headnote was updated.")
    away.note.get_by_role("button", name="Reload").click()
    expect(page.locator(".hit").first).to_be_visible()
    expect(away.note).to_be_empty()
    assert page.evaluate("getComputedStyle(document.body).accentColor") == "rgb(255, 0, 0)"


def test_another_folder_offers_to_reload(away: Away, tmp_path: Path) -> None:
    page = away.page
    away.open("#/status")
    away.stop()
    other = tmp_path / "diary"
    other.mkdir()
    (other / "monday.md").write_text("# Monday\n\nRain.\n", encoding="utf-8")
    away.start(folder=other)
    expect(away.note).to_contain_text("headnote serves another folder now.")
    away.note.get_by_role("button", name="Reload").click()
    expect(page.locator("#folder")).to_have_text("diary")


def test_a_machine_that_slept_goes_on(away: Away) -> None:
    page = away.page
    page.clock.install()
    away.open("#/search?q=battery")
    expect(page.locator(".hit").first).to_be_visible()
    away.serving.stop()
    page.clock.fast_forward("08:00:00")
    expect(away.note).to_contain_text("does not answer")
    away.start()
    page.clock.fast_forward("08:00:00")
    away.is_back()


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}"""


def test_a_page_in_the_background_asks_nothing_and_catches_up(away: Away) -> None:
    page = away.page
    page.clock.install()
    away.open("#/status")
    expect(page.locator(".figures")).to_be_visible()
    page.evaluate(HIDE, True)
    page.clock.run_for(6_000)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(60_000)
    assert asked == []
    away.serving.stop()
    away.start()
    page.evaluate(HIDE, False)
    page.clock.run_for(1_000)
    away.is_back()
    assert asked


def test_a_second_server_on_one_index_is_no_problem(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tide.md").write_text("# Tide\n\nThe tide rises.\n", encoding="utf-8")
    serving = Serving(folder)
    with Index.open(folder, embedder="hashing") as writer:
        writer.update()
        with writer._store.writing():
            (folder / "moon.md").write_text("# Moon\n\nThe moon pulls.\n", encoding="utf-8")
            server = serving.start()
            try:
                with visiting(browser, server) as visit:
                    page = visit.page
                    visit.go("#/status")
                    expect(page.get_by_text("The index is being updated by process")).to_be_visible()
                    expect(page.locator("#index-state")).to_have_text("Being updated")
                    expect(page.locator("#index-state")).to_have_attribute("data-state", "busy")
                    assert page.locator(".notice.bad").count() == 0
                    visit.go("#/search?q=tide")
                    expect(page.locator(".hit").first).to_be_visible()
            finally:
                serving.stop()


# -- the first read


READING = {"files_read": {"done": 1200, "total": 6591}, "busy": True}


def test_the_first_read_has_counts_and_a_time(visit: Visit) -> None:
    page = visit.page
    progress = {"stage": "documents", "done": 1300, "total": 6591, "seconds_left": 41.0}

    def status(route: Any) -> None:
        route.fulfill(json={**route.fetch().json(), **READING, "progress": progress})

    page.route("**/api/status", status)
    visit.go("#/search?q=battery")
    words = "Reading the folder: 1,200 of 6,591 files read, about 41 seconds left. Search works on what has been read."
    expect(page.locator(".search-filling")).to_have_text(words)
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.locator("#index-state")).to_have_text("Reading, 18%")
    visit.go("#/status")
    expect(page.get_by_role("progressbar", name="Reading the folder")).to_have_attribute("value", "1200")
    expect(page.locator(".status-progress")).to_contain_text("about 41 seconds left")


def test_the_status_is_in_words_that_people_know(visit: Visit) -> None:
    page = visit.page
    visit.go("#/status")
    expect(page.locator(".figures")).to_be_visible()
    words = page.get_by_role("main").inner_text().lower()
    for stranger in ("generation", "pending", "vector", "embedding"):
        assert stranger not in words
    expect(page.get_by_role("main")).to_contain_text("by words and by meaning")


def test_what_is_unfolded_stays_so_while_the_status_changes(visit: Visit) -> None:
    page = visit.page
    polls: list[int] = []

    def status(route: Any) -> None:
        polls.append(1)
        # It stays at 5: what passes by, a test on a busy machine may miss.
        progress = {"stage": "documents", "done": min(len(polls), 5), "total": 6591, "seconds_left": None}
        route.fulfill(json={**route.fetch().json(), "busy": True, "progress": progress})

    page.route("**/api/status", status)
    visit.go("#/status")
    page.get_by_text("How documents are split into passages").click()
    expect(page.locator(".status-progress")).to_contain_text("5 of 6,591 files")
    expect(page.get_by_text("max_tokens")).to_be_visible()
    expect(page.locator("summary", has_text="How documents are split")).to_be_focused()


class Held:
    """Requests that are answered when the test says so."""

    def __init__(self, page: Any, addresses: str) -> None:
        self._waiting: list[Any] = []
        self._is_over = False
        page.route(addresses, self._hold)

    def _hold(self, route: Any) -> None:
        if self._is_over:
            route.continue_()
        else:
            self._waiting.append(route)

    def release(self) -> None:
        self._is_over = True
        for route in self._waiting:
            route.continue_()


# -- typing


def test_a_pause_in_typing_is_one_request(visit: Visit) -> None:
    page = visit.page
    page.clock.install(time=0)
    visit.go("#/search")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.clock.pause_at(3_600_000)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for words in ("battery", " voltage"):
        for letter in words:
            page.keyboard.press("Space" if letter == " " else letter)
            page.clock.run_for(40)
        page.clock.run_for(1_000)
    expect(page.locator(".hit").first).to_be_visible()
    searched = [found[1] for url in asked if (found := re.search(r"/api/search\?q=([^&]*)", url))]
    assert searched == ["battery", "battery+voltage"]


def test_the_last_answer_wins_in_whatever_order_they_come(visit: Visit) -> None:
    """The first question is answered last."""
    page = visit.page
    held = Held(page, "**/api/search?q=battery&*")
    visit.go("#/search")
    box = page.get_by_role("searchbox", name="Search")
    with page.expect_request("**/api/search?q=battery&*"):
        box.fill("battery")
    box.fill("calibration")
    expect(page.locator(".hit mark").first).to_have_text(re.compile("calibrat", re.IGNORECASE))
    held.release()
    page.wait_for_load_state("networkidle")
    expect(page.locator(".hit mark").first).to_have_text(re.compile("calibrat", re.IGNORECASE))
    expect_address(page, "q=calibration")


# -- focus


def test_focus_stays_when_the_view_changes(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search?q=battery")
    expect(page.locator(".hit").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator("a.hit-link").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".band").first).to_be_visible()
    for route, name in [("#/status", "Status"), ("#/ask", "Ask"), ("#/graph", "Graph"), ("#/search", "Search")]:
        page.evaluate("(hash) => { location.hash = hash; }", route)
        expect(page.locator(".views a[aria-current]")).to_have_text(name)
        expect(page.locator("main :focus")).to_have_count(1)


def test_escape_leaves_a_field_for_the_heading(visit: Visit) -> None:
    page = visit.page
    visit.go("#/ask")
    expect(page.get_by_role("textbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Ask", level=1)).to_be_focused()


def test_focus_returns_from_the_list_of_keys(visit: Visit) -> None:
    page = visit.page
    visit.go("#/status")
    expect(page.locator(".figures")).to_be_visible()
    page.get_by_role("heading", name="Status", level=1).focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Status", level=1)).to_be_focused()


REDRAW = """(how) => {
  const list = document.createElement("div");
  const draw = (names) => list.replaceChildren(...names.map((name) => {
    const button = document.createElement("button");
    button.textContent = name;
    return button;
  }));
  document.querySelector("main .view:not([hidden])").append(list);
  draw(["one", "two", "three"]);
  list.children[1].focus();
  if (how === "same") draw(["zero", "one", "two"]);
  if (how === "other") draw(["four", "five", "six"]);
  if (how === "fewer") draw(["four"]);
  if (how === "gone") list.remove();
  if (how === "hidden") list.hidden = true;
  if (how === "disabled") list.children[1].disabled = true;
}"""


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ("same", "two"),
        ("other", "five"),
        ("fewer", "four"),
        ("gone", "Status"),
        ("hidden", "Status"),
        ("disabled", "three"),
    ],
)
def test_focus_goes_to_what_takes_the_place(visit: Visit, how: str, where: str) -> None:
    page = visit.page
    visit.go("#/status")
    expect(page.locator(".figures")).to_be_visible()
    page.evaluate(REDRAW, how)
    expect(page.locator(":focus")).to_have_text(where)


# -- nothing moves


PLACES = """() => [...document.querySelectorAll(".brand, .views a, #theme-toggle")]
  .map((element) => Math.round(element.getBoundingClientRect().x * 10) / 10)"""


@pytest.mark.parametrize("width", [1400, 1010, 800, 360])
def test_the_bar_does_not_shift(browser: Any, handbook_server: Server, width: int) -> None:
    """Not when the status comes or changes, not from view to view."""
    with visiting(browser, handbook_server, viewport={"width": width, "height": 800}) as visit:
        page = visit.page
        held = Held(page, "**/api/status")
        visit.go("#/search")
        expect(page.get_by_role("searchbox", name="Search")).to_be_visible()
        before = page.evaluate(PLACES)
        held.release()
        expect(page.locator("#index-state")).to_have_attribute("data-state", "fresh")
        assert page.evaluate(PLACES) == before
        page.locator(".state-text").evaluate("(text) => { text.textContent = 'Reading, 100% of everything there is'; }")
        assert page.evaluate(PLACES) == before
        for name in HEADINGS:
            page.locator(".views a", has_text=name).click()
            expect(page.get_by_role("heading", name=name, level=1)).to_be_attached()
            assert page.evaluate(PLACES) == before
