"""What good hits link to, and what links to them, is worth a look: evidence of the graph, bounded. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

SOURCES = 5
"""How many of the best hits are asked what they link to, and what links to them."""
SHARE = 0.05
"""Part of its score that a hit lends to what it links to."""
RANK_SHARE = 1 / 62
"""The same where scores are ranks: about one place at the top."""
BACK = 0.2
"""What a link is worth against its direction. Measured on what links say: with as much as forwards, the pages that name
a thing in passing come before the page about it."""


class Lent(NamedTuple):
    """What a chunk owes to a link."""

    score: float
    source: int
    """The better chunk that lends it."""
    is_back: bool = False
    """Whether the chunk itself has the link, and the better one is where it leads."""


def link_boosts(
    scores: Mapping[int, float],
    links: Iterable[tuple[int, int]],
    backlinks: Iterable[tuple[int, int]] = (),
    share: float = SHARE,
) -> dict[int, Lent]:
    """Chunk → what the best of its neighbours lends. However many there are, only that one counts, and no chunk
    overtakes the one that it owes its score to. Pairs begin with the chunk that lends."""
    edges = [*((pair, False) for pair in links), *((pair, True) for pair in backlinks)]
    lent: dict[int, Lent] = {}
    for (source, target), is_back in edges:
        room = scores[source] - scores.get(target, 0.0)
        score = min(share * scores[source] * (BACK if is_back else 1.0), room)
        if score > 0 and (target not in lent or score > lent[target].score):
            lent[target] = Lent(score, source, is_back)
    return lent
