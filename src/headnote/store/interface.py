"""The interface of every store. No SQL, and no detail of how data is stored, gets past this file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from headnote.sources.repository import ListedFile
from headnote.store.caching import Folders, Labels
from headnote.store.filters import Filter
from headnote.store.integrity import decoding
from headnote.store.quantized import PartSet
from headnote.store.rows import (
    DEFAULT_WEIGHTS,
    FULL_WEIGHTS,
    ChunkPlace,
    Claim,
    Columns,
    Counts,
    DateOrigin,
    DocumentEntry,
    DocumentHead,
    DocumentRow,
    DocumentSummary,
    KeywordHit,
    LinkRow,
    NonText,
    Owners,
    PackedVectors,
    PendingText,
    PlacedHeading,
    StoredChunk,
    Weights,
)
from headnote.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


ReaderClass = TypeVar("ReaderClass", bound=type)

DOCUMENT_BATCH = 64
"""Documents that are written together: enough for long runs of the same statement, few enough to hold in memory."""


class Reader(Protocol):
    """The index at one moment. Whatever is written meanwhile, all answers belong to the same generation."""

    def generation(self) -> int:
        """A number that every update raises."""

    def manifest(self) -> dict[str, str]: ...

    def counts(self) -> Counts: ...

    def chunk_count(self) -> int:
        """The number of chunks, at little cost."""

    # -- documents, their chunks, and the links between them

    def files(self) -> dict[str, ListedFile]:
        """Path → what a plan compares with the disk."""

    def stamps(self) -> set[tuple[str, int, int]]:
        """Path, size and time of every document, as the database has them."""

    def non_texts(self) -> dict[str, NonText]:
        """Path → a file that need not be read again until it changes."""

    def document(self, path: str) -> DocumentRow | None: ...

    def document_paths(self) -> list[str]:
        """Sorted."""

    def heads(self) -> list[DocumentHead]:
        """All documents by path, without their text."""

    def summaries(self) -> list[DocumentSummary]:
        """All documents by path, with what a list of them shows."""

    def connected(self) -> tuple[list[DocumentSummary], list[tuple[str, str]]]:
        """`summaries` and `connections`, read once for both."""

    def headings(self) -> dict[str, list[PlacedHeading]]:
        """Path → the headings of the document, in order; those without any are left out."""

    def chunks_of(self, path: str) -> list[StoredChunk]:
        """The chunks of one document, in order."""

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        """These chunks in the order of the ids. Ids that do not exist are left out."""

    def places(self, ids: Sequence[int]) -> list[ChunkPlace]:
        """Where these chunks stand, in the order of the ids. It reads no text."""

    def owners(self, ids: Sequence[int]) -> Owners:
        """The documents of these chunks, in the order of the ids. They must exist."""

    def named(self, numbers: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
        """Number of a name → (kind, chunk) of all that have it, in the order in which they are meant: by kind, then
        those to whose document most others link, then by path and place."""

    def has_any(self, only: Filter) -> bool:
        """Whether some chunk passes."""

    def passing(self, only: Filter) -> NDArray[np.int64]:
        """Ids of the chunks that pass."""

    def passing_documents(self, only: Filter) -> list[str]:
        """Paths of the documents that pass, sorted. Whether a chunk passes by itself is not asked."""

    def labels(self) -> Labels:
        """What all chunks are grouped by."""

    def folders(self) -> Folders:
        """The folders of the documents that have chunks."""

    def tags(self) -> dict[str, int]:
        """Every tag in the form in which it is compared → how many documents have it, themselves or in a chunk; the
        most frequent first."""

    def field_names(self) -> list[str]:
        """The fields of the frontmatter of all documents, in the form in which they are compared."""

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        """(chunk, chunk that a link in it leads to), in the order of the chunks and the links, each pair once. A link
        to a document leads to its first chunk. Links within a document are left out."""

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        """(chunk, chunk of another document that links to it), in the order of the chunks and the links, each pair
        once. A link to a document as a whole leads to each of its chunks."""

    def links(self) -> list[LinkRow]:
        """All links, by document and place."""

    def loose_links(self) -> list[LinkRow]:
        """Those to no document here, and those to a heading that their document lacks: all others lead somewhere."""

    def links_from(self, path: str) -> list[LinkRow]: ...

    def links_in(self, chunks: Sequence[int]) -> list[LinkRow]:
        """Those that begin in one of these chunks, by document and place."""

    def links_to(self, path: str) -> list[LinkRow]:
        """Links to a document, from others and from itself, by document and place."""

    def targets_from_top(self) -> dict[str, int]:
        """Each target that begins with a slash → how many links have it."""

    def connections(self) -> list[tuple[str, str]]:
        """(document, another that it links to), each pair once, sorted."""

    def orphans(self) -> list[str]:
        """Documents that neither link to another document nor are linked from one."""

    # -- the keyword index

    def keyword(
        self,
        terms: Sequence[str],
        limit: int,
        weights: Weights = DEFAULT_WEIGHTS,
        only: Filter = Filter(),  # noqa: B008  immutable
        shares: Mapping[str, float] = FULL_WEIGHTS,
    ) -> list[KeywordHit]:
        """Chunks that have at least one of the terms, best first. Terms may be any text. A term counts its share of
        what it would count by itself, and all of that where no share is given."""

    def having(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Ids of all chunks that `keyword` would find with these terms, sorted."""

    def terms_in(self, chunks: Sequence[int], terms: Sequence[str]) -> dict[int, set[str]]:
        """Each of the chunks → those of the terms that it has, in whatever field."""

    def spread(self, terms: Iterable[str]) -> dict[str, NDArray[np.int64]]:
        """Term → how many documents have it in each of `folders`, those of folders below included. Terms that
        do not tell of a document, such as operators of code, are in none."""

    def term_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Term → number of chunks that have it, 0 included."""

    def vocabulary(self, beginning: str) -> Vocabulary:
        """All terms that begin like this."""

    # -- the vectors of chunks, of their parts and of their names

    def models(self) -> dict[str, int]:
        """Name of each model that has vectors → their length."""

    def nearest(
        self,
        model: str,
        query: NDArray[np.float32],
        depth: int,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[tuple[int, float]]:
        """(chunk, similarity) of the `depth` texts nearest to the query, best first, among those that pass. Chunks of
        equal text share a place. Only similarities above 0 count."""

    def parts(self, model: str, chunks: Sequence[int]) -> PartSet:
        """The vectors of the parts and the names of these chunks, in their order. Chunks without a vector are left
        out."""

    def has_all_vectors(self, model: str, only: Filter = Filter()) -> bool:  # noqa: B008  immutable
        """Whether every chunk that passes has a vector of this model, and so have its names."""

    def pending_count(self, model: str) -> int:
        """How many vectors of this model are missing: one for each text, and one for each name, however many chunks
        have them."""

    def pending(self, model: str, limit: int, *, claimed: bool = False) -> list[PendingText]:
        """Texts of chunks that have no vector of this model, each hash once. Those that somebody has claimed are left
        out, unless `claimed`. Documents that are new and that others link to come first: the place of each is its rank
        by time, divided by one more than the number of links to it."""

    def pending_names(self, model: str, *, claimed: bool = False) -> list[str]:
        """Names of chunks that have no vector of this model, each once; claimed ones as above."""

    def claims(self, model: str) -> list[Claim]:
        """Everyone who is making vectors of this model."""


def decodes_all(reader: ReaderClass) -> ReaderClass:
    """Applies `decoding` to every method of `Reader` that a class has."""
    for name in dir(Reader):
        if not name.startswith("_"):
            setattr(reader, name, decoding(getattr(reader, name)))
    return reader


class Writer(Reader, Protocol):
    """The index during an update. The writer sees its own changes; others see all of them at once, when it is done or
    commits."""

    def commit(self) -> None:
        """Stores what was written so far, for all to see, and goes on: an error later undoes only what came after.
        Nobody else gets to write in between."""

    def put(self, entries: Iterable[DocumentEntry | Columns]) -> None:
        """Adds or replaces documents, and adds the vectors that come with them. Links into a replaced document forget
        which chunk they led to."""

    def remove(self, paths: Iterable[str]) -> None:
        """Removes documents and all that belongs to them. Links that led there lead nowhere."""

    def rename(self, old: str, new: str) -> None:
        """Moves a document to another path, in place of any document there; its keywords follow the new file name.
        Links to the old path lead nowhere until `set_links` resolves them."""

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        """Records a file that was rewritten with the same content."""

    def set_committed(self, times: Mapping[str, int | None]) -> None:
        """Records when these documents were last committed; None if that does not count."""

    def set_name_date(self, path: str, time_ns: int | None) -> None:
        """Records the date that the name of a document has."""

    def choose_dates(self, order: Sequence[DateOrigin]) -> None:
        """Dates each document by the first of these that knows when it was changed; the last is the time of its
        file."""

    def set_links(self, links: Mapping[str, Iterable[LinkRow]]) -> None:
        """Replaces the links of these documents."""

    def set_non_texts(self, files: Iterable[NonText]) -> None:
        """Replaces the list of files without text."""

    def set_manifest(self, values: Mapping[str, str]) -> None:
        """Replaces the manifest."""

    def clear(self) -> None:
        """Removes all documents. Vectors stay until `sweep`, for documents with the same text."""

    def add_vectors(
        self,
        model: str,
        hashes: Sequence[str],
        matrix: NDArray[np.floating],
        parts: Sequence[NDArray[np.floating]] | None = None,
    ) -> None:
        """Stores one row per hash, and the vectors of its parts. Without `parts`, each text is its only part. A hash
        that has a vector gets the new one."""

    def add_names(self, model: str, names: Sequence[str], matrix: NDArray[np.floating]) -> None:
        """Stores one row per name. A name that has a vector gets the new one."""

    def add_packed(self, vectors: Iterable[PackedVectors]) -> None:
        """Stores vectors of texts and names. A hash that has a vector keeps it."""

    def claim(self, model: str, hashes: Sequence[str], owner: str, seconds: float, *, names: bool = False) -> set[str]:
        """Reserves texts, or names, by their hashes, for this owner to embed: those that have no vector and that nobody
        else has claimed. Returns which. Readers notice no change."""

    def release(self, owner: str) -> None:
        """Gives back all that this owner has claimed."""

    def sweep(self, models: Collection[str] | None = None) -> int:
        """Drops vectors whose hash no chunk has any more, and all vectors of other models than these; how many. The
        vectors of a name go with the last chunk that has it, and are not counted."""


class Readable(Protocol):
    """What can be searched."""

    def reading(self) -> AbstractContextManager[Reader]:
        """One consistent view. Of a store, it never waits for a writer, and no writer waits for it."""


class Store(Readable, Protocol):
    """One index."""

    place: str
    """Where it is, for people: without password."""

    folder: Path | None
    """Where files that are made from the index may lie beside it; None for a database."""

    is_shared: bool
    """Whether writers on other machines, with folders of their own, may be at work on the same index."""

    may_write: bool
    """Whether this process has the right to: a role of a database may only read."""

    def writing(self, wait: float = 10.0, *, concurrent: bool = False) -> AbstractContextManager[Writer]:
        """One update: all of it, or nothing since its last `commit` if an error leaves the block. There is one writer
        at a time. The next one waits this many seconds, then raises a LockedIndex that names the holder.

        Writers with `concurrent` do not wait for each other where the store allows it, unless they reach the same
        document. They may put documents and vectors. A writer that needs to see all documents at rest writes alone."""

    def generation(self) -> int:
        """The current generation, at almost no cost."""

    def check(self) -> list[str]:
        """Every complaint, as one line each; none if all is well."""

    def repair(self) -> list[str]:
        """Rebuilds derived data and removes what is damaged; says what it did. Removed documents, which may be all of
        them, come back with the next update."""

    def close(self) -> None: ...
