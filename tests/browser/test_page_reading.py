"""Reading a document that a search has found: marks, the way from one to the next, previews, copies, the editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_kit import PHONE, Server, Visit, expect, faults, overflow, serve, visiting

pytest_plugins = ["browser_fixtures"]

pytestmark = pytest.mark.slow

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
    "calendar.md": "# Calendar\n\nEvery day has a line.\n",
    "database.md": "# 数据库\n\n在Kubernetes集群中部署数据库管理系统。データベースの設定。\n",
}

# The marked words, as they stand on the page: each range of a highlight as text.
MARKED = """(name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString())"""


@pytest.fixture(scope="module")
def notes_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("reading") / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
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
    page.wait_for_function("CSS.highlights.get('found-words').size > 0")
    assert {word.lower()[:9] for word in marked(page)} == {"calibrate", "calibrati"}
    assert "&q=calibrate" in page.url


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
    assert page.url.endswith("#/document?path=gauge.md&line=9")


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


# -- how it looks


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [None, PHONE])
def test_marks_look_right(browser: Any, notes_server: Server, artefacts: Path, theme: str, viewport: Any) -> None:
    options = {"viewport": viewport} if viewport else {}
    with visiting(browser, notes_server, color_scheme=theme, **options) as visit:
        page = read(visit, "gauge.md", "&line=7&q=gauge+calibrate")
        expect(page.locator(".found-bar")).to_be_visible()
        page.screenshot(path=artefacts / f"reading-{theme}-{'phone' if viewport else 'wide'}.png")
        assert faults(page) == []
        assert overflow(page) == []
