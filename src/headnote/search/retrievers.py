"""The two retrievers, by words and by meaning. Each returns chunks with their scores, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models
from headnote.numeric import np
from headnote.search.ranking import Ranking
from headnote.store.filters import Filter
from headnote.store.integrity import INSTANT
from headnote.store.interface import Reader
from headnote.store.quantized import PartSet

if TYPE_CHECKING:
    from numpy.typing import NDArray


WHOLE_SHARE = 0.5
"""Weight of a chunk as a whole beside its nearest part. Either alone is worse."""
NAME_SHARE = 0.5
"""Weight of a name that is nearer than the text. With less, links to pages are lost; with more, sections."""


class ModelRanking(NamedTuple):
    """What a model says about a query."""

    ranking: Ranking = ()
    unread: frozenset[int] = frozenset()
    """Chunks found by words that it cannot compare."""


def by_words(reader: Reader, shares: Mapping[str, float], depth: int, only: Filter) -> Ranking:
    """Chunks that have at least one of the terms, each of which counts its share."""
    return [(hit.chunk, hit.score) for hit in reader.keyword(list(shares), depth, only=only, shares=shares)]


def by_meaning(reader: Reader, model: str, query: NDArray[np.float32], depth: int, only: Filter) -> Ranking:
    """Chunks whose vectors point where the query's does."""
    return reader.nearest(model, query, depth, only)


def by_parts(parts: PartSet, query: NDArray[np.float32]) -> Ranking:
    """Chunks by their similarity to the query: as a whole, in their nearest part, and by a name if that is nearer.

    A name that is farther away says nothing against the text below it.
    """
    if not parts.chunks:
        return []
    of_names, of_parts = parts.similarities(query)
    counts = np.asarray(parts.counts)
    starts = np.cumsum(counts) - counts
    nearest = np.maximum.reduceat(of_parts, starts)
    # The whole is the direction of the sum of its parts, so its similarity is their sum over the length of that.
    whole = np.add.reduceat(of_parts, starts) / np.where(parts.lengths > 0, parts.lengths, 1)
    text_scores = WHOLE_SHARE * whole + (1 - WHOLE_SHARE) * nearest
    scores = text_scores + NAME_SHARE * np.maximum(of_names.max(axis=1) - text_scores, 0)
    chunks = np.asarray(parts.chunks)
    order = np.lexsort((chunks, -scores))
    order = order[scores[order] > 0]
    return list(zip(chunks[order].tolist(), scores[order].tolist(), strict=True))


def unread_chunks(parts: PartSet, chunks: Iterable[int]) -> frozenset[int]:
    """Those of the chunks that cannot be compared: they have no vector yet, or the model cannot read their text."""
    lengths = parts.lengths.tolist()
    return frozenset(chunks) - {chunk for chunk, length in zip(parts.chunks, lengths, strict=True) if length}


# -- Which of the models of an index answers a search: one of them, never a mixture.
#
# The deep model is better, but only if it has vectors of everything: with half of them, the other half would rank below
# whatever has one.


EVERYTHING = Filter()


def model_for(reader: Reader, models: Models, only: Filter = EVERYTHING) -> Embedder | None:
    """The deep model if its vectors are complete for the chunks that pass, else the instant one; None for words alone.

    A deep model by itself answers with the vectors there are.
    """
    instant, deep = models
    if deep and deep.name in reader.models() and (instant is None or is_complete(reader, deep, only)):
        return deep
    # The store holds that the instant model has all its vectors, if the index was made with it.
    return instant if instant and reader.manifest().get(INSTANT) == instant.name else None


def is_complete(reader: Reader, model: Embedder, only: Filter = EVERYTHING) -> bool:
    """Whether all chunks that pass have their vectors, and those of their names. A filter is looked at only if some
    chunk lacks one."""
    return reader.has_all_vectors(model.name) or (not only.passes_all and reader.has_all_vectors(model.name, only))
