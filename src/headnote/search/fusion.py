"""Two rankings → one. Pure functions: (chunk, score) pairs, best first, in; chunk → score out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Ranking = Sequence[tuple[int, float]]
"""Chunks with their scores, best first."""

RANK_CONSTANT = 60
"""Of reciprocal rank fusion: the larger, the less the very first ranks stand out."""
SEMANTIC_SHARE = 0.5
"""What meaning counts where there are both. Measured from 0.3 to 0.7: in the middle, no kind of question suffers."""


def reciprocal_ranks(*rankings: Ranking, constant: int = RANK_CONSTANT) -> dict[int, float]:
    """Reciprocal rank fusion: only the order counts, never by how much one chunk beats another."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, (chunk, _) in enumerate(ranking, 1):
            scores[chunk] = scores.get(chunk, 0.0) + 1 / (constant + rank)
    return scores


def rank_scores(*rankings: Ranking) -> dict[int, float]:
    """The same from 0 to 1: the share of what a chunk would have that is first in every ranking."""
    rankings = tuple(filter(None, rankings))
    most = len(rankings) / (RANK_CONSTANT + 1)
    return {chunk: score / most for chunk, score in reciprocal_ranks(*rankings).items()}


def weighted_scores(
    keyword: Ranking, semantic: Ranking, coverage: float, semantic_share: float = SEMANTIC_SHARE
) -> dict[int, float]:
    """Both scores added up, so that it counts by how much a chunk is better. The sum is comparable between queries.

    A cosine says something by itself and is taken as it is. A score by words does not, so it is taken as a part of the
    best, and the best is worth as much as it says of what was asked: `coverage`. Where only one way of looking was
    taken or has found anything, it has all the say.
    """
    if not keyword or not semantic:
        semantic_share = 1.0 if semantic else 0.0
    best = max((score for _, score in keyword), default=0.0) or 1.0
    scores = {chunk: semantic_share * similarity for chunk, similarity in semantic}
    for chunk, score in keyword:
        scores[chunk] = scores.get(chunk, 0.0) + (1 - semantic_share) * coverage * score / best
    return scores


def ranked(scores: Mapping[int, float]) -> list[int]:
    """Chunks, best first; of equals the one that was stored first, so that the order is the same every time."""
    return sorted(scores, key=lambda chunk: (-scores[chunk], chunk))
