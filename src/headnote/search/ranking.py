"""Scores → one ranking: two rankings fused, then link boosts, what the user says about folders, and a recency factor.

A ranking is (chunk, score) pairs, best first; scores map a chunk to a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models
from headnote.extras import np
from headnote.search.spelling import WordReading, covered_share, shares_of
from headnote.store.filters import Filter
from headnote.store.integrity import INSTANT
from headnote.store.interface import Reader
from headnote.store.quantized import PartSet
from headnote.store.rows import Owners
from headnote.words.languages import language_of
from headnote.words.terms import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray


Ranking = Sequence[tuple[int, float]]
"""Chunks with their scores, best first."""

_Found = TypeVar("_Found", bound=Hashable)

RANK_CONSTANT = 60
"""Constant of reciprocal rank fusion: the larger it is, the less the very first ranks stand out."""

LINK_SOURCES = 5
"""How many of the best chunks boost their neighbours in the link graph."""
LINK_SHARE = 0.05
"""Share of its score that a chunk passes on to the chunks it links to."""
LINK_RANK_SHARE = 1 / 62
"""The same where scores are ranks: about one place at the top."""
BACKLINK_FACTOR = 0.2
"""Weight of a link against its direction. Measured on the text of links: at 1.0, pages that mention a thing in passing
rank above the page about it."""

DAY = 86_400.0
RECENCY_STEPS = ((7, 1.2), (30, 1.1))
"""(days, factor): the factor for files younger than so many days."""
RECENCY_OF_PRESET = {"ragdocs": "steps"}
"""Preset → its recency, if it has one: the default of a search in its index."""


# -- fusion


def reciprocal_ranks(*rankings: Sequence[tuple[_Found, float]], constant: int = RANK_CONSTANT) -> dict[_Found, float]:
    """Reciprocal rank fusion: only the order counts, never by how much one chunk beats another."""
    scores: dict[_Found, float] = {}
    for ranking in rankings:
        for rank, (chunk, _) in enumerate(ranking, 1):
            scores[chunk] = scores.get(chunk, 0.0) + 1 / (constant + rank)
    return scores


def rank_scores(*rankings: Ranking) -> dict[int, float]:
    """Reciprocal ranks scaled to 0–1: a chunk that is first in every ranking scores 1."""
    rankings = tuple(filter(None, rankings))
    most = len(rankings) / (RANK_CONSTANT + 1)
    return {chunk: score / most for chunk, score in reciprocal_ranks(*rankings).items()}


def weighted_scores(
    keyword: Ranking, semantic: Ranking, coverage: float, meaning_share: float, unread: Collection[int] = ()
) -> dict[int, float]:
    """The weighted sum of both scores, comparable between queries.

    A cosine has a meaning of its own and counts as it is. A BM25 score has none, so it counts relative to the best one,
    and the best one is worth the share of the query that it covers: `coverage`.

    Chunks that the model cannot read, `unread`, must not pay for that: one with the best words counts as near as the
    nearest chunk, and any other in proportion to its words.
    """
    best = max((score for _, score in keyword), default=0.0) or 1.0
    nearest = max((similarity for _, similarity in semantic), default=0.0)
    similarities = dict(semantic)
    for chunk, score in keyword:
        if chunk in unread:
            similarities[chunk] = max(similarities.get(chunk, 0.0), nearest * score / best)
    scores = {chunk: meaning_share * similarity for chunk, similarity in similarities.items()}
    for chunk, score in keyword:
        scores[chunk] = scores.get(chunk, 0.0) + (1 - meaning_share) * coverage * score / best
    return scores


def telling_less(ranking: Ranking, lacked: Mapping[int, float]) -> Ranking:
    """Chunks by meaning, where some lack so much of the query that no other words stand for: a model reads a name that
    it does not know as anything that looks like it, so what a chunk lacks of it is not near."""
    scores = {chunk: similarity * (1 - lacked.get(chunk, 0.0)) for chunk, similarity in ranking}
    return [(chunk, scores[chunk]) for chunk in ranked(scores)]


VERSION_FACTOR = 0.8
"""Of the score of what was new in a version, where nobody asks for that: release notes mention everything once."""

BEHIND = 0.999
"""What the best chunk behind has of the score of those in front."""


def in_front(scores: Mapping[int, float], chunks: Collection[int]) -> dict[int, float]:
    """The scores, where the best of these chunks is before all others, which keep their order."""
    best = max((scores[chunk] for chunk in chunks), default=0.0)
    others = max((score for chunk, score in scores.items() if chunk not in chunks), default=0.0)
    factor = BEHIND * best / others if 0 < best <= others else 1.0
    return {chunk: score if chunk in chunks else score * factor for chunk, score in scores.items()}


def mean_scores(every: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Several scores of each chunk → their mean; one that is missing is 0."""
    sums: dict[int, float] = {}
    for scores in every:
        for chunk, score in scores.items():
            sums[chunk] = sums.get(chunk, 0.0) + score
    return {chunk: score / len(every) for chunk, score in sums.items()}


