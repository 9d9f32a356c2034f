"""A question in the playground: bands glow, the answer stays whole or is torn, and a link shares all of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser_kit import PHONE, Server, Visit, expect, expect_address, faults, flaws, visiting
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest_plugins = ["browser_fixtures"]


QUESTION = "how long do readings stay on the disk"
LONG = "\n\n".join(f"Paragraph {number * 7919 % 10007} is about {number * 104729 % 99991}." for number in range(1200))
TORN = "preset=mdvdb&max_tokens=24&overlap_tokens=0"

GLOWS = """() => [...document.querySelectorAll('.lane')].map((lane) =>
  [...lane.querySelectorAll('.pane-band')].map((band) => Number(band.style.getPropertyValue('--glow'))))"""

ADDRESSES = """async (shown) => {
  const main = document.querySelector('script[type=module]').src;
  const address = await import(new URL("playground/address.js", main).href);
  const presets = await (await fetch('/api/presets')).json();
  const { text, ...source } = shown.source;
  if (source.kind === 'text') source.packed = await address.pack(text);
  const written = address.writeAddress({ ...shown, source }).toString();
  const read = address.readAddress(new URLSearchParams(written), presets);
  if (read.source.kind === 'text') {
    read.source.text = await address.unpack(read.source.packed);
    delete read.source.packed;
  }
  return read;
}"""


def open_playground(visit: Visit, query: str = "") -> Any:
    visit.go(f"#/playground?{query or 'preset=default'}")
    expect(visit.page.locator(".pane-band").first).to_be_visible()
    return visit.page


def ask(page: Any, question: str = QUESTION) -> None:
    page.get_by_label("Question").fill(question)
    expect(page.locator(".verdict:visible").first).to_be_visible()


def select_line(page: Any, words: str, lane: int = 0) -> int:
    """Select the line that has these words; its number."""
    field = page.locator(".pane-input").nth(lane)
    text = str(field.input_value())
    start = text.index(words)
    field.focus()
    field.evaluate("(field, [start, end]) => field.setSelectionRange(start, end)", [start, text.index("\n", start)])
    return 1 + text[:start].count("\n")


# -- the question


def test_bands_glow_by_score(visit: Visit) -> None:
    page = open_playground(visit)
    expect(page.locator(".pane-bands.asked")).to_have_count(0)
    ask(page)
    (glows,) = page.evaluate(GLOWS)
    assert max(glows) == 1
    assert len(set(glows)) > 3
    best = page.locator(".pane-band").nth(glows.index(1))
    expect(best.locator(".pane-rank")).to_have_text("#1")
    expect(page.locator(".card").nth(glows.index(1))).to_contain_text("rank 1 · score 0.")
    colours = page.evaluate(
        "() => [...document.querySelectorAll('.pane-band')].map((b) => getComputedStyle(b).backgroundColor)"
    )
    assert colours[glows.index(1)] != colours[glows.index(min(glows))]
    page.get_by_label("Question").fill("")
    expect(page.locator(".pane-bands.asked")).to_have_count(0)
    expect(page.locator(".card-score, .pane-passage, .pane-rank")).to_have_count(0)


def test_the_answer_stays_whole_or_is_torn_and_screen_readers_hear_it(visit: Visit) -> None:
    page = open_playground(visit)
    ask(page)
    verdict, said = page.locator(".verdict:visible"), page.locator("#announcer")
    expect(verdict).to_contain_text("rank 1 of 9")
    expect(verdict).to_have_class(re.compile("whole"))
    expect(said).to_have_text(re.compile(r"^9 chunks, answer rank 1 of 9, whole in chunk 5$"))
    page.get_by_label("Preset").select_option("mdvdb")
    page.locator(".controls summary").first.click()
    page.get_by_label("Overlap", exact=True).fill("0")
    page.get_by_label("Max", exact=True).fill("24")
    expect(verdict).to_contain_text("tears the answer into")
    expect(verdict).to_have_class(re.compile("torn"))
    expect(said).to_have_text(re.compile(r"answer rank \d+ of \d+, torn into \d+ chunks$"))
    expect(page.locator(".pane-passage.torn")).to_have_count(1)
    verdict.click()
    expect(page.locator(".pane-passage")).to_be_in_viewport()


def test_two_settings_side_by_side_have_a_rank_each(visit: Visit) -> None:
    page = open_playground(visit, f"q={QUESTION}&preset=default&b.preset=mdvdb&b.max_tokens=24&b.overlap_tokens=0")
    expect(page.locator(".verdict:visible")).to_have_count(2)
    first, second = (page.locator(".verdict").nth(at) for at in (0, 1))
    expect(first).to_contain_text(re.compile(r"headnote keeps the answer whole .*rank 1 of 9"))
    expect(second).to_contain_text(re.compile(r"headnote, mdvdb tears the answer .*rank \d+ of"))
    expect(second).to_contain_text("tears")
    expect(page.locator("#announcer")).to_have_text(re.compile(r"^A: 9 chunks, .*\. B: \d+ chunks, .*torn"))
    glows = page.evaluate(GLOWS)
    assert max(glows[0] + glows[1]) == 1
    assert min(max(glows[0]), max(glows[1])) < 1, "both lanes share one scale"
    marks = [page.locator(".pane-passage").nth(at).bounding_box() for at in (0, 1)]
    assert marks[0]["height"] == pytest.approx(marks[1]["height"], abs=2), "it is the same passage"


def test_ones_own_lines_are_the_answer(visit: Visit) -> None:
    page = open_playground(visit)
    ask(page)
    expect(page.locator(".question-passage")).to_contain_text("found by search")
    line = select_line(page, "Numbers only grow.")
    page.get_by_role("button", name=f"Use line {line} as the answer").click()
    expect(page.locator(".question-passage")).to_contain_text(f"line {line}, chosen by hand")
    expect(page.locator(".verdict:visible")).not_to_contain_text("rank 1 of")
    expect(page.get_by_label("Question")).to_be_focused()
    expect_address(page, f"lines={line}-{line}")
    page.reload()
    expect(page.locator(".question-passage")).to_contain_text(f"line {line}, chosen by hand")
    page.get_by_role("button", name="Find it again").click()
    expect(page.locator(".question-passage")).to_contain_text("found by search")
    expect(page.locator(".verdict:visible")).to_contain_text("rank 1 of 9")


def test_the_passage_is_marked_where_it_stands(visit: Visit) -> None:
    """The server counts code points and the browser units; windows have another line end."""
    text = (
        "# 🐚🐚🐚\r\n\r\nShells 🐚 are found at low tide.\r\n\r\n"
        + "Filler about sand. 🐚\r\n\r\n" * 30
        + "The key is 🐚 red.\n"
    )
    page = open_playground(visit)
    ask(page, "what colour is the key")
    page.locator(".pane-input").fill(text)
    expect(page.locator(".question-passage")).to_contain_text(re.compile("line(s .*–| )65,"))
    mark = page.locator(".pane-passage").bounding_box()
    band = page.locator(".pane-band").last.bounding_box()
    assert mark["y"] + mark["height"] == pytest.approx(band["y"] + band["height"], abs=2)


def test_a_question_that_nothing_answers(visit: Visit) -> None:
    page = open_playground(visit)
    page.get_by_label("Question").fill("interest rates of the central bank")
    expect(page.locator(".question-answer")).to_contain_text("A search would find nothing relevant here.")
    (glows,) = page.evaluate(GLOWS)
    assert max(glows) < 0.8


def test_everything_can_be_reached_by_keyboard(visit: Visit) -> None:
    page = open_playground(visit)
    page.get_by_label("Question").focus()
    page.keyboard.type(QUESTION)
    verdict = page.locator(".verdict:visible")
    expect(verdict).to_contain_text("whole in chunk 5")
    for _ in range(20):
        page.keyboard.press("Tab")
        if verdict.evaluate("(button) => button === document.activeElement"):
            break
    expect(verdict).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".pane-band.active")).to_be_in_viewport()


# -- the torn answer

FIRST = "How do I replace a gauge?"

PIECES = """() => [...document.querySelectorAll('.lane')].map((lane) => ({
  pieces: lane.querySelectorAll('.pane-piece').length,
  later: lane.querySelectorAll('.pane-piece.next').length,
  colour: getComputedStyle(lane.querySelector('.pane-passage')).borderRightColor,
}))"""

IN_SIGHT = """(element) => {
  const [box, pane] = [element, element.closest(".pane")].map((one) => one.getBoundingClientRect());
  return box.top >= pane.top && box.bottom <= pane.bottom;
}"""


def open_first(visit: Visit) -> Any:
    visit.go("#/playground")
    expect(visit.page.locator(".verdict:visible")).to_have_count(2)
    return visit.page


def test_it_opens_with_an_answer_that_is_whole_here_and_torn_there(visit: Visit) -> None:
    page = open_first(visit)
    expect(page.get_by_label("Question")).to_have_value(FIRST)
    first, second = (page.locator(".verdict").nth(at) for at in (0, 1))
    expect(first).to_have_text(re.compile(r"headnote keeps the answer whole in chunk \d+, rank 1 of \d+\.$"))
    expect(second).to_have_text(re.compile(r"LangChain 1000/200 tears the answer into 2 chunks, rank \d+ of \d+\.$"))
    whole, torn = page.evaluate(PIECES)
    assert whole["later"] == 0 < torn["later"] < torn["pieces"]
    assert whole["colour"] != torn["colour"]
    tear = page.locator(".pane-tear")
    expect(tear).to_have_text("torn here")
    assert tear.locator("span").evaluate(IN_SIGHT), "it is scrolled to where the answer is torn"
    page.get_by_role("button", name="Fixed 512 tokens instead").click()
    expect(page.get_by_label("Preset").nth(1)).to_have_value("fixed")
    expect(second).to_have_text(re.compile(r"Fixed 512 tokens tears the answer into 2 chunks"))
    expect(page.locator(".pane-tear.left")).to_have_count(1)
    expect_address(page, "b.preset=fixed", "preset=default", "q=How+do+I+replace+a+gauge")


def test_what_is_imitated_says_so_and_has_two_sizes(visit: Visit) -> None:
    page = open_first(visit)
    lane = page.locator(".lane").nth(1)
    expect(lane.locator(".controls-about")).to_contain_text("imitated exactly")
    expect(lane.get_by_role("radio", name="small")).not_to_be_visible()
    lane.locator(".controls-more > summary").click()
    expect(lane.locator(".size-row:visible")).to_have_count(2)
    lane.get_by_label("Max", exact=True).fill("4000")
    expect(lane.locator(".verdict")).to_contain_text("LangChain 4000/200 keeps the answer whole")
    expect_address(page, "b.max_tokens=4000")


def test_a_question_scrolls_to_its_answer_in_both_texts(visit: Visit) -> None:
    page = open_first(visit)
    page.get_by_label("Question").fill("how much memory for two hundred gauges")
    expect(page.locator(".question-passage")).to_contain_text("lines 15–22")
    for at in (0, 1):
        expect(page.locator(".pane-passage").nth(at)).to_be_in_viewport()
        assert page.locator(".pane-passage").nth(at).evaluate(IN_SIGHT)
    page.locator(".pane").first.evaluate("(pane) => pane.scrollTo(0, 9999)")
    page.get_by_label("Preset").nth(1).select_option("fixed")
    expect(page.locator(".verdict").nth(1)).to_contain_text("Fixed 512 tokens")
    assert not page.locator(".pane-passage").first.evaluate(IN_SIGHT), "the same answer is not scrolled to again"
    page.locator(".verdict").first.click()
    assert page.locator(".pane-passage").first.evaluate(IN_SIGHT)


COLOURS_OF = """async (bytes) => {
  const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  let [green, red] = [0, 0];
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 1] > data[at] + 40 && data[at + 1] > data[at + 2] + 20) green += 1;
    if (data[at] > data[at + 1] + 60 && data[at] > data[at + 2] + 60) red += 1;
  }
  return { width: picture.width, height: picture.height, green, red };
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_shared_as_a_picture(visit: Visit, theme: str) -> None:
    visit.page.emulate_media(color_scheme=theme)
    page = open_first(visit)
    page.get_by_role("button", name="Share as picture").click()
    dialog = page.get_by_role("dialog", name="Share as picture")
    picture = dialog.get_by_role("img")
    said = re.compile(rf"^{re.escape(FIRST)} headnote keeps .* LangChain .* tears")
    expect(picture).to_have_attribute("aria-label", said)
    expect_address(page, "b.preset=langchain")
    assert faults(page) == []
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Save picture").click()
    assert download.value.suggested_filename == "headnote-relay.png"
    content = Path(download.value.path()).read_bytes()
    seen = page.evaluate(COLOURS_OF, list(content))
    assert seen["width"] == 2400
    assert 1200 < seen["height"] < 2400
    assert min(seen["green"], seen["red"]) > 2000
    assert len(content) < 600_000
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    expect(page.get_by_role("button", name="Share as picture")).to_be_focused()


