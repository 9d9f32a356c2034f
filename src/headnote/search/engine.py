"""The path of a query: retrieve by words and by meaning, fuse, boost along links, select, explain.

A page of hits takes the same path. It also tells how many passages are found, wherever a filter lets them pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from headnote.embedding.base import Embedder
from headnote.embedding.registry import Models
from headnote.model import Hit, SearchPage
from headnote.search.contexts import no_bonus
from headnote.search.emptiness import why_empty
from headnote.search.facets import facets_of
from headnote.search.hits import (
    Ranked,
    Reasons,
    Scored,
    candidates,
    found_first,
    read_hits,
    recencies,
    selected,
    terms_by_chunk,
)
from headnote.search.listing import listed
from headnote.search.model_choice import model_for
from headnote.search.paging import found_chunks, hits_in_order
from headnote.search.query import EVERYTHING, Query
from headnote.search.ranking import (
    LINK_SOURCES,
    LinkBoost,
    Ranking,
    link_boosts,
    rank_scores,
    ranked,
    weighted_scores,
)
from headnote.search.retrievers import Meaning, by_meaning, by_parts, by_words, unread_chunks
from headnote.search.selection import REPEAT_FACTOR, Selection, best_first
from headnote.search.shares import BY_RANK, Share, share_of_meaning
from headnote.search.spelling import Reading, covered_share, is_guessed, read_words, shares_of, spelt_out
from headnote.store.base import Readable, Reader

RELEVANT = 0.3
"""If the best chunk scores less, nothing answers the query. It holds for all our models: of 742 real questions, 1 to 4
score less; of questions about something else, 84 to 97 in a hundred do in a documentation, 81 to 86 in prose."""
DEPTH = 200
"""How many chunks each retriever brings into the fusion."""
COVERAGE_DEPTH = 3
"""How many of the best chunks by words are read to tell how much of the query is covered anywhere."""
CANDIDATES_PER_HIT = 3
"""More than one, since duplicates and hits beyond the cap for a document are left out."""


class Engine:
    """Searches one index. It can be used from many threads."""

    def __init__(self, store: Readable, models: Models) -> None:
        self._store = store
        self._models = models

    def search(self, query: Query) -> list[Hit]:
        """The hits, best first; none if nothing is relevant. A query without words lists documents."""
        with self._store.reading() as reader:
            if query.is_list:
                return list(listed(reader, query).hits)
            words = read_words(reader, query.text, reader.chunk_count())
            ranking = self._ranked(reader, query, words)
            return found_first(reader, ranking, Selection(query), words, RELEVANT) if ranking else []

    def rank(self, query: Query) -> list[Hit]:
        """What a search chooses its hits from, best first: duplicates are among them, and no hit names its words."""
        with self._store.reading() as reader:
            words = read_words(reader, query.text, reader.chunk_count())
            unlimited = Selection(replace(query, per_document=0))
            ranking = self._ranked(reader, query, words)
            found = read_hits(reader, ranking.candidates, ranking.reasons, unlimited) if ranking else ()
            return [hit for hit, _ in found]

    def _ranked(self, reader: Reader, query: Query, words: Sequence[Reading]) -> Ranked | None:
        """The candidates, best first; None if nothing is relevant."""
        scored = _scored(reader, self._models, query, words)
        if not _is_relevant(scored, query):
            return None
        scored = _with_boosts(reader, query, scored)._replace(about=query.contexts.factors(reader, words))
        places = reader.places(ranked(scored.scores)[: _candidate_count(query, scored)])
        recency = recencies(query, ((place.chunk, place.mtime_ns) for place in places))
        reasons = Reasons(scored, recency)
        reasons.see(places)
        found = candidates(scored, ((place.chunk, place.path) for place in places), recency)
        return Ranked(best_first(found, _repeat_factor(query)), scored, reasons)

    def page(self, query: Query, offset: int, with_facets: bool) -> SearchPage:
        """So many hits from `offset` on, and how many passages are found."""
        with self._store.reading() as reader:
            if query.is_list:
                return listed(reader, query, offset)
            words = read_words(reader, query.text, reader.chunk_count())
            # What the query itself demands is no filter that can be taken away.
            demanded = EVERYTHING._replace(must=query.only.must)
            everywhere = _scored(reader, self._models, replace(query, only=demanded), words)
            if not _is_relevant(everywhere, query):
                return SearchPage((), 0, offset=offset)
            found = found_chunks(reader, query, words, everywhere, RELEVANT)
            scored = everywhere if query.only == demanded else _scored(reader, self._models, query, words)
            scored = _with_boosts(reader, query, scored)._replace(about=query.contexts.factors(reader, words))
            selection = Selection(replace(query, limit=offset + query.limit))
            in_order = hits_in_order(reader, selection, words, scored, found, _repeat_factor(query))
            hits = selected(reader, in_order, selection, words, offset)
            # What hits link to is shown beside what is found.
            total = max(len(found), offset + len(hits) if hits else 0)
            facets = facets_of(reader.labels(), found, query.only) if with_facets else ()
            return SearchPage(tuple(hits), total, facets, offset)

    def why_empty(self, query: Query, can_set_score: bool) -> str:
        """Why this search has no hits, in one line."""
        score_helps = can_set_score and query.min_score != 0 and bool(self.search(replace(query, min_score=0.0)))
        with self._store.reading() as reader:
            return why_empty(reader, self._models, query, score_helps)


def _scored(reader: Reader, models: Models, query: Query, words: Sequence[Reading]) -> Scored:
    """What is retrieved by words and by meaning, fused."""
    keyword: Ranking = by_words(reader, shares_of(words), DEPTH, query.only) if query.mode != "semantic" else []
    embedder = model_for(reader, models, query.only) if query.mode != "keyword" else None
    model = embedder.name if embedder else ""
    best = [chunk for chunk, _ in keyword[:COVERAGE_DEPTH]]
    semantic, unread = _by_meaning(reader, embedder, query, words, best, keyword) if embedder else Meaning()
    share = _share(model, words, keyword, semantic)
    coverage = _coverage(reader, words, best)
    scores = weighted_scores(keyword, semantic, coverage, share.meaning, unread)
    relevance = max(scores.values(), default=0.0)
    words_value = (1 - share.meaning) * coverage
    if query.fusion == "rrf":
        # Ranks do not tell whether anything is relevant, so `relevance` is that of the weighted scores.
        scores, share = rank_scores(keyword, semantic), BY_RANK
    return Scored(keyword, semantic, scores, share, model=model, relevance=relevance, words_value=words_value)


def _is_relevant(scored: Scored, query: Query) -> bool:
    return query.min_score is not None or bool(query.phrases) or scored.relevance >= RELEVANT


def _by_meaning(
    reader: Reader,
    embedder: Embedder,
    query: Query,
    words: Sequence[Reading],
    best: Sequence[int],
    keyword: Ranking,
) -> Meaning:
    """The nearest chunks and those found by words, ranked by meaning. Empty if the model cannot read the query, or if
    no word of it is finished yet."""
    if not query.text.strip() or (keyword and _unfinished(words) == len(words)):
        return Meaning()
    chunks = reader.chunks(best) if any(map(is_guessed, words)) else []
    vector = embedder.embed_query(spelt_out(query.text, words, chunks))
    if not vector.any():
        return Meaning()
    nearest = by_meaning(reader, embedder.name, vector, DEPTH, query.only)
    candidates = dict.fromkeys(chunk for chunk, _ in (*nearest, *keyword))
    parts = reader.parts(embedder.name, list(candidates))
    return Meaning(by_parts(parts, vector), unread_chunks(parts, (chunk for chunk, _ in keyword)))


# -- scores


def _share(model: str, words: Sequence[Reading], keyword: Ranking, semantic: Ranking) -> Share:
    return share_of_meaning(
        model, len(words), has_words=bool(keyword), has_meaning=bool(semantic), unfinished=_unfinished(words)
    )


def _unfinished(words: Sequence[Reading]) -> int:
    return sum(word.kind == "beginning" for word in words)


def _coverage(reader: Reader, words: Sequence[Reading], best: Sequence[int]) -> float:
    """How much of the query the best chunks by words cover; the first one does not always cover most."""
    if not best:
        return 0.0
    counts, chunks = reader.term_frequencies(shares_of(words)), reader.chunk_count()
    return max(covered_share(words, counts, chunks, terms) for terms in terms_by_chunk(reader, best, words).values())


def _with_boosts(reader: Reader, query: Query, scored: Scored) -> Scored:
    """With what the best chunks add to those they link to, and to those that link to them."""
    scores = dict(scored.scores)
    boosts = _link_boosts(reader, query, scores)
    for chunk, boost in boosts.items():
        scores[chunk] = scores.get(chunk, 0.0) + boost.score
    return scored._replace(scores=scores, boosts=boosts)


def _link_boosts(reader: Reader, query: Query, scores: Mapping[int, float]) -> dict[int, LinkBoost]:
    if query.mode != "hybrid":
        return {}
    best = ranked(scores)[:LINK_SOURCES]

    def allowed(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        # Chunks with a score passed the filter. Whether others would pass is unknown here.
        return [pair for pair in pairs if query.only.passes_all or pair[1] in scores]

    links, backlinks = allowed(reader.linked_chunks(best)), allowed(reader.linking_chunks(best))
    return link_boosts(scores, links, backlinks, by_rank=query.fusion == "rrf")


def _candidate_count(query: Query, scored: Scored) -> int:
    # A bonus may lift a chunk from far below.
    has_bonus = query.has_recency or scored.about is not no_bonus
    return max(query.limit * CANDIDATES_PER_HIT, DEPTH if has_bonus else 0)


def _repeat_factor(query: Query) -> float:
    return REPEAT_FACTOR if query.mode == "hybrid" and query.fusion == "weighted" else 1.0
