"""One document must not fill an answer before others have had their say."""

from __future__ import annotations

from collections.abc import Iterable

from headnote.model import Hit

ANOTHER = 0.95
"""What the score of a hit counts when a better one of the same document has come. Less, and sections of long documents
are lost; more, and documents are."""


def best_first(hits: Iterable[Hit]) -> list[Hit]:
    """The best hit of each document as it is, the others a little lower; of equals the one that comes first by path and
    place, whenever it was stored."""
    seen: set[str] = set()
    spread = []
    for hit in sorted(hits, key=_order):
        spread.append(hit._replace(score=hit.score * ANOTHER) if hit.path in seen else hit)
        seen.add(hit.path)
    return sorted(spread, key=_order)


def _order(hit: Hit) -> tuple[float, str, int]:
    return -hit.score, hit.path, hit.start
