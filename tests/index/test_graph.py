"""The graph of documents: a pure function over rows."""

from __future__ import annotations

from headnote.index.graph import Node, graph_of
from headnote.store.rows import DocumentSummary, LinkRow

DOCUMENTS = [DocumentSummary(f"{name}.md", name.upper(), 1) for name in "abcd"]


def link(path: str, resolved: str | None, **more: str | bool | None) -> LinkRow:
    row = LinkRow(path, 0, 1, "link", resolved or "x", "", "text", False, resolved)
    return row._replace(**more)  # type: ignore[arg-type]


def test_edges_are_pairs_of_documents_each_once() -> None:
    links = [
        *(link("a.md", "b.md"), link("a.md", "b.md"), link("b.md", "a.md"), link("c.md", "c.md")),
        *(link("c.md", "picture.png"), link("c.md", None), link("gone.md", "a.md"), link("c.md", "a.md")),
    ]
    graph = graph_of(DOCUMENTS, links, [links[5]])
    assert graph.edges == [(0, 1), (1, 0), (2, 0)]
    assert graph.nodes == [Node("a.md", "A", 3), Node("b.md", "B", 2), Node("c.md", "C", 1), Node("d.md", "D", 0)]
    assert graph.orphans == ["d.md"]
    assert graph.broken == [links[5]]


def test_no_documents_no_graph() -> None:
    assert graph_of([], [], []) == ([], [], [], [])
