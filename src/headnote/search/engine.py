"""The path of a query: retrieve by words and by meaning, fuse, boost along links, select, explain.

A page of hits takes the same path. It also tells how many passages are found, wherever a filter lets them pass.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models
from headnote.extras import np
from headnote.model import Facet, Hit, SearchPage, Why, folder_glob
from headnote.search.everywhere import (
    LOOKED_AT,
    OUTSIDE_FACTOR,
    FolderNames,
    folder_names,
    own_shares,
    said_everywhere,
)
from headnote.search.hits import (
    NAMED,
    Found,
    Named,
    Ranked,
    Reasons,
    Scored,
    candidates,
    described,
    found_first,
    hit_of,
    is_written_so,
    named_chunk,
    read_hits,
    recencies,
    selected,
    terms_by_chunk,
    widened,
)
from headnote.search.no_results import why_empty
from headnote.search.query import Query
from headnote.search.ranking import (
    BY_RANK,
    LINK_SOURCES,
    MAX_STANDING_OUT,
    MIN_SIMILARITY,
    MIN_STANDING_OUT,
    RELEVANT,
    SHORT,
    TIMES_THE_NEXT,
    VERSION_FACTOR,
    Evidence,
    LinkBoost,
    ModelRanking,
    Ranking,
    Share,
    by_documents_too,
    by_meaning,
    by_parts,
    by_words,
    in_front,
    link_boosts,
    mean_scores,
    model_for,
    no_bonus,
    rank_scores,
    ranked,
    share_of_meaning,
    telling_less,
    unread_chunks,
    weighted_scores,
)
from headnote.search.selection import REPEAT_FACTOR, Candidate, Selection, best_first
from headnote.search.spelling import (
    WordReading,
    covered_shares,
    exact_shares,
    is_guessed,
    read_words,
    shares_of,
    spelt_out,
)
from headnote.store.caching import Labels
from headnote.store.filters import FieldIs, Filter, HasTag, InPath, conditions, folded, folded_tag
from headnote.store.interface import Readable, Reader
from headnote.store.rows import StoredChunk
from headnote.words.name_keys import asks_for_version
from headnote.words.phrases import sentences, without_asking
from headnote.words.terms import VERSION_MARK, exact_terms, is_code, is_operator, is_without_blanks

if TYPE_CHECKING:
    from numpy.typing import NDArray


# -- A query without words: the documents that satisfy its filters, the newest first.


def listed(reader: Reader, query: Query, offset: int = 0) -> SearchPage:
    """The first passage of each document that passes, or as many of each as the query wants."""
    query = replace(query, per_document=query.per_document or 1)
    ids = _newest_first(reader.labels(), reader.passing(query.only), query.per_document)
    # A budget is that of the whole list, so what is before the page counts.
    first = 0 if query.budget else offset
    chunks = reader.chunks(ids[first : offset + query.limit].tolist())
    hits = _within_budget(reader, chunks, query)[offset - first :]
    return SearchPage(tuple(hits), len(ids), offset=offset)


def _newest_first(labels: Labels, passing: NDArray[np.int64], per_document: int) -> NDArray[np.int64]:
    """Chunks by the time of their document, then by its path, then by place; so many of each document."""
    ids = np.sort(passing)
    documents = labels.documents[labels.places(ids)]
    by_path = np.empty(len(labels.paths), np.int64)
    by_path[sorted(range(len(labels.paths)), key=labels.paths.__getitem__)] = np.arange(len(labels.paths))
    order = np.lexsort((ids, by_path[documents], -labels.times[documents]))
    in_order = documents[order]
    begins = np.flatnonzero(np.diff(in_order, prepend=-1))
    counts = np.diff(np.append(begins, len(in_order)))
    place_in_document = np.arange(len(in_order)) - np.repeat(begins, counts)
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


# -- What a search finds, all of it, and its hits in order, read no further than they are shown.
#
# A passage is found if it has a word of the query, or what that word stands for, or if it is among the nearest in
# meaning and as near as the best hit of a search must be. Neither depends on filters, so what a filter leaves can be
# counted before anybody sets it. The order is that of a search with the filters; passages beyond its depth follow by
# their words.


def found_chunks(
    reader: Reader, query: Query, words: Sequence[WordReading], everywhere: Scored, relevant: float
) -> NDArray[np.int64]:
    """Return the ids of the chunks that are found and pass the filter, sorted. `everywhere` is what is retrieved
    without the filter. By default, `relevant` is the minimum similarity of a chunk that is found by its meaning alone.
    A minimum score of the query holds for all; chunks beyond the depth of a search have no score to compare, and are
    left out."""
    if query.min_score:
        found = _sorted([chunk for chunk, score in everywhere.scores.items() if score >= query.min_score])
    else:
        least = relevant if query.min_score is None else 0.0
        near = _sorted([chunk for chunk, similarity in everywhere.semantic if similarity >= least])
        having = reader.having(list(shares_of(words))) if query.mode != "semantic" else _sorted([])
        found = np.sort(np.concatenate([having, near[~_are_among(near, having)]]))
    if everywhere.named and not _are_among(_sorted([everywhere.named.chunk]), found).any():
        found = np.sort(np.append(found, everywhere.named.chunk))
    return found if query.only.passes_all else found[_are_among(found, np.sort(reader.passing(query.only)))]


def _sorted(ids: Sequence[int]) -> NDArray[np.int64]:
    return np.asarray(sorted(ids), "int64")


def _are_among(ids: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the ids are among others, which are sorted. Numpy's own function would load masked arrays."""
    among = np.zeros(len(ids), dtype=bool)
    if len(others):
        places = np.minimum(np.searchsorted(others, ids), len(others) - 1)
        among = others[places] == ids
    return among


