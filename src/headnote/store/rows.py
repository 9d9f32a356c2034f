"""The types that go into a store and come back: one small immutable type per kind of row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from headnote.chunking.data_uris import strip_data_uris
from headnote.model import LinkKind
from headnote.model.chunk import Pieces, joined_pieces, leading_breadcrumb


class NonText(NamedTuple):
    """A file that is named like a document but is not text, as it was when it was read."""

    path: str
    """Relative to the root."""
    size: int
    """In bytes."""
    mtime_ns: int
    """Modification time in nanoseconds since 1970."""
    reason: str
    """Why it is not text, for people."""


class DocumentRow(NamedTuple):
    """One document. Its text is stored once; chunks are ranges of it."""

    path: str
    """Relative to the root."""
    size: int
    """Of the file, in bytes."""
    mtime_ns: int
    """Modification time in nanoseconds since 1970."""
    hash: str
    """Of the content of the file."""
    title: str
    """From the frontmatter, a heading, or the file name."""
    text: str
    """The source, character for character."""
    metadata: dict[str, Any]
    """Frontmatter."""
    tags: tuple[str, ...] = ()
    """Of the frontmatter. Those in its text are with the chunks."""
    aliases: tuple[str, ...] = ()
    """Other names, from the frontmatter."""
    warning: str = ""
    """Why its frontmatter could not be read; empty if it could."""
    mdx: bool = False
    """Whether it was read as MDX."""


class DocumentHead(NamedTuple):
    """The metadata of a document, without its text."""

    path: str
    title: str
    metadata: dict[str, Any]
    aliases: tuple[str, ...]


class DocumentSummary(NamedTuple):
    """A document in a list of all."""

    path: str
    """Relative to the root."""
    title: str
    """From the frontmatter, a heading, or the file name."""
    chunks: int
    """How many it has."""
    warning: str = ""
    """What had to be guessed to read it, such as its encoding; empty if nothing."""
    size: int = 0
    """Of the file, in bytes."""
    mtime_ns: int = 0
    """Modification time in nanoseconds since 1970."""
    links: int = 0
    """How many other documents it links to, and how many link to it."""
    tags: tuple[str, ...] = ()
    """Of the document and of its chunks, sorted, in the form in which they are compared."""


class ChunkRow(NamedTuple):
    """One chunk of a document, whatever the preset: everything needed to show it without the chunker.

    With the document's text, `text = lead + prefix + source[start:end] + suffix` and `embed_text = front + text`,
    pictures left out.
    """

    number: int
    """Position in the document, from 0."""
    start: int
    """Offset of its own first character in the document."""
    end: int
    """Offset just past its own last character."""
    start_line: int
    """First line of its own text, from 1."""
    end_line: int
    """Last line, inclusive."""
    block_start: int
    """Number of its first block in the document."""
    block_end: int
    """Number of its last block."""
    section: int
    """Number of its section in the document."""
    part: int | None
    """Number among the parts of a section that was cut; None if it was not."""
    tokens: int
    """Size of the text that is embedded, in the counter of the index."""
    hash: str
    """Of `embed_text`, in hex: equal hashes need one vector."""
    id_tail: str
    """Its id in the form of the preset, without the path in front: this part survives a rename."""
    key_tail: str
    """Its key, without the path in front."""
    heading_path: tuple[str, ...]
    """The headings above it, outermost first."""
    tags: tuple[str, ...]
    """Those of the frontmatter, then `#tags` in its text."""
    front: Pieces
    """Beginning of the embedded text only: breadcrumb and overlap, as the preset arranges them. 0 stands for the
    breadcrumb of `heading_path` and 1 for `overlap`; strings stand for themselves."""
    lead: Pieces
    """Beginning of the shown text before its own, if the preset has one, in the same way."""
    prefix: str
    """Text in front that makes it complete, such as a fence or a table header."""
    suffix: str
    """Text behind that makes it complete, such as the end of a fence."""
    overlap: str
    """Text repeated from the chunk before."""

    @property
    def lead_text(self) -> str:
        """What stands before its own text in the text that is shown."""
        return self._joined(self.lead)

    def own_text(self, source: str) -> str:
        """Its own part of the source, complete in itself, without breadcrumb and overlap."""
        return self.prefix + source[self.start : self.end] + self.suffix

    def text(self, source: str) -> str:
        """The text that is shown."""
        return self.lead_text + self.own_text(source)

    def embed_text(self, source: str) -> str:
        """The text that is embedded."""
        text = self._joined(self.front) + self.text(source)
        # The text is tested first: the source is long, and tested for every chunk.
        return strip_data_uris(text) if ";base64," in text and ";base64," in source else text

    def _joined(self, pieces: Pieces) -> str:
        return joined_pieces(pieces, leading_breadcrumb(self.heading_path), self.overlap) if pieces else ""


class LinkRow(NamedTuple):
    """A link of a document, and its target if that could be resolved."""

    path: str
    """Document that has it."""
    chunk: int
    """Number of the chunk it begins in."""
    line: int
    """Where it begins, from 1."""
    kind: LinkKind
    """How it is written."""
    target: str
    """As written, without the fragment."""
    fragment: str
    """What follows the `#`, as written; empty without one."""
    text: str
    """The text that is shown for it."""
    external: bool
    """Whether it leaves the folder: `https:`, `mailto:`, …"""
    resolved: str | None = None
    """Path below the root that it leads to, a document or another file; None if unresolved."""
    section: str | None = None
    """Anchor of the heading it leads to, if that exists."""
    resolved_chunk: int | None = None
    """Number of the chunk with this heading, in the document it leads to."""

    @property
    def written(self) -> str:
        """Target and fragment as they stand in the document."""
        return f"{self.target}#{self.fragment}" if self.fragment else self.target

    @property
    def leads_to(self) -> str:
        """The path it leads to, with the section; as written if it is unresolved."""
        target, fragment = (self.target, self.fragment) if self.resolved is None else (self.resolved, self.section)
        return f"{target}#{fragment}" if fragment else target


class KeywordFields(NamedTuple):
    """A chunk as the keyword index takes it: terms, with blanks between them."""

    title: str
    headings: str
    text: str
    aliases: str
    """All other names of the document, that of its file included."""
    tags: str


class PackedVectors(NamedTuple):
    """Vectors of one model as they are stored: small, so that other processes can make them."""

    model: str
    dimensions: int
    texts: dict[bytes, tuple[bytes, bytes]]
    """Hash of a text → its vector as a whole, and the vectors of its parts."""
    names: dict[bytes, bytes]
    """Hash of a name → its vector."""


def merged(vectors: Iterable[PackedVectors]) -> list[PackedVectors]:
    """Those of each model together."""
    by_model: dict[tuple[str, int], PackedVectors] = {}
    for own in vectors:
        together = by_model.setdefault(own[:2], PackedVectors(own.model, own.dimensions, {}, {}))
        together.texts.update(own.texts)
        together.names.update(own.names)
    return list(by_model.values())


class DocumentEntry(NamedTuple):
    """A document with its chunks and links, written and replaced as a unit."""

    document: DocumentRow
    chunks: Sequence[ChunkRow]
    links: Sequence[LinkRow] = ()
    vectors: PackedVectors | None = None
    """Of its texts and names, by a model that is fast enough to make them whenever a document is read."""


Row = tuple[str | int | bytes | None, ...]
"""Columns of a table."""


class Columns(NamedTuple):
    """An entry as the tables store it, but for the number of the document and the ids of its chunks, which only a
    database knows."""

    path: str
    """Relative to the root."""
    document: Row
    """Without its text."""
    text: str
    """The source, character for character."""
    chunks: list[Row]
    links: list[Row]
    keywords: list[tuple[str, ...]]
    """For each chunk the terms of its fields."""
    tags: list[str]
    """Of the document and all its chunks, as they are compared."""
    fields: list[tuple[str, str]]
    """Keys and values of the frontmatter."""
    vectors: PackedVectors | None = None


class Parent(NamedTuple):
    """The part of a document that its chunks need, shared by all of them."""

    path: str
    """Relative to the root."""
    title: str
    """Of the document."""
    mtime_ns: int
    """Modification time in nanoseconds since 1970."""
    metadata: dict[str, Any]
    """Frontmatter."""
    tags: tuple[str, ...]
    """Of the frontmatter."""
    aliases: tuple[str, ...]
    """Other names, from the frontmatter."""
    text: str
    """Of the whole document."""


class StoredChunk(NamedTuple):
    """A chunk as it is read."""

    id: int
    """Number in the store, valid until the document is replaced."""
    document: Parent
    """The document it belongs to."""
    row: ChunkRow
    """Its position and its headings."""

    @property
    def path(self) -> str:
        """Of the document, relative to the root."""
        return self.document.path

    @property
    def title(self) -> str:
        """Of the document."""
        return self.document.title

    @property
    def mtime_ns(self) -> int:
        """Modification time of the file, in nanoseconds since 1970."""
        return self.document.mtime_ns

    @property
    def source(self) -> str:
        """Text of the document."""
        return self.document.text

    @property
    def text(self) -> str:
        """The text that is shown."""
        return self.row.text(self.source)

    @property
    def embed_text(self) -> str:
        """The text that is embedded."""
        return self.row.embed_text(self.source)

    @property
    def chunk_id(self) -> str:
        """In the form of the preset."""
        return self.path + self.row.id_tail

    @property
    def key(self) -> str:
        """Path, content hash and occurrence. Stays the same when other chunks move."""
        return self.path + self.row.key_tail


class ChunkPlace(NamedTuple):
    """Where a chunk stands."""

    chunk: int
    path: str
    start_line: int
    mtime_ns: int
    """Of the file."""


class KeywordHit(NamedTuple):
    """A chunk that has some of the terms."""

    chunk: int
    score: float
    """BM25 over weighted fields: higher is better, never below 0."""


class Weights(NamedTuple):
    """What a term counts in each field."""

    title: float
    headings: float
    text: float
    aliases: float
    tags: float


DEFAULT_WEIGHTS = Weights(title=2.0, headings=7.0, text=1.0, aliases=4.0, tags=2.0)
"""Measured on links to sections and on prose: 5 to 10 for headings are alike, 2 and 3 rank sections a little lower."""

FULL_WEIGHTS: Mapping[str, float] = MappingProxyType({})
"""Every term counts in full."""


class Claim(NamedTuple):
    """Someone who is making vectors; others leave the claimed texts alone."""

    owner: str
    seconds_left: float
    """Until the claim expires, if it is not renewed."""


class PendingText(NamedTuple):
    """A text that waits for its vector."""

    hash: str
    text: str


class Counts(NamedTuple):
    """The size of an index."""

    documents: int
    chunks: int
    links: int
    bytes_on_disk: int
    generation: int
    updated_ns: int | None
    """When the last update ended, in nanoseconds since 1970; None before the first."""