DRAWN = ["one line", "🐚 " * 400 + "gauge", "# A\n\n" + "gauge-" * 300, "\n\n".join(f"gauge {n}" for n in range(90))]


def test_a_picture_of_any_text_can_be_drawn(visit: Visit) -> None:
    page = open_first(visit)
    for text in DRAWN:
        page.locator(".pane-input").first.fill(text)
        ask(page, "gauge")
        page.get_by_role("button", name="Share as picture").click()
        expect(page.get_by_role("dialog", name="Share as picture")).to_be_visible()
        page.keyboard.press("Escape")


def test_on_a_phone_the_text_is_first_and_nothing_is_too_small(browser: Any, handbook_server: Server) -> None:
    with visiting(browser, handbook_server, viewport=PHONE, has_touch=True, is_mobile=True) as visit:
        page = open_first(visit)
        assert page.locator(".pane").first.bounding_box()["y"] < 300
        expect(page.locator(".controls").first).not_to_be_visible()
        assert page.evaluate("document.activeElement.tagName") not in ("INPUT", "TEXTAREA", "SELECT")
        page.locator(".verdict").nth(1).tap()
        expect(page.locator(".pane-tear span")).to_be_in_viewport()
        assert page.evaluate("document.activeElement.tagName") not in ("INPUT", "TEXTAREA", "SELECT")
        sheet = page.get_by_role("button", name="Settings A")
        expect(sheet).to_have_attribute("aria-expanded", "false")
        sheet.tap()
        expect(sheet).to_have_attribute("aria-expanded", "true")
        page.locator(".controls-more > summary").first.tap()
        small = page.evaluate(
            """() => [...document.querySelectorAll(".playground :is(button, .input, select, summary, .segments label)")]
              .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44)
              .map((one) => `${one.className} ${one.textContent}`)"""
        )
        assert small == []


