"""One reader made of three parts: documents, keywords and vectors. Each database brings its own parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from headnote.store.filters import Filter
from headnote.store.interface import Documents, Keywords, Vectors
from headnote.store.labels import Labels
from headnote.store.quantized import PartSet
from headnote.store.rows import (
    ALL_OF_IT,
    DEFAULT_WEIGHTS,
    ChunkPlace,
    Claim,
    DocumentHead,
    DocumentRow,
    DocumentSummary,
    KeywordHit,
    LinkRow,
    NonText,
    PendingText,
    StoredChunk,
    StoredFile,
    Weights,
)
from headnote.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CompositeReader:
    """Passes each question to the part that answers it."""

    def __init__(self, documents: Documents, keywords: Keywords, vectors: Vectors) -> None:
        self._documents = documents
        self._keywords = keywords
        self._vectors = vectors

    def files(self) -> dict[str, StoredFile]:
        return self._documents.files()

    def non_texts(self) -> dict[str, NonText]:
        return self._documents.non_texts()

    def document(self, path: str) -> DocumentRow | None:
        return self._documents.document(path)

    def document_paths(self) -> list[str]:
        return self._documents.document_paths()

    def heads(self) -> list[DocumentHead]:
        return self._documents.heads()

    def summaries(self) -> list[DocumentSummary]:
        return self._documents.summaries()

    def chunks_of(self, path: str) -> list[StoredChunk]:
        return self._documents.chunks_of(path)

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        return self._documents.chunks(ids)

    def places(self, ids: Sequence[int]) -> list[ChunkPlace]:
        return self._documents.places(ids)

    def has_any(self, only: Filter) -> bool:
        return self._documents.has_any(only)

    def passing(self, only: Filter) -> NDArray[np.int64]:
        return self._documents.passing(only)

    def labels(self) -> Labels:
        return self._documents.labels()

    def tags(self) -> dict[str, int]:
        return self._documents.tags()

    def field_names(self) -> list[str]:
        return self._documents.field_names()

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._documents.linked_chunks(chunks)

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._documents.linking_chunks(chunks)

    def links(self) -> list[LinkRow]:
        return self._documents.links()

    def links_from(self, path: str) -> list[LinkRow]:
        return self._documents.links_from(path)

    def links_in(self, chunks: Sequence[int]) -> list[LinkRow]:
        return self._documents.links_in(chunks)

    def links_to(self, path: str) -> list[LinkRow]:
        return self._documents.links_to(path)

    def targets_from_top(self) -> dict[str, int]:
        return self._documents.targets_from_top()

    def connections(self) -> list[tuple[str, str]]:
        return self._documents.connections()

    def orphans(self) -> list[str]:
        return self._documents.orphans()

    def keyword(
        self,
        terms: Sequence[str],
        limit: int,
        weights: Weights = DEFAULT_WEIGHTS,
        only: Filter = Filter(),  # noqa: B008  immutable
        shares: Mapping[str, float] = ALL_OF_IT,
    ) -> list[KeywordHit]:
        return self._keywords.keyword(terms, limit, weights, only, shares)

    def having(self, terms: Sequence[str]) -> NDArray[np.int64]:
        return self._keywords.having(terms)

    def terms_in(self, chunks: Sequence[int], terms: Sequence[str]) -> dict[int, set[str]]:
        return self._keywords.terms_in(chunks, terms)

    def term_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return self._keywords.term_frequencies(terms)

    def vocabulary(self, beginning: str) -> Vocabulary:
        return self._keywords.vocabulary(beginning)

    def models(self) -> dict[str, int]:
        return self._vectors.models()

    def nearest(
        self,
        model: str,
        query: NDArray[np.float32],
        depth: int,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[tuple[int, float]]:
        return self._vectors.nearest(model, query, depth, only)

    def parts(self, model: str, chunks: Sequence[int]) -> PartSet:
        return self._vectors.parts(model, chunks)

    def has_all_vectors(self, model: str, only: Filter = Filter()) -> bool:  # noqa: B008  immutable
        return self._vectors.has_all_vectors(model, only)

    def pending_count(self, model: str) -> int:
        return self._vectors.pending_count(model)

    def pending(self, model: str, limit: int, *, claimed: bool = False) -> list[PendingText]:
        return self._vectors.pending(model, limit, claimed=claimed)

    def pending_names(self, model: str, *, claimed: bool = False) -> list[str]:
        return self._vectors.pending_names(model, claimed=claimed)

    def claims(self, model: str) -> list[Claim]:
        return self._vectors.claims(model)
