"""The page while things change: keys, focus, a server that stops and comes back, typing, the first read."""

from __future__ import annotations

import pytest
from browser_kit import Visit, expect

pytest_plugins = ["browser_fixtures"]

pytestmark = pytest.mark.slow


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
    expect(dialog.get_by_role("heading", level=3)).to_have_text(["Everywhere", "In graph", "In documents"])


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
