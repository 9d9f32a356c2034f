"""The graph, by picture and by list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browser_kit import Server, Visit, expect, expect_address, visiting

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


def test_the_picture_stays_in_sight_where_the_field_is_below_it(browser: Any, handbook_server: Server) -> None:
    with visiting(browser, handbook_server, viewport={"width": 700, "height": 450}) as visit:
        page = open_graph(visit)
        page.wait_for_function("() => document.activeElement.matches('h1')")
        assert page.evaluate("scrollY") == 0


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
            route.fulfill(json={"nodes": [], "edges": [], "orphans": [], "broken": [], "spots": []})
        else:
            route.continue_()

    page.route("**/api/status", status)
    page.route("**/api/graph", graph)
    visit.go("#/graph")
    expect(page.get_by_text("No documents yet")).to_be_visible()
    reading = False
    expect(page.get_by_role("img", name="Graph of 8 documents")).to_be_visible()
    expect(page.get_by_text("No documents yet")).to_be_hidden()


# -- Where points lie, and what they are called

SCENE = """async (graph) => {
  const main = document.querySelector("script[type=module]").src;
  const scenes = await import(new URL("graph/scene.js", main).href);
  const nodes = graph.nodes.map((node) => ({ title: "", degree: 0, tags: [], ...node }));
  const hues = nodes.map(() => 0);
  const scene = scenes.makeScene({ ...graph, nodes }, { hues, hasTags: false, hasOrphans: true });
  const isUnsettled = scenes.isUnsettled(scene);
  scenes.putAside(scene, graph.aspect ?? 1);
  return {
    isUnsettled, names: scene.points.map(({ name }) => name), spots: [...scene.x].map((x, at) => [x, scene.y[at]]),
  };
}"""


def scene_of(page: Any, **graph: Any) -> dict[str, Any]:
    answer: dict[str, Any] = page.evaluate(SCENE, {"edges": [], **graph})
    return answer


def test_names_are_titles_and_have_folders_only_to_tell_them_apart(visit: Visit) -> None:
    visit.go("#/graph")
    paths = ["a/x/index.md", "b/x/index.md", "c/index.md", "index.md", "guide.md"]
    titles = ["Overview", "Overview", "Overview", "Overview", "Guide"]
    nodes = [{"path": path, "title": title} for path, title in zip(paths, titles, strict=True)]
    expected = ["Overview (a/x)", "Overview (b/x)", "Overview (c)", "Overview", "Guide"]
    assert scene_of(visit.page, nodes=nodes, spots=[None] * 5)["names"] == expected


def test_orphans_lie_beside_all_others(visit: Visit) -> None:
    visit.go("#/graph")
    nodes = [{"path": f"{at}.md", "title": str(at)} for at in range(40)]
    linked: dict[str, Any] = {"edges": [[0, 1], [1, 2]], "spots": [[-300, -200], [0, 200], [300, 0], *[None] * 37]}
    for aspect, at in ((2, 0), (0.5, 1)):
        scene = scene_of(visit.page, nodes=nodes, aspect=aspect, **linked)
        assert not scene["isUnsettled"]
        own, alone = scene["spots"][:3], scene["spots"][3:]
        assert own == linked["spots"][:3]
        assert min(spot[at] for spot in alone) > max(spot[at] for spot in own)
        assert len({tuple(spot) for spot in alone}) == 37
    assert scene_of(visit.page, nodes=nodes, edges=[[0, 1]], spots=[None] * 40)["isUnsettled"]


def test_the_picture_is_there_at_once(visit: Visit) -> None:
    """All places come with the graph: nothing is laid out on the page."""
    workers: list[str] = []
    visit.page.on("worker", lambda worker: workers.append(worker.url))
    open_graph(visit)
    assert workers == []
    visit.page.get_by_role("checkbox", name="Tags").check()
    expect(visit.page.locator("canvas[data-layout=done][data-points]:not([data-points='8'])")).to_be_visible()
    assert [url.rpartition("/")[2] for url in workers] == ["layout.js"]


COLOURS_SEEN = """() => {
  const canvas = document.querySelector(".graph-box canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const key = `${data[at]},${data[at + 1]},${data[at + 2]},${data[at + 3]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const probe = document.createElement("i");
  const hues = Array.from({ length: 8 }, (_, at) => {
    probe.className = `hue-${at}`;
    probe.style.color = "var(--hue)";
    document.body.append(probe);
    const colour = getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3).join(",");
    probe.remove();
    return counts.get(`${colour},255`) ?? 0;
  });
  return hues;
}"""


def colours_seen(page: Any) -> list[int]:
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    seen: list[int] = page.evaluate(COLOURS_SEEN)
    return seen


def test_what_is_found_is_lit_in_its_colour(visit: Visit) -> None:
    page = open_graph(visit)
    before = colours_seen(page)
    assert sum(before) > 0
    page.get_by_label("Find documents").fill("gauge")
    expect(page.locator(".graph-rows li")).to_have_count(2)
    found = colours_seen(page)
    assert 0 < sum(found) < sum(before)
    page.get_by_label("Find documents").fill("no such thing")
    expect(page.locator(".graph-rows li")).to_have_count(0)
    assert sum(colours_seen(page)) == 0


def test_the_picture_can_be_saved(visit: Visit) -> None:
    page = open_graph(visit)
    width = page.locator(".graph-box canvas").evaluate("(canvas) => canvas.width")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as picture").click()
    assert download.value.suggested_filename == "handbook graph.png"
    content = Path(download.value.path()).read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20], "big") == 2 * width
    expect(page.locator(f".graph-box canvas[width='{width}']")).to_be_visible()


def test_the_legend_is_beside_the_picture(visit: Visit) -> None:
    page = open_graph(visit)
    assert page.locator(".graph-box .graph-legend").count() == 0
    expect(page.locator(".graph-side .graph-legend")).to_be_attached()