# -- order


def hits_in_order(
    reader: Reader,
    selection: Selection,
    words: Sequence[WordReading],
    scored: Scored,
    found: NDArray[np.int64],
    repeat_factor: float,
) -> Iterator[Found]:
    """All found chunks as hits, best first. Each is read when its turn comes, unless its document is full by then."""
    query, labels = selection.query, reader.labels()
    ids = np.fromiter(scored.scores, np.int64, len(scored.scores))
    ids = ids[_are_among(ids, found)]
    chunks, documents = ids.tolist(), labels.documents[labels.places(ids)].tolist()
    recency = recencies(query, zip(chunks, labels.times[documents].tolist(), strict=True))
    places = list(zip(chunks, map(labels.paths.__getitem__, documents), strict=True))
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


# -- The chunks that a search finds → ways to narrow it, each with the number of chunks that it leaves.


MAX_FOLDERS = 12
MAX_TAGS = 12
MAX_FIELDS = 5
MAX_VALUES = 8
"""Maximum values of one field."""


Counted = tuple[int, tuple[str, str]]
"""How many chunks a label leaves, and the label: its name and value. Most of them are not shown."""


def facets_of(labels: Labels, found: NDArray[np.int64], only: Filter) -> tuple[Facet, ...]:
    """Return folders, then tags, then fields. A label that leaves all of the chunks does not narrow the search, and is
    left out."""
    counts = labels.counts(found)
    total = len(found)
    folders = _next_folders(list(labels.folders.counted(counts)), total, only)
    chosen = _tags(only)
    tags = (one for one in labels.tags.counted(counts) if one[0] < total and one[1][1] not in chosen)
    fields = (one for one in labels.fields.counted(counts) if one[0] < total)
    return (
        *_facets("folder", islice(folders, MAX_FOLDERS)),
        *_facets("tag", islice(tags, MAX_TAGS)),
        *_facets("field", _by_field(fields, only)),
    )


def _facets(kind: Literal["folder", "tag", "field"], counted: Iterable[Counted]) -> Iterator[Facet]:
    return (Facet(kind, name, value, count) for count, (name, value) in counted)


def _next_folders(folders: Sequence[Counted], total: int, only: Filter) -> Iterator[Counted]:
    """The folders directly below the one that has all of the chunks. Globs are alternatives, so another glob would not
    narrow the search: only a folder inside the chosen one takes its place."""
    common = max((folder for count, (_, folder) in folders if count == total), key=len, default="")
    globs = next((part.globs for part in conditions(only.chosen) if isinstance(part, InPath)), ())
    if globs and all(globs != (folder_glob(folder),) for _, (_, folder) in folders):
        return
    depth = common.count("/") + 1
    for one in folders:
        count, (_, folder) = one
        if count < total and folder.startswith(common) and folder.count("/") == depth:
            yield one


