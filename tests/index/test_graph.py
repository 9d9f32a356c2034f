"""The graph of documents, and which links lead nowhere: pure functions over rows."""

from __future__ import annotations

from headnote.index.graph import Node, graph_of, is_broken
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


def test_what_is_broken() -> None:
    documents = {"a.md", "b.md"}

    def broken(row: LinkRow) -> bool:
        return is_broken(row, documents, lambda row: row.resolved == "here.png")

    assert broken(link("a.md", None))
    assert broken(link("a.md", "gone.png"))
    assert broken(link("a.md", "b.md", fragment="nothing"))
    assert not broken(link("a.md", "b.md"))
    assert not broken(link("a.md", "b.md", fragment="there", section="there"))
    assert not broken(link("a.md", "here.png", fragment="x"))
    assert not broken(link("a.md", None, external=True))
