"""Documents and links → the graph of who leads to whom. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from headnote.store.rows import DocumentSummary, LinkRow


class Node(NamedTuple):
    """A document."""

    path: str
    title: str
    degree: int
    """How many other documents it leads to, or is led to from; one that does both counts twice."""


class Graph(NamedTuple):
    """Documents, and which leads to which."""

    nodes: list[Node]
    edges: list[tuple[int, int]]
    """(from, to) as numbers of nodes, each pair once; what leads to itself is left out."""
    orphans: list[str]
    """Documents on no road."""
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


def is_broken(link: LinkRow, documents: Collection[str], has_file: Callable[[LinkRow], bool]) -> bool:
    """Whether a link should lead somewhere below the root, and does not; a heading that is missing counts. Nowhere
    else is this decided. `has_file` says whether there is a file that is no document."""
    if link.external:
        return False
    if link.resolved in documents:
        return bool(link.fragment) and link.section is None
    return not has_file(link)
