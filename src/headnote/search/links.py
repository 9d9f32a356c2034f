"""What good hits link to is worth a look: evidence of the graph, bounded. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

SOURCES = 5
"""How many of the best hits are asked what they link to."""
SHARE = 0.05
"""Part of its score that a hit lends to what it links to."""


class Lent(NamedTuple):
    """What a chunk owes to a link."""

    score: float
    source: int
    """Chunk that has the link."""


def lent_scores(scores: Mapping[int, float], links: Iterable[tuple[int, int]]) -> dict[int, Lent]:
    """Chunk → what the best of those that link to it lends. However many link to it, only that one counts, and no
    chunk overtakes the one that it owes its score to."""
    lent: dict[int, Lent] = {}
    for source, target in links:
        room = scores[source] - scores.get(target, 0.0)
        score = min(SHARE * scores[source], room)
        if score > 0 and (target not in lent or score > lent[target].score):
            lent[target] = Lent(score, source)
    return lent
