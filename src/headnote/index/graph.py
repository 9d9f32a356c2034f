"""Documents and links → the graph of which document links to which. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headnote.store.rows import DocumentSummary, LinkRow


class Node(NamedTuple):
    """A document."""

    path: str
    """Of the document, relative to the root."""
    title: str
    """Of the document."""
    degree: int
    """How many other documents it links to, and how many link to it."""


class Graph(NamedTuple):
    """Documents, and which links to which."""

    nodes: list[Node]
    """All documents, by path."""
    edges: list[tuple[int, int]]
    """(from, to) as numbers of nodes, each pair once; a link to its own document is left out."""
    orphans: list[str]
    """Documents without any edge."""
    broken: list[LinkRow]
    """Links that lead nowhere."""


def graph_of(documents: Sequence[DocumentSummary], links: Iterable[LinkRow], broken: Sequence[LinkRow]) -> Graph:
    """The graph of these documents; links to anything else are no edges."""
    number = {document.path: at for at, document in enumerate(documents)}
    pairs = {(number[link.path], number.get(link.resolved or "", -1)) for link in links if link.path in number}
    edges = sorted((start, end) for start, end in pairs if end >= 0 and start != end)
    degree = Counter(end for edge in edges for end in edge)
    nodes = [Node(document.path, document.title, degree[at]) for at, document in enumerate(documents)]
    return Graph(nodes, edges, [node.path for node in nodes if not node.degree], list(broken))
