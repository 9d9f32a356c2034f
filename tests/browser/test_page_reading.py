"""Reading a document that a search has found: marks, the way from one to the next, previews, copies, the editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser_kit import FRAMES, PHONE, Server, Visit, expect, expect_address, faults, flaws, serve, visiting

from headnote.api import trust_folder

pytest_plugins = ["browser_fixtures"]


NOTES = {
    "gauge.md": """\
---
title: Gauge
---

# The gauge

A gau**g**e is *calibrated* twice[^late]. See [[calendar]], [the plan](plan.md#the-second-plan) and [here](#gauges).

> Calibration of a gauge takes an hour.

| gauge | calibrating |
|---|---|
| one | two |

<details><summary>More</summary>

A gauge that is folded away.

</details>

## Gauges

```sh
gauge --calibrate
```

[^late]: Or later, if the gauge is new.
"""
    + "\nA line in between.\n" * 60
    + "\nThe last gauge.\n",
    "plan.md": "# Plan\n\nFirst things first.\n\n## The second plan\n\nThis is what the second plan says.\n",
    "calendar.md": "# Calendar\n\nEvery day has a line, as [[plan]] and [[database]] say.\n",
    "vault.md": """%%
For the author alone.

Not for readers.
%%

## Moorings {{< ref "x" >}}

Text %%aside%% and <!-- more --> words, as 100%% of 50%%.

![[quay.png|300]]

## {{% heading "whatsnext" %}}
""",
    "arabic.md": "---\ntitle: المقياس\n---\n\n## القسم الأول\n\nهذه فقرة عن المقياس.\n\n- عنصر\n\n```sh\nls\n```\n",
    "database.md": "# 数据库\n\n在Kubernetes集群中部署数据库管理系统。データベースの設定。\n",
}

AT = "(y) => Math.abs(document.querySelector('.target-lines').getBoundingClientRect().top - y) < 9"
# The marked words, as they stand on the page: each range of a highlight as text.
MARKED = """(name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString())"""


@pytest.fixture(scope="module")
def notes_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("reading") / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "headnote.toml").write_text('[server]\neditor = "vscode"\n')
    trust_folder(folder)
    with serve(folder) as server:
        yield server


@pytest.fixture
def notes(browser: Any, notes_server: Server) -> Iterator[Visit]:
    with visiting(browser, notes_server) as opened:
        yield opened


def read(visit: Visit, path: str, rest: str = "") -> Any:
    visit.go(f"#/document?path={path}{rest}")
    expect(visit.page.locator(".document-head .mono")).to_have_text(path)
    expect(visit.page.locator(".band").first).to_be_visible()
    return visit.page


def marked(page: Any, name: str = "found-words") -> list[str]:
    words: list[str] = page.evaluate(MARKED, name)
    return words


# -- words of the query


def test_the_words_of_a_search_are_marked_in_the_document_it_opens(visit: Visit) -> None:
    visit.go("#/search?q=calibrate")
    page = visit.page
    page.locator("a.hit-link").first.click()
    expect(page.locator(".found-count")).to_have_text(re.compile(r"^\d+ of \d+$"))
    expect(page.locator(".band").first).to_be_visible()
    page.evaluate(FRAMES)
    assert {word.lower()[:9] for word in marked(page)} == {"calibrate", "calibrati"}
    expect_address(page, "&q=calibrate")


def test_marks_are_stems_across_elements_and_nothing_else(notes: Visit) -> None:
    page = read(notes, "gauge.md", "&q=gauges+calibrate")
    expect(page.locator(".found-count")).to_have_text("13 matches")
    assert marked(page) == [
        *("gauge", "gauge", "calibrated", "Calibration", "gauge", "gauge", "calibrating"),
        *("gauge", "Gauges", "gauge", "calibrate", "gauge", "gauge"),
    ]
    assert page.locator(".prose mark").count() == 0


def test_keys_lead_from_mark_to_mark(notes: Visit) -> None:
    page = read(notes, "gauge.md", "&q=gauge")
    count = page.locator(".found-count")
    expect(count).to_have_text("9 matches")
    page.keyboard.press("n")
    expect(count).to_have_text("1 of 9")
    expect(page.locator("#announcer")).to_contain_text("1 of 9")
    page.keyboard.press("p")
    expect(count).to_have_text("9 of 9")
    assert marked(page, "found-word") == ["gauge"]
    expect(page.locator(".prose").get_by_text("The last gauge.")).to_be_in_viewport()
    for _ in range(5):
        page.keyboard.press("n")
    expect(count).to_have_text("5 of 9")
    expect(page.locator(".prose").get_by_text("A gauge that is folded away.")).to_be_in_viewport()
    page.get_by_role("button", name="Next match").click()
    expect(count).to_have_text("6 of 9")


def test_the_first_mark_of_the_passage_is_the_first_one(notes: Visit) -> None:
    page = read(notes, "gauge.md", "&line=21&end=23&q=gauge")
    expect(page.locator(".found-count")).to_have_text("6 of 9")


def test_marks_can_be_removed_and_leave_the_address(notes: Visit) -> None:
    page = read(notes, "gauge.md", "&line=9&q=gauge")
    expect(page.locator(".found-bar")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".found-bar")).to_be_hidden()
    assert marked(page) == []
    expect(page).to_have_url(f"{notes.address}/#/document?path=gauge.md&line=9&words=Calibration+of+a+gauge+takes+an")


def test_words_without_blanks_are_marked_as_one(notes: Visit) -> None:
    page = read(notes, "database.md", "&q=数据库管理")
    expect(page.locator(".found-count")).to_have_text("2 matches")
    assert marked(page) == ["数据库", "数据库管理"]
    read(notes, "database.md", "&q=kubernetes")
    expect(page.locator(".found-count")).to_have_text("1 match")
    assert marked(page) == ["Kubernetes"]


def test_marks_follow_an_edit(notes: Visit, notes_server: Server) -> None:
    page = read(notes, "plan.md", "&q=plan")
    expect(page.locator(".found-count")).to_have_text("3 matches")
    file = notes_server.folder / "plan.md"
    file.write_text(NOTES["plan.md"] + "\nA third plan.\n", encoding="utf-8")
    try:
        expect(page.locator(".found-count")).to_have_text("4 matches")
    finally:
        file.write_text(NOTES["plan.md"], encoding="utf-8")
    expect(page.locator(".found-count")).to_have_text("3 matches")


# -- previews


def test_a_link_shows_where_it_leads(notes: Visit) -> None:
    page = read(notes, "gauge.md")
    preview = page.get_by_role("tooltip")
    link = page.locator(".prose").get_by_role("link", name="the plan")
    link.hover()
    expect(preview).to_contain_text("This is what the second plan says.")
    expect(preview.locator(".preview-title")).to_have_text("The second plan")
    assert link.get_attribute("aria-describedby") == preview.get_attribute("id")
    preview.hover()
    page.wait_for_timeout(500)
    expect(preview).to_be_visible()
    page.mouse.move(5, 5)
    expect(preview).to_be_hidden()
    assert link.get_attribute("aria-describedby") is None


def test_a_preview_comes_with_the_focus_and_goes_with_escape(notes: Visit) -> None:
    page = read(notes, "gauge.md", "&q=gauge")
    expect(page.locator(".found-bar")).to_be_visible()
    page.locator(".prose sup a").focus()
    expect(page.get_by_role("tooltip")).to_have_text("Or later, if the gauge is new.")
    page.keyboard.press("Tab")
    expect(page.locator(".prose").get_by_role("link", name="calendar")).to_be_focused()
    expect(page.get_by_role("tooltip")).to_contain_text("Every day has a line")
    assert faults(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_be_hidden()
    expect(page.locator(".prose").get_by_role("link", name="calendar")).to_be_focused()
    expect(page.locator(".found-bar")).to_be_visible()


def test_a_link_that_is_followed_by_keyboard_leads_to_the_title(notes: Visit) -> None:
    page = read(notes, "gauge.md")
    page.locator(".prose").get_by_role("link", name="calendar").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).to_have_text("calendar.md")
    expect(page.locator(".document-head h1")).to_be_focused()
    page.wait_for_timeout(500)
    expect(page.get_by_role("tooltip")).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Copy link")).to_be_focused()


def test_a_preview_is_fetched_once(notes: Visit) -> None:
    page = read(notes, "gauge.md")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "/api/preview" in request.url else None)
    for _ in range(2):
        page.locator(".prose").get_by_role("link", name="calendar").hover()
        expect(page.get_by_role("tooltip")).to_be_visible()
        page.mouse.move(5, 5)
        expect(page.get_by_role("tooltip")).to_be_hidden()
    assert len(requests) == 1


# -- copies


@pytest.fixture
def copying(browser: Any, notes_server: Server) -> Iterator[Visit]:
    with visiting(browser, notes_server, permissions=["clipboard-read", "clipboard-write"]) as opened:
        yield opened


def clipboard(page: Any) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_code_is_copied_as_it_is_written(copying: Visit) -> None:
    page = read(copying, "gauge.md")
    page.locator(".code-box").hover()
    page.get_by_role("button", name="Copy code").click()
    expect(page.locator(".toast")).to_have_text("Code copied")
    expect(page.locator("#announcer")).to_have_text("Code copied")
    assert clipboard(page) == "gauge --calibrate\n"


def test_a_link_to_a_passage_opens_it(copying: Visit) -> None:
    page = read(copying, "gauge.md")
    page.get_by_role("button", name="Copy link").first.click()
    # What is shown goes by itself, after a moment that a busy machine may miss; what is said stays.
    expect(page.locator("#announcer")).to_have_text("Link to the document copied")
    assert clipboard(page) == f"{copying.address}/#/document?path=gauge.md"

    page.locator(".prose blockquote").hover()
    page.get_by_role("button", name="Copy link to line 9").click()
    expect(page.locator("#announcer")).to_have_text("Link to line 9 copied")
    assert clipboard(page).endswith("path=gauge.md&line=9&words=Calibration+of+a+gauge+takes+an")
    page.locator(".prose h2").hover()
    page.get_by_role("button", name="Copy link to the section").click()
    expect(page.locator("#announcer")).to_have_text("Link to the section copied")
    assert clipboard(page).endswith("path=gauge.md&fragment=gauges")

    page.evaluate(
        """() => getSelection().setBaseAndExtent(
          document.querySelector(".prose blockquote p").firstChild, 3,
          document.querySelector(".prose td").firstChild, 1)"""
    )
    page.keyboard.press("y")
    expect(page.locator("#announcer")).to_have_text("Link to lines 9–13 copied")
    page.goto(clipboard(page))
    expect(page.locator(".target-lines")).to_be_in_viewport()


@pytest.mark.parametrize("place", ["&line=9", "&line=9&q=gauge"])
def test_a_link_is_to_the_lines_in_sight_once_the_place_of_the_address_is_not(copying: Visit, place: str) -> None:
    page = read(copying, "gauge.md", place)
    expect(page.locator(".found-count")).to_have_text("3 of 9" if "q" in place else "")
    page.keyboard.press("y")
    expect(page.locator("#announcer")).to_have_text("Link to line 9 copied")
    page.get_by_text("The last gauge.").scroll_into_view_if_needed()
    expect(page.locator(".prose blockquote")).not_to_be_in_viewport()
    page.keyboard.press("y")
    expect(page.locator("#announcer")).not_to_have_text("Link to line 9 copied")
    line = re.search(r"line=(\d+)(?:&|$)", clipboard(page))
    assert line
    expect(page.locator(f'.prose [data-start-line="{line[1]}"]')).to_be_in_viewport()


def test_without_a_clipboard_a_link_is_copied_the_old_way(copying: Visit) -> None:
    page = read(copying, "gauge.md")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not here')); }")
    page.get_by_role("button", name="Copy link").first.click()
    expect(page.locator("#announcer")).to_have_text("Link to the document copied")
    expect(page.get_by_role("button", name="Copy link").first).to_be_focused()
    assert clipboard(page).endswith("#/document?path=gauge.md")


# -- the editor


def test_a_document_opens_in_the_editor_at_the_line_in_sight(notes: Visit, notes_server: Server) -> None:
    page = read(notes, "gauge.md", "&q=gauge")
    link = page.get_by_role("link", name="Open in VS Code")
    file = notes_server.folder.resolve() / "gauge.md"
    expect(link).to_have_attribute("href", f"vscode://file{file}:1")
    page.evaluate(
        """() => document.addEventListener("click", (event) => {
          if (event.target.closest(".editor-link")) { event.preventDefault(); window.opened = event.target.href; }
        })"""
    )
    expect(page.locator(".found-count")).to_have_text("9 matches")
    for _ in range(3):
        page.keyboard.press("n")
    page.keyboard.press("e")
    assert page.evaluate("window.opened") == f"vscode://file{file}:9"


def test_without_an_editor_there_is_no_link(visit: Visit) -> None:
    page = read(visit, "index.md")
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    expect(page.get_by_role("link", name="Open in")).to_have_count(0)


# -- the way back


def test_back_returns_to_the_hit(visit: Visit) -> None:
    visit.go("#/search?q=gauge")
    page = visit.page
    hit = page.locator("a.hit-link:visible").nth(4)
    hit.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".band").first).to_be_visible()
    page.go_back()
    expect(hit).to_be_focused()
    expect(hit).to_be_in_viewport()


def test_back_returns_to_the_hit_after_a_reload(visit: Visit) -> None:
    visit.go("#/search?q=gauge")
    page = visit.page
    page.locator("a.hit-link:visible").nth(4).click()
    expect(page.locator(".band").first).to_be_visible()
    page.reload()
    expect(page.locator(".band").first).to_be_visible()
    page.go_back()
    expect(page.locator("a.hit-link:visible").nth(4)).to_be_focused()


def test_back_returns_to_the_link_in_a_document(notes: Visit) -> None:
    page = read(notes, "gauge.md")
    link = page.locator(".prose").get_by_role("link", name="the plan")
    link.click()
    expect(page.locator(".document-head .mono")).to_have_text("plan.md")
    page.go_back()
    expect(page.locator(".document-head .mono")).to_have_text("gauge.md")
    expect(link).to_be_focused()


# -- what is shown of what is written


def test_what_is_not_for_readers_is_not_shown(notes: Visit) -> None:
    page = read(notes, "vault.md")
    for hidden in ("author alone", "Not for readers", "aside", "more", "{{"):
        expect(page.locator(".prose")).not_to_contain_text(hidden)
    expect(page.locator(".prose")).to_contain_text("as 100%% of 50%%.")
    expect(page.locator(".missing-picture")).to_have_text("quay.png")
    expect(page.locator(".outline a")).to_have_text(["Moorings", "What's next"])
    expect(page).to_have_title("Moorings – headnote")
    expect(page.locator(".document-head h1")).to_have_class(re.compile("visually-hidden"))


def test_a_page_is_read_from_right_to_left_as_a_whole(notes: Visit) -> None:
    page = read(notes, "arabic.md")
    expect(page.locator(".document-head h1")).to_have_text("المقياس")
    text, outline, bullet = (
        page.locator(selector).bounding_box() for selector in (".prose", ".document-outline", ".prose li")
    )
    assert outline["x"] + outline["width"] < text["x"]
    assert bullet["x"] + bullet["width"] < text["x"] + text["width"]
    assert page.locator(".prose pre").evaluate("(pre) => getComputedStyle(pre).direction") == "ltr"


# -- a line that is found again


def test_the_line_of_an_address_is_found_again_after_an_edit(notes: Visit, notes_server: Server) -> None:
    file = notes_server.folder / "moved.md"
    file.write_text("# Moved\n\nOne thing.\n\nAnother | thing, which stays.\n\nThe end.\n", encoding="utf-8")
    notes_server.wait_for("moved.md")
    page = read(notes, "moved.md", "&line=5")
    expect_address(page, "line=5&words=Another+thing+which+stays")
    # While it is read: the mark goes along.
    file.write_text("# Moved\n\nNew.\n\nOne thing.\n\nAnother | *thing*, which stays.\n\nThe end.\n", encoding="utf-8")
    expect_address(page, "line=7&words=Another+thing+which+stays")
    place = page.get_by_text("which stays").bounding_box()
    page.wait_for_function(AT, arg=place["y"])
    # From an address of before.
    page = read(notes, "gauge.md")
    page = read(notes, "moved.md", "&line=3&end=4&words=Another+thing+which+stays")
    expect_address(page, "line=7&end=8&words=Another")
    expect(page.locator(".target-lines")).to_be_in_viewport()


def test_a_line_that_is_gone_is_not_marked(notes: Visit) -> None:
    page = read(notes, "plan.md", "&line=3&words=Words+that+nobody+wrote")
    expect(page.locator("#announcer")).to_have_text("The text that this link points to has changed")
    expect(page.locator(".target-lines")).to_be_hidden()
    expect_address(page, "line=3&words=Words+that+nobody+wrote")


# -- breadcrumbs


def test_a_long_breadcrumb_is_folded_in_its_middle(visit: Visit) -> None:
    page = visit.page
    visit.go("#/search")
    page.evaluate(
        """async () => {
          const [{ crumbs }] = await Promise.all([import(document.querySelector("script[type=module]").src
            .replace("main.js", "core/dom.js"))]);
          for (const path of ["A > B", "A > B > C > D", "One > Two > Three > Four > Five"]) {
            const line = document.createElement("p");
            line.className = "folded-crumbs";
            line.append(crumbs(path));
            document.getElementById("main").prepend(line);
          }
        }"""
    )
    long, middling, short = (page.locator(".folded-crumbs").nth(at) for at in range(3))
    expect(long.get_by_text("…")).to_be_visible()
    expect(long.locator(".crumb-fold")).to_have_attribute("title", "Two › Three")
    expect(middling.get_by_text("…")).to_be_hidden()
    expect(short.locator(".crumb-fold")).to_have_count(0)
    seen = page.evaluate(
        """() => [...document.querySelectorAll(".folded-crumbs")[0].querySelectorAll(".crumbs > span")]
          .filter((part) => part.getBoundingClientRect().width > 2)
          .map((part) => part.innerText.replace(/[,\\s]/g, ""))"""
    )
    assert seen == ["One", "›…", "›Four", "›Five"]
    page.set_viewport_size(PHONE)
    expect(middling.get_by_text("…")).to_be_visible()


# -- how it looks


def test_marks_look_right(notes: Visit) -> None:
    page = read(notes, "gauge.md", "&line=7&q=gauge+calibrate")
    expect(page.locator(".found-bar")).to_be_visible()
    assert flaws(page, "reading") == []
