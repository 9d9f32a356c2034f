"""The graph of documents: pure functions over rows."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.links.graph import Graph, Node, graph_of, neighbourhood_of
from headnote.links.spots import FARTHEST, FILE, Arrangement, Spot, arranged
from headnote.store.rows import DocumentSummary, LinkRow

PAIRS = [("a.md", "b.md"), ("b.md", "a.md"), ("c.md", "a.md")]
NAMES = "abcdefgh"

connections = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] != pair[1]), unique=True
)


def summaries(names: str, pairs: list[tuple[str, str]]) -> list[DocumentSummary]:
    degree = Counter(path for pair in pairs for path in pair)
    return [DocumentSummary(name, name.upper(), 1, links=degree[name], tags=("t",)) for name in names]


def test_nodes_are_documents_and_edges_their_numbers() -> None:
    links = {"a": 3, "b": 2, "c": 1, "d": 0}
    documents = [DocumentSummary(f"{name}.md", name.upper(), 1, links=count) for name, count in links.items()]
    broken = LinkRow("c.md", 0, 1, "link", "x", "", "text", False, None)
    graph = graph_of(documents, [*PAIRS, ("gone.md", "a.md")], [broken])
    assert graph.edges == [(0, 1), (1, 0), (2, 0)]
    assert graph.nodes == [Node("a.md", "A", 3), Node("b.md", "B", 2), Node("c.md", "C", 1), Node("d.md", "D", 0)]
    assert graph.orphans == ["d.md"]
    assert graph.broken == [broken]


def test_no_documents_no_graph() -> None:
    assert graph_of([], [], []) == Graph([], [], [], [])


def test_the_neighbours_of_neighbours_are_two_links_away() -> None:
    chain = [("a", "b"), ("c", "b"), ("d", "c")]
    near = neighbourhood_of(summaries("abcd", chain), chain, "a", 2, 9)
    assert [(node.path, node.distance) for node in near.nodes] == [("a", 0), ("b", 1), ("c", 2)]
    assert near.nodes[0].tags == ("t",)


@given(connections, st.integers(1, 4), st.integers(1, 9))
def test_a_neighbourhood_is_a_part_of_the_graph(pairs: list[tuple[str, str]], depth: int, limit: int) -> None:
    documents = summaries(NAMES, pairs)
    graph = graph_of(documents, pairs, [])
    near = neighbourhood_of(documents, pairs, "a", depth, limit)
    paths = [node.path for node in near.nodes]
    assert paths[0] == "a"
    assert {(node.path, node.degree) for node in near.nodes} <= {(node.path, node.degree) for node in graph.nodes}
    assert len(paths) == len(set(paths)) <= limit
    distances = [node.distance for node in near.nodes]
    assert distances == sorted(distances)
    assert distances[-1] <= depth
    assert {(paths[one], paths[other]) for one, other in near.edges} == {
        (one, other) for one, other in pairs if one in paths and other in paths
    }
    whole = neighbourhood_of(documents, pairs, "a", depth, 99)
    assert (near.nodes, near.left_out) == (whole.nodes[:limit], len(whole.nodes) - len(paths))
    for node in whole.nodes[1:]:
        others = {other for pair in pairs if node.path in pair for other in pair}
        nearest = [one.distance for one in whole.nodes if one.path in others - {node.path}]
        assert min(nearest) == node.distance - 1


# -- Spots in a picture


def linked_graph(*links: tuple[str, str], alone: Sequence[str] = ()) -> Graph:
    paths = sorted({*alone, *(path for link in links for path in link)})
    return graph_of([DocumentSummary(path, path, 1) for path in paths], links, [])


def distance(one: Spot, other: Spot) -> float:
    return math.dist(one, other)


def topics(*names: str, size: int = 12) -> list[tuple[str, str]]:
    """Each a hub and its documents, which also link to the next; the hubs form a chain."""
    inside = [(f"{name}{at}", f"{name}0") for name in names for at in range(1, size)]
    inside += [(f"{name}{at}", f"{name}{at + 1}") for name in names for at in range(1, size - 1)]
    return inside + [(f"{one}0", f"{other}0") for one, other in pairwise(names)]


def test_what_is_linked_lies_together() -> None:
    spots = arranged(linked_graph(*topics("a", "b", "c"), alone=["z"]), {})
    assert "z" not in spots
    assert len(set(spots.values())) == len(spots) == 36
    inside = [distance(spots[one], spots[other]) for one, other in combinations(spots, 2) if one[0] == other[0]]
    across = [distance(spots[one], spots[other]) for one, other in combinations(spots, 2) if one[0] != other[0]]
    assert statistics.fmean(inside) * 2 < statistics.fmean(across)


def test_documents_stay_and_new_ones_appear_beside_their_neighbours() -> None:
    links = topics("a", "b", "c")
    before = arranged(linked_graph(*links), {})
    after = arranged(linked_graph(*links, ("new", "a0"), ("newer", "new"), ("island", "shore")), before)
    extent = max(abs(value) for spot in before.values() for value in spot)
    assert max(distance(before[path], after[path]) for path in before) < extent / 10
    for new in ("new", "newer"):
        nearest = min(before, key=lambda path: distance(after[path], after[new]))
        assert nearest.startswith("a")
    middle = statistics.fmean(abs(complex(*spot)) for spot in before.values())
    assert abs(complex(*after["island"])) > middle
    assert distance(after["island"], after["shore"]) < extent


places = st.tuples(*2 * [st.integers(-FARTHEST, FARTHEST)])


@given(connections, st.dictionaries(st.sampled_from(NAMES), places))
def test_every_linked_document_has_a_spot(pairs: list[tuple[str, str]], before: dict[str, Spot]) -> None:
    graph = graph_of(summaries(NAMES, pairs), pairs, [])
    spots = arranged(graph, before)
    assert spots.keys() == {path for pair in pairs for path in pair}
    assert spots == arranged(graph, before)


def test_spots_are_kept_beside_the_index(tmp_path: Path) -> None:
    graph = linked_graph(*topics("a", "b"), alone=["z"])
    spots = Arrangement(tmp_path, may_write=True).spots(graph)
    assert [node.path for node, spot in zip(graph.nodes, spots, strict=True) if spot is None] == ["z"]
    larger = linked_graph(*topics("a", "b", "c"))
    kept = Arrangement(tmp_path, may_write=False)
    assert kept.spots(graph) == spots
    stored = (tmp_path / FILE).read_bytes()
    assert len(kept.spots(larger)) == 36
    assert (tmp_path / FILE).read_bytes() == stored
    # Another process has arranged the same: its spots are these.
    assert Arrangement(tmp_path, may_write=True).spots(larger) == kept.spots(larger)


@pytest.mark.parametrize(
    "damage", [b"", b"{", b'{"spots": {"a0": [1e400, 0]}}', b"\xff\xfe", b'{"spots": {"a0": [1]}}']
)
def test_spots_that_cannot_be_read_are_made_anew(tmp_path: Path, damage: bytes) -> None:
    graph = linked_graph(*topics("a", "b"))
    spots = Arrangement(None, may_write=True).spots(graph)
    (tmp_path / FILE).write_bytes(damage)
    assert Arrangement(tmp_path, may_write=True).spots(graph) == spots
    assert Arrangement(tmp_path, may_write=False).spots(graph) == spots


def test_a_folder_that_takes_no_file_has_spots_all_the_same(tmp_path: Path) -> None:
    graph = linked_graph(*topics("a"))
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / FILE).mkdir()
    for folder in (tmp_path / "nowhere", tmp_path / "file", tmp_path):
        assert None not in Arrangement(folder, may_write=True).spots(graph)