# -- the address


def test_a_reload_keeps_it_and_a_link_shares_it(visit: Visit, browser: Any, handbook_server: Server) -> None:
    page = open_playground(visit)
    page.get_by_role("button", name="Compare two").click()
    page.get_by_label("Preset").nth(1).select_option("ragdocs")
    page.locator(".pane-input").first.fill("# 🐚\n\nOne <b>shell</b>.\n\n## Tide\n\nIt rises & falls twice.\n")
    ask(page, "how often does it rise?")
    expect_address(page, "text=")
    expect_address(page, "q=how+often")
    expect(page.locator(".verdict:visible")).to_have_count(2)
    verdicts = page.locator(".verdict:visible").all_inner_texts()
    page.reload()
    expect(page.locator(".verdict:visible")).to_have_text(verdicts, use_inner_text=True)
    with visiting(browser, handbook_server) as other:
        other.page.goto(page.url)
        expect(other.page.locator(".verdict:visible")).to_have_text(verdicts, use_inner_text=True)
        assert "<b>shell</b>" in other.page.locator(".pane-input").first.input_value()
        expect(other.page.get_by_label("Preset").nth(1)).to_have_value("ragdocs")
        expect(other.page.get_by_label("Question")).to_have_value("how often does it rise?")


def test_a_link_is_followed_while_a_change_is_not_yet_in_the_address(visit: Visit) -> None:
    page = open_playground(visit)
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/api/read*", hold)
    page.evaluate(
        """() => {
          [...document.querySelectorAll('button')].find((one) => one.textContent === 'Compare two').click();
          location.hash = '#/playground?path=calibration.md&q=battery';
        }"""
    )
    # Longer than the page waits before it writes the address.
    page.wait_for_timeout(600)
    assert page.url.endswith("#/playground?path=calibration.md&q=battery")
    held[0].continue_()
    page.unroute("**/api/read*")
    expect(page.locator(".verdict:visible")).to_have_count(1)
    expect(page.get_by_label("Question")).to_have_value("battery")
    expect(page.locator(".file-name")).to_have_value("calibration.md")


