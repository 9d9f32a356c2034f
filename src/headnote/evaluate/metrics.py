"""How good a ranking is, given what it should have found. Pure functions over places, best first.

Two views. By characters: how much of the gold was given, and how much else. By rank: how soon something of the gold
came; there, a passage counts as soon as it shares a character with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from headnote.evaluate.spans import Span, meets, shared, size

# -- by characters


def recall(found: Sequence[Span], gold: Sequence[Span]) -> float:
    """The part of the gold that was found."""
    return shared(found, gold) / size(gold)


def precision(found: Sequence[Span], gold: Sequence[Span]) -> float:
    """The part of what was found that is gold. What is given twice is read twice, and counts twice."""
    given = sum(span.length for span in found)
    return shared(found, gold) / given if given else 0.0


def intersection_over_union(found: Sequence[Span], gold: Sequence[Span]) -> float:
    """Both in one: what is shared, as a part of all that was given or should have been."""
    common = shared(found, gold)
    return common / (sum(span.length for span in found) + size(gold) - common)


def recall_within(found: Sequence[Span], gold: Sequence[Span], budget: int) -> float:
    """Recall of the first so many characters: fair between large pieces and small ones. The last piece is cut."""
    kept: list[Span] = []
    left = budget
    for span in found:
        if left <= 0:
            break
        kept.append(span._replace(end=min(span.end, span.start + left)))
        left -= span.length
    return recall(kept, gold)


# -- by rank


def first_rank(found: Sequence[Span], gold: Sequence[Span]) -> int | None:
    """Place of the first that is right, from 1; None if none is."""
    return next((rank for rank, span in enumerate(found, 1) if any(meets(span, item) for item in gold)), None)


def hit(found: Sequence[Span], gold: Sequence[Span]) -> float:
    """1 if anything of the gold is among them."""
    return 0.0 if first_rank(found, gold) is None else 1.0


def reciprocal_rank(found: Sequence[Span], gold: Sequence[Span]) -> float:
    """1 for the first place, 1/2 for the second, …, 0 for none. Its mean is MRR."""
    rank = first_rank(found, gold)
    return 1 / rank if rank else 0.0


def items_found(found: Sequence[Span], gold: Sequence[Span]) -> float:
    """The part of the gold passages of which anything was found."""
    return sum(first_rank(found, [item]) is not None for item in gold) / len(gold)


def discounted_gain(found: Sequence[Span], gold: Sequence[Span], limit: int) -> float:
    """nDCG of the first `limit`: each gold passage counts once, where it is found first, and less the later that is.

    Best possible is one gold passage at each of the first ranks. A piece that has two of them at once would be better
    than that, so 1 is the most.
    """
    ranks = [first_rank(found[:limit], [item]) for item in gold]
    gain = sum(1 / math.log2(1 + rank) for rank in ranks if rank)
    best = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(gold), limit) + 1))
    return min(gain / best, 1.0)


def cost_to_first(costs: Sequence[int], found: Sequence[Span], gold: Sequence[Span]) -> float:
    """What is read down to the first that is right; all of it if none is."""
    return float(sum(costs[: first_rank(found, gold)]))
