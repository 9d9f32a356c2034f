"""Every view in light, in dark and on a phone: nothing overflows, and it is accessible."""

from __future__ import annotations

from typing import Any

import pytest
from browser_kit import COLOURS, PHONE, Server, Visit, expect, faults, overflow, show_theme, take_picture, visiting

pytest_plugins = ["browser_fixtures"]

pytest.importorskip("axe_playwright_python", reason="axe is not installed: nothing to judge the page by")


# Name → address, what is to be seen before the picture is taken, and what is opened first.
VIEWS = {
    "search": ("#/search?q=battery+of+a+gauge", ".hit .why", ".hit summary"),
    "search-empty": ("#/search", "h2:has-text('Search your documents')", ""),
    "search-nothing": ("#/search?q=zyzzyva&mode=keyword&tag=x", "h2:has-text('Nothing found')", ""),
    "documents": ("#/document", ".document-rows [role=treeitem]", ""),
    "document": ("#/document?path=troubleshooting.md&line=21&end=30", ".prose p", ""),
    "playground": ("#/playground?preset=default", ".cell", ".cards summary"),
    "torn": ("#/playground?q=How+do+I+replace+a+gauge%3F&preset=default&b.preset=fixed", ".pane-tear", ""),
    "compare": ("#/playground?preset=default", ".lane:nth-child(2) .pane-band", ".playground-tools [aria-pressed]"),
    "question": ("#/playground?q=How+much+memory+for+fifty+gauges%3F", ".verdict", ""),
    "graph": ("#/graph", ".graph-view canvas[data-layout=done]", ""),
    "ask": ("#/ask?q=When+does+the+gauge+sleep", ".citations a", ""),
    "ask-start": ("#/ask", ".starter", ""),
    "status": ("#/status", ".figures", ""),
    "keys": ("#/status", "dialog[open]", "#keys-open"),
}


def show(visit: Visit, name: str) -> None:
    route, seen, opened = VIEWS[name]
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


def test_views_fit_a_phone(browser: Any, handbook_server: Server) -> None:
    problems: list[str] = []
    with visiting(browser, handbook_server, viewport=PHONE, has_touch=True) as visit:
        # In this order: what is opened in one view of the playground stays open in the next.
        for name in (name for name in VIEWS if name != "keys"):
            show(visit, name)
            take_picture(visit.page, f"{name}-phone")
            problems += [f"{name} sticks out: {element}" for element in overflow(visit.page)]
    assert problems == []
