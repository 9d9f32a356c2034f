"""A query without words: the documents that satisfy its filters, the newest first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from headnote.extras import load_numpy
from headnote.model import Hit, SearchPage, Why
from headnote.search.expansion import widened
from headnote.search.hits import described, hit_of
from headnote.search.query import Query
from headnote.store.base import Reader
from headnote.store.labels import Labels
from headnote.store.rows import StoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def listed(reader: Reader, query: Query, offset: int = 0) -> SearchPage:
    """The first passage of each document that passes, or as many of each as the query wants."""
    query = replace(query, per_document=query.per_document or 1)
    ids = _in_order(reader.labels(), reader.passing(query.only), query.per_document)
    # A budget is that of the whole list, so what is before the page counts.
    first = 0 if query.budget else offset
    chunks = reader.chunks(ids[first : offset + query.limit].tolist())
    hits = _within_budget(reader, chunks, query)[offset - first :]
    return SearchPage(tuple(hits), len(ids), offset=offset)


def _in_order(labels: Labels, passing: NDArray[np.int64], per_document: int) -> NDArray[np.int64]:
    """Chunks by the time of their document, then by its path, then by place; so many of each document."""
    numpy = load_numpy()
    ids = numpy.sort(passing)
    documents = labels.documents[labels.places(ids)]
    by_path = numpy.empty(len(labels.paths), numpy.int64)
    by_path[sorted(range(len(labels.paths)), key=labels.paths.__getitem__)] = numpy.arange(len(labels.paths))
    order = numpy.lexsort((ids, by_path[documents], -labels.mtimes[documents]))
    in_order = documents[order]
    begins = numpy.flatnonzero(numpy.diff(in_order, prepend=-1))
    counts = numpy.diff(numpy.append(begins, len(in_order)))
    place_in_document = numpy.arange(len(in_order)) - numpy.repeat(begins, counts)
    chosen: NDArray[np.int64] = ids[order[place_in_document < per_document]]
    return chosen


def _within_budget(reader: Reader, chunks: list[StoredChunk], query: Query) -> list[Hit]:
    hits: list[Hit] = []
    tokens = 0
    for chunk in chunks:
        hit = hit_of(chunk, 1.0, Why())
        if query.expand not in ("none", "linked"):
            hit = widened(hit, reader.chunks_of(hit.path), query.expand)
        tokens += hit.tokens
        if query.budget and hits and tokens > query.budget:
            break
        hits.append(hit)
    return described(reader, hits, {chunk.key: chunk for chunk in chunks}, ())
