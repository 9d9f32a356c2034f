"""The path of a query: retrieve by words and by meaning, fuse, boost along links, select, explain."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from headnote.embedding.base import Embedder
from headnote.embedding.registry import Models
from headnote.model import Hit, Why, breadcrumb_of
from headnote.search.emptiness import why_empty
from headnote.search.expansion import widened
from headnote.search.model_choice import model_for
from headnote.search.query import Query
from headnote.search.ranking import (
    LINK_SOURCES,
    LinkBoost,
    Ranking,
    link_boosts,
    rank_scores,
    ranked,
    recency_factor,
    weighted_scores,
)
from headnote.search.retrievers import Meaning, by_meaning, by_parts, by_words, unread_chunks
from headnote.search.selection import REPEAT_FACTOR, Selection, best_first
from headnote.search.shares import BY_RANK, Share, share_of_meaning
from headnote.search.spelling import Reading, covered_share, guesses, read_words, shares_of, spelt_out
from headnote.search.wording import written_words
from headnote.store.base import Readable, Reader
from headnote.store.rows import StoredChunk
from headnote.store.terms import terms_of

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
        """The hits, best first; none if nothing is relevant."""
        with self._store.reading() as reader:
            words = read_words(reader, query.text, reader.chunk_count())
            hits, candidates = self._ranked(reader, query, words)
            return _selected(reader, hits, {chunk.key: chunk for chunk in candidates}, query, words)

    def rank(self, query: Query) -> list[Hit]:
        """What a search chooses its hits from, best first: duplicates are among them, and no hit names its words."""
        with self._store.reading() as reader:
            return self._ranked(reader, query, read_words(reader, query.text, reader.chunk_count()))[0]

    def _ranked(
        self, reader: Reader, query: Query, words: Sequence[Reading]
    ) -> tuple[list[Hit], Sequence[StoredChunk]]:
        """The candidates as hits, best first, and as they are stored."""
        shares = shares_of(words)
        keyword: Ranking = by_words(reader, shares, DEPTH, query.only) if query.mode != "semantic" else []
        embedder = model_for(reader, self._models, query.only) if query.mode != "keyword" else None
        model = embedder.name if embedder else ""
        best = reader.chunks([chunk for chunk, _ in keyword[:COVERAGE_DEPTH]])
        semantic, unread = _by_meaning(reader, embedder, query, words, best, keyword) if embedder else Meaning()

        share = _share(model, words, keyword, semantic)
        scores = weighted_scores(keyword, semantic, _coverage(reader, words, best), share.meaning, unread)
        if query.min_score is None and max(scores.values(), default=0.0) < RELEVANT:
            return [], ()
        if query.fusion == "rrf":
            # Ranks do not tell whether anything is relevant, so the scores decided that above.
            scores, share = rank_scores(keyword, semantic), BY_RANK

        boosts = _link_boosts(reader, query, scores)
        for chunk, boost in boosts.items():
            scores[chunk] = scores.get(chunk, 0.0) + boost.score

        candidates = reader.chunks(ranked(scores)[: _candidate_count(query)])
        reasons = _reasons(keyword, semantic, boosts, candidates, model, share)
        return best_first(_hits(candidates, scores, reasons, query), _repeat_factor(query)), candidates

    def why_empty(self, query: Query, can_set_score: bool) -> str:
        """Why this search has no hits, in one line."""
        score_helps = can_set_score and query.min_score != 0 and bool(self.search(replace(query, min_score=0.0)))
        with self._store.reading() as reader:
            return why_empty(reader, self._models, query, score_helps)


def _by_meaning(
    reader: Reader,
    embedder: Embedder,
    query: Query,
    words: Sequence[Reading],
    best: Sequence[StoredChunk],
    keyword: Ranking,
) -> Meaning:
    """The nearest chunks and those found by words, ranked by meaning. Empty if the model cannot read the query, or if
    no word of it is finished yet."""
    if not query.text.strip() or (keyword and _unfinished(words) == len(words)):
        return Meaning()
    vector = embedder.embed_query(spelt_out(query.text, words, best))
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


def _coverage(reader: Reader, words: Sequence[Reading], best: Sequence[StoredChunk]) -> float:
    """How much of the query the best chunks by words cover; the first one does not always cover most."""
    if not best:
        return 0.0
    counts, chunks = reader.term_frequencies(shares_of(words)), reader.chunk_count()
    return max(covered_share(words, counts, chunks, terms_of(chunk)) for chunk in best)


def _link_boosts(reader: Reader, query: Query, scores: Mapping[int, float]) -> dict[int, LinkBoost]:
    """What the best chunks add to those they link to, and to those that link to them."""
    if query.mode != "hybrid":
        return {}
    best = ranked(scores)[:LINK_SOURCES]

    def allowed(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        # Chunks with a score passed the filter. Whether others would pass is unknown here.
        return [pair for pair in pairs if query.only.passes_all or pair[1] in scores]

    links, backlinks = allowed(reader.linked_chunks(best)), allowed(reader.linking_chunks(best))
    return link_boosts(scores, links, backlinks, by_rank=query.fusion == "rrf")


def _candidate_count(query: Query) -> int:
    # A recency bonus may lift a chunk from far below.
    has_bonus = query.recency_days or query.recency_steps
    return max(query.limit * CANDIDATES_PER_HIT, DEPTH if has_bonus else 0)


def _repeat_factor(query: Query) -> float:
    return REPEAT_FACTOR if query.mode == "hybrid" and query.fusion == "weighted" else 1.0


# -- hits


def _reasons(
    keyword: Ranking,
    semantic: Ranking,
    boosts: Mapping[int, LinkBoost],
    candidates: Sequence[StoredChunk],
    model: str,
    share: Share,
) -> dict[int, Why]:
    """Why each candidate was found. `model` is the one that ranked by meaning."""
    places = {chunk.id: f"{chunk.path}:{chunk.row.start_line}" for chunk in candidates}
    reasons = dict.fromkeys(places, Why(meaning_share=share.meaning, share_reason=share.reason))
    for rank, (chunk, score) in enumerate(keyword, 1):
        if chunk in reasons:
            reasons[chunk] = reasons[chunk]._replace(keyword_rank=rank, keyword_score=score)
    for rank, (chunk, similarity) in enumerate(semantic, 1):
        if chunk in reasons:
            reasons[chunk] = reasons[chunk]._replace(semantic_rank=rank, similarity=similarity, model=model)
    for chunk in boosts.keys() & reasons.keys():
        boost = boosts[chunk]
        place = places.get(boost.source, "")
        linked_from, links_to = ("", place) if boost.is_backlink else (place, "")
        reasons[chunk] = reasons[chunk]._replace(linked_from=linked_from, links_to=links_to, link_score=boost.score)
    return reasons


def _hits(
    chunks: Iterable[StoredChunk], scores: Mapping[int, float], reasons: Mapping[int, Why], query: Query
) -> Iterator[Hit]:
    now = time.time()
    for chunk in chunks:
        recency = recency_factor(now - chunk.mtime_ns / 1e9, query.recency_days, query.recency_steps)
        yield _hit(chunk, scores[chunk.id] * recency, reasons[chunk.id]._replace(recency=recency))


def _hit(chunk: StoredChunk, score: float, why: Why) -> Hit:
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


def _selected(
    reader: Reader, hits: Iterable[Hit], chunks: Mapping[str, StoredChunk], query: Query, words: Sequence[Reading]
) -> list[Hit]:
    """The hits to return, each expanded as the query asks. `chunks` has the chunk of each hit by its key."""
    selection = Selection(query)
    found = dict(chunks)
    for hit in hits:
        if selection.is_full:
            break
        if not selection.accepts(hit):
            continue
        wide = widened(hit, reader.chunks_of(hit.path), query.expand) if query.expand != "none" else hit
        # A hit that is too wide for the budget may fit as it is.
        fitting = next(filter(selection.fits, (wide, hit)), None)
        if fitting is None:
            continue
        selection.add(fitting)
        if query.expand == "linked":
            found |= _add_linked(reader, selection, hit, found[hit.key].id)
    return _described(reader, selection.hits, found, words)


def _add_linked(reader: Reader, selection: Selection, hit: Hit, source: int) -> dict[str, StoredChunk]:
    """Add the chunks that a hit links to, right behind it. They are returned by their key."""
    place = f"{hit.path}:{hit.start_line}"
    linked = {chunk.key: chunk for chunk in reader.chunks([target for _, target in reader.linked_chunks([source])])}
    for chunk in linked.values():
        added = _hit(chunk, hit.score, Why(linked_from=place))
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