def ranked(scores: Mapping[int, float]) -> list[int]:
    """Chunks, best first. Ties are broken by age in the store, so the order is always the same."""
    return [chunk for _, chunk in sorted([(-score, chunk) for chunk, score in scores.items()])]


# -- links


class LinkBoost(NamedTuple):
    """What a chunk gains from a link."""

    score: float
    source: int
    """The better chunk at the other end of the link."""
    is_backlink: bool = False
    """Whether the boosted chunk has the link, and the better one is its target."""


def link_boosts(
    scores: Mapping[int, float],
    links: Iterable[tuple[int, int]],
    backlinks: Iterable[tuple[int, int]] = (),
    by_rank: bool = False,
) -> dict[int, LinkBoost]:
    """Chunk → the boost from its best neighbour. Pairs are (source of the boost, boosted chunk).

    Only the best neighbour counts, however many there are, and no chunk overtakes the source of its boost. `by_rank`
    tells that scores come from ranks.
    """
    share = LINK_RANK_SHARE if by_rank else LINK_SHARE
    edges = [*((pair, False) for pair in links), *((pair, True) for pair in backlinks)]
    boosts: dict[int, LinkBoost] = {}
    for (source, target), is_backlink in edges:
        gap = scores[source] - scores.get(target, 0.0)
        score = min(share * scores[source] * (BACKLINK_FACTOR if is_backlink else 1.0), gap)
        if score > 0 and (target not in boosts or score > boosts[target].score):
            boosts[target] = LinkBoost(score, source, is_backlink)
    return boosts


# -- recency


def recency_factor(age_seconds: float, half_life_days: float, steps: bool) -> float:
    """The factor for a file of this age; 1 if the query asks for no recency."""
    if steps:
        return step_factor(age_seconds)
    return decay_factor(age_seconds, half_life_days) if half_life_days else 1.0


def step_factor(age_seconds: float) -> float:
    """1.2 below seven days, 1.1 below thirty, 1 from then on."""
    return next((factor for days, factor in RECENCY_STEPS if age_seconds < days * DAY), 1.0)


def decay_factor(age_seconds: float, half_life_days: float, most: float = 1.2) -> float:
    """From `most` for a new file down to 1; the bonus halves with each half-life."""
    age = max(age_seconds, 0.0) / DAY
    return 1.0 + (most - 1.0) * math.exp2(-age / half_life_days)


# -- How much meaning counts beside words: by the model that compares, and by the query.
#
# Measured on link texts, on questions about sections and prose, and on questions in words of their own:
# docs/quality.md.


SHARE = 0.7
"""Share of meaning in the score of a short query. Names and questions alike want from 0.6 to 0.8."""
SHARES = {"instant": 0.65}
"""The same for models that know less, by the kind of model: the part of its name before the first colon."""
LONG_QUERY_LOSS = 0.15
"""What a long query takes off the share: so many words describe a passage well by themselves."""
SHORT, LONG = 6, 12
"""Terms: up to the first, a query is short; from the second on, it is long. Between them, the share falls evenly."""


