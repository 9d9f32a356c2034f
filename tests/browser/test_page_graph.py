"""The graph, by picture and by list."""

from __future__ import annotations

from typing import Any

from browser_kit import Visit, expect, expect_address

pytest_plugins = ["browser_fixtures"]


# A place on the canvas that has the colour of documents and is surrounded by it.
NODE = """() => {
  const canvas = document.querySelector("canvas");
  const probe = document.createElement("i");
  probe.className = "hue-0";
  probe.style.color = "var(--hue)";
  document.body.append(probe);
  const colour = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
  probe.remove();
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const fits = (x, y) => [0, 1, 2].every((i) => data[(y * width + x) * 4 + i] === colour[i]);
  for (let y = 4; y < height - 4; y += 1)
    for (let x = 4; x < width - 4; x += 1)
      if ([[0, 0], [3, 0], [-3, 0], [0, 3], [0, -3]].every(([dx, dy]) => fits(x + dx, y + dy)))
        return { x: (x * canvas.clientWidth) / width, y: (y * canvas.clientHeight) / height };
  return null;
}"""


def open_graph(visit: Visit) -> Any:
    visit.go("#/graph")
    expect(visit.page.locator("canvas[data-layout=done]")).to_be_visible()
    return visit.page


def test_a_click_on_a_node_opens_its_document(visit: Visit) -> None:
    page = open_graph(visit)
    expect(page.get_by_role("img", name="Graph of 8 documents")).to_be_visible()
    page.wait_for_function(f"() => ({NODE})() !== null")
    page.locator("canvas").click(position=page.evaluate(NODE))
    expect(page.locator(".document-head .mono")).not_to_be_empty()
    expect_address(page, f"?path={page.locator('.document-head .mono').inner_text()}")


def test_the_list_says_what_the_picture_says(visit: Visit) -> None:
    page = open_graph(visit)
    rows = page.locator(".graph-rows li")
    expect(rows).to_have_count(8)
    page.get_by_label("Find documents").fill("gauge")
    expect(rows).to_have_count(2)
    page.get_by_label("Find documents").fill("")
    page.get_by_role("radio", name="Broken links").check()
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text(".md:")
    page.get_by_role("radio", name="Orphans").check()
    expect(page.get_by_role("status").filter(has_text="No orphans")).to_be_visible()
    page.get_by_role("radio", name="Documents").check()
    rows.first.get_by_role("link").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).not_to_be_empty()


def test_the_picture_moves_by_keys(visit: Visit) -> None:
    page = open_graph(visit)
    canvas = page.locator("canvas")
    canvas.focus()
    before = canvas.screenshot()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert canvas.screenshot() != before


def test_a_graph_that_is_opened_during_the_first_read_fills_by_itself(visit: Visit) -> None:
    page = visit.page
    reading = True

    def status(route: Any) -> None:
        answer = route.fetch().json()
        route.fulfill(json={**answer, "generation": 0, "files_read": {"done": 0, "total": 8}} if reading else answer)

    def graph(route: Any) -> None:
        if reading:
            route.fulfill(json={"nodes": [], "edges": [], "orphans": [], "broken": []})
        else:
            route.continue_()

    page.route("**/api/status", status)
    page.route("**/api/graph", graph)
    visit.go("#/graph")
    expect(page.get_by_text("No documents yet")).to_be_visible()
    reading = False
    expect(page.get_by_role("img", name="Graph of 8 documents")).to_be_visible()
    expect(page.get_by_text("No documents yet")).to_be_hidden()