def test_the_address_can_be_copied(visit: Visit) -> None:
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = open_playground(visit)
    page.get_by_label("Preset").select_option("blocks")
    # An answer that comes later would be announced instead.
    expect(page.locator("#announcer")).to_contain_text("blocks: ")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#announcer")).to_have_text("Copied")
    expect_address(page, "preset=blocks")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_long_text_is_kept_by_the_tab_and_the_page_says_so(
    visit: Visit, browser: Any, handbook_server: Server
) -> None:
    page = open_playground(visit)
    # Not typed: a browser takes long to insert so much.
    page.locator(".pane-input").evaluate(
        "(field, text) => { field.value = text; field.dispatchEvent(new Event('input')); }", LONG
    )
    expect(page.locator(".sharing-note")).to_contain_text("too long for a link")
    expect(page.locator(".sharing-note")).to_contain_text("8,000 fit")
    expect_address(page, "kept=1")
    assert len(page.url) < 8500
    page.reload()
    expect(page.locator(".pane-input")).to_have_value(LONG)
    with visiting(browser, handbook_server) as other:
        other.page.goto(page.url)
        expect(other.page.get_by_role("alert")).to_contain_text("This link comes without its text.")
        expect(other.page.locator(".file-name")).to_have_value("relay.md")
    page.get_by_role("button", name="Sample").click()
    expect(page.locator(".sharing-note")).to_be_hidden()


