"""The graph of documents: pure functions over rows."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from headnote.links.graph import Graph, Node, graph_of, neighbourhood_of
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
