"""Documents and links → the graph of which document links to which. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headnote.store.rows import DocumentSummary, LinkRow


@dataclass(frozen=True, slots=True)
class Node:
    """A document."""

    path: str
    """Of the document, relative to the root."""
    title: str
    """Of the document."""
    degree: int
    """How many other documents it links to, and how many link to it."""
    tags: tuple[str, ...] = ()
    """Of the document and of its chunks, in the form in which they are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour(Node):
    """A document near another one."""

    distance: int
    """How many links lead there, in either direction."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Documents, and which links to which."""

    nodes: list[Node]
    """All documents, by path."""
    edges: list[tuple[int, int]]
    """(from, to) as numbers of nodes, each pair once; a link to its own document is left out."""
    orphans: list[str]
    """Documents without any edge."""
    broken: list[LinkRow]
    """Links that lead nowhere."""
    spots: list[tuple[int, int] | None] = field(default_factory=list)
    """Where each document lies in a picture; None for an orphan. Empty unless somebody asks for it."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A document and those around it."""

    nodes: list[Neighbour]
    """The document itself first, then the nearest; of those that are equally near, the most linked first."""
    edges: list[tuple[int, int]]
    """(from, to) as numbers of nodes, each pair once."""
    left_out: int
    """How many more there are, beyond the limit."""


def graph_of(
    documents: Sequence[DocumentSummary], connections: Iterable[tuple[str, str]], broken: Sequence[LinkRow]
) -> Graph:
    """The graph of these documents; connections with anything else are no edges."""
    nodes = [_node(document) for document in documents]
    return Graph(nodes, _edges(nodes, connections), [node.path for node in nodes if not node.degree], list(broken))


def neighbourhood_of(
    documents: Iterable[DocumentSummary], connections: Sequence[tuple[str, str]], path: str, depth: int, limit: int
) -> Neighbourhood:
    """The documents that at most `depth` links connect with this one, as many as the limit allows."""
    distances = _distances(connections, path, depth)
    near = [
        Neighbour(one.path, one.title, one.links, one.tags, distance=distances[one.path])
        for one in documents
        if one.path in distances
    ]
    near.sort(key=lambda node: (node.distance, -node.degree, node.path))
    nodes = near[:limit]
    return Neighbourhood(nodes, _edges(nodes, connections), left_out=len(near) - len(nodes))


def _node(document: DocumentSummary) -> Node:
    return Node(document.path, document.title, document.links, document.tags)


def _edges(nodes: Sequence[Node], connections: Iterable[tuple[str, str]]) -> list[tuple[int, int]]:
    number = {node.path: at for at, node in enumerate(nodes)}
    return sorted((number[path], number[other]) for path, other in connections if path in number and other in number)


def _distances(connections: Sequence[tuple[str, str]], path: str, depth: int) -> dict[str, int]:
    """Each document within reach → how many links away it is."""
    near: dict[str, list[str]] = {}
    for one, other in connections:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    distances = {path: 0}
    outermost = [path]
    for distance in range(1, depth + 1):
        outermost = list({other for one in outermost for other in near.get(one, ())} - distances.keys())
        distances.update(dict.fromkeys(outermost, distance))
    return distances
