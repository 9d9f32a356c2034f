"""Scores → one ranking: two rankings fused, then link boosts, then a recency factor.

Pure functions. A ranking is (chunk, score) pairs, best first; scores map a chunk to a number.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

Ranking = Sequence[tuple[int, float]]
"""Chunks with their scores, best first."""

_Found = TypeVar("_Found", bound=Hashable)

RANK_CONSTANT = 60
"""Of reciprocal rank fusion: the larger, the less the very first ranks stand out."""

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
"""Preset → its recency, if it has one: a search uses it unless somebody says otherwise."""


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
    most = SHARES.get(model.partition(":")[0], SHARE)
    length = min(max((terms - SHORT) / (LONG - SHORT), 0.0), 1.0)
    share = most - LONG_QUERY_LOSS * length
    if unfinished:
        return Share(share * (terms - unfinished) / terms, "a word is unfinished")
    return Share(share, "a long query" if length else "a short query")
