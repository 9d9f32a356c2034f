"""Documents and the links between them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from headnote.web.responses.finding import SnippetLine


class DocumentItem(msgspec.Struct):
    """A document in a list of all."""

    path: str
    title: str
    chunks: int
    size: int
    changed: float
    links: int
    tags: list[str]


class DocumentsAnswer(msgspec.Struct):
    documents: list[DocumentItem]


class HeadingAnswer(msgspec.Struct):
    """A heading, with the lines and tokens of its section."""

    level: int
    text: str
    slug: str
    start_line: int
    end_line: int
    tokens: int


class OutlineAnswer(msgspec.Struct):
    path: str
    headings: list[HeadingAnswer]


class ReadAnswer(msgspec.Struct):
    path: str
    start_line: int
    end_line: int
    text: str


class FoundWordAnswer(msgspec.Struct):
    """A word as the document writes it, and its line."""

    line: int
    text: str


class FoundAnswer(msgspec.Struct):
    """The words of a document that a query finds, in order; of very many, the first. `total` counts all."""

    path: str
    words: list[FoundWordAnswer]
    total: int


class EditorAnswer(msgspec.Struct):
    """How to open a document in an editor: its name, and the address, in which `{line}` stands for a line. Both are
    null if there is none, or if the request does not come from this machine."""

    editor: str | None = None
    address: str | None = None


class PreviewAnswer(msgspec.Struct):
    """What a reader sees first of a document, or of a section of it; `heading` is empty if it is the document."""

    path: str
    title: str
    heading: str
    lines: list[SnippetLine]


class LinkAnswer(msgspec.Struct):
    """A link with its document and line, and the file it leads to; with the address of the picture, if it is one."""

    path: str
    line: int
    text: str
    target: str
    fragment: str
    resolved: str | None
    broken: bool
    picture: str | None = None


class LinksAnswer(msgspec.Struct):
    path: str
    links: list[LinkAnswer]
    backlinks: list[LinkAnswer]


class ChunkItem(msgspec.Struct):
    """The place of a chunk in its document."""

    index: int
    key: str
    start: int
    end: int
    start_line: int
    end_line: int
    breadcrumb: str
    tokens: int


class PieceItem(msgspec.Struct):
    """Lines of a document that are drawn together."""

    start_line: int
    end_line: int
    characters: int


class PieceAnswer(msgspec.Struct):
    path: str
    number: int
    start_line: int
    end_line: int
    html: str


class DocumentAnswer(msgspec.Struct):
    path: str
    title: str
    html: str
    """Of the first piece; most documents have one."""
    pieces: list[PieceItem]
    text: str
    lines: int
    chunks: list[ChunkItem]
    headings: list[HeadingAnswer]
    links: list[LinkAnswer]
    backlinks: list[LinkAnswer]
    tags: list[str]
    metadata: dict[str, Any]


class NodeAnswer(msgspec.Struct):
    path: str
    title: str
    degree: int
    tags: list[str]


class GraphAnswer(msgspec.Struct):
    nodes: list[NodeAnswer]
    edges: list[tuple[int, int]]
    orphans: list[str]
    broken: list[LinkAnswer]


class NeighbourAnswer(NodeAnswer):
    """A document near another one."""

    distance: int


class NeighbourhoodAnswer(msgspec.Struct):
    """A document, itself the first of the nodes, and those around it."""

    nodes: list[NeighbourAnswer]
    edges: list[tuple[int, int]]
    left_out: int


class RelatedItem(msgspec.Struct):
    """A passage near another one, which `source` names, and why: the similarity of their vectors, rare `words` that
    both have, documents that both are linked with, or the `mention` of its document. `link` is what to write."""

    path: str
    start_line: int
    end_line: int
    breadcrumb: str
    title: str
    text: str
    score: float
    source: str
    similarity: float
    model: str
    words: tuple[str, ...]
    shared_links: int
    mention: str
    linked: Literal["", "to", "from", "both"]
    link: str


class RelatedAnswer(msgspec.Struct):
    """Best first."""

    related: list[RelatedItem]
