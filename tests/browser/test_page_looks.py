"""Every view in light, in dark and on a phone: nothing overflows, and it is accessible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser_kit import PHONE, WIDE, Server, expect, faults, overflow, visiting

pytest_plugins = ["browser_fixtures"]

pytest.importorskip("axe_playwright_python", reason="axe is not installed: nothing to judge the page by")


# Name → address, what is to be seen before the picture is taken, and what is opened first.
VIEWS = {
    "search": ("#/search?q=battery+of+a+gauge", ".hit .why", ".hit summary"),
    "search-empty": ("#/search", "h2:has-text('Search your documents')", ""),
    "search-nothing": ("#/search?q=zyzzyva&mode=keyword&tag=x", "h2:has-text('Nothing found')", ""),
    "documents": ("#/document", ".document-rows [role=treeitem]", ""),
    "document": ("#/document?path=troubleshooting.md&line=21&end=30", ".band", ""),
    "playground": ("#/playground", ".cell", ".cards summary"),
    "compare": ("#/playground", ".lane:nth-child(2) .cell", ".playground-tools [aria-pressed]"),
    "question": ("#/playground?q=How+much+memory+for+fifty+gauges%3F", ".verdict", ""),
    "graph": ("#/graph", ".graph-view canvas[data-layout=done]", ""),
    "ask": ("#/ask?q=When+does+the+gauge+sleep", ".citations a", ""),
    "ask-start": ("#/ask", ".starter", ""),
    "status": ("#/status", ".figures", ""),
    "keys": ("#/status", "dialog[open]", "#keys-open"),
}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": WIDE, "color_scheme": "light"},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light", "has_touch": True},
}


@pytest.mark.parametrize("look", LOOKS)
def test_views_look_right(look: str, browser: Any, handbook_server: Server, artefacts: Path) -> None:
    problems: list[str] = []
    with visiting(browser, handbook_server, **LOOKS[look]) as visit:
        page = visit.page
        for name, (route, seen, opened) in VIEWS.items():
            if look == "phone" and name == "keys":
                continue
            visit.go(route)
            if opened:
                page.locator(opened).first.click()
            expect(page.locator(seen).first).to_be_visible()
            page.screenshot(path=artefacts / f"{name}-{look}.png")
            # What axe judges is the same at every width; what sticks out is not.
            if look != "phone":
                problems += [f"{name} {fault}" for fault in faults(page)]
            problems += [f"{name} sticks out: {element}" for element in overflow(page)]
    assert problems == []
