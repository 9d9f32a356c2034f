"""Cutting a text, and seeing the boundaries move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser_kit import Visit, expect

pytest_plugins = ["browser_fixtures"]


# The text that is seen and the text that is measured must break in the same places.
HEIGHTS = """() => [...document.querySelectorAll(".pane-paper")].map((paper) => {
  const [ghost, input] = [paper.querySelector(".pane-ghost"), paper.querySelector(".pane-input")];
  return [ghost.getBoundingClientRect().height, input.scrollHeight];
})"""


@pytest.fixture
def playground(visit: Visit) -> Any:
    visit.go("#/playground?preset=default")
    expect(visit.page.locator(".pane-band").first).to_be_visible()
    return visit.page


def chunk_count(page: Any, lane: int = 0) -> int:
    return int(page.locator(".lane").nth(lane).get_attribute("data-chunks"))


def cut(page: Any, act: Any) -> None:
    """Do something that has the text cut again, and wait until that is shown."""
    with page.expect_response("**/api/chunk"):
        act()
    page.wait_for_function("() => document.querySelectorAll('.lane .pane-band').length > 0")


def test_it_begins_with_a_sample_that_shows_everything(playground: Any) -> None:
    page = playground
    assert chunk_count(page) == page.locator(".pane-band").count() == page.locator(".card").count() > 4
    expect(page.locator(".cut-row")).to_contain_text("code")
    expect(page.locator(".pane-band.cut")).not_to_have_count(0)
    assert page.locator(".histogram .cell").count() == chunk_count(page)
    expect(page.locator(".limit-max")).to_have_text("max 512")
    drawn = page.locator(".histogram").bounding_box()
    assert drawn["height"] > 100
    assert page.locator(".histogram-figure").bounding_box()["height"] >= drawn["height"]
    for ghost, shown in page.evaluate(HEIGHTS):
        assert abs(ghost - shown) <= 2


def test_a_slider_moves_the_boundaries(playground: Any) -> None:
    page = playground
    before = chunk_count(page)
    open_all_settings(page)
    slider = page.get_by_label("Max, slider")
    slider.focus()
    page.keyboard.press("PageDown")
    page.wait_for_function("(before) => document.querySelector('.lane').dataset.chunks > before", arg=before)
    shown = int(page.get_by_label("Max", exact=True).input_value())
    assert shown < 512
    expect(page.locator(".limit-max")).to_have_text(f"max {shown}")
    expect(page.locator(".recipe-code")).to_contain_text(f"max_tokens={shown}")
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("(before) => document.querySelector('.lane').dataset.chunks == before", arg=before)


def word(page: Any, group: str, name: str) -> Any:
    return page.get_by_role("radiogroup", name=group).get_by_role("radio", name=name)


def open_all_settings(page: Any) -> None:
    page.locator(".controls-more > summary").first.click()


def test_two_words_are_enough(playground: Any) -> None:
    page = playground
    size, overlap = "Chunk size", "Chunk overlap"
    expect(word(page, size, "medium")).to_be_checked()
    expect(word(page, overlap, "none")).to_be_checked()
    cut(page, word(page, size, "small").check)
    expect(page.locator(".limit-max")).to_have_text("max 256")
    cut(page, word(page, overlap, "high").check)
    open_all_settings(page)
    expect(page.get_by_label("Overlap", exact=True)).to_have_value("64")
    expect(page.locator(".recipe-code")).to_contain_text('size="small"')
    expect(page.locator(".recipe-code")).to_contain_text('overlap="high"')
    cut(page, lambda: page.get_by_label("Overlap", exact=True).fill("10"))
    expect(page.get_by_role("radiogroup", name=overlap).locator(":checked")).to_have_count(0)
    expect(word(page, size, "small")).to_be_checked()
    cut(page, lambda: page.get_by_label("Max", exact=True).fill("300"))
    expect(page.locator(".limit-max")).to_have_text("max 300")
    expect(page.get_by_role("radiogroup", name=size).locator(":checked")).to_have_count(0)
    cut(page, word(page, size, "large").check)
    expect(page.locator(".limit-max")).to_have_text("max 1,024")
    cut(page, lambda: page.get_by_role("button", name="Reset").click())
    expect(word(page, size, "medium")).to_be_checked()
    expect(page.locator(".limit-max")).to_have_text("max 512")


def test_overlap_is_seen_and_adds_no_chunk(playground: Any) -> None:
    page = playground
    before = chunk_count(page)
    open_all_settings(page)
    expect(page.locator(".pane-carry")).to_have_count(0)
    cut(page, lambda: page.get_by_label("Overlap", exact=True).fill("64"))
    expect(page.locator(".pane-carry")).not_to_have_count(0)
    assert chunk_count(page) == before


def test_settings_are_copied_as_code(visit: Visit) -> None:
    page = visit.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.go("#/playground?preset=default")
    expect(page.locator(".pane-band").first).to_be_visible()
    page.get_by_label("Preset").select_option("blocks")
    open_all_settings(page)
    page.get_by_label("Max", exact=True).fill("600")
    page.get_by_label("merge", exact=True).uncheck()
    # The count of chunks is announced in the same place, and would cover what is copied meanwhile.
    expect(page.locator("#announcer")).to_have_text("blocks: 11 chunks")
    recipes = {
        "Python": 'import headnote\n\nchunks = headnote.chunk_file(\n    "relay.md",\n    preset="blocks",\n'
        "    max_tokens=600,\n    merge=False,\n)\n",
        "CLI": "headnote chunk relay.md \\\n  --preset blocks \\\n  --max-tokens 600 \\\n  --no-merge\n",
        "TOML": '# headnote.toml\npreset = "blocks"\nmax_tokens = 600\nmerge = false\n',
    }
    for form, code in recipes.items():
        page.get_by_role("radio", name=form).check()
        page.locator(".recipe .button").click()
        expect(page.locator("#announcer")).to_have_text(f"Copied: {form}")
        assert page.evaluate("navigator.clipboard.readText()") == code


def test_two_presets_side_by_side_share_the_text(playground: Any) -> None:
    page = playground
    cut(page, lambda: page.get_by_role("button", name="Compare two").click())
    expect(page.locator(".lane")).to_have_count(2)
    page.wait_for_function("() => [...document.querySelectorAll('.lane')].every((lane) => lane.dataset.chunks)")
    assert chunk_count(page, 0) != chunk_count(page, 1)
    expect(page.locator(".lane").nth(1).locator(".pane-carry")).not_to_have_count(0)
    first, second = (page.get_by_label("Document", exact=True).nth(at) for at in (0, 1))
    first.fill("# One\n\nA word with an emoji 🐚 in it.\n\n# Two\n\nAnother.")
    expect(second).to_have_value("# One\n\nA word with an emoji 🐚 in it.\n\n# Two\n\nAnother.")
    page.wait_for_function("() => [...document.querySelectorAll('.lane')].every((lane) => lane.dataset.chunks <= 2)")
    page.get_by_role("button", name="Compare two").click()
    expect(page.locator(".lane")).to_have_count(1)


def test_a_chunk_shows_what_is_embedded(playground: Any) -> None:
    page = playground
    card = page.locator(".card").filter(has_text="fence reopened").first
    card.locator("summary").click()
    expect(card.locator(".card-text .added").first).to_contain_text("The relay")
    expect(card.locator(".card-text")).to_contain_text("```python")
    expect(page.locator(".pane-band.active")).to_be_in_viewport()


def test_files_are_opened_and_dropped(playground: Any, tmp_path: Path) -> None:
    page = playground
    file = tmp_path / "widget.mdx"
    file.write_text('import { A } from "a";\n\n# Widget\n\n<A name="x" />\n', encoding="utf-8", newline="\r\n")
    cut(page, lambda: page.locator("input[type=file]").set_input_files(file))
    expect(page.locator(".file-name")).to_have_value("widget.mdx")
    expect(page.get_by_label("Document", exact=True)).to_have_value(file.read_text(encoding="utf-8"))
    dropping = """() => {
      const data = new DataTransfer();
      data.items.add(new File(["# Dropped\\n\\nText."], "dropped.md"));
      const options = { dataTransfer: data, bubbles: true, cancelable: true };
      const pane = document.querySelector(".pane");
      for (const kind of ["dragover", "drop"]) pane.dispatchEvent(new DragEvent(kind, options));
    }"""
    cut(page, lambda: page.evaluate(dropping))
    expect(page.locator(".file-name")).to_have_value("dropped.md")
    expect(page.locator(".card")).to_have_count(1)
    cut(page, lambda: page.get_by_role("button", name="Sample").click())
    expect(page.locator(".file-name")).to_have_value("relay.md")


def test_an_impossible_setting_is_shown_with_its_remedy(visit: Visit) -> None:
    page = visit.page
    visit.go("#/playground?preset=default")
    expect(page.locator(".pane-band").first).to_be_visible()
    open_all_settings(page)
    page.get_by_label("heading_depth").fill("9")
    page.get_by_label("heading_depth").press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("from 1 to 6")
    page.get_by_role("button", name="Reset").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    assert all("400" in error for error in visit.errors)
    visit.errors.clear()