class Share(NamedTuple):
    """How much meaning counts, and why."""

    meaning: float
    """From 0, words alone, to 1, meaning alone."""
    reason: str
    """In plain words, for people."""


WORDS_ALONE = Share(0.0, "words alone")
UNREADABLE = Share(0.0, "the model cannot read the query")
MEANING_ALONE = Share(1.0, "meaning alone")
BY_RANK = Share(0.5, "both count by rank")


def share_of_meaning(model: str, terms: int, *, has_words: bool, has_meaning: bool, unfinished: int = 0) -> Share:
    """The share for a query of so many terms. Where only one of both found anything, it has the whole weight.

    `model` is the name of the one that compared; empty if there was none. So many of the terms are `unfinished`: words
    while they are typed, which have no meaning yet.
    """
    if not has_meaning:
        return UNREADABLE if model else WORDS_ALONE
    if not has_words:
        return MEANING_ALONE
    most = _most_of_meaning(model)
    length = min(max((terms - SHORT) / (LONG - SHORT), 0.0), 1.0)
    share = most - LONG_QUERY_LOSS * length
    if unfinished:
        return Share(share * (terms - unfinished) / terms, "a word is unfinished")
    return Share(share, "a long query" if length else "a short query")


def _most_of_meaning(model: str) -> float:
    return SHARES.get(model.partition(":")[0], SHARE)


# -- Whether the best that is found answers the query: one scale for words, for meaning and for both.
#
# Measured on questions that a documentation answers, on those about something else, and on nonsense in nine scripts:
# `bench/nonsense.py`.


RELEVANT = 0.27
"""If the relevance is less, nothing answers the query. With .3, one in nineteen of the questions that people asked
about projects on which nothing was chosen found nothing."""
CERTAINTY_OF_WORDS = 0.6
"""Of words that a model does not confirm: nearly half of the query has to be there."""
CERTAINTY_OF_MEANING = 0.9
"""Of a similarity by itself. Made-up words are near something, too: one in sixty is as near as this needs."""
MIN_SIMILARITY = 0.3
"""Of a chunk that is found by its meaning alone: RELEVANT / CERTAINTY_OF_MEANING, as near as the best hit has to be."""
CERTAINTY_OF_BOTH = 0.88
MIN_STANDING_OUT = 0.2
TIMES_THE_NEXT = 3.0
"""What is nearer than this, and so many times nearer than any other document, is meant."""
MAX_STANDING_OUT = 8
"""Maximum chunks that stand out: what more of them have in common does not."""


class Evidence(NamedTuple):
    """What speaks for the best that is found."""

    coverage: float
    """Share of the query that the best chunk by words covers."""
    terms: int
    similarity: float | None = None
    """Of the nearest chunk; None if no model compares."""
    model: str = ""
    unfinished: int = 0
    pairs: int = 0
    """Terms that are pairs of letters, where words have no blanks between them."""

    @property
    def by_words(self) -> float:
        """A long query says the same thing several times, so no more of it has to be covered than of `LONG` terms.
        Many pairs do not make a long query: a text has most of them by chance."""
        return min(self.coverage * max((self.terms - self.pairs) / LONG, 1.0), 1.0)

    def relevance(self, *, counts_words: bool) -> float:
        """From 0 to 1, the same in every mode: what words cannot show does not make meaning more certain."""
        if self.similarity is None:
            return self.by_words
        if not counts_words:
            return CERTAINTY_OF_MEANING * self.similarity
        share = _most_of_meaning(self.model) * (1 - self.unfinished / max(self.terms, 1))
        both = (1 - share) * self.by_words + share * self.similarity
        return max(CERTAINTY_OF_WORDS * self.by_words, CERTAINTY_OF_BOTH * both)


# -- The two retrievers, by words and by meaning. Each returns chunks with their scores, best first.


