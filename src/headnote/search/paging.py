"""What a search finds, all of it, and its hits in order, read no further than they are shown.

A passage is found if it has a word of the query, or what that word stands for, or if it is among the nearest in meaning
and as near as the best hit of a search must be. Neither depends on filters, so what a filter leaves can be counted
before anybody sets it. The order is that of a search with the filters; passages beyond its depth follow by their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from headnote.extras import load_numpy
from headnote.search.hits import Found, Reasons, Scored, candidates, read_hits, recencies
from headnote.search.query import Query
from headnote.search.retrievers import by_words
from headnote.search.selection import Candidate, Selection, best_first
from headnote.search.spelling import Reading, shares_of
from headnote.store.base import Reader
from headnote.store.labels import Labels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def found_chunks(
    reader: Reader, query: Query, words: Sequence[Reading], everywhere: Scored, relevant: float
) -> NDArray[np.int64]:
    """Ids of the chunks that are found and pass the filter, sorted. `everywhere` is what is retrieved without it.

    By default, `relevant` is the least similarity of what is found by its meaning alone. A minimum score of the query
    holds for all; those beyond the depth of a search have no score to compare, and are left out.
    """
    numpy = load_numpy()
    if query.min_score:
        found = _sorted([chunk for chunk, score in everywhere.scores.items() if score >= query.min_score])
    else:
        least = relevant if query.min_score is None else 0.0
        near = _sorted([chunk for chunk, similarity in everywhere.semantic if similarity >= least])
        having = reader.having(list(shares_of(words))) if query.mode != "semantic" else _sorted([])
        found = numpy.sort(numpy.concatenate([having, near[~_are_among(near, having)]]))
    return found if query.only.passes_all else found[_are_among(found, numpy.sort(reader.passing(query.only)))]


def _sorted(ids: Sequence[int]) -> NDArray[np.int64]:
    array: NDArray[np.int64] = load_numpy().asarray(sorted(ids), "int64")
    return array


def _are_among(ids: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the ids are among others, which are sorted. Numpy's own function would load masked arrays."""
    numpy = load_numpy()
    among: NDArray[np.bool_] = numpy.zeros(len(ids), dtype=bool)
    if len(others):
        places = numpy.minimum(numpy.searchsorted(others, ids), len(others) - 1)
        among = others[places] == ids
    return among


# -- order


def hits_in_order(
    reader: Reader,
    selection: Selection,
    words: Sequence[Reading],
    scored: Scored,
    found: NDArray[np.int64],
    repeat_factor: float,
) -> Iterator[Found]:
    """All found chunks as hits, best first. Each is read when its turn comes, unless its document is full by then."""
    numpy = load_numpy()
    query, labels = selection.query, reader.labels()
    ids = numpy.fromiter(scored.scores, numpy.int64, len(scored.scores))
    ids = ids[_are_among(ids, found)]
    chunks, documents = ids.tolist(), labels.documents[labels.places(ids)].tolist()
    recency = recencies(query, zip(chunks, labels.mtimes[documents].tolist(), strict=True))
    places = zip(chunks, map(labels.paths.__getitem__, documents), strict=True)
    first = best_first(candidates(scored, places, recency), repeat_factor)
    yield from read_hits(reader, first, Reasons(scored, recency), selection)
    if len(found) > len(first) and not query.min_score:
        keyword = by_words(reader, shares_of(words), reader.chunk_count(), query.only)
        floor = first[-1].score if first else 0.0
        unit = scored.words_value / (keyword[0][1] or 1.0) if keyword else 0.0
        seen = set(chunks)
        paths = _paths(labels, [chunk for chunk, _ in keyword])
        rest = (
            Candidate(-min(unit * score, floor), path, chunk)
            for (chunk, score), path in zip(keyword, paths, strict=True)
            if chunk not in seen
        )
        reasons = Reasons(scored._replace(keyword=keyword), recency)
        yield from read_hits(reader, rest, reasons, selection)


def _paths(labels: Labels, ids: Sequence[int]) -> Iterator[str]:
    return (labels.paths[document] for document in labels.documents[labels.places(ids)].tolist())
