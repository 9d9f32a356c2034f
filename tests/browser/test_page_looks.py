"""Every view in light, in dark and on a phone: nothing overflows, and it is accessible."""

from __future__ import annotations

from typing import Any

import pytest
from browser_kit import COLOURS, PHONE, Server, Visit, expect, faults, overflow, show_theme, take_picture, visiting

pytest_plugins = ["browser_fixtures"]

pytest.importorskip("axe_playwright_python", reason="axe is not installed: nothing to judge the page by")


QUESTION = "How+much+memory+for+fifty+gauges%3F"
DRAWN = ".graph-view canvas[data-layout=done]"

# Name → address, what is to be seen before the picture is taken, and what is opened first.
VIEWS = {
    "search": ("#/search?q=battery+of+a+gauge", ".hit .why", ".hit summary"),
    "search-words": ("#/search?q=gauge&mode=keyword", ".hit mark", ""),
    "search-folder": ("#/search?q=gauge&path=c*", ".hit", ""),
    "search-japanese": ("#/search?q=%E9%9B%BB%E6%B1%A0", ".hit", ""),
    "search-empty": ("#/search", "h2:has-text('Search your documents')", ""),
    "search-nothing": ("#/search?q=zyzzyva&mode=keyword&tag=x", "h2:has-text('Nothing found')", ""),
    "documents": ("#/document", ".document-rows [role=treeitem]", ""),
    "document": ("#/document?path=troubleshooting.md&line=21&end=30", ".prose p", ""),
    "document-first": ("#/document?path=index.md", ".prose h1", ""),
    "document-code": ("#/document?path=calibration.md", ".prose h2", ""),
    "document-japanese": ("#/document?path=quick-guide.ja.md", ".prose h1", ""),
    "document-nearby": ("#/document?path=index.md", ".local-graph .aside-links a", ".local-graph details summary"),
    "document-missing": ("#/document?path=guides/calibrations.md", "h1:has-text('Document not found')", ""),
    "no-such-view": ("#/nonsense", "h1:has-text('Not found')", ""),
    "playground": ("#/playground?preset=default", ".cell", ".cards summary"),
    "torn": ("#/playground?q=How+do+I+replace+a+gauge%3F&preset=default&b.preset=fixed", ".pane-tear", ""),
    "playground-document": ("#/playground?path=calibration.md", ".cell", ""),
    "compare": ("#/playground?preset=default", ".lane:nth-child(2) .pane-band", ".playground-tools [aria-pressed]"),
    "question": (f"#/playground?q={QUESTION}", ".verdict", ""),
    "question-compare": (f"#/playground?q={QUESTION}&b.preset=mdvdb&b.max_tokens=40", ".verdict", ""),
    "graph": ("#/graph", DRAWN, ""),
    "graph-found": ("#/graph?q=gauge", DRAWN, ""),
    "graph-tags": ("#/graph?tags=yes", DRAWN, ""),
    "graph-without-orphans": ("#/graph?orphans=no&depth=1", DRAWN, ""),
    "graph-broken": ("#/graph", ".graph-rows a", ".graph-tabs label:nth-of-type(3)"),
    "ask": ("#/ask?q=When+does+the+gauge+sleep", ".source-cards .hit-link", ""),
    "ask-start": ("#/ask", ".starter", ""),
    "ask-nothing": ("#/ask?q=zyzzyva", "#ask-h, .ask-view h1", ""),
    "status": ("#/status", ".figures", ""),
    "status-rules": ("#/status", ".status-tables details[open]", ".status-tables summary"),
    "palette": ("#/status", "dialog[open]", "#palette-open"),
    "keys": ("#/status", "dialog[open]", "#keys-open"),
}
NOT_ON_A_PHONE = ("palette", "keys", "document-nearby")
"""Opened by a button that is not there, or not in sight."""


def show(visit: Visit, name: str) -> None:
    route, seen, opened = VIEWS[name]
    if visit.page.locator("dialog[open]").count():
        visit.page.keyboard.press("Escape")
    visit.go(route)
    if opened:
        visit.page.locator(opened).first.click()
    expect(visit.page.locator(seen).first).to_be_visible()


def test_views_look_right(visit: Visit) -> None:
    """In light, axe judges by all its rules; in dark the colours. What it judges is the same at every width."""
    problems: list[str] = []
    page = visit.page
    for name in VIEWS:
        show(visit, name)
        problems += [f"{name} {fault}" for fault in faults(page)]
        problems += [f"{name} sticks out: {element}" for element in overflow(page)]
        take_picture(page, f"{name}-light")
    show_theme(page, "dark")
    # Chromium may paint a field that was out of sight meanwhile in its colour from before.
    page.reload()
    for name in VIEWS:
        show(visit, name)
        problems += [f"{name} in dark {fault}" for fault in faults(page, *COLOURS)]
        take_picture(page, f"{name}-dark")
    assert problems == []
    forget_missing(visit)


def forget_missing(visit: Visit) -> None:
    """The browser itself reports the answer for the document that is missing."""
    assert all("404" in error for error in visit.errors)
    visit.errors.clear()


FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  // What shows the focus: the element, what stands for it beside it or around it, or a frame that is painted there.
  const seen = (one, part) => {
    const style = getComputedStyle(one, part);
    const isFramed = style.content !== "none" && parseFloat(style.borderTopWidth) > 0;
    if (part ? isFramed : style.boxShadow !== "none") return true;
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  };
  const { nextElementSibling: beside, parentElement: above } = element;
  const around = [element, beside, above, element.closest(".hit, .pane")].filter(Boolean);
  const { bottom, top, width } = element.getBoundingClientRect();
  const isInSight = bottom > 0 && top < innerHeight && width > 0 && element.checkVisibility();
  const name = `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40)}`;
  return { name, isInSight, isMarked: around.some((one) => seen(one) || seen(one, "::before")) };
}"""


@pytest.mark.parametrize("name", ["search", "documents", "document", "playground", "graph", "ask", "status"])
def test_the_focus_is_seen_wherever_keys_lead(visit: Visit, name: str) -> None:
    page = visit.page
    show(visit, name)
    page.get_by_role("link", name="Skip to content").focus()
    reached: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:
            break
        assert focused["isInSight"], focused
        assert focused["isMarked"], focused
        reached.append(focused["name"])
    assert len(set(reached)) > 3


def test_views_fit_a_phone(browser: Any, handbook_server: Server) -> None:
    problems: list[str] = []
    with visiting(browser, handbook_server, viewport=PHONE, has_touch=True) as visit:
        # In this order: what is opened in one view of the playground stays open in the next.
        for name in (name for name in VIEWS if name not in NOT_ON_A_PHONE):
            show(visit, name)
            take_picture(visit.page, f"{name}-phone")
            problems += [f"{name} sticks out: {element}" for element in overflow(visit.page)]
        forget_missing(visit)
    assert problems == []