def _tags(only: Filter) -> set[str]:
    return {folded_tag(part.tag) for part in conditions(only.chosen) if isinstance(part, HasTag)}


def _by_field(counted: Iterable[Counted], only: Filter) -> Iterator[Counted]:
    """The fields that say most: those with the most frequent values, each with all its values together."""
    given = {folded(part.field) for part in conditions(only.chosen) if isinstance(part, FieldIs)}
    values: dict[str, list[Counted]] = {}
    for one in counted:
        values.setdefault(one[1][0], []).append(one)
    for name in islice((name for name in values if name not in given), MAX_FIELDS):
        yield from values[name][:MAX_VALUES]


# -- The path of a query


DEPTH = 200
"""How many chunks each retriever brings into the fusion."""
COVERAGE_DEPTH = 10
"""How many of the best chunks by words tell how much of the query is covered anywhere. One may be among the best for
what its document has."""
WORDING_DEPTH = 3
"""How many of these are read to see how words are written."""
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
            asked = _phrasings(reader, query)
            ranking = self._ranked(reader, query, asked)
            if ranking is None:
                return []
            least = _least_similarity(reader, ranking.scored)
            words = _words_of(asked)
            hits = found_first(reader, ranking, Selection(query), words, least)
            if scores := _less_for_boilerplate(reader, ranking.scored, hits, words):
                ranking = _in_order(reader, query, ranking.scored._replace(scores=scores))
                hits = found_first(reader, ranking, Selection(query), words, least)
            return hits

    def rank(self, query: Query) -> list[Hit]:
        """The candidates of a search as hits, best first: duplicates are among them, and no hit names its words."""
        with self._store.reading() as reader:
            unlimited = Selection(replace(query, per_document=0))
            ranking = self._ranked(reader, query, _phrasings(reader, query))
            found = read_hits(reader, ranking.candidates, ranking.reasons, unlimited) if ranking else ()
            return [hit for hit, _ in found]

    def _ranked(self, reader: Reader, query: Query, asked: Sequence[Phrasing]) -> Ranked | None:
        """The candidates, best first; None if nothing is relevant."""
        scored = _scored_together(reader, self._models, query.only, asked)
        words = _words_of(asked)
        if not _is_relevant(reader, self._models, scored, query):
            return None
        scored = _with_boosts(reader, query, scored)._replace(about=query.contexts.factors(reader, words))
        return _in_order(reader, query, scored)

    def page(self, query: Query, offset: int, with_facets: bool) -> SearchPage:
        """Return one page of hits, from `offset` on, and how many passages are found."""
        with self._store.reading() as reader:
            if query.is_list:
                return listed(reader, query, offset)
            asked = _phrasings(reader, query)
            words = _words_of(asked)
            # What the query itself demands is no filter that can be taken away.
            demanded = Filter(must=query.only.must)
            everywhere = _scored_together(reader, self._models, demanded, asked)
            if not _is_relevant(reader, self._models, everywhere, replace(query, only=demanded)):
                return SearchPage((), 0, offset=offset)
            scored = everywhere
            if query.only != demanded:
                scored = _scored_together(reader, self._models, query.only, asked)
            least = _least_similarity(reader, everywhere)
            found = found_chunks(reader, query, words, everywhere._replace(named=scored.named), least)
            scored = _with_boosts(reader, query, scored)._replace(about=query.contexts.factors(reader, words))
            selection = Selection(replace(query, limit=offset + query.limit))
            in_order = hits_in_order(reader, selection, words, scored, found, _repeat_factor(query))
            hits = selected(reader, in_order, selection, words, offset)
            if scores := _less_for_boilerplate(reader, scored, selection.hits, words):
                selection = Selection(selection.query)
                scored = scored._replace(scores=scores)
                in_order = hits_in_order(reader, selection, words, scored, found, _repeat_factor(query))
                hits = selected(reader, in_order, selection, words, offset)
            # What hits link to is shown beside what is found.
            total = max(len(found), offset + len(hits) if hits else 0)
            facets = facets_of(reader.labels(), found, query.only) if with_facets else ()
            return SearchPage(tuple(hits), total, facets, offset)

    def is_name(self, text: str) -> bool:
        """Whether a document or a section has exactly this name."""
        with self._store.reading() as reader:
            return is_written_so(reader, text)

    def why_empty(self, query: Query, can_set_score: bool) -> str:
        """Why this search has no hits, in one line."""
        score_helps = can_set_score and query.min_score != 0 and bool(self.search(replace(query, min_score=0.0)))
        with self._store.reading() as reader:
            return why_empty(reader, self._models, query, score_helps)


