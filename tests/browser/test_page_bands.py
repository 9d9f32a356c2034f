"""The playground on one screen: what came out is always in sight, and two ways to cut are seen to differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from browser_kit import PHONE, WIDE, Server, Visit, expect, overflow, visiting

pytest_plugins = ["browser_fixtures"]


SMALL = {"width": 1280, "height": 720}
ALWAYS_IN_SIGHT = (".facts", ".histogram", ".pane", ".controls-preset", ".word-row", ".controls-more > summary")

BOXES = """(selector) => [...document.querySelectorAll(selector)].map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
})"""

AXES = """() => [...document.querySelectorAll(".histogram")].map((drawing) => ({
  width: drawing.clientWidth,
  sizes: [...drawing.querySelectorAll(".tick")].map((tick) => [tick.textContent, tick.getAttribute("x")]),
  cells: [...new Set([...drawing.querySelectorAll(".cell")].map((cell) => cell.getAttribute("height")))],
}))"""

# The text that is measured, and its rows, beside the text that is seen.
MEASURED = """() => [...document.querySelectorAll(".pane-paper")].map((paper) => {
  const [ghost, input] = [paper.querySelector(".pane-ghost"), paper.querySelector(".pane-input")];
  return {
    isSame: ghost.textContent === `${input.value}\\n`,
    difference: ghost.getBoundingClientRect().height - input.scrollHeight,
  };
})"""

# Asks the server as the page does: where do chunks begin? Offsets of code points, white space skipped.
STARTS = """async ([text, preset, settings]) => {
  const body = JSON.stringify({ text, path: "relay.md", preset, settings });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch("/api/chunk", { method: "POST", headers, body });
  return (await answer.json()).chunks.map((chunk) => chunk.start);
}"""


def open_playground(visit: Visit) -> Any:
    visit.go("#/playground?preset=default")
    expect(visit.page.locator(".pane-band").first).to_be_visible()
    return visit.page


@pytest.fixture
def playground(visit: Visit) -> Any:
    return open_playground(visit)


@pytest.fixture
def comparison(playground: Any) -> Any:
    compare(playground)
    return playground


def compare(page: Any) -> None:
    page.get_by_role("button", name="Compare two").click()
    expect(page.locator(".lane")).to_have_count(2)
    wait_for_cuts(page)


def wait_for_cuts(page: Any) -> None:
    page.wait_for_function("() => [...document.querySelectorAll('.lane')].every((lane) => lane.dataset.chunks)")
    page.wait_for_load_state("networkidle")


def handbook_text(repository: Path) -> str:
    files = sorted((repository / "examples" / "handbook").glob("*.md"))
    return "\n\n".join(file.read_text(encoding="utf-8") for file in files)


def open_text(page: Any, text: str, folder: Path) -> None:
    """As a file: to type a long text takes a browser a minute."""
    file = folder / "relay.md"
    file.write_text(text, encoding="utf-8", newline="")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_label("Document", exact=True).first).to_have_value(text)


def lane(page: Any, name: str) -> Any:
    return page.get_by_role("region", name=f"Settings {name}")


def check_in_sight(page: Any, count: int) -> None:
    size = page.viewport_size
    for selector in ALWAYS_IN_SIGHT:
        boxes = [box for box in page.evaluate(BOXES, selector) if box["width"]]
        assert len(boxes) % count == 0
        assert len(boxes) >= count, selector
        for box in boxes:
            assert box["x"] >= 0, selector
            assert box["y"] >= 0, selector
            assert box["x"] + box["width"] <= size["width"], selector
            assert box["y"] + box["height"] <= size["height"], selector
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def covered(page: Any) -> list[str]:
    """Pairs of parts of one lane that lie on each other."""
    parts = (".controls", ".facts", ".histogram", ".pane", ".lane-list")
    found: list[str] = page.evaluate(
        """(parts) => [...document.querySelectorAll(".lane")].flatMap((lane) => {
          const boxes = parts.map((part) => lane.querySelector(part).getBoundingClientRect());
          return parts.flatMap((part, i) => parts.slice(i + 1).filter((_, k) => {
            const [a, b] = [boxes[i], boxes[i + 1 + k]];
            return a.width && b.width && a.left < b.right - 8 && b.left < a.right - 8 && a.top < b.bottom - 8 &&
              b.top < a.bottom - 8;
          }).map((other) => `${part} ${other}`));
        })""",
        list(parts),
    )
    return found


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["1400x900", "1280x720"])
def test_everything_is_on_one_screen(size: dict[str, int], browser: Any, handbook_server: Server) -> None:
    with visiting(browser, handbook_server, viewport=size) as visit:
        page = open_playground(visit)
        check_in_sight(page, 1)
        assert covered(page) == []
        page.locator(".card").last.scroll_into_view_if_needed()
        page.locator(".pane").evaluate("(pane) => pane.scrollTo(0, 1e6)")
        check_in_sight(page, 1)
        compare(page)
        check_in_sight(page, 2)
        assert covered(page) == []
        page.locator(".controls-more > summary").first.click()
        expect(page.get_by_label("Max, slider").first).to_be_in_viewport()
        check_in_sight(page, 2)
        shown, panel = (page.evaluate(BOXES, part)[0] for part in (".histogram", ".controls-all"))
        assert shown["y"] + shown["height"] <= panel["y"]


def test_nothing_sticks_out_on_a_phone(browser: Any, handbook_server: Server) -> None:
    with visiting(browser, handbook_server, viewport=PHONE, has_touch=True) as visit:
        page = open_playground(visit)
        compare(page)
        page.get_by_role("button", name="Settings A").click()
        page.locator(".controls-more > summary").first.click()
        for _ in range(4):
            page.get_by_role("button", name="Next").click()
            expect(page.locator(".pane-difference.here.current span")).to_be_in_viewport()
            expect(page.get_by_role("button", name="Next")).to_be_in_viewport()
            expect(page.locator(".facts").first).to_be_visible()
        assert overflow(page) == []


def test_words_come_first_and_numbers_have_units(playground: Any) -> None:
    page = playground
    expect(page.get_by_label("Max, slider")).not_to_be_visible()
    size = page.get_by_role("radiogroup", name="Chunk size")
    expect(size).to_contain_text("≤ 512 tokens")
    page.get_by_role("radiogroup", name="Chunk overlap").get_by_role("radio", name="low").check()
    expect(page.get_by_role("radiogroup", name="Chunk overlap")).to_contain_text("32 tokens")
    page.locator(".controls-more > summary").click()
    for label in ("Max", "Target", "Min", "Overlap"):
        expect(page.get_by_label(label, exact=True)).to_have_accessible_description("tokens")
        expect(page.get_by_label(f"{label}, slider")).to_have_attribute("aria-valuetext", re.compile(r"^\d+ tokens$"))
    expect(page.locator(".tick").first).to_have_text("0 tokens")
    page.get_by_label("counter").select_option("chars")
    expect(page.locator(".size-unit").first).to_have_text("characters")
    expect(page.locator(".tick").first).to_have_text("0 characters")
    expect(size).to_contain_text("≤ 2,048 characters")


def test_overlap_has_the_colour_of_the_chunk_that_repeats_it(playground: Any) -> None:
    page = playground
    page.get_by_role("radiogroup", name="Chunk overlap").get_by_role("radio", name="high").check()
    expect(page.locator(".pane-carry").first).to_be_visible()
    labels = page.locator(".pane-carry-label")
    for at in range(labels.count()):
        label = labels.nth(at)
        chunk = int(re.fullmatch(r"again in (\d+)", label.inner_text())[1]) - 1  # type: ignore[index]
        hue = f"hue-{chunk % 8}"
        expect(label).to_have_class(re.compile(rf"\b{hue}\b"))
        expect(page.locator(f".pane-band[data-chunk='{chunk}']")).to_have_class(re.compile(rf"\b{hue}\b"))
    cards = page.locator(".card").filter(has_text="overlaps the previous chunk")
    assert labels.count() == cards.count() > 0


def test_two_histograms_have_one_scale(comparison: Any) -> None:
    page = comparison
    lane(page, "B").get_by_label("Preset").select_option("blocks")
    for size, most in (("small", "500"), ("large", "2,000")):
        lane(page, "B").get_by_role("radio", name=size, exact=True).check()
        expect(lane(page, "B").locator(".limit-max")).to_have_text(f"max {most}")
        first, second = page.evaluate(AXES)
        assert first == second
        assert len(first["cells"]) == 1
    # Characters are no tokens: these cannot be compared, and each has its own scale.
    lane(page, "B").locator(".controls-more > summary").click()
    lane(page, "B").get_by_label("counter").select_option("chars")
    expect(lane(page, "B").locator(".tick").first).to_have_text("0 characters")
    first, second = page.evaluate(AXES)
    assert first["sizes"] != second["sizes"]


def starts(page: Any, text: str, preset: str) -> set[int]:
    """Where chunks begin, but for the beginning of the text."""
    offsets: Sequence[int] = page.evaluate(STARTS, [text, preset, {}])
    return {skip_space(text, offset) for offset in offsets} - {skip_space(text, 0)}


def skip_space(text: str, offset: int) -> int:
    return offset + len(text[offset:]) - len(text[offset:].lstrip())


def test_boundaries_that_differ_are_counted_and_marked_in_both(
    comparison: Any, repository: Path, tmp_path: Path
) -> None:
    text = "🐚 One.\n\n" + handbook_text(repository)
    open_text(comparison, text, tmp_path)
    for preset in ("blocks", "mdvdb", "ragdocs", "refdocs"):
        with comparison.expect_response("**/api/chunk"):
            lane(comparison, "B").get_by_label("Preset").select_option(preset)
        check_differences(comparison, text, preset)


def check_differences(page: Any, text: str, preset: str) -> None:
    in_a, in_b = starts(page, text, "default"), starts(page, text, preset)
    differing = in_a ^ in_b
    word = "boundary differs" if len(differing) == 1 else "boundaries differ"
    expect(page.locator(".comparison-count b")).to_have_text(f"{len(differing)} {word}")
    expect(page.locator(".comparison-count span")).to_have_text(
        f"{len(in_a - in_b)} only in A, {len(in_b - in_a)} only in B"
    )
    for name, own in (("A", in_a - in_b), ("B", in_b - in_a)):
        expect(lane(page, name).locator(".pane-difference")).to_have_count(len(differing))
        expect(lane(page, name).locator(".pane-difference.here")).to_have_count(len(own))
    tops = "(lane) => [...lane.querySelectorAll('.pane-difference')].map((mark) => mark.style.top)"
    first, second = (lane(page, name).evaluate(tops) for name in "AB")
    assert first == second
    heights = [float(top.removesuffix("px")) for top in first]
    assert heights == sorted(heights)


def test_one_goes_from_difference_to_difference(comparison: Any) -> None:
    page = comparison
    place = page.locator(".comparison-place")
    total = lane(page, "A").locator(".pane-difference").count()
    assert total > 3
    for at in range(1, total + 1):
        page.get_by_role("button", name="Next").click()
        expect(place).to_have_text(f"{at} of {total}")
        for name in "AB":
            expect(lane(page, name).locator(".pane-difference.current")).to_have_count(1)
            expect(lane(page, name).locator(".pane-difference.current span")).to_be_in_viewport()
    page.get_by_role("button", name="Next").focus()
    page.keyboard.press("n")
    expect(place).to_have_text(f"1 of {total}")
    page.keyboard.press("p")
    expect(place).to_have_text(f"{total} of {total}")
    expect(page.locator("#announcer")).to_have_text(re.compile(rf"^Difference {total} of {total}, only in [AB]$"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next or previous difference")
    page.keyboard.press("Escape")


def test_same_settings_do_not_differ(comparison: Any) -> None:
    page = comparison
    lane(page, "B").get_by_label("Preset").select_option("default")
    expect(page.locator(".comparison-count")).to_have_text("Both cut in the same places")
    expect(page.locator(".pane-difference")).to_have_count(0)
    expect(page.get_by_role("button", name="Next")).not_to_be_visible()
    page.get_by_role("button", name="Compare two").click()
    expect(page.locator(".comparison")).not_to_be_visible()


def test_of_a_long_text_only_what_is_near_is_drawn(comparison: Any, repository: Path, tmp_path: Path) -> None:
    page = comparison
    open_text(page, "\n\n".join(20 * [handbook_text(repository)]), tmp_path)
    page.wait_for_function("() => [...document.querySelectorAll('.lane')].every((lane) => lane.dataset.chunks > 100)")
    chunks = int(lane(page, "A").get_attribute("data-chunks"))
    bands = lane(page, "A").locator(".pane-band")
    assert chunks > 200
    assert 0 < bands.count() < chunks / 2
    expect(bands.first).to_be_in_viewport()
    lane(page, "B").locator(".pane").evaluate("(pane) => pane.scrollTo(0, pane.scrollHeight)")
    expect(lane(page, "A").locator(f".pane-band[data-chunk='{chunks - 1}']")).to_be_in_viewport()
    assert bands.count() < chunks / 2
    total = int(re.match(r"\d+", page.locator(".comparison-count b").inner_text())[0])  # type: ignore[index]
    lane(page, "A").locator(".pane").evaluate("(pane) => pane.scrollTo(0, 0)")
    page.get_by_role("button", name="Previous").click()
    expect(page.locator(".comparison-place")).to_have_text(f"{total} of {total}")
    for name in "AB":
        expect(lane(page, name).locator(".pane-difference.current span")).to_be_in_viewport()


LONG_LINE = "word " * 80
EDITS = [
    "",
    "\n",
    "\n\n\n",
    "one line",
    "one line\n",
    "\n".join(f"line {number}" for number in range(200)),
    "\n".join(f"line {number}" for number in range(200) if number != 77),
    "\n".join(f"line {number}" for number in range(200)).replace("line 77\nline 78", "line 77line 78"),
    "\n".join(f"line {number}" for number in range(200)) + "\nmore",
    "first\n" + "\n".join(f"line {number}" for number in range(200)),
    f"{LONG_LINE}\n\n{LONG_LINE}\n" * 30,
    f"{LONG_LINE}\n\n{LONG_LINE}\n" * 29 + LONG_LINE,
    f"# Tabs\n\n\tcode\n\n\u3042\u3044\u3046 {LONG_LINE}\n" * 30,
    "last",
]


def test_the_text_is_measured_as_it_is_seen_after_every_edit(playground: Any) -> None:
    page = playground
    field = page.get_by_label("Document", exact=True)
    for text in [*EDITS, *reversed(EDITS)]:
        field.fill(text)
        for measured in page.evaluate(MEASURED):
            assert measured["isSame"], text[:80]
            assert abs(measured["difference"]) <= 2, text[:80]


# How far each flag of a difference lies to the right of where words can be.
BESIDE_THE_TEXT = """() => [...document.querySelectorAll(".pane-difference span")].map((flag) => {
  const text = flag.closest(".pane-paper").querySelector(".pane-input");
  const end = text.getBoundingClientRect().right - parseFloat(getComputedStyle(text).paddingRight);
  return flag.getBoundingClientRect().left - end;
})"""


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_flags_of_differences_cover_no_words(browser: Any, handbook_server: Server, size: dict[str, int]) -> None:
    with visiting(browser, handbook_server, viewport=size) as visit:
        page = visit.page
        visit.go("#/playground?preset=default&b.preset=mdvdb&b.max_tokens=48")
        expect(page.locator(".pane-difference").first).to_be_attached()
        wait_for_cuts(page)
        beside = page.evaluate(BESIDE_THE_TEXT)
        assert beside
        assert min(beside) >= 0
        for measured in page.evaluate(MEASURED):
            assert abs(measured["difference"]) <= 2


COUNTING = """() => {
  const really = window.fetch;
  window.atOnce = { now: 0, most: 0, all: 0 };
  const first = new Promise((resolve) => (window.releaseFirst = resolve));
  const others = new Promise((resolve) => (window.releaseOthers = resolve));
  window.fetch = async (address, options) => {
    if (!String(address).endsWith("/api/chunk")) return really(address, options);
    atOnce.all += 1;
    atOnce.most = Math.max(atOnce.most, ++atOnce.now);
    try {
      await (atOnce.all === 1 ? first : others);
      return await really(address, options);
    } finally {
      atOnce.now -= 1;
    }
  };
}"""


def test_a_slider_that_moves_asks_once_at_a_time_and_the_last_answer_stays(playground: Any) -> None:
    page = playground
    page.evaluate(COUNTING)
    page.locator(".controls-more > summary").click()
    page.get_by_label("Max, slider").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => atOnce.all === 1")
    for _ in range(11):
        page.keyboard.press("ArrowLeft")
    slider = page.get_by_label("Max, slider")
    pulled = int(slider.input_value())
    first = pulled + 11 * int(slider.get_attribute("step"))
    page.evaluate("releaseFirst()")
    expect(page.locator(".limit-max")).to_have_text(f"max {first}")
    assert int(slider.input_value()) == pulled, "the answer to an earlier place moved the slider"
    page.evaluate("releaseOthers()")
    expect(page.locator(".limit-max")).to_have_text(f"max {pulled}")
    asked = page.evaluate("atOnce")
    assert asked["most"] == 1
    assert 1 < asked["all"] < 12
