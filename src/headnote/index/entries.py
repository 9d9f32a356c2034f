"""A file → everything the index stores of it: the document, its chunks, its links as written, its anchors, and the
vectors of the instant model.

Nothing here needs another document, so it can run on any core.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.records import comments_left_out, line_ends, rendered
from headnote.chunking.settings import Settings
from headnote.embedding.embedder import Embedder
from headnote.errors import SourceError
from headnote.index.dating import dates_of
from headnote.index.text_vectors import with_vectors
from headnote.links.anchors import Anchors, anchors_of
from headnote.links.resolving import aliases_of, link_row
from headnote.links.sites.site import Naming, naming_of
from headnote.markdown.document import Document
from headnote.model import Chunk, text_hash
from headnote.sources.files import FileSnapshot
from headnote.sources.repository import ListedFile
from headnote.sources.tree import Tree
from headnote.store.codec import columns_of
from headnote.store.rows import ChunkRow, Columns, DocumentEntry, DocumentRow, LinkRow

_SAMPLE = "---\na: {b: c}\n---\n# Subheadings\n\n- Some [text](b.md)\n\n| a |\n| - |\n"
"""What needs all that most documents need: the loader of YAML, the tokenizer, the stemmer, words of several pieces, the
pattern of tables."""


FileToRead = tuple[str, frozenset[str]]
"""A path, and hashes of known content: a file with one of them was only touched or renamed, and is not chunked."""


class FileRead(NamedTuple):
    """The result of reading a file."""

    file: ListedFile
    """As it was when it was read; only its path is known if it could not be."""
    columns: Columns | None = None
    """What is stored of it but its links; None if the content is known already, or could not be read."""
    links: Sequence[LinkRow] = ()
    """As written; not resolved yet."""
    anchors: Anchors = Anchors()
    naming: Naming = Naming()
    warning: str = ""
    """What had to be guessed to read it."""
    error: SourceError | None = None


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads the files of a tree. It is sent to other processes with every batch of files, so it is small."""

    tree: Tree
    settings: Settings
    settings_of: Mapping[str, Settings] = field(default_factory=dict)
    """Name of a root → its settings, where they are not `settings`."""
    instant: Embedder | None = None
    """Makes the vectors of what is read, if there is one."""

    def prepare(self) -> None:
        """Load what reading needs, before workers are forked, which then share it."""
        entry, _ = read_entry(FileSnapshot("a.md", 0, 0, "", _SAMPLE, ""), self.settings)
        columns_of(entry)
        if self.instant is not None:
            self.instant.embed([_SAMPLE])

    def __call__(self, files: Sequence[FileToRead]) -> list[FileRead]:
        results = [self._read(*file) for file in files]
        entries = [entry for _, entry in results if entry]
        complete = iter(entries if self.instant is None else with_vectors(entries, self.instant))
        return [
            read._replace(columns=columns_of(next(complete)._replace(links=())), links=entry.links) if entry else read
            for read, entry in results
        ]

    def _read(self, path: str, known: frozenset[str]) -> tuple[FileRead, DocumentEntry | None]:
        try:
            snapshot = self.tree.read(path)
        except SourceError as error:
            return _failed(path, error), None
        read = FileRead(_as_read(snapshot))
        if snapshot.hash in known:
            return read, None
        settings = self.settings_of.get(self.tree.root_of(path), self.settings)
        try:
            entry, anchors = read_entry(snapshot, settings)
        except SourceError as error:  # a damaged notebook; Markdown never raises
            return _failed(path, error), None
        document = entry.document
        return read._replace(anchors=anchors, naming=naming_of(document), warning=document.warning), entry


def read_hash(tree: Tree, path: str) -> FileRead:
    """Read a file only to tell whether it has changed."""
    try:
        snapshot = tree.read(path)
    except SourceError as error:
        return _failed(path, error)
    return FileRead(_as_read(snapshot))


def _failed(path: str, error: SourceError) -> FileRead:
    return FileRead(ListedFile(path, 0, 0), error=error)


def _as_read(snapshot: FileSnapshot) -> ListedFile:
    return ListedFile(snapshot.path, snapshot.size, snapshot.mtime_ns, snapshot.hash)


def read_entry(snapshot: FileSnapshot, settings: Settings) -> tuple[DocumentEntry, Anchors]:
    """All that is stored of a file; links are not resolved yet."""
    document = read_document(snapshot.text, snapshot.path, settings)
    entry = entry_of(snapshot, document, chunk_document(document, settings, snapshot.mtime_ns / 1e9))
    return entry, anchors_of(document, entry.chunks)


def entry_of(snapshot: FileSnapshot, document: Document, chunks: Sequence[Chunk]) -> DocumentEntry:
    """All that is stored of a document that is cut already."""
    row = document_row(snapshot, document)._replace(comments=comments_left_out(chunks))
    headings = _headings(document, chunks)
    rows = [chunk_row(chunk)._replace(headings=tuple(headings[chunk.index])) for chunk in chunks]
    return DocumentEntry(row, rows, _links(document, chunks))


def document_row(snapshot: FileSnapshot, document: Document) -> DocumentRow:
    """What is stored of the document itself."""
    frontmatter = document.frontmatter
    return DocumentRow(
        path=snapshot.path,
        size=snapshot.size,
        mtime_ns=snapshot.mtime_ns,
        hash=snapshot.hash,
        title=document.title,
        text=document.text,
        metadata=frontmatter.data,
        tags=tuple(document.tags),
        aliases=aliases_of(document),
        warning="; ".join(filter(None, (snapshot.warning, frontmatter.warning))),
        mdx=document.mdx,
        dates=dates_of(snapshot.path, frontmatter.data),
    )


def chunk_row(chunk: Chunk) -> ChunkRow:
    """What is stored of a chunk."""
    pieces = rendered(chunk)
    return ChunkRow(
        number=chunk.index,
        start=chunk.start,
        end=chunk.end,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        block_start=chunk.block_start,
        block_end=chunk.block_end,
        section=chunk.section,
        part=chunk.part,
        tokens=chunk.tokens,
        hash=text_hash(pieces.embed_text),
        id_tail=chunk.id.removeprefix(chunk.path),
        key_tail=chunk.key.removeprefix(chunk.path),
        heading_path=chunk.heading_path,
        tags=chunk.tags,
        front=pieces.front,
        lead=pieces.lead,
        prefix=chunk.prefix,
        suffix=chunk.suffix,
        overlap=chunk.overlap,
    )


def _headings(document: Document, chunks: Sequence[Chunk]) -> defaultdict[int, list[str]]:
    """Number of a chunk → the headings in it. One whose line is in no chunk belongs to the chunk after it."""
    headings: defaultdict[int, list[str]] = defaultdict(list)
    ends = [chunk.end for chunk in chunks]
    for heading in document.headings if chunks else ():
        at = bisect_right(ends, document.blocks[heading.block].start)
        headings[chunks[min(at, len(chunks) - 1)].index].append(heading.text)
    return headings


def _links(document: Document, chunks: Sequence[Chunk]) -> list[LinkRow]:
    """The links in the order of the source, so that lines are counted from one link to the next."""
    rows: list[LinkRow] = []
    line, at = 1, 0
    for chunk in chunks:
        for link in chunk.links:
            line += line_ends(document.text, at, link.start)
            at = link.start
            rows.append(link_row(link, document.path, chunk.index, line))
    return rows
