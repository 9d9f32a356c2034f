"""The types that go into a store and come back: one small immutable type per kind of row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from headnote.chunking.masking import condensed_chunk, masked, strip_data_uris, unmasked
from headnote.model import LinkKind
from headnote.model.chunk import Pieces, joined_pieces, leading_breadcrumb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Extents = tuple[tuple[int, int], ...]
"""Where things begin and end in a text, in order."""


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


DateOrigin = Literal["frontmatter", "git", "name", "mtime"]
DATE_ORIGINS: tuple[DateOrigin, ...] = get_args(DateOrigin)
"""What may say when a document was changed, the most certain first."""


class Dated(NamedTuple):
    """When a document was changed."""

    time_ns: int
    """Nanoseconds since 1970."""
    origin: DateOrigin = "mtime"
    """What says so."""


class Dates(NamedTuple):
    """When a document was changed, in nanoseconds since 1970; None where nothing says so."""

    frontmatter: int | None = None
    """As its frontmatter says."""
    git: int | None = None
    """When it was last committed, if it has not changed since."""
    name: int | None = None
    """The day that its name has."""
    best: Dated | None = None
    """The first that is known, in the order of the settings; None if the time of the file counts."""


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
    comments: Extents = ()
    """Where those stand that do not count as text."""
    dates: Dates = Dates()
    """When it was changed, besides the time of its file."""

    @property
    def masked(self) -> str:
        """The source, with masks in place of its comments: what its chunks are cut from."""
        return masked(self.text, self.comments)


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
    dated: Dated = Dated(0)
    """When it was changed."""
    links: int = 0
    """How many other documents it links to, and how many link to it."""
    tags: tuple[str, ...] = ()
    """Of the document and of its chunks, sorted, in the form in which they are compared."""


class PlacedHeading(NamedTuple):
    """A heading, and where the chunk begins in which it stands."""

    text: str
    line: int
    is_first: bool
    """Whether the chunk begins with it, and so the line is its own."""


class ChunkRow(NamedTuple):
    """One chunk of a document, whatever the preset: everything needed to show it without the chunker.

    With the masked text of the document, `text = lead + prefix + source[start:end] + suffix` without the masks, and
    `embed_text = front + text`, pictures left out, too.
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
    headings: tuple[str, ...] = ()
    """Those that stand in it, in order: of a chunk of several small sections, all of theirs."""

    @property
    def lead_text(self) -> str:
        """What stands before its own text in the text that is shown."""
        return self._joined(self.lead)

    def own_text(self, source: str) -> str:
        """Its own part of the source, complete in itself, without breadcrumb and overlap."""
        return self.prefix + unmasked(source[self.start : self.end]) + self.suffix

    def text(self, source: str) -> str:
        """The text that is shown."""
        return self.lead_text + self.own_text(source)

    def embed_text(self, source: str) -> str:
        """The text that is embedded; empty if there are only comments."""
        own = condensed_chunk(source[self.start : self.end])
        if not own and self.start < self.end:
            return ""
        text = self._joined(self.front) + self.lead_text + self.prefix + own + self.suffix
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
    """The vectors of each model together."""
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
    names: list[tuple[int, int, int]]
    """What a query may name, see `codec.names`."""
    vectors: PackedVectors | None = None


class Parent(NamedTuple):
    """The part of a document that its chunks need, shared by all of them."""

    path: str
    """Relative to the root."""
    title: str
    """Of the document."""
    dated: Dated
    """When it was changed."""
    metadata: dict[str, Any]
    """Frontmatter."""
    tags: tuple[str, ...]
    """Of the frontmatter."""
    aliases: tuple[str, ...]
    """Other names, from the frontmatter."""
    masked: str
    """Its whole text, with masks in place of comments."""


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
    def dated(self) -> Dated:
        """When its document was changed."""
        return self.document.dated

    @property
    def source(self) -> str:
        """Text of the document, masked."""
        return self.document.masked

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
    dated_ns: int
    """When its document was changed, in nanoseconds since 1970."""


class KeywordHit(NamedTuple):
    """A chunk that has some of the terms."""

    chunk: int
    score: float
    """BM25 over weighted fields: higher is better, never below 0."""


class Weights(NamedTuple):
    """The weight of a term in each field."""

    title: float
    headings: float
    text: float
    aliases: float
    tags: float


DEFAULT_WEIGHTS = Weights(title=2.0, headings=7.0, text=1.0, aliases=4.0, tags=2.0)
"""Measured on links to sections and on prose: 5 to 10 for headings are alike, 2 and 3 rank sections a little lower."""

FULL_WEIGHTS: Mapping[str, float] = MappingProxyType({})
"""Every term counts in full."""


SATURATION = 1.2
BY_LENGTH = 0.75
"""Parameters of BM25 over chunks, as FTS5 has them: how soon more of a word adds nothing, and how much a long chunk
pays."""
IN_DOCUMENT = 0.2
"""What the words of a document count beside those of its chunk. Most questions are about what a page is about, and
their words are spread over its chunks."""
DOCUMENT_SATURATION = 16.0
BY_CHUNKS = 0.5
"""The same of BM25 over documents, whose length is the number of their chunks. Measured on what people asked and on
links, see docs/design-notes.md: a document that has a word everywhere is about it."""


class Owners(NamedTuple):
    """The documents that chunks are of, one for each chunk."""

    documents: NDArray[np.int64]
    """A number; it means nothing else."""
    counts: NDArray[np.int64]
    """How many chunks the document has."""


class Claim(NamedTuple):
    """An owner that is making vectors; others leave the claimed texts alone."""

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
