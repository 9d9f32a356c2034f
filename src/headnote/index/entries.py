"""A file → all the index keeps of it: the document, its chunks, its links as written, its anchors.

Everything that needs no other document happens here, so it can happen on any core.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from headnote.chunking.chunker import chunk_with
from headnote.chunking.settings import Settings
from headnote.errors import SourceError
from headnote.index.store.keyword_fields import keyword_fields
from headnote.index.store.rows import ChunkRow, DocumentRow, Entry, LinkRow
from headnote.markdown.frontmatter import aliases, read_frontmatter, tags, title
from headnote.markdown.headings import headings
from headnote.markdown.scanner import scan
from headnote.model import Block, Chunk, Frontmatter
from headnote.sources.documents import SourceDocument, read_document
from headnote.sources.files import is_mdx

_LEAVES_THE_FOLDER = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:|//")
_MADE_BY_A_PROGRAM = re.compile(r"\{\{|\{%|\$\{|<%")
"""Templates stand for an address that only their program knows."""
_LINE_END = re.compile(r"\r\n|\n|\r")

Anchors = dict[str, int]
"""Anchor of a heading → number of the chunk that has it."""


class FileRead(NamedTuple):
    """What reading a file brought."""

    path: str
    hash: str = ""
    """Empty if it could not be read."""
    size: int = 0
    mtime_ns: int = 0
    entry: Entry | None = None
    """None if the content is known already, or could not be read."""
    anchors: Anchors | None = None
    error: SourceError | None = None


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads the files of a root. It travels to other processes, so it carries little."""

    root: str
    settings: Settings
    known: frozenset[str] = frozenset()
    """Hashes of contents that need not be cut into chunks: a file with one of them was touched or renamed."""

    def __call__(self, path: str) -> FileRead:
        try:
            source = read_document(self.root, path)
        except SourceError as error:
            return FileRead(path, error=error)
        if source.hash in self.known:
            return FileRead(path, source.hash, source.size, source.mtime_ns)
        entry, anchors = read_entry(source, self.settings)
        return FileRead(path, source.hash, source.size, source.mtime_ns, entry, anchors)


def read_hash(root: str, path: str) -> FileRead:
    """Only what tells whether a file has changed."""
    try:
        source = read_document(root, path)
    except SourceError as error:
        return FileRead(path, error=error)
    return FileRead(path, source.hash, source.size, source.mtime_ns)


def read_entry(source: SourceDocument, settings: Settings) -> tuple[Entry, Anchors]:
    """The document of a file, with all that belongs to it; links are not resolved yet."""
    text, path = source.text, source.path
    mdx = is_mdx(path) if settings.mdx is None else settings.mdx
    blocks = scan(text, mdx)
    chunks = chunk_with(settings, text, path, source.mtime_ns / 1e9)
    rows = [ChunkRow.of(chunk, text) for chunk in chunks]
    document = _document(source, blocks, mdx)
    entry = Entry(document, rows, _links(path, text, chunks), keyword_fields(document, rows))
    return entry, anchors_of(text, blocks, rows)


def _document(source: SourceDocument, blocks: Sequence[Block], mdx: bool) -> DocumentRow:
    matter = Frontmatter("yaml", {})
    if blocks and blocks[0].kind == "frontmatter":
        matter = read_frontmatter(source.text, blocks[0])
    data = matter.data
    return DocumentRow(
        source.path,
        source.size,
        source.mtime_ns,
        source.hash,
        title(data) or _first_heading(source.text, blocks) or PurePosixPath(source.path).stem,
        source.text,
        data,
        tuple(tags(data)),
        tuple(aliases(data)),
        "; ".join(filter(None, (source.warning, matter.warning))),
        mdx,
    )


def _first_heading(text: str, blocks: Sequence[Block]) -> str:
    found = headings(text, blocks)
    return min(found, key=lambda heading: heading.level).text if found else ""


def anchors_of(text: str, blocks: Sequence[Block], chunks: Sequence[ChunkRow]) -> Anchors:
    """The anchors of a document. A heading whose line is in no chunk belongs to the one behind it."""
    ends = [chunk.end for chunk in chunks]
    last = len(chunks) - 1
    return {
        heading.slug: chunks[min(bisect_right(ends, blocks[heading.block].start), last)].number
        for heading in headings(text, blocks)
        if chunks
    }


def _links(path: str, text: str, chunks: Sequence[Chunk]) -> list[LinkRow]:
    found = [(chunk.index, link) for chunk in chunks for link in chunk.links]
    if not found:
        return []
    line_starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    return [
        LinkRow(
            path,
            number,
            bisect_right(line_starts, link.start),
            link.kind,
            link.target,
            link.fragment,
            link.text,
            _is_external(link.target),
        )
        for number, link in found
    ]


def _is_external(target: str) -> bool:
    return bool(_LEAVES_THE_FOLDER.match(target) or _MADE_BY_A_PROGRAM.search(target))
