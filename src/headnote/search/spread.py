"""One document must not fill an answer before others have had their say."""

from __future__ import annotations

from collections.abc import Iterable

from headnote.model import Hit

ANOTHER = 0.95
"""Of the score of a hit, when a better one of the same document has come. With less, sections of long documents are
lost; with more, documents are. Where only one way of looking was asked for, or ranks, their order is left alone."""


def best_first(hits: Iterable[Hit], another: float) -> list[Hit]:
    """The best hit of each document as it is, the others with so much of their score; of equals the one that comes
    first by path and place, whenever it was stored."""
    seen: set[str] = set()
    spread = []
    for hit in sorted(hits, key=_order):
        spread.append(hit._replace(score=hit.score * another) if hit.path in seen else hit)
        seen.add(hit.path)
    return sorted(spread, key=_order)


def _order(hit: Hit) -> tuple[float, str, int]:
    return -hit.score, hit.path, hit.start
