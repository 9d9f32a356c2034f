"""Chunks with their scores → the hits that answer a query, each with its reasons."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from headnote.model import Hit, Why, breadcrumb_of
from headnote.search.expansion import widened
from headnote.search.query import Query
from headnote.search.ranking import LinkBoost, Ranking, recency_factor
from headnote.search.selection import Selection
from headnote.search.shares import Share
from headnote.search.spelling import Reading, guesses
from headnote.search.wording import written_words
from headnote.store.base import Reader
from headnote.store.rows import StoredChunk
from headnote.store.terms import terms_of


class Scored(NamedTuple):
    """What both retrievers say about a query."""

    keyword: Ranking
    semantic: Ranking
    scores: dict[int, float]
    """Of both together."""
    share: Share
    """How much meaning counts in them."""
    model: str = ""
    """The one that ranked by meaning."""
    relevance: float = 0.0
    """The best score that can be compared between queries: by weights, without links."""
    words_value: float = 0.0
    """What the best chunk by words gets for them."""
    boosts: Mapping[int, LinkBoost] = {}
    """What links have added to the scores."""


Found = tuple[Hit, StoredChunk]
"""A hit and the chunk that it shows."""


class Reasons:
    """Why chunks were found. Those of a long list can be asked for few by few."""

    def __init__(self, scored: Scored) -> None:
        self._scored = scored
        self._keyword = {chunk: (rank, score) for rank, (chunk, score) in enumerate(scored.keyword, 1)}
        self._semantic = {chunk: (rank, similarity) for rank, (chunk, similarity) in enumerate(scored.semantic, 1)}
        self._sources = {boost.source for boost in scored.boosts.values()}
        self._places: dict[int, str] = {}
        """Of the sources among the chunks asked for so far."""

    def of(self, chunks: Sequence[StoredChunk]) -> dict[int, Why]:
        self._places |= {
            chunk.id: f"{chunk.path}:{chunk.row.start_line}" for chunk in chunks if chunk.id in self._sources
        }
        return {chunk.id: self._of(chunk.id) for chunk in chunks}

    def _of(self, chunk: int) -> Why:
        share = self._scored.share
        why = Why(meaning_share=share.meaning, share_reason=share.reason)
        if chunk in self._keyword:
            rank, score = self._keyword[chunk]
            why = why._replace(keyword_rank=rank, keyword_score=score)
        if chunk in self._semantic:
            rank, similarity = self._semantic[chunk]
            why = why._replace(semantic_rank=rank, similarity=similarity, model=self._scored.model)
        boost = self._scored.boosts.get(chunk)
        if boost:
            place = self._places.get(boost.source, "")
            linked_from, links_to = ("", place) if boost.is_backlink else (place, "")
            why = why._replace(linked_from=linked_from, links_to=links_to, link_score=boost.score)
        return why


def hits_of(chunks: Iterable[StoredChunk], scored: Scored, query: Query) -> Iterator[Found]:
    """The chunks as hits, each with its score and the bonus for being new."""
    chunks = list(chunks)
    reasons = Reasons(scored).of(chunks)
    now = time.time()
    for chunk in chunks:
        recency = recency_factor(now - chunk.mtime_ns / 1e9, query.recency_days, query.recency_steps)
        yield hit_of(chunk, scored.scores[chunk.id] * recency, reasons[chunk.id]._replace(recency=recency)), chunk


def hit_of(chunk: StoredChunk, score: float, why: Why) -> Hit:
    row, document = chunk.row, chunk.document
    return Hit(
        path=document.path,
        start_line=row.start_line,
        end_line=row.end_line,
        breadcrumb=breadcrumb_of(row.heading_path),
        title=document.title,
        text=chunk.text,
        score=score,
        id=chunk.chunk_id,
        key=chunk.key,
        tokens=row.tokens,
        why=why,
        start=row.start,
        end=row.end,
        tags=row.tags,
        aliases=document.aliases,
        metadata=document.metadata,
        lead=len(row.lead) + len(row.prefix),
    )


# -- selection


def selected(
    reader: Reader, found: Iterable[Found], selection: Selection, words: Sequence[Reading], offset: int = 0
) -> list[Hit]:
    """The hits to return, each expanded as the query asks, without the first `offset` of them."""
    expand = selection.query.expand
    chunks: dict[str, StoredChunk] = {}
    for hit, chunk in found:
        if selection.is_full:
            break
        if not selection.accepts(hit):
            continue
        wide = widened(hit, reader.chunks_of(hit.path), expand) if expand != "none" else hit
        # A hit that is too wide for the budget may fit as it is.
        fitting = next(filter(selection.fits, (wide, hit)), None)
        if fitting is None:
            selection.leave_out()
            continue
        selection.add(fitting)
        chunks[hit.key] = chunk
        if expand == "linked":
            chunks |= _add_linked(reader, selection, hit, chunk.id)
    return _described(reader, selection.hits[offset:], chunks, words)


def _add_linked(reader: Reader, selection: Selection, hit: Hit, source: int) -> dict[str, StoredChunk]:
    """Add the chunks that a hit links to, right behind it. They are returned by their key."""
    place = f"{hit.path}:{hit.start_line}"
    linked = {chunk.key: chunk for chunk in reader.chunks([target for _, target in reader.linked_chunks([source])])}
    for chunk in linked.values():
        added = hit_of(chunk, hit.score, Why(linked_from=place))
        if not selection.is_full and selection.accepts(added) and selection.fits(added):
            selection.add(added)
    return linked


def _described(
    reader: Reader, hits: Sequence[Hit], chunks: Mapping[str, StoredChunk], words: Sequence[Reading]
) -> list[Hit]:
    """The hits with their matched words and their links. They take a while, so only selected hits get them."""
    targets: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for link in reader.links_in([chunks[hit.key].id for hit in hits]):
        targets[link.path, link.chunk][link.leads_to] = None
    described = []
    for hit in hits:
        chunk = chunks[hit.key]
        links = tuple(filter(None, targets[hit.path, chunk.row.number]))
        described.append(hit._replace(why=_with_words(hit.why, chunk, words), links=links))
    return described


def _with_words(why: Why, chunk: StoredChunk, words: Sequence[Reading]) -> Why:
    """The reasons with the words of the query that the chunk has."""
    chunk_terms = terms_of(chunk)
    terms = tuple(dict.fromkeys(term for word in words for term in word.found_in(chunk_terms)))
    written = written_words(chunk, terms)
    return why._replace(
        matched=tuple(dict.fromkeys(written[term] for term in terms)),
        terms=terms,
        guesses=guesses(words, chunk_terms, written),
    )