def test_a_link_that_was_cut_short_is_told(visit: Visit) -> None:
    for packed in ("%%%", "AAAA", "!!"):
        visit.page.goto("about:blank")
        page = open_playground(visit, f"text={packed}&name=x.md")
        expect(page.get_by_role("alert")).to_contain_text("The text of this link cannot be read.")


def test_a_text_that_explodes_is_refused(visit: Visit) -> None:
    page = open_playground(visit)
    bomb = page.evaluate(
        """async () => {
          const zipped = new Blob(["a".repeat(40_000_000)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
          const bytes = new Uint8Array(await new Response(zipped).arrayBuffer());
          return btoa([...bytes].map((byte) => String.fromCharCode(byte)).join(""));
        }"""
    )
    packed = bomb.replace("+", "-").replace("/", "_").replace("=", "")
    page.evaluate("(packed) => { location.hash = `#/playground?name=x.md&text=${packed}` }", packed)
    expect(page.get_by_role("alert")).to_contain_text("The text of this link cannot be read.")


NAMES = st.sampled_from(["default", "blocks", "mdvdb", "ragdocs", "refdocs"])
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "size": st.sampled_from(["small", "large"]),
        "max_tokens": st.integers(1, 9999),
        "merge": st.booleans(),
        "mdx": st.sampled_from([None, True]),
        "counter": st.sampled_from(["chars", "cl100k"]),
        "keep_whole": st.lists(st.sampled_from(["code", "table"]), unique=True),
    },
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
CHOICES = st.lists(st.fixed_dictionaries({"preset": NAMES, "changed": CHANGES}), min_size=1, max_size=2)
NAMED = TEXTS.filter(bool)
SOURCES = st.one_of(
    st.just({"kind": "sample"}),
    st.fixed_dictionaries({"kind": st.just("document"), "path": NAMED}),
    st.fixed_dictionaries({"kind": st.just("text"), "name": NAMED, "text": TEXTS}),
    st.fixed_dictionaries({"kind": st.just("kept"), "name": NAMED}),
)
LINES = st.tuples(st.integers(1, 10**8), st.integers(0, 1000)).map(
    lambda pair: {"start_line": pair[0], "end_line": pair[0] + pair[1]}
)
SHOWN = st.fixed_dictionaries(
    {"choices": CHOICES, "question": NAMED, "lines": st.one_of(st.none(), LINES), "source": SOURCES}
)