def _in_order(reader: Reader, query: Query, scored: Scored) -> Ranked:
    places = reader.places(ranked(scored.scores)[: _candidate_count(query, scored)])
    recency = recencies(query, ((place.chunk, place.dated_ns) for place in places))
    reasons = Reasons(scored, recency)
    reasons.see(place[:3] for place in places)
    found = candidates(scored, [(place.chunk, place.path) for place in places], recency)
    return Ranked(best_first(found, _repeat_factor(query)), scored, reasons)


def _less_for_boilerplate(
    reader: Reader, scored: Scored, hits: Sequence[Hit], words: Sequence[WordReading]
) -> dict[int, float]:
    """The scores, less for chunks that have words of the query only where hundreds of documents say the same; none if
    the hits show no such passage."""
    asked = frozenset(shares_of(words))
    everywhere = said_everywhere(reader, ((hit.path, hit.text) for hit in hits[:LOOKED_AT]), asked)
    if not everywhere:
        return {}
    own = own_shares(reader, list(scored.scores), everywhere, asked)
    return {chunk: score * own.get(chunk, 1.0) for chunk, score in scored.scores.items()}


class Phrasing(NamedTuple):
    """One way to say what is asked, as a query of its own, and what its words stand for."""

    query: Query
    words: Sequence[WordReading]


def _phrasings(reader: Reader, query: Query) -> list[Phrasing]:
    """The query, its other phrasings, and the made-up passage, which counts by its meaning alone."""
    chunks = reader.chunk_count()
    asked = [replace(query, text=text) for text in (query.text, *query.queries)]
    phrasings = [Phrasing(one, read_words(reader, one.text, chunks, one.literal)) for one in asked]
    if query.passage.strip() and query.mode != "keyword":
        phrasings.append(Phrasing(replace(query, text=query.passage, mode="semantic"), ()))
    return phrasings


def _words_of(asked: Sequence[Phrasing]) -> list[WordReading]:
    """The words of all phrasings, each once."""
    return list({word.term: word for one in reversed(asked) for word in reversed(one.words)}.values())[::-1]


def _scored_together(reader: Reader, models: Models, only: Filter, asked: Sequence[Phrasing]) -> Scored:
    """What all phrasings find. A chunk has the mean of its scores: what only one finds is less certain. By words
    and by meaning it is as near as the nearest of them."""
    first, *others = (_scored(reader, models, replace(one.query, only=only), one.words) for one in asked)
    if not others:
        return first
    every = (first, *others)
    return first._replace(
        keyword=_nearest(one.keyword for one in every),
        semantic=_nearest(one.semantic for one in every),
        scores=mean_scores([one.scores for one in every]),
        share=Share(sum(one.share.meaning for one in every) / len(every), f"{len(every)} phrasings"),
        relevance=max(one.relevance for one in every),
        words_value=sum(one.words_value for one in every) / len(every),
    )


def _nearest(rankings: Iterable[Ranking]) -> Ranking:
    best: dict[int, float] = {}
    for chunk, score in chain.from_iterable(rankings):
        best[chunk] = max(score, best.get(chunk, 0.0))
    return [(chunk, best[chunk]) for chunk in ranked(best)]


