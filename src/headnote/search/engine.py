"""A query in, hits out: looks by words, by meaning and along links, fuses, thins out, and says why."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from headnote.embedding.base import Embedder
from headnote.model import Hit, Why
from headnote.search.expansion import widened
from headnote.search.fusion import rank_scores, ranked, weighted_scores
from headnote.search.links import RANK_SHARE, SHARE, SOURCES, Lent, link_boosts
from headnote.search.query import Query
from headnote.search.recency import factor
from headnote.search.retrievers import Found, by_meaning, by_parts, by_words
from headnote.search.spread import ANOTHER, best_first
from headnote.search.thinning import Thinning
from headnote.search.words import content_terms, coverage, rarity
from headnote.store.base import Reader, Store
from headnote.store.keyword_fields import terms_of
from headnote.store.rows import StoredChunk

RELEVANT = 0.3
"""Where the best chunk scores less, nothing answers the query. Of 115 real questions the lowest scored 0.37; of
questions about something else, 95 in a hundred score less in a documentation, 70 in prose about everything."""
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
            meaning = self._by_meaning(reader, query, words) if query.mode != "keyword" else []
            scores = weighted_scores(words, meaning, _coverage(reader, wanted, words))
            if query.min_score is None and max(scores.values(), default=0.0) < RELEVANT:
                return []
            if query.fusion == "rrf":
                # Ranks do not tell whether anything is relevant; that was judged by the scores.
                scores = rank_scores(words, meaning)
            lent = _lent(reader, query, scores)
            for chunk, owed in lent.items():
                scores[chunk] = scores.get(chunk, 0.0) + owed.score
            has_bonus = query.recency_days or query.recency_steps
            chunks = reader.chunks(ranked(scores)[: max(query.limit * EXTRA, DEPTH if has_bonus else 0)])
            whys = _reasons(words, meaning, lent, chunks)
            spreads = query.mode == "hybrid" and query.fusion == "weighted"
            hits = best_first(_hits(chunks, scores, whys, query), ANOTHER if spreads else 1.0)
            return _shown(reader, hits, {chunk.key: chunk for chunk in chunks}, query, wanted)

    def _by_meaning(self, reader: Reader, query: Query, words: Found) -> Found:
        """What is near, and how near is what was found by words. Nothing if there are no vectors: none are wanted, or
        none are there yet."""
        if not self._embedder.dimensions or not query.text.strip():
            return []
        model = self._embedder.name
        if model not in reader.models():
            return []
        vector = self._embedder.embed_query(query.text)
        near = by_meaning(reader, model, vector, DEPTH, query.only)
        candidates = dict.fromkeys(chunk for chunk, _ in (*near, *words))
        return by_parts(reader.parts(model, list(candidates)), vector)


# -- evidence


def _coverage(reader: Reader, wanted: Sequence[str], words: Found) -> float:
    """How much of the query the best chunks by words say; the first is not always the one that says most."""
    if not words:
        return 0.0
    weights = rarity(reader.term_frequencies(wanted), reader.chunk_count())
    best = reader.chunks([chunk for chunk, _ in words[:JUDGED]])
    return max(coverage(weights, terms_of(chunk)) for chunk in best)


def _lent(reader: Reader, query: Query, scores: Mapping[int, float]) -> dict[int, Lent]:
    """What the best chunks lend to those they link to, and to those that link to them."""
    if query.mode != "hybrid":
        return {}
    best = ranked(scores)[:SOURCES]

    def allowed(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        # A filter has let those pass that were found; whether it would let others pass is not known here.
        return [pair for pair in pairs if query.only.passes_all or pair[1] in scores]

    links, backlinks = allowed(reader.linked_chunks(best)), allowed(reader.linking_chunks(best))
    return link_boosts(scores, links, backlinks, RANK_SHARE if query.fusion == "rrf" else SHARE)


def _reasons(words: Found, meaning: Found, lent: Mapping[int, Lent], chunks: Sequence[StoredChunk]) -> dict[int, Why]:
    """Of the chunks that may be shown, which are a few of those that were found."""
    places = {chunk.id: f"{chunk.path}:{chunk.row.start_line}" for chunk in chunks}
    whys = dict.fromkeys(places, Why())
    for rank, (chunk, score) in enumerate(words, 1):
        if chunk in whys:
            whys[chunk] = whys[chunk]._replace(keyword_rank=rank, keyword_score=score)
    for rank, (chunk, similarity) in enumerate(meaning, 1):
        if chunk in whys:
            whys[chunk] = whys[chunk]._replace(semantic_rank=rank, similarity=similarity)
    for chunk in lent.keys() & whys.keys():
        owed = lent[chunk]
        place = places.get(owed.source, "")
        linked_from, links_to = ("", place) if owed.is_back else (place, "")
        whys[chunk] = whys[chunk]._replace(linked_from=linked_from, links_to=links_to, link_score=owed.score)
    return whys


# -- hits


def _hits(
    chunks: Iterable[StoredChunk], scores: Mapping[int, float], whys: Mapping[int, Why], query: Query
) -> Iterator[Hit]:
    now = time.time()
    for chunk in chunks:
        newness = factor(now - chunk.mtime_ns / 1e9, query.recency_days, query.recency_steps)
        yield _hit(chunk, scores[chunk.id] * newness, whys[chunk.id]._replace(recency=newness))


def _hit(chunk: StoredChunk, score: float, why: Why) -> Hit:
    row, document = chunk.row, chunk.document
    return Hit(
        path=document.path,
        start_line=row.start_line,
        end_line=row.end_line,
        breadcrumb=" > ".join(filter(None, row.heading_path)),
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
    )


def _shown(
    reader: Reader, hits: Iterable[Hit], chunks: Mapping[str, StoredChunk], query: Query, wanted: Sequence[str]
) -> list[Hit]:
    """Without doubles, without too many of one document, not more than was asked for, and with what comes with them."""
    thinning = Thinning(query)
    for hit in hits:
        if thinning.is_full:
            break
        if not thinning.wants(hit):
            continue
        told = _told(reader, hit, chunks[hit.key], wanted)
        wide = widened(told, reader.chunks_of(hit.path), query.expand) if query.expand != "none" else told
        chosen = next(filter(thinning.has_room_for, (wide, told)), None)
        if chosen is None:
            continue
        thinning.take(chosen)
        if query.expand == "linked":
            _take_linked(reader, thinning, told, chunks[hit.key].id)
    return thinning.kept


def _take_linked(reader: Reader, thinning: Thinning, hit: Hit, source: int) -> None:
    """What a hit links to comes right behind it."""
    place = f"{hit.path}:{hit.start_line}"
    for chunk in reader.chunks([target for _, target in reader.linked_chunks([source])]):
        linked = _told(reader, _hit(chunk, hit.score, Why(linked_from=place)), chunk, ())
        if not thinning.is_full and thinning.wants(linked) and thinning.has_room_for(linked):
            thinning.take(linked)


def _told(reader: Reader, hit: Hit, chunk: StoredChunk, wanted: Sequence[str]) -> Hit:
    """The hit with what is told of those that are shown, since finding out takes a while: its words and links."""
    known = terms_of(chunk)
    matched = tuple(term for term in wanted if term in known)
    links = (link.leads_to for link in reader.links_from(hit.path) if link.chunk == chunk.row.number)
    return hit._replace(why=hit.why._replace(matched=matched), links=tuple(dict.fromkeys(filter(None, links))))
