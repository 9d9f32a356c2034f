"""A file → all the index keeps of it: the document, its chunks, its links as written, its anchors.

Everything that needs no other document happens here, so it can happen on any core.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from headnote.chunking.chunker import chunk_with
from headnote.chunking.records import line_ends
from headnote.chunking.settings import Settings
from headnote.errors import SourceError
from headnote.index.anchors import Anchors, anchors_of
from headnote.index.linking import BLOCK, SHORTCODE
from headnote.index.note_names import property_aliases
from headnote.markdown.frontmatter import aliases, read_frontmatter, tags, title
from headnote.markdown.headings import headings
from headnote.markdown.scanner import scan
from headnote.model import Block, Chunk, Frontmatter, Heading, Link
from headnote.sources.documents import SourceDocument, read_document
from headnote.sources.files import is_mdx
from headnote.store.keyword_fields import file_name, keyword_fields
from headnote.store.rows import ChunkRow, DocumentRow, Entry, LinkRow

_LEAVES_THE_FOLDER = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:|//")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+://")
"""A wikilink is the name of a note, and `Plan: next year` is one."""
_MADE_BY_A_PROGRAM = re.compile(r"\{\{|\{%|\$\{|<%")
"""Templates stand for an address that only their program knows."""


class FileToRead(NamedTuple):
    """A file to be read."""

    path: str
    known: frozenset[str] = frozenset()
    """Hashes of content that need not be cut into chunks: with one of them, the file was touched or renamed."""


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
    """Reads the files of a root. It travels to other processes with every few files, so it carries little."""

    root: str
    settings: Settings

    def __call__(self, file: FileToRead) -> FileRead:
        try:
            source = read_document(self.root, file.path)
        except SourceError as error:
            return FileRead(file.path, error=error)
        if source.hash in file.known:
            return FileRead(file.path, source.hash, source.size, source.mtime_ns)
        entry, anchors = read_entry(source, self.settings)
        return FileRead(file.path, source.hash, source.size, source.mtime_ns, entry, anchors)


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
    found = headings(text, blocks)
    chunks = chunk_with(settings, text, path, source.mtime_ns / 1e9)
    rows = [ChunkRow.of(chunk, text) for chunk in chunks]
    document = _document(source, blocks, found, mdx)
    entry = Entry(document, rows, _links(path, text, chunks), keyword_fields(document, rows))
    return entry, anchors_of(text, found, blocks, rows)


def _document(source: SourceDocument, blocks: Sequence[Block], found: Sequence[Heading], mdx: bool) -> DocumentRow:
    matter = Frontmatter("yaml", {})
    if blocks and blocks[0].kind == "frontmatter":
        matter = read_frontmatter(source.text, blocks[0])
    data = matter.data
    return DocumentRow(
        source.path,
        source.size,
        source.mtime_ns,
        source.hash,
        title_of(data, found, source.path),
        source.text,
        data,
        tuple(tags(data)),
        tuple(dict.fromkeys((*aliases(data), *property_aliases(source.text)))),
        "; ".join(filter(None, (source.warning, matter.warning))),
        mdx,
    )


def title_of(data: Mapping[str, Any], found: Sequence[Heading], path: str) -> str:
    """What the frontmatter says, else the first of the highest headings, else the name of the file."""
    heading = min(found, key=lambda heading: heading.level).text if found else ""
    return title(data) or heading or file_name(path)


def _links(path: str, text: str, chunks: Sequence[Chunk]) -> list[LinkRow]:
    """In the order of the source, so lines are counted from one link to the next."""
    found: list[LinkRow] = []
    line, at = 1, 0
    for chunk in chunks:
        for link in chunk.links:
            line += line_ends(text, at, link.start)
            at = link.start
            external = _is_external(link)
            found.append(
                LinkRow(path, chunk.index, line, link.kind, link.target, link.fragment, link.text, external),
            )
    return found


def _is_external(link: Link) -> bool:
    if SHORTCODE.fullmatch(link.target) or BLOCK.fullmatch(link.target):
        return False
    scheme = _ADDRESS if link.kind in ("wikilink", "embed") else _LEAVES_THE_FOLDER
    return bool(scheme.match(link.target) or _MADE_BY_A_PROGRAM.search(link.target))
