"""Chunks with their scores → the hits that answer a query, each with its reasons. What the query names is the first."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from headnote.chunking.masking import unmasked
from headnote.markdown.shown_headings import shown_breadcrumb
from headnote.model import Hit, Why
from headnote.search.everywhere import OUTSIDE_FACTOR, FolderNames
from headnote.search.query import Expand, Query
from headnote.search.ranking import VERSION_FACTOR, Factor, LinkBoost, Ranking, Share, no_bonus, recency_factor
from headnote.search.selection import Candidate, Selection
from headnote.search.spelling import Wording, WordReading, guesses, languages_in, shares_of
from headnote.store.codec import called
from headnote.store.filters import Filter
from headnote.store.interface import Reader
from headnote.store.keyword_fields import terms_of
from headnote.store.rows import StoredChunk
from headnote.words.name_keys import NAME_KINDS, NameKind, numbers_named
from headnote.words.terms import MAX_QUERY_TERMS


class Named(NamedTuple):
    """A chunk that a query names."""

    chunk: int
    kind: NameKind
    """Which of its names the query is."""


def named_chunk(reader: Reader, query: str, only: Filter) -> Named | None:
    """The chunk that a query names among those that pass. Of several that have the name as their title, or all as a
    heading, the one to whose document most others link, then the first by path."""
    numbers = numbers_named(query, languages_in(reader))
    found = reader.named(numbers)
    passing = None
    for kind, chunk in (name for number in numbers for name in found[number]):
        if not only.passes_all and passing is None:
            passing = set(reader.passing(only).tolist())
        if passing is None or chunk in passing:
            return Named(chunk, NAME_KINDS[kind])
    return None


def is_written_so(reader: Reader, query: str) -> bool:
    """Whether something has exactly the name that the query is, except for case and blanks. What looks like an operator
    in the query is then a part of the name."""
    exactly = numbers_named(query, ())[:1]
    chunks = reader.chunks([chunk for found in reader.named(exactly).values() for _, chunk in found])
    names = (name for chunk in chunks for _, name in called(chunk.document, chunk.row))
    return _without_case(query) in map(_without_case, names)


def _without_case(name: str) -> str:
    return " ".join(name.casefold().split())


# -- Hits widened to the text around them: their neighbours, or all of their section.


def widened(hit: Hit, chunks: Sequence[StoredChunk], expand: Expand) -> Hit:
    """The hit over more of its document. `chunks` are all chunks of that document, in order.

    Its score, id and reasons stay its own.
    """
    at = next((place for place, chunk in enumerate(chunks) if chunk.key == hit.key), None)
    if at is None or expand not in _EXTENTS:
        return hit
    return _over(hit, chunks, *_EXTENTS[expand](chunks, at))


def _over(hit: Hit, chunks: Sequence[StoredChunk], first: int, last: int) -> Hit:
    if first == last:
        return hit
    start, end = chunks[first].row, chunks[last].row
    return replace(
        hit,
        text=unmasked(chunks[first].source[start.start : end.end]),
        start=start.start,
        end=end.end,
        start_line=start.start_line,
        end_line=end.end_line,
        tokens=sum(chunk.row.tokens for chunk in chunks[first : last + 1]),
        lead=0,
    )


def _neighbours(chunks: Sequence[StoredChunk], at: int) -> tuple[int, int]:
    return max(at - 1, 0), min(at + 1, len(chunks) - 1)


def _section(chunks: Sequence[StoredChunk], at: int) -> tuple[int, int]:
    """The heading above the chunk and everything below that heading."""
    path = chunks[at].row.heading_path
    first = last = at
    while first > 0 and _is_below(chunks[first - 1], path):
        first -= 1
    while last + 1 < len(chunks) and _is_below(chunks[last + 1], path):
        last += 1
    return first, last


def _is_below(chunk: StoredChunk, path: tuple[str, ...]) -> bool:
    # The section before the first heading holds only chunks without a heading.
    own = chunk.row.heading_path
    return own[: len(path)] == path if path else not own


_EXTENTS = {"neighbours": _neighbours, "section": _section}


# -- Chunks with their scores → the hits that answer a query, each with its reasons


class Scored(NamedTuple):
    """What both retrievers say about a query."""

    keyword: Ranking
    semantic: Ranking
    scores: dict[int, float]
    """Of words and meaning together."""
    share: Share
    """How much meaning counts in them."""
    model: str = ""
    """The one that ranked by meaning."""
    relevance: float = 0.0
    """How certain it is that the best of them answers the query: the same in every mode, whatever the fusion."""
    words_value: float = 0.0
    """What the best chunk by words gets for them."""
    boosts: Mapping[int, LinkBoost] = {}
    """What links have added to the scores."""
    lowered: Collection[int] = ()
    """Chunks whose score is less because they say what was new in a version."""
    names: FolderNames = FolderNames()
    """The words of the query that name folders: what is elsewhere has a lower score."""
    named: Named | None = None
    """What the query names."""
    about: Factor = no_bonus
    """Path → the factor on the score of a chunk for the descriptions of its folders."""


class Ranked(NamedTuple):
    """The candidates from which a search chooses its hits."""

    candidates: list[Candidate]
    """Best first."""
    scored: Scored
    reasons: Reasons


READ_BATCH = 32
"""Maximum chunks that are read at once: a page shows twenty."""
SPARE = 1
"""Chunks that are read beyond those that are shown: few searches leave out more."""

Found = tuple[Hit, StoredChunk]
"""A hit and the chunk that it shows."""


class Reasons:
    """Why chunks were found. A long list can ask for the reasons of a few at a time."""

    def __init__(self, scored: Scored, recencies: Mapping[int, float] = {}) -> None:
        self._scored = scored
        self._recencies = recencies
        self._keyword = {chunk: (rank, score) for rank, (chunk, score) in enumerate(scored.keyword, 1)}
        self._semantic = {chunk: (rank, similarity) for rank, (chunk, similarity) in enumerate(scored.semantic, 1)}
        self._sources = {boost.source for boost in scored.boosts.values()}
        self._places: dict[int, str] = {}
        """Of the sources among the chunks seen so far."""

    def see(self, places: Iterable[tuple[int, str, int]]) -> None:
        """Reasons name sources by their places: each chunk with its path and first line."""
        self._places |= {chunk: f"{path}:{line}" for chunk, path, line in places if chunk in self._sources}

    def of(self, chunk: int, path: str) -> Why:
        share, boost = self._scored.share, self._scored.boosts.get(chunk)
        keyword_rank, keyword_score = self._keyword.get(chunk, (None, 0.0))
        semantic_rank, similarity = self._semantic.get(chunk, (None, 0.0))
        place = self._places.get(boost.source, "") if boost else ""
        named = self._scored.named
        return Why(
            keyword_rank=keyword_rank,
            keyword_score=keyword_score,
            semantic_rank=semantic_rank,
            similarity=similarity,
            model="" if semantic_rank is None else self._scored.model,
            linked_from="" if boost and boost.is_backlink else place,
            links_to=place if boost and boost.is_backlink else "",
            link_score=boost.score if boost else 0.0,
            recency=self._recencies.get(chunk, 1.0),
            about=self._scored.about(path),
            version=VERSION_FACTOR if chunk in self._scored.lowered else 1.0,
            folder=OUTSIDE_FACTOR if self._scored.names.leaves_out(path) else 1.0,
            meaning_share=share.meaning,
            share_reason=share.reason,
            name=named.kind if named and named.chunk == chunk else "",
        )


def read_hits(
    reader: Reader, candidates: Iterable[Candidate], reasons: Reasons, selection: Selection
) -> Iterator[Found]:
    """The candidates as hits, some of them read at once. Each is read when its turn comes, unless its document is full
    by then."""
    together = min(selection.query.limit + SPARE, READ_BATCH)
    remaining = (candidate for candidate in candidates if selection.takes_from(candidate.path))
    while batch := list(islice(remaining, together)):
        chunks = {chunk.id: chunk for chunk in reader.chunks([candidate.chunk for candidate in batch])}
        reasons.see((chunk.id, chunk.path, chunk.row.start_line) for chunk in chunks.values())
        for candidate in batch:
            chunk = chunks[candidate.chunk]
            yield hit_of(chunk, candidate.score, reasons.of(chunk.id, chunk.path)), chunk


def recencies(query: Query, times_ns: Iterable[tuple[int, int]]) -> dict[int, float]:
    """Chunk → the factor for being new; none if the query does not ask for it."""
    if not query.has_recency:
        return {}
    now = time.time()
    return {
        chunk: recency_factor(now - time_ns / 1e9, query.recency_days, query.recency_steps)
        for chunk, time_ns in times_ns
    }


NAMED = 1.0
"""Minimum score of the chunk that the query names: there is no doubt about it."""
BEYOND = 1.001
"""Its score as a multiple of the next best one."""


def candidates(
    scored: Scored, places: Sequence[tuple[int, str]], recency: Mapping[int, float]
) -> Iterator[tuple[float, str, int]]:
    """The chunks, given with their paths, as `Candidate` has them, by their scores with every bonus. None is before the
    one that the query names."""
    scores = {chunk: scored.scores[chunk] for chunk, _ in places}
    if recency or scored.about is not no_bonus:
        scores = {chunk: scores[chunk] * scored.about(path) * recency.get(chunk, 1.0) for chunk, path in places}
    if scored.named and scored.named.chunk in scores:
        scores[scored.named.chunk] = max(NAMED, BEYOND * max(scores.values()))
    return ((-score, path, chunk) for (chunk, path), score in zip(places, scores.values(), strict=True))


def hit_of(chunk: StoredChunk, score: float, why: Why) -> Hit:
    row, document = chunk.row, chunk.document
    return Hit(
        path=document.path,
        start_line=row.start_line,
        end_line=row.end_line,
        breadcrumb=shown_breadcrumb(row.heading_path),
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
        lead=len(row.lead_text) + len(row.prefix),
        dated=document.dated.time_ns / 1e9,
        dated_by=document.dated.origin,
    )


# -- selection


def selected(
    reader: Reader, found: Iterable[Found], selection: Selection, words: Sequence[WordReading], offset: int = 0
) -> list[Hit]:
    """The hits to return, each expanded as the query asks, without the first `offset` of them."""
    chunks = _fill(reader, found, selection)
    return described(reader, selection.hits[offset:], chunks, words)


def found_first(
    reader: Reader, ranking: Ranked, selection: Selection, words: Sequence[WordReading], relevant: float
) -> list[Hit]:
    """Return the hits. Passages that count as found are chosen first. Passages that are only near take no place from
    them, not even from one of equal text, and stand where their score puts them."""
    found, near = _found_and_near(reader, ranking, selection.query, words, relevant)
    chunks = _fill(reader, read_hits(reader, found, ranking.reasons, selection), selection)
    if selection.is_full:
        near = [candidate for candidate in near if candidate.score > selection.hits[-1].score]
    hits = selection.hits
    if near:
        selection.most *= 2
        chunks |= _fill(reader, read_hits(reader, near, ranking.reasons, selection), selection)
        hits = sorted(selection.hits, key=lambda hit: -hit.score)[: selection.query.limit]
    return described(reader, hits, chunks, words)


def _found_and_near(
    reader: Reader, ranking: Ranked, query: Query, words: Sequence[WordReading], relevant: float
) -> tuple[list[Candidate], list[Candidate]]:
    """The candidates that have a word of the query or are near enough by themselves, and the others."""
    if query.min_score is not None:
        return ranking.candidates, []
    known = {chunk for chunk, _ in ranking.scored.keyword}
    if ranking.scored.named:
        known.add(ranking.scored.named.chunk)
    known.update(chunk for chunk, similarity in ranking.scored.semantic if similarity >= relevant)
    unknown = [candidate.chunk for candidate in ranking.candidates if candidate.chunk not in known]
    if unknown and query.mode != "semantic":
        known.update(chunk for chunk, terms in _query_terms_in(reader, unknown, words).items() if terms)
    found = [candidate for candidate in ranking.candidates if candidate.chunk in known]
    return found, [candidate for candidate in ranking.candidates if candidate.chunk not in known]


def _query_terms_in(
    reader: Reader, chunks: Sequence[int], words: Sequence[WordReading]
) -> Mapping[int, Collection[str]]:
    asked = shares_of(words).keys()
    return {chunk: asked & set(terms) for chunk, terms in terms_by_chunk(reader, chunks, words).items()}


def _fill(reader: Reader, found: Iterable[Found], selection: Selection) -> dict[str, StoredChunk]:
    """Add hits until the selection is full. Their chunks are returned by their key."""
    expand = selection.query.expand
    chunks: dict[str, StoredChunk] = {}
    for hit, chunk in found:
        if selection.is_full:
            break
        if not selection.accepts(hit):
            continue
        if expand == "auto" and _is_merged(reader, selection, hit, chunk, chunks):
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
    return chunks


MERGED_SHARE = 0.5
"""Share of a section: if hits make up this much of it, the rest is worth reading, too."""
MERGED_SCORE = 0.8
"""Share of the score of the better hit: a hit with less says nothing about the section."""
MAX_MERGED = 1000
"""Tokens of a section, some three chunks: a chapter is not read for two of its passages."""


def _is_merged(
    reader: Reader, selection: Selection, hit: Hit, chunk: StoredChunk, chunks: Mapping[str, StoredChunk]
) -> bool:
    """Whether the hit and others of its section became the section: they are below the same headings, and make up
    enough of all that is. Sections of one chapter are not joined: their hits would soon be the whole document."""
    path = chunk.row.heading_path
    near = (one for one in selection.hits if one.path == hit.path and hit.score >= MERGED_SCORE * one.score)
    if not any(one.key in chunks and chunks[one.key].row.heading_path == path for one in near):
        return False
    own = reader.chunks_of(hit.path)
    at = next(place for place, one in enumerate(own) if one.id == chunk.id)
    section = _over(hit, own, *_section(own, at))
    inside = selection.inside(section)
    if section.tokens > MAX_MERGED:
        return False
    # What is wide already counts as the passage that was found.
    found = hit.tokens + sum(chunks[one.key].row.tokens for one in inside if one.key in chunks)
    return bool(inside) and found >= MERGED_SHARE * section.tokens and selection.merges(inside, section)


def _add_linked(reader: Reader, selection: Selection, hit: Hit, source: int) -> dict[str, StoredChunk]:
    """Add the chunks that a hit links to, right behind it. They are returned by their key."""
    place = f"{hit.path}:{hit.start_line}"
    linked = {chunk.key: chunk for chunk in reader.chunks([target for _, target in reader.linked_chunks([source])])}
    for chunk in linked.values():
        added = hit_of(chunk, hit.score, Why(linked_from=place))
        if not selection.is_full and selection.accepts(added) and selection.fits(added):
            selection.add(added)
    return linked


def described(
    reader: Reader, hits: Sequence[Hit], chunks: Mapping[str, StoredChunk], words: Sequence[WordReading]
) -> list[Hit]:
    """Add matched words and links to the hits. That takes a while, so only selected hits get them. Nobody else has
    these hits yet, so they are changed in place."""
    targets: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    ids = [chunks[hit.key].id for hit in hits]
    for link in reader.links_in(ids):
        targets[link.path, link.chunk][link.leads_to] = None
    terms = terms_by_chunk(reader, ids, words)
    wording = Wording(shares_of(words), languages_in(reader))
    for hit in hits:
        chunk = chunks[hit.key]
        hit.links = tuple(filter(None, targets[hit.path, chunk.row.number]))
        _add_words(hit.why, chunk, terms[chunk.id], words, wording)
    return list(hits)


def terms_by_chunk(
    reader: Reader, chunks: Sequence[int], words: Sequence[WordReading]
) -> Mapping[int, Collection[str]]:
    """Chunk → the terms that it has, at least those of the query. For a pasted text, chunks are cut into their terms
    again: that is faster than looking up hundreds of them."""
    terms = list(shares_of(words))
    if len(terms) > MAX_QUERY_TERMS:
        return {chunk.id: terms_of(chunk) for chunk in reader.chunks(chunks)}
    return reader.terms_in(chunks, terms)


def _add_words(
    why: Why, chunk: StoredChunk, chunk_terms: Collection[str], words: Sequence[WordReading], wording: Wording
) -> None:
    """Add to the reasons the words of the query that the chunk has."""
    terms = tuple(dict.fromkeys(term for word in words for term in word.found_in(chunk_terms)))
    written = wording.of(chunk, terms)
    why.matched = tuple(dict.fromkeys(written[term] for term in terms))
    why.terms = terms
    why.guesses = guesses(words, chunk_terms, written)
