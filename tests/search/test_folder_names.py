"""A word that all documents of a folder have says where to look: it decides between folders, not between pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Hit, Index
from headnote.search.everywhere import MIN_DOCUMENTS, OUTSIDE_FACTOR
from headnote.search.query import MODES, Mode

pytest_plugins = ("store_fixtures",)

THINGS = {
    "timeouts": "A pump that is idle stops after its timeout, which the file of settings changes.",
    "valves": "A valve opens when the tank is full and closes when the gauge falls below a third.",
    "gauges": "Read the gauge every morning. A silent gauge has lost its battery or its float.",
    "tanks": "A tank of steel holds forty litres, a tank of clay holds twelve and cools them.",
    "filters": "Rinse a filter of sand once a week, and replace one of cloth when it smells.",
    "hoses": "A hose that lies in the sun turns brittle. Roll it up in the evening.",
    "alarms": "The alarm rings when no water has moved for an hour, and once more at midnight.",
    "winter": "Before the first frost, drain everything and leave the taps open.",
}
PRODUCTS = {"kestrel": "KestrelFlow", "osprey": "OspreyFlow"}
QUESTION = "How do I change the timeout of an idle pump"


@pytest.fixture
def index(store_target: str, tmp_path: Path) -> Iterator[Index]:
    root = tmp_path / "products"
    for folder, name in PRODUCTS.items():
        (root / folder).mkdir(parents=True)
        for thing, text in THINGS.items():
            (root / folder / f"{thing}.md").write_text(f"# {thing.title()}\n\n{text} So it is in {name}.\n")
        (root / folder / "changes.md").write_text(
            f"# Changes of {name}\n\n## 3.2.0\n\n- Change the timeout of an idle pump in {name} 3.2.0.\n"
        )
        (root / folder / "about.md").write_text(
            f"# {name}\n\n{name} is not a pump. {name} runs pumps. You can change {name}.\n"
        )
    (root / "notes.md").write_text("# Notes\n\nSomebody should change the timeout of the idle pump.\n")
    with Index.open(root, store=store_target or None, embedder="instant") as opened:
        opened.update()
        yield opened


def search(index: Index, query: str, mode: Mode = "hybrid", limit: int = 10, path: str = "") -> list[Hit]:
    return index.search(query, limit=limit, mode=mode, path=path or None, min_score=0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("folder", "name"), PRODUCTS.items())
def test_the_page_of_the_product_that_is_named_is_first(index: Index, folder: str, name: str, mode: Mode) -> None:
    first, *others = search(index, f"{QUESTION} in {name}?", mode)
    assert first.path == f"{folder}/timeouts.md"
    assert {hit.why.folder for hit in others if not hit.path.startswith(folder)} == {OUTSIDE_FACTOR}
    assert {hit.why.folder for hit in (first, *others) if hit.path.startswith(folder)} == {1.0}


def test_a_name_changes_nothing_within_its_folder(index: Index) -> None:
    plain = search(index, QUESTION, "semantic", path="kestrel/**")
    named = search(index, f"KestrelFlow: {QUESTION}", "semantic", path="kestrel/**")
    assert [(hit.path, hit.score) for hit in named] == [(hit.path, hit.score) for hit in plain]


@pytest.mark.parametrize("mode", MODES)
def test_the_version_of_a_name_is_not_asked_for(index: Index, mode: Mode) -> None:
    def paths(query: str) -> list[str]:
        return [hit.path for hit in search(index, query, mode)]

    assert paths(f"{QUESTION} in KestrelFlow 3.2.0?") == paths(f"{QUESTION} in KestrelFlow?")
    assert paths("what changed in KestrelFlow 3.2.0 about the timeout of an idle pump")[0] == "kestrel/changes.md"


def test_two_names_are_two_places(index: Index) -> None:
    hits = search(index, f"{QUESTION} from KestrelFlow to OspreyFlow", "keyword")
    assert {hit.path for hit in hits[:2]} == {"kestrel/timeouts.md", "osprey/timeouts.md"}
    assert {hit.path: hit.why.folder for hit in hits}["notes.md"] == OUTSIDE_FACTOR


@pytest.mark.parametrize("query", ["KestrelFlow", "change KestrelFlow", "idle pump timeout KestrelFloww"])
def test_a_short_query_and_an_unknown_name_name_no_folder(index: Index, query: str) -> None:
    assert {hit.why.folder for hit in search(index, query, "keyword")} == {1.0}


def test_a_few_documents_are_no_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    for number in range(MIN_DOCUMENTS - 1):
        (tmp_path / "small" / f"{number}.md").write_text(f"# Heron {number}\n\nAn idle pump has a timeout in Heron.\n")
    (tmp_path / "other.md").write_text("# Pumps\n\nChange the timeout of the idle pump.\n")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        assert {hit.why.folder for hit in index.search(f"{QUESTION} in Heron", mode="keyword")} == {1.0}