def _scored(
    reader: Reader, models: Models, query: Query, words: Sequence[WordReading], names: FolderNames | None = None
) -> Scored:
    """What is retrieved by words and by meaning, fused. Without `names`, those in the query count."""
    names = folder_names(reader, query.text, words) if names is None else names
    said = query.text if query.literal else without_asking(query.text)
    subject = names.without(said)
    shares = names.less(shares_of(words))
    keyword: Ranking = by_words(reader, shares, DEPTH, query.only) if query.mode != "semantic" else []
    embedder = model_for(reader, models, query.only) if query.mode != "keyword" else None
    model = embedder.name if embedder else ""
    best = [chunk for chunk, _ in keyword[:COVERAGE_DEPTH]]
    semantic, unread = (
        _by_meaning(reader, embedder, subject, query.only, words, best, keyword) if embedder else ModelRanking()
    )
    share = _share(model, words, keyword, semantic)
    coverage = _coverage(reader, words, best)
    exact = _exact(reader, subject, words, (*keyword, *semantic)) if query.mode != "semantic" else NOTHING_EXACT
    near = by_documents_too(semantic, reader.owners([chunk for chunk, _ in semantic]))
    near = telling_less(near, exact.lacked) if exact.lacked else near
    scores = weighted_scores(keyword, near, coverage, share.meaning, unread)
    words_value = (1 - share.meaning) * coverage
    if query.fusion == "rrf":
        scores, share = rank_scores(keyword, near), BY_RANK
    lowered = _about_versions(reader, subject, list(scores))
    scores = _times(scores, lowered, VERSION_FACTOR)
    scores = _times(scores, _outside(reader, names, list(scores)), OUTSIDE_FACTOR)
    # Where the model cannot compare the best chunk by words, only words can tell.
    is_compared = semantic and not (keyword and keyword[0][0] in unread)
    similarity = semantic[0][1] if is_compared else None
    pairs = sum(is_without_blanks(word.term) for word in words)
    evidence = Evidence(coverage, len(words), similarity, model, _unreadable(words), pairs)
    return Scored(
        keyword,
        semantic,
        in_front(scores, exact.in_front) if exact.in_front else scores,
        share,
        model=model,
        relevance=evidence.relevance(counts_words=query.mode != "semantic"),
        words_value=words_value,
        lowered=lowered,
        names=names,
        named=_named(reader, query, said, exact),
    )


def _times(scores: Mapping[int, float], chunks: Collection[int], factor: float) -> dict[int, float]:
    """The scores, those of these chunks multiplied."""
    return {chunk: score * factor if chunk in chunks else score for chunk, score in scores.items()}


def _named(reader: Reader, query: Query, said: str, exact: Exact) -> Named | None:
    """What the query names, as it is or without what people say when they ask."""
    named = named_chunk(reader, query.text, query.only)
    if named is None and said != query.text:
        named = named_chunk(reader, said, query.only)
    # A name with an operator beside it is not all of the query.
    return None if named and exact.in_front and named.chunk not in exact.in_front else named


def _about_versions(reader: Reader, text: str, chunks: Sequence[int]) -> frozenset[int]:
    """Those of the chunks that say what was new in a version, if the query does not ask for that."""
    if asks_for_version(text) or not reader.term_frequencies([VERSION_MARK])[VERSION_MARK]:
        return frozenset()
    return frozenset(chunk for chunk, marks in reader.terms_in(chunks, [VERSION_MARK]).items() if marks)


def _outside(reader: Reader, names: FolderNames, chunks: Sequence[int]) -> frozenset[int]:
    """Those of the chunks that are in none of the folders that the query names."""
    if not names.folders:
        return frozenset()
    return frozenset(place.chunk for place in reader.places(chunks) if names.leaves_out(place.path))


class Exact(NamedTuple):
    """The names and operators of a query, for which nothing else stands, and the chunks that have them."""

    lacked: Mapping[int, float]
    """Chunk → how much of the query it lacks of them. Empty if no chunk has any."""
    in_front: Collection[int]
    """The chunks that have an operator or a marked name, if the query is so short that it is about that."""


NOTHING_EXACT = Exact({}, ())


def _exact(reader: Reader, text: str, words: Sequence[WordReading], found: Ranking) -> Exact:
    if not exact_terms(text):
        return NOTHING_EXACT
    counts, chunks = reader.term_frequencies(shares_of(words)), reader.chunk_count()
    shares = exact_shares(text, words, counts, chunks)
    having = reader.terms_in([chunk for chunk, _ in found], list(shares)) if shares else {}
    if not any(having.values()):
        return NOTHING_EXACT
    lacked = {chunk: sum(shares[term] for term in shares.keys() - own) for chunk, own in having.items()}
    is_short = len(words) <= SHORT
    return Exact(lacked, {chunk for chunk, own in having.items() if is_short and any(map(is_code, own))})


def _is_relevant(reader: Reader, models: Models, scored: Scored, query: Query) -> bool:
    if query.min_score is not None or query.phrases or scored.named or scored.relevance >= RELEVANT:
        return True
    return _stands_out(reader, scored) or _is_partly_relevant(reader, models, scored, query)


