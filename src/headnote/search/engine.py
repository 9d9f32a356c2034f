"""A query in, hits out: looks by words and by meaning, fuses, thins out, and says why."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from headnote.embedding.base import Embedder
from headnote.index.store.base import Reader, Store
from headnote.index.store.rows import StoredChunk
from headnote.index.terms import terms
from headnote.model import Hit, Why
from headnote.search.fusion import ranked, weighted_scores
from headnote.search.legs import Found, by_meaning, by_words
from headnote.search.query import Query
from headnote.search.recency import decay_factor
from headnote.search.words import content_terms, coverage, rarity

RELEVANT = 0.25
"""Where the best chunk scores less, nothing answers the query. Of real questions one in a hundred scores less, of
questions about something else nine in ten do."""
DEPTH = 200
"""How many chunks each way of looking brings into the fusion."""
JUDGED = 3
"""How many of the best by words are looked at to tell how much of the query is said anywhere."""
EXTRA = 3
"""Candidates per hit that is wanted, since some are left out as duplicates or by the cap for a document."""


class Engine:
    """Searches one index. It can be used from many threads."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    def search(self, query: Query) -> list[Hit]:
        """The hits, best first; none if nothing is relevant."""
        with self._store.reading() as reader:
            wanted = content_terms(query.text)
            words: Found = by_words(reader, wanted, DEPTH, query.only) if query.mode != "semantic" else []
            meaning = self._by_meaning(reader, query) if query.mode != "keyword" else []
            scores = weighted_scores(words, meaning, _coverage(reader, wanted, words))
            if query.min_score is None and max(scores.values(), default=0.0) < RELEVANT:
                return []
            order = ranked(scores)[: max(query.limit * EXTRA, DEPTH if query.recency_days else 0)]
            chunks = reader.chunks(order)
        whys = _reasons(words, meaning)
        hits = [_hit(chunk, scores[chunk.id], whys[chunk.id]) for chunk in chunks]
        if query.recency_days:
            hits = _newer_first(hits, {hit.key: chunk.mtime_ns for hit, chunk in zip(hits, chunks, strict=True)}, query)
        # Which words a chunk has is told of those that are shown, since finding out takes a while.
        said = {chunk.key: chunk for chunk in chunks}
        return [_with_words(hit, said[hit.key], wanted) for hit in _thinned(hits, query)]

    def _by_meaning(self, reader: Reader, query: Query) -> Found:
        """Nothing if there are no vectors: none are wanted, or none are there yet."""
        if not self._embedder.dimensions or not query.text.strip():
            return []
        model = self._embedder.name
        if model not in reader.models():
            return []
        return by_meaning(reader, model, self._embedder.embed_query(query.text), DEPTH, query.only)


def _coverage(reader: Reader, wanted: Sequence[str], words: Found) -> float:
    """How much of the query the best chunks by words say; the first is not always the one that says most."""
    if not words:
        return 0.0
    weights = rarity(reader.term_frequencies(wanted), reader.chunk_count())
    best = reader.chunks([chunk for chunk, _ in words[:JUDGED]])
    return max(coverage(weights, _said(chunk)) for chunk in best)


def _said(chunk: StoredChunk) -> set[str]:
    """All terms of a chunk, in whatever field."""
    return {*terms(chunk.embed_text), *terms(chunk.title), *terms(" ".join(chunk.row.tags))}


def _reasons(words: Found, meaning: Found) -> dict[int, Why]:
    whys = {chunk: Why(keyword_rank=rank, keyword_score=score) for rank, (chunk, score) in enumerate(words, 1)}
    for rank, (chunk, similarity) in enumerate(meaning, 1):
        whys[chunk] = whys.get(chunk, Why())._replace(semantic_rank=rank, similarity=similarity)
    return whys


def _hit(chunk: StoredChunk, score: float, why: Why) -> Hit:
    row = chunk.row
    return Hit(
        chunk.path,
        row.start_line,
        row.end_line,
        " > ".join(filter(None, row.heading_path)),
        chunk.title,
        chunk.text,
        score,
        chunk.chunk_id,
        chunk.key,
        row.tokens,
        why,
    )


def _with_words(hit: Hit, chunk: StoredChunk, wanted: Sequence[str]) -> Hit:
    said = _said(chunk)
    return hit._replace(why=hit.why._replace(matched=tuple(term for term in wanted if term in said)))


def _newer_first(hits: Iterable[Hit], written: dict[str, int], query: Query) -> list[Hit]:
    now = time.time()
    aged = []
    for hit in hits:
        factor = decay_factor(now - written[hit.key] / 1e9, query.recency_days)
        aged.append(hit._replace(score=hit.score * factor, why=hit.why._replace(recency=factor)))
    return sorted(aged, key=lambda hit: -hit.score)


def _thinned(hits: Iterable[Hit], query: Query) -> list[Hit]:
    """Without doubles, without too many of one document, and not more than was asked for."""
    kept: list[Hit] = []
    texts: set[str] = set()
    of_document: Counter[str] = Counter()
    tokens = 0
    for hit in hits:
        same = " ".join(hit.text.split())
        full = query.per_document and of_document[hit.path] >= query.per_document
        too_large = query.budget and kept and tokens + hit.tokens > query.budget
        too_low = query.min_score is not None and hit.score < query.min_score
        if too_low or same in texts or full or too_large:
            continue
        kept.append(hit)
        texts.add(same)
        of_document[hit.path] += 1
        tokens += hit.tokens
        if len(kept) == query.limit:
            break
    return kept
