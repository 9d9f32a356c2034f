"""How near the chunks of an index are to a passage or a document: by vectors that are stored, and by rare words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from headnote.embedding.registry import Models
from headnote.extras import load_numpy
from headnote.search.model_choice import model_for
from headnote.search.terms import function_terms, rarity
from headnote.search.wording import Wording
from headnote.store.base import Reader
from headnote.store.parts import PartSet
from headnote.store.rows import DocumentRow, StoredChunk
from headnote.store.terms import keyword_fields_of, terms_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH = 200
"""Passages of other documents that each of the two ways brings."""
TELLING_TERMS = 40
"""Of a passage or document: those that are frequent in it and rare elsewhere."""
COMMON = 0.2
"""A term that a larger share of all chunks has tells nothing, unless the index is small."""
MEANING = 0.7
"""Share of the vectors in a score; the rest is words."""
SHORTEST_TERM = 3
"""Letters, where a letter is not a word."""
SHOWN_WORDS = 5


class Source(NamedTuple):
    """What others are compared with."""

    document: DocumentRow
    chunks: Sequence[StoredChunk]
    """Some chunks of the document, or all of them."""

    @property
    def place(self) -> str:
        return f"{self.document.path}:{self.chunks[0].row.start_line if self.chunks else 1}"


class Near(NamedTuple):
    """How near a chunk is, both from 0 to 1."""

    similarity: float = 0.0
    words: float = 0.0


class Nearness:
    """The chunks near a source, which is some or all chunks of a document."""

    def __init__(self, reader: Reader, models: Models, source: Sequence[StoredChunk]) -> None:
        self._reader = reader
        self._source = source
        embedder = model_for(reader, models)
        self.model = embedder.name if embedder else ""
        self._vector = self._mean() if embedder else None
        self.scores: dict[int, Near] = {}
        for chunk, similarity in self._by_meaning():
            self.scores[chunk] = Near(similarity=similarity)
        for chunk, words in self._by_words():
            self.scores[chunk] = self.scores.get(chunk, Near())._replace(words=words)
        self._compare_those_found_by_words()

    def total(self, chunk: int) -> float:
        near = self.scores[chunk]
        share = MEANING if self._vector is not None else 0.0
        return share * near.similarity + (1 - share) * near.words

    def best_of_documents(self, own: str, left_out: frozenset[str]) -> dict[str, int]:
        """Path → its nearest chunk, for other documents than the source's own."""
        labels = self._reader.labels()
        ids = sorted(self.scores, key=lambda chunk: (-self.total(chunk), chunk))
        best: dict[str, int] = {}
        for chunk, document in zip(ids, labels.documents[labels.places(ids)].tolist(), strict=True):
            path = labels.paths[document]
            if path != own and path not in left_out:
                best.setdefault(path, chunk)
        return best

    def shared_words(self, chunk: StoredChunk) -> tuple[str, ...]:
        """Telling words that both have, as the chunk writes them."""
        own = terms_of(chunk)
        shared = [term for term in self._telling if term in own][:SHOWN_WORDS]
        written = self._wording.of(chunk, shared)
        return tuple(dict.fromkeys(written[term] for term in shared))

    @cached_property
    def _wording(self) -> Wording:
        return Wording(self._telling)

    # -- meaning

    def _mean(self) -> NDArray[np.float32] | None:
        """The direction of the chunks of the source together; None if none has a vector."""
        numpy = load_numpy()
        vectors = _wholes(self._reader.parts(self.model, [chunk.id for chunk in self._source]))
        mean = vectors.sum(axis=0) if len(vectors) else vectors
        length = float(numpy.linalg.norm(mean))
        return mean / length if len(vectors) and length else None

    def _by_meaning(self) -> Iterable[tuple[int, float]]:
        if self._vector is None:
            return []
        own = len(self._reader.chunks_of(self._source[0].path))
        return self._reader.nearest(self.model, self._vector, DEPTH + own)

    def _compare_those_found_by_words(self) -> None:
        if self._vector is None:
            return
        missing = [chunk for chunk, near in self.scores.items() if not near.similarity]
        parts = self._reader.parts(self.model, missing)
        for chunk, vector in zip(parts.chunks, _wholes(parts), strict=True):
            similarity = max(float(vector @ self._vector), 0.0)
            self.scores[chunk] = self.scores[chunk]._replace(similarity=similarity)

    # -- words

    @cached_property
    def _telling(self) -> list[str]:
        """Terms of the source by how often it has them and how rare they are, best first."""
        own = Counter(term for fields in keyword_fields_of(self._source) for term in fields.text.split())
        chunks = self._reader.chunk_count()
        # Function words are left out first: to count the chunks that have a term takes as long as there are many.
        counts = self._reader.term_frequencies(filter(_is_telling, own))
        most = max(COMMON * chunks, 20)
        known = {term: count for term, count in counts.items() if 1 < count <= most}
        weights = rarity(known, chunks)
        return sorted(known, key=lambda term: (-weights[term] * _often(own[term]), term))[:TELLING_TERMS]

    def _by_words(self) -> Iterable[tuple[int, float]]:
        """The share of the source's own score that other chunks reach."""
        if not self._telling:
            return
        own = {chunk.id for chunk in self._source}
        hits = self._reader.keyword(self._telling, DEPTH + len(own))
        most = max((hit.score for hit in hits if hit.chunk in own), default=0.0)
        most = most or max((hit.score for hit in hits), default=0.0) or 1.0
        for hit in hits:
            yield hit.chunk, min(hit.score / most, 1.0)


def _is_telling(term: str) -> bool:
    """Whether it may say what a text is about: no function word, no number, no single letter."""
    is_short = term.isascii() and len(term) < SHORTEST_TERM
    return not is_short and not term.isdigit() and term not in function_terms()


def _often(count: int) -> float:
    return 1.0 + min(count, 8) / 4


def _wholes(parts: PartSet) -> NDArray[np.float32]:
    """A vector of length one for each chunk: the direction of its parts together."""
    numpy = load_numpy()
    counts = numpy.asarray(parts.counts, numpy.int64)
    if not len(counts):
        nothing: NDArray[np.float32] = numpy.empty((0, 0), numpy.float32)
        return nothing
    sums = numpy.add.reduceat(parts.floats()[1], numpy.cumsum(counts) - counts, axis=0)
    lengths = numpy.linalg.norm(sums, axis=1, keepdims=True)
    wholes: NDArray[np.float32] = sums / numpy.where(lengths > 0, lengths, 1)
    return wholes


def document_vectors(reader: Reader, model: str, documents: Mapping[str, Sequence[int]]) -> NDArray[np.float32]:
    """The direction of each document, given its chunks; zero for one without vectors."""
    numpy = load_numpy()
    owner = {chunk: place for place, chunks in enumerate(documents.values()) for chunk in chunks}
    sums: NDArray[np.float32] = numpy.zeros((len(documents), reader.models().get(model, 0)), numpy.float32)
    ids = list(owner)
    for first in range(0, len(ids), READ_TOGETHER):
        parts = reader.parts(model, ids[first : first + READ_TOGETHER])
        if parts.chunks:
            numpy.add.at(sums, [owner[chunk] for chunk in parts.chunks], _wholes(parts))
    lengths = numpy.linalg.norm(sums, axis=1, keepdims=True)
    vectors: NDArray[np.float32] = sums / numpy.where(lengths > 0, lengths, 1)
    return vectors


READ_TOGETHER = 4096
"""Chunks whose vectors are read at once."""