def test_an_address_says_what_was_written(visit: Visit) -> None:
    page = open_playground(visit)

    @given(SHOWN)
    @settings(max_examples=60, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    def law(shown: dict[str, Any]) -> None:
        assert page.evaluate(ADDRESSES, shown) == shown

    law()


# -- documents


def test_other_settings_for_a_document(visit: Visit, handbook_server: Server) -> None:
    page = visit.page
    visit.go("#/document?path=calibration.md&q=waves")
    expect(page.locator(".chunk-map button").first).to_be_visible()
    chunks = page.locator(".chunk-map button").count()
    page.get_by_role("link", name="Try other settings").click()
    expect(page.locator(".lane")).to_have_attribute("data-chunks", str(chunks))
    text = (handbook_server.folder / "calibration.md").read_text(encoding="utf-8")
    expect(page.locator(".pane-input")).to_have_value(text)
    expect(page.get_by_label("Question")).to_have_value("waves")
    page.get_by_label("Preset").select_option("refdocs")
    expect_address(page, "preset=refdocs", "path=calibration.md")
    assert "text=" not in page.url
    page.reload()
    expect(page.get_by_label("Preset")).to_have_value("refdocs")
    expect(page.locator(".file-name")).to_have_value("calibration.md")
    page.locator(".pane-input").fill("# Mine\n\nNow it is another text.\n")
    expect_address(page, "text=")
    assert "path=" not in page.url


def test_a_document_of_the_folder_is_picked(visit: Visit, handbook_server: Server) -> None:
    page = open_first(visit)
    name = page.get_by_label("Document of the folder")
    name.focus()
    expect(page.locator("datalist option[value='calibration.md']")).to_have_count(1)
    page.keyboard.type("calibration.md")
    page.keyboard.press("Enter")
    text = (handbook_server.folder / "calibration.md").read_text(encoding="utf-8")
    for at in (0, 1):
        expect(page.locator(".pane-input").nth(at)).to_have_value(text)
    expect_address(page, "path=calibration.md")
    name.click()
    expect(name).to_have_value("")
    page.get_by_label("Question").focus()
    expect(name).to_have_value("calibration.md")
    name.fill("mine.mdx")
    name.press("Enter")
    expect_address(page, "name=mine.mdx")
    expect(page.locator(".pane-input").first).to_have_value(text)


def test_a_document_that_is_gone_is_told(visit: Visit) -> None:
    page = open_playground(visit, "path=gone.md&q=x")
    expect(page.get_by_role("alert")).to_contain_text("gone.md")
    expect(page.locator(".file-name")).to_have_value("relay.md")
    assert all("404" in error for error in visit.errors)
    visit.errors.clear()


def test_other_views_and_the_way_back_leave_it_as_it_is(visit: Visit) -> None:
    page = open_playground(visit)
    ask(page)
    page.get_by_label("Preset").select_option("blocks")
    expect_address(page, "preset=blocks")
    address = page.url
    page.get_by_role("link", name="Search", exact=True).first.click()
    expect(page.locator(".playground")).to_be_hidden()
    page.get_by_role("link", name="Playground", exact=True).click()
    expect(page.get_by_label("Question")).to_have_value(QUESTION)
    expect(page).to_have_url(address)
    page.go_back()
    page.go_back()
    expect(page.get_by_label("Preset")).to_have_value("blocks")


def test_an_edit_just_before_the_view_is_left_is_kept(visit: Visit) -> None:
    page = open_playground(visit, "preset=default")
    field = page.locator(".pane-input").first
    # Before the address follows: typing, and away with the next key.
    field.evaluate("""(field) => {
      field.value = "# Edited at the last moment";
      field.dispatchEvent(new Event("input", { bubbles: true }));
      document.querySelector(".views a[data-view=search]").click();
    }""")
    expect(page.locator(".playground")).to_be_hidden()
    page.wait_for_timeout(600)
    page.get_by_role("link", name="Playground", exact=True).click()
    expect(field).to_have_value("# Edited at the last moment")


# -- looks


def test_hostile_text_and_questions_stay_text(visit: Visit) -> None:
    page = open_playground(visit)
    hostile = '<img src=x onerror=alert(1)> <script>alert(2)</script> "><b>'
    page.locator(".pane-input").fill(f"# {hostile}\n\n{hostile} is the answer.\n")
    ask(page, f"what is {hostile}")
    expect_address(page, "text=")
    page.reload()
    expect(page.locator(".verdict:visible")).to_be_visible()
    assert page.locator(".playground img, .playground script").count() == 0


@pytest.mark.parametrize(
    ("name", "query"),
    [("one", "preset=default"), ("two", f"{TORN}&b.preset=blocks"), ("peers", "preset=langchain&b.preset=fixed")],
    ids=["one", "two", "peers"],
)
def test_it_is_accessible(visit: Visit, name: str, query: str) -> None:
    page = open_playground(visit, f"q={QUESTION}&{query}")
    expect(page.locator(".verdict:visible").first).to_be_visible()
    page.locator(".verdict:visible").first.click()
    assert flaws(page, f"question-{name}") == []