WHOLE_SHARE = 0.5
"""Weight of a chunk as a whole beside its nearest part. Either alone is worse."""
NAME_SHARE = 0.5
"""Weight of a name that is nearer than the text. With less, links to pages are lost; with more, sections."""


NEAREST_OF_DOCUMENT = 5
"""Chunks of a document that tell together how near it is."""
OF_DOCUMENT = 1 / 3
"""Weight of its document beside a chunk: a page with several near passages is more likely to be about the matter than
one with a single one."""


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


def by_documents_too(ranking: Ranking, owners: Owners) -> Ranking:
    """Chunks by their similarity and that of the nearest ones of their document. `owners` are those of the chunks in
    the order of the ranking; a chunk that is not in it is not near."""
    if not ranking:
        return []
    chunks, similarities = (np.asarray(column) for column in zip(*ranking, strict=True))
    order = np.argsort(owners.documents, kind="stable")  # within a document, the nearest first
    _, starts, counts = np.unique(owners.documents[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(starts, counts)
    nearest = np.add.reduceat(np.where(place < NEAREST_OF_DOCUMENT, similarities[order], 0.0), starts)
    of_document = np.empty(len(order))
    of_document[order] = np.repeat(nearest, counts)
    of_document /= np.minimum(owners.counts, NEAREST_OF_DOCUMENT)
    scores = (1 - OF_DOCUMENT) * similarities + OF_DOCUMENT * of_document
    best = np.lexsort((chunks, -scores))
    return list(zip(chunks[best].tolist(), scores[best].tolist(), strict=True))


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


# -- What the user says about folders and documents, a sentence each: which of them hold for a path, and what they
# count.
#
# A sentence is read with the query, so changing one needs no new index. It counts a little: a chunk gains a tenth at
# most if what is said about its folders has the words of the query.

MAX_BONUS = 0.1
"""Of the score, for sentences that have all words of the query."""

Factor = Callable[[str], float]
"""Path → the factor on a score."""


def no_bonus(_: str) -> float:
    return 1.0


@dataclass(frozen=True)
class Contexts:
    """Path of a folder or document → the sentence about it; empty for the whole index."""

    sentences: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.sentences)

    def about(self, path: str) -> str:
        """All that is said about a document, from the outermost folder to itself."""
        return " ".join(self.sentences[place] for place in self._places(path) if place in self.sentences)

    def unused(self, documents: Sequence[str]) -> list[str]:
        """Paths that no document has, and no folder of one."""
        known = {place for path in documents for place in self._places(path)}
        return sorted(place for place in self.sentences if place and place not in known)

    def _places(self, path: str) -> Iterator[str]:
        yield ""
        end = path.find("/")
        while end >= 0:
            yield path[:end]
            end = path.find("/", end + 1)
        yield path

    @cached_property
    def _terms(self) -> dict[str, frozenset[str]]:
        """The terms of each sentence except the one about everything, which sets nothing apart."""
        return {place: _terms_of(text) for place, text in self.sentences.items() if place}

    def factors(self, reader: Reader, words: Sequence[WordReading]) -> Factor:
        """Return a score factor for a path; `no_bonus` if no description has a word of the query."""
        asked = shares_of(words)
        telling = {place: found for place, own in self._terms.items() if (found := own & asked.keys())}
        if not telling:
            return no_bonus
        counts, chunks = reader.term_frequencies(asked), reader.chunk_count()

        @cache
        def share(found: frozenset[str]) -> float:
            return covered_share(words, counts, chunks, found)

        def factor(path: str) -> float:
            found = frozenset[str]().union(*(telling[place] for place in self._places(path) if place in telling))
            return 1.0 + MAX_BONUS * share(found) if found else 1.0

        return factor


NO_CONTEXTS = Contexts({})


def _terms_of(sentence: str) -> frozenset[str]:
    return frozenset(terms(sentence)) | frozenset(terms(sentence, language_of(sentence)))
