"""What every store can do. No SQL, and nothing of how it is kept, goes past this line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from headnote.store.filters import Filter
from headnote.store.rows import (
    DEFAULT_WEIGHTS,
    Claim,
    Counts,
    DocumentHead,
    DocumentRow,
    DocumentSummary,
    Entry,
    KeywordHit,
    LinkRow,
    NonText,
    PartSet,
    PendingText,
    StoredChunk,
    StoredFile,
    VectorSet,
    Weights,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Reader(Protocol):
    """The index as it was at one moment. Whatever is written meanwhile, all answers belong to the same generation."""

    def generation(self) -> int:
        """Raised by every update. A reader that keeps something asks whether it still holds."""

    def manifest(self) -> dict[str, str]: ...

    def files(self) -> dict[str, StoredFile]:
        """Path → what a plan compares with the disk."""

    def non_texts(self) -> dict[str, NonText]:
        """Path → a file that need not be read again until it changes."""

    def counts(self) -> Counts: ...

    def chunk_count(self) -> int:
        """One of these counts, and cheap."""

    # -- documents and chunks

    def document(self, path: str) -> DocumentRow | None: ...

    def document_paths(self) -> list[str]:
        """Sorted."""

    def heads(self) -> list[DocumentHead]:
        """Of all documents, by path; no text is read."""

    def summaries(self) -> list[DocumentSummary]:
        """Of all documents, by path; no text is read."""

    def chunks_of(self, path: str) -> list[StoredChunk]:
        """Of one document, in order."""

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        """In the order of the ids; one that does not exist is left out."""

    # -- links

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        """(chunk, chunk that a link in it leads to), in the order of the chunks and the links, each pair once. A link
        to a document leads to its first chunk; those within a document are left out."""

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        """(chunk, chunk of another document that has a link to it), in the order of the chunks and the links, each
        pair once. A link to a document as a whole leads to each of its chunks."""

    def links(self) -> list[LinkRow]:
        """All, by document and place."""

    def links_from(self, path: str) -> list[LinkRow]: ...

    def links_to(self, path: str) -> list[LinkRow]:
        """From other documents and its own, by document and place."""

    def targets_from_top(self) -> dict[str, int]:
        """Each target that begins with a slash → how many links have it."""

    def orphans(self) -> list[str]:
        """Documents on no road: no other document links to them, and they link to no other document."""

    # -- keywords

    def keyword(
        self,
        terms: Sequence[str],
        limit: int,
        weights: Weights = DEFAULT_WEIGHTS,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[KeywordHit]:
        """Chunks that have at least one of the terms, best first. Terms may be any text."""

    def term_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Term → in how many chunks it is, 0 included."""

    # -- vectors

    def models(self) -> dict[str, int]:
        """Name of each model that has vectors → their length."""

    def pending(self, model: str, limit: int) -> list[PendingText]:
        """Of chunks that have no vector of this model, and that nobody has claimed; each hash once, in document
        order."""

    def claims(self, model: str) -> list[Claim]:
        """Who is making vectors of this model, each once."""

    def nearest(
        self,
        model: str,
        query: NDArray[np.float32],
        depth: int,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[tuple[int, float]]:
        """(chunk, similarity) of the so many texts of all that pass whose vectors point where the query's does, best
        first; chunks of equal text share a place. None whose similarity is not above 0."""

    def vectors(self, model: str, known: VectorSet | None = None) -> VectorSet | None:
        """All vectors of a model, or None if it has none. What is known comes back itself while it still holds."""

    def chunks_of_slots(
        self,
        model: str,
        slots: Sequence[int],
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> dict[int, list[int]]:
        """Slot → ids of the chunks whose vector it is and that pass; a slot without any is left out. Equal texts share
        a slot, wherever they stand."""

    def slots(self, model: str, only: Filter) -> NDArray[np.int64]:
        """Slots of the chunks that pass, ascending, each once."""

    def parts(self, model: str, chunks: Sequence[int]) -> PartSet:
        """The vectors of the parts and of the names of these chunks, in their order; chunks without a vector are left
        out."""

    def pending_names(self, model: str) -> list[str]:
        """Names of chunks that have no vector of this model, and that nobody has claimed; each once."""


class Writer(Reader, Protocol):
    """The index while it is changed. It sees its own changes; others see them all at once, when it is done."""

    def put(self, entries: Iterable[Entry]) -> None:
        """Documents new or replaced. Links that lead into a replaced one forget which chunk they led to."""

    def remove(self, paths: Iterable[str]) -> None:
        """Documents and all that belongs to them. Links that led there lead nowhere."""

    def rename(self, old: str, new: str) -> None:
        """Another path for the same document, in place of any that had it; it is found by the new name of its file.
        Links that led to the old path lead nowhere until `set_links` says otherwise."""

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        """The file is new and its content is not."""

    def set_links(self, path: str, links: Iterable[LinkRow]) -> None:
        """The links of a document, in place of those it had."""

    def set_non_texts(self, files: Iterable[NonText]) -> None:
        """In place of those before."""

    def set_manifest(self, values: Mapping[str, str]) -> None:
        """In place of the one before."""

    def clear(self) -> None:
        """All documents are gone; vectors stay until `sweep`, for those who put the same text again."""

    def add_vectors(
        self,
        model: str,
        hashes: Sequence[str],
        matrix: NDArray[np.floating],
        parts: Sequence[NDArray[np.floating]] | None = None,
    ) -> None:
        """One row per hash, and the vectors of its parts; if they are not given, it is its only part. A hash that has
        a vector gets the new one."""

    def add_names(self, model: str, names: Sequence[str], matrix: NDArray[np.floating]) -> None:
        """One row per name. A name that has a vector gets the new one."""

    def claim(self, model: str, hashes: Sequence[str], owner: str, seconds: float) -> None:
        """These texts or names, by their hashes, are for this owner to embed. For readers, that is no news."""

    def release(self, owner: str) -> None:
        """This owner has nothing claimed any more."""

    def sweep(self, models: Collection[str] | None = None) -> int:
        """Drops vectors whose hash no chunk has any more, and those of all models but these; how many. Vectors of
        names go with the last chunk that has the name, and are not counted."""


class Store(Protocol):
    """Where an index is kept."""

    def reading(self) -> AbstractContextManager[Reader]:
        """One consistent view. It never waits for a writer, and no writer waits for it."""

    place: str
    """Where it is, for people: without password."""

    is_shared: bool
    """Whether writers on other machines, with folders of their own, may be at work on the same index."""

    def writing(self, wait: float = 10.0, *, together: bool = False) -> AbstractContextManager[Writer]:
        """One update: all of it, or nothing if an error leaves the block. There is one writer at a time; the next
        one waits so many seconds and then raises LockedIndex, which says who is at work.

        Writers who say `together` do not wait for each other where the store allows it, unless they come to the same
        document. They may put documents and vectors; whoever needs to see all documents at rest writes alone."""

    def generation(self) -> int:
        """Of what is there now, at the cost of next to nothing."""

    def check(self) -> list[str]:
        """Every complaint, as one line each; none if all is well."""

    def repair(self) -> list[str]:
        """Makes what is derived anew and removes what is damaged; says what it did. Documents that are removed, which
        may be all of them, come back with the next update."""

    def close(self) -> None: ...
