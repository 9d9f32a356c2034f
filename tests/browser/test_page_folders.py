"""Documents as a tree of folders: its keys, its order, and its size."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_kit import Server, Visit, expect, expect_address, faults, flaws, serve, visiting

pytest_plugins = ["browser_fixtures"]


DAY = 86_400
MANY = 1_200
"""Documents of one folder: many times what fits into a window."""

TEXTS = {
    "guides/pumps/priming.md": "# Priming a pump\n\nSee [valves](../valves.md) and [sealing](sealing.md).\n",
    "guides/pumps/sealing.md": "# Sealing\n\n" + "Tighten the ring. " * 400 + "\n",
    "guides/valves.md": "# Valves\n\nThey open and close. #steel\n",
    "guides/10-tenth.md": "# Anchors\n",
    "guides/9-ninth.md": "# Zeppelins\n",
    "index.md": "# Start\n\nGo to [valves](guides/valves.md).\n",
    "odd/<img src=x onerror=alert(1)>.md": "# <b>Bold</b> name\n",
}


@pytest.fixture(scope="module")
def folder_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served") / "tree"
    many = {f"many/note {number:04}.md": f"# Note {number}\n" for number in range(MANY)}
    for number, (path, text) in enumerate({**TEXTS, **many}.items()):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        # The first is the oldest.
        os.utime(file, (1_700_000_000 + number * DAY,) * 2)
    with serve(folder) as server:
        yield server


@pytest.fixture
def tree(browser: Any, folder_server: Server) -> Iterator[Visit]:
    with visiting(browser, folder_server) as visit:
        visit.go("#/document")
        expect(visit.page.get_by_role("status").first).to_have_text(f"{MANY + len(TEXTS):,} documents")
        yield visit


def rows(page: Any) -> list[str]:
    """What is drawn, from top to bottom, as people see it."""
    names: list[str] = page.locator(".document-rows .tree-name").all_inner_texts()
    return [" ".join(name.split()) for name in names]


def active(page: Any) -> Any:
    return page.locator(".document-rows [role=treeitem]:focus")


def test_folders_open_and_close_by_mouse(tree: Visit) -> None:
    page = tree.page
    assert rows(page) == ["guides 5", f"many {MANY:,}", "odd 1", "Start index.md"]
    page.get_by_role("treeitem", name="guides, folder, 5 documents").click()
    assert rows(page)[:5] == [
        "guides 5",
        "pumps 2",
        "Zeppelins 9-ninth.md",
        "Anchors 10-tenth.md",
        "Valves valves.md",
    ]
    page.get_by_role("treeitem", name="guides, folder").click()
    assert len(rows(page)) == 4
    page.get_by_role("button", name="Open all").click()
    expect(page.get_by_role("treeitem", name="Sealing, sealing.md")).to_be_visible()
    page.get_by_role("button", name="Close all").click()
    assert len(rows(page)) == 4


def test_the_tools_of_the_list_stand_above_its_rows(tree: Visit) -> None:
    filter_box = tree.page.get_by_label("Filter").bounding_box()
    row = tree.page.locator(".document-rows .tree-row").first.bounding_box()
    assert filter_box["x"] == row["x"]


def test_names_are_only_text(tree: Visit) -> None:
    page = tree.page
    page.get_by_role("treeitem", name="odd, folder").click()
    expect(page.locator(".document-rows")).to_contain_text("<img src=x onerror=alert(1)>.md")
    assert page.locator(".document-rows img, .document-rows b").count() == 0


def test_the_keys_of_a_tree(tree: Visit) -> None:
    page = tree.page
    page.get_by_label("Filter").press("ArrowDown")
    expect(active(page)).to_have_attribute("aria-label", "guides, folder, 5 documents")
    expect(active(page)).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowRight")
    expect(active(page)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    expect(active(page)).to_have_attribute("aria-label", "pumps, folder, 2 documents")
    for name, value in {"aria-level": "2", "aria-posinset": "1", "aria-setsize": "4"}.items():
        expect(active(page)).to_have_attribute(name, value)
    page.keyboard.press("ArrowLeft")
    expect(active(page)).to_have_attribute("aria-label", "guides, folder, 5 documents")
    page.keyboard.press("ArrowLeft")
    expect(active(page)).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("End")
    expect(active(page)).to_contain_text("Start")
    page.keyboard.press("ArrowDown")
    expect(active(page)).to_contain_text("Start")
    page.keyboard.press("Home")
    page.keyboard.press("*")
    expect(page.get_by_role("treeitem", name="many, folder")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("n")
    expect(active(page)).to_contain_text("Note 0")
    page.keyboard.press("End")
    for _ in ("Bold name", "odd", "the last note"):
        page.keyboard.press("ArrowUp")
    expect(active(page)).to_contain_text(f"Note {MANY - 1}")
    expect(active(page)).to_be_in_viewport()
    assert page.locator(".document-rows [tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).to_have_text(f"many/note {MANY - 1}.md")


def test_only_what_is_in_sight_is_drawn(tree: Visit) -> None:
    page = tree.page
    page.get_by_role("treeitem", name="many, folder").click()
    drawn = page.locator(".document-rows [role=treeitem]")
    expect(page.get_by_role("treeitem", name="Note 0,")).to_be_visible()
    assert drawn.count() < 100
    page.mouse.move(700, 600)
    page.mouse.wheel(0, 20_000)
    expect(page.get_by_role("treeitem", name="Note 0,")).not_to_be_attached()
    assert drawn.count() < 100
    # A browser may scroll there in steps, and draws with the next frame.
    page.wait_for_function(
        """() => document.querySelector(".document-rows").getBoundingClientRect().top < -19_000 &&
          [...document.querySelectorAll(".document-rows [role=treeitem]")].filter((row) => {
            const { top, bottom } = row.getBoundingClientRect();
            return bottom > 0 && top < innerHeight;
          }).length > 15"""
    )
    assert drawn.count() < 100


def test_the_orders(tree: Visit) -> None:
    page = tree.page
    page.get_by_role("treeitem", name="guides, folder").click()
    page.get_by_label("Sort by").select_option("title")
    assert rows(page)[1:5] == [
        "pumps 2",
        "Anchors 10-tenth.md",
        "Valves valves.md",
        "Zeppelins 9-ninth.md",
    ]
    page.get_by_role("button", name="A to Z").click()
    assert rows(page)[-1] == "Start index.md"
    assert rows(page)[0] == "odd 1"
    page.get_by_label("Sort by").select_option("changed")
    assert rows(page)[:3] == [f"many {MANY:,}", "odd 1", "guides 5"]
    page.get_by_label("Sort by").select_option("links")
    assert rows(page)[:3] == ["guides 5", "pumps 2", "Valves valves.md"]
    page.get_by_role("radio", name="List").check()
    page.get_by_label("Sort by").select_option("size")
    assert rows(page)[0] == "Sealing sealing.md"
    page.get_by_role("button", name="Largest first").click()
    assert rows(page)[-1] != "Sealing sealing.md"


def test_a_filter_opens_the_folders_of_what_it_finds(tree: Visit) -> None:
    page = tree.page
    page.get_by_label("Filter").fill("pump SEAL")
    assert rows(page) == ["guides 1", "pumps 1", "Sealing sealing.md"]
    expect(page.get_by_role("status").first).to_have_text(f"1 of {MANY + len(TEXTS):,} documents")
    page.get_by_label("Filter").fill("")
    assert len(rows(page)) == 4


def test_open_folders_and_the_order_outlive_the_page(tree: Visit) -> None:
    page = tree.page
    page.get_by_role("treeitem", name="guides, folder").click()
    page.get_by_label("Sort by").select_option("title")
    page.reload()
    expect(page.get_by_role("treeitem", name="Anchors")).to_be_visible()
    expect(page.get_by_label("Sort by")).to_have_value("title")


def test_the_document_that_was_read_is_shown_in_the_tree(tree: Visit) -> None:
    page = tree.page
    tree.go("#/document?path=many/note%200900.md")
    expect(page.locator(".document-head .mono")).to_have_text("many/note 0900.md")
    tree.go("#/document")
    row = page.get_by_role("treeitem", name="Note 900,")
    expect(row).to_have_attribute("aria-current", "page")
    expect(row).to_be_in_viewport()


def test_the_tree_beside_a_document_leads_to_others(tree: Visit) -> None:
    page = tree.page
    tree.go("#/document?path=guides/pumps/priming.md")
    page.locator("summary", has_text="Folders").click()
    beside = page.get_by_role("tree", name="Folders")
    row = beside.get_by_role("treeitem", name="Priming a pump, priming.md")
    expect(row).to_have_attribute("aria-current", "page")
    row.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".document-head .mono")).to_have_text("guides/pumps/sealing.md")
    expect(beside.get_by_role("treeitem", name="Sealing")).to_be_focused()
    expect(beside.get_by_role("treeitem", name="Sealing")).to_have_attribute("aria-current", "page")


def test_the_tree_is_accessible_and_fits_a_phone(tree: Visit) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe is not installed: nothing to judge the page by")
    page = tree.page
    page.get_by_role("treeitem", name="guides, folder").click()
    expect(page.get_by_role("treeitem", name="pumps, folder")).to_be_visible()
    assert flaws(page, "folders") == []


def open_graph(visit: Visit, query: str = "") -> Any:
    visit.go(f"#/graph{query}")
    expect(visit.page.locator(".graph-box canvas[data-layout=done]")).to_be_visible()
    return visit.page


def points(page: Any, count: int) -> None:
    """Wait for a picture of so many points."""
    expect(page.locator(f".graph-box canvas[data-points='{count}'][data-layout=done]")).to_be_visible()


def test_orphans_can_be_hidden_and_tags_shown(tree: Visit) -> None:
    page = open_graph(tree)
    points(page, MANY + len(TEXTS))
    page.get_by_role("checkbox", name="Orphans").uncheck()
    points(page, 4)
    page.get_by_role("checkbox", name="Tags").check()
    points(page, 5)
    expect(page.get_by_role("img", name="1 tag")).to_be_visible()
    expect(page).to_have_url(f"{tree.address}/#/graph?orphans=no&tags=yes")
    page.reload()
    points(page, 5)
    expect(page.get_by_role("checkbox", name="Tags")).to_be_checked()


def test_colours_follow_folders_of_any_depth(tree: Visit) -> None:
    page = open_graph(tree)
    legend = page.locator(".graph-legend")
    expect(legend.get_by_role("button", name="guides/ 5 documents")).to_be_visible()
    expect(legend).to_contain_text("top folder")
    page.get_by_label("Colours", exact=True).select_option("2")
    expect(legend.get_by_role("button", name="guides/pumps/ 2 documents")).to_be_visible()
    expect(legend.get_by_role("button", name="guides/ 3 documents")).to_be_visible()
    button = legend.get_by_role("button", name="guides/pumps/ 2 documents")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".graph-rows li")).to_have_count(2)
    expect_address(page, "folder=guides%2Fpumps")
    page.get_by_label("Find documents").fill("seal")
    expect(page.locator(".graph-rows li")).to_have_count(1)
    page.reload()
    expect(page.locator(".graph-rows li")).to_have_count(1)
    expect(page.get_by_label("Colours", exact=True)).to_have_value("2")


GROUPS = """async ([paths, depth]) => {
  const main = document.querySelector("script[type=module]").src;
  const { colouring, HUES } = await import(new URL("graph/legend.js", main).href);
  const { groups, of, depth: chosen } = colouring(paths, depth);
  return { groups, of: [...of], hues: HUES, depth: chosen };
}"""


def test_every_document_has_the_colour_of_its_folder(tree: Visit) -> None:
    paths = [f"a/{'xyz'[at % 3]}/{at % 11}/{at}.md" for at in range(200)] + ["a/b.md", "c.md"]
    for depth in (0, 1, 2, 3):
        result = tree.page.evaluate(GROUPS, [paths, depth])
        groups, of = result["groups"], result["of"]
        assert sum(group["count"] for group in groups) == len(of) == len(paths)
        assert len(groups) <= result["hues"] + 1
        for at, group in enumerate(groups):
            members = [path for path, own in zip(paths, of, strict=True) if own == at]
            assert len(members) == group["count"]
            assert all(path.startswith(f"{group['folder']}/") for path in members if group["folder"])
        # Three folders tell more than one, and eleven times three would be grey for the most part.
        if depth == 0:
            assert [group["name"] for group in groups][:3] == ["x/", "y/", "z/"]


def test_the_documents_around_one_are_beside_it(tree: Visit) -> None:
    page = tree.page
    tree.go("#/document?path=guides/pumps/priming.md")
    nearby = page.locator(".local-graph")
    expect(nearby.locator("canvas[data-points='3'][data-layout=done]")).to_be_visible()
    expect(nearby.get_by_role("img", name="Graph of 2 documents nearby")).to_be_visible()
    nearby.get_by_role("radio", name="2 links").check()
    expect(nearby.locator("canvas[data-points='4'][data-layout=done]")).to_be_visible()
    nearby.locator("summary", has_text="As a list").click()
    row = nearby.get_by_role("link", name="Start, 2 links away")
    expect(row).to_be_visible()
    assert faults(page) == []
    row.click()
    expect(page.locator(".document-head .mono")).to_have_text("index.md")
    expect(nearby.locator("canvas[data-points='3'][data-layout=done]")).to_be_visible()
    expect(nearby.get_by_role("link", name="Priming a pump, 2 links away")).to_be_visible()
    nearby.locator("summary", has_text="Nearby").click()
    page.wait_for_function("() => localStorage.getItem('headnote-local-graph') === 'closed'")
    page.reload()
    expect(page.locator(".document-head .mono")).to_have_text("index.md")
    expect(nearby.locator("canvas")).not_to_be_visible()


def test_the_folder_of_nearly_all_documents_is_open(browser: Any, tmp_path: Path) -> None:
    for path in [*(f"docs/user/{number}.md" for number in range(18)), "docs/index.md", "packages/readme.md"]:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {file.stem}\n", encoding="utf-8")
    with serve(tmp_path) as server, visiting(browser, server) as visit:
        visit.go("#/document")
        expect(visit.page.locator(".document-rows .tree-name").first).to_be_visible()
        names = [name.split()[0] for name in rows(visit.page)]
        assert names[:2] == ["docs", "user"]
        assert names[-3:] == ["17", "index", "packages"]