MAX_SENTENCES = 4
"""Of a query, the longest of which may be what is asked."""


def _is_partly_relevant(reader: Reader, models: Models, scored: Scored, query: Query) -> bool:
    """Whether it answers the query with the names of folders in it, or one of its sentences: people also tell how they
    came to ask."""
    said = [line[start:end] for line in query.text.splitlines() for start, end in sentences(line)]
    longest = sorted(said, key=len, reverse=True)[:MAX_SENTENCES] if len(said) > 1 else []
    for text in (*longest, query.text) if scored.names.words else longest:
        words = read_words(reader, text, reader.chunk_count(), query.literal)
        alone = _scored(reader, models, replace(query, text=text), words, FolderNames())
        if alone.relevance >= RELEVANT:
            return True
    return False


def _stands_out(reader: Reader, scored: Scored) -> bool:
    """Whether one document is far nearer in meaning than everything else."""
    nearest = scored.semantic[0][1] if scored.semantic else 0.0
    if nearest < MIN_STANDING_OUT:
        return False
    near = [chunk for chunk, similarity in scored.semantic if similarity * TIMES_THE_NEXT > nearest]
    if len(near) > MAX_STANDING_OUT or len(near) == reader.chunk_count():
        return False
    return len({place.path for place in reader.places(near)}) == 1


def _least_similarity(reader: Reader, scored: Scored) -> float:
    """The minimum similarity of a chunk that is found by its meaning alone."""
    stands_out = scored.relevance < RELEVANT and _stands_out(reader, scored)
    return scored.semantic[0][1] / TIMES_THE_NEXT if stands_out else MIN_SIMILARITY


def _by_meaning(
    reader: Reader,
    embedder: Embedder,
    text: str,
    only: Filter,
    words: Sequence[WordReading],
    best: Sequence[int],
    keyword: Ranking,
) -> ModelRanking:
    """The nearest chunks and those found by words, ranked by meaning. Empty if the model cannot read the query, as
    operators of code, or if no word of it is finished yet."""
    if not text.strip() or (keyword and _unreadable(words) == len(words)):
        return ModelRanking()
    chunks = reader.chunks(best[:WORDING_DEPTH]) if any(map(is_guessed, words)) else []
    vector = embedder.embed_query(spelt_out(text, words, chunks))
    if not vector.any():
        return ModelRanking()
    nearest = by_meaning(reader, embedder.name, vector, DEPTH, only)
    candidates = dict.fromkeys(chunk for chunk, _ in (*nearest, *keyword))
    parts = reader.parts(embedder.name, list(candidates))
    return ModelRanking(by_parts(parts, vector), unread_chunks(parts, (chunk for chunk, _ in keyword)))


# -- scores


def _share(model: str, words: Sequence[WordReading], keyword: Ranking, semantic: Ranking) -> Share:
    share = share_of_meaning(
        model, len(words), has_words=bool(keyword), has_meaning=bool(semantic), unfinished=_unreadable(words)
    )
    is_code = share.meaning and _unreadable(words) > _unfinished(words)
    return share._replace(reason="an operator of code") if is_code else share


def _unreadable(words: Sequence[WordReading]) -> int:
    """Words that mean nothing yet, and words that mean nothing to any model."""
    return _unfinished(words) + sum(is_operator(word.term) for word in words)


def _unfinished(words: Sequence[WordReading]) -> int:
    return sum(word.kind == "beginning" for word in words)


def _coverage(reader: Reader, words: Sequence[WordReading], best: Sequence[int]) -> float:
    """How much of the query the best chunks by words cover; the first one does not always cover most."""
    if not best:
        return 0.0
    counts, chunks = reader.term_frequencies(shares_of(words)), reader.chunk_count()
    return max(covered_shares(words, counts, chunks, terms_by_chunk(reader, best, words).values()))


def _with_boosts(reader: Reader, query: Query, scored: Scored) -> Scored:
    """Add what the best chunks give to those they link to and to those that link to them, and what the query gives to
    the chunk that it names."""
    scores = dict(scored.scores)
    boosts = _link_boosts(reader, query, scores)
    for chunk, boost in boosts.items():
        scores[chunk] = scores.get(chunk, 0.0) + boost.score
    if scored.named:
        scores[scored.named.chunk] = max(NAMED, scores.get(scored.named.chunk, 0.0))
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
