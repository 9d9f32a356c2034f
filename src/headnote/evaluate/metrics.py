"""How good a ranking is: pure functions over the retrieved spans, best first, and the gold spans.

There are two views. By characters: how much of the gold was retrieved, and how much else. By rank: how early the gold
appears; here, a passage is right as soon as it shares a character with the gold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from headnote.evaluate.spans import Span, meets, shared, size

# ── by characters ──


def recall(retrieved: Sequence[Span], gold: Sequence[Span]) -> float:
    """The share of the gold that was retrieved."""
    return shared(retrieved, gold) / size(gold)


def precision(retrieved: Sequence[Span], gold: Sequence[Span]) -> float:
    """The share of the retrieved text that is gold. Text retrieved twice is read twice, and counts twice."""
    total = sum(span.length for span in retrieved)
    return shared(retrieved, gold) / total if total else 0.0


def intersection_over_union(retrieved: Sequence[Span], gold: Sequence[Span]) -> float:
    """Both in one: the common text as a share of all that was or should have been retrieved."""
    common = shared(retrieved, gold)
    return common / (sum(span.length for span in retrieved) + size(gold) - common)


def recall_within(retrieved: Sequence[Span], gold: Sequence[Span], budget: int) -> float:
    """Recall of the first `budget` characters, which is fair to large and small passages. The last one is cut."""
    read: list[Span] = []
    left = budget
    for span in retrieved:
        if left <= 0:
            break
        read.append(span._replace(end=min(span.end, span.start + left)))
        left -= span.length
    return recall(read, gold)


# ── by rank ──


def first_rank(retrieved: Sequence[Span], gold: Sequence[Span]) -> int | None:
    """Rank of the first right passage, from 1; None if there is none."""
    return next((rank for rank, span in enumerate(retrieved, 1) if any(meets(span, item) for item in gold)), None)


def hit(retrieved: Sequence[Span], gold: Sequence[Span]) -> float:
    """1 if any passage is right, else 0."""
    return 0.0 if first_rank(retrieved, gold) is None else 1.0


def reciprocal_rank(retrieved: Sequence[Span], gold: Sequence[Span]) -> float:
    """1 if the first passage is right, 1/2 if the second is, …, 0 if none is. The mean of it is MRR."""
    rank = first_rank(retrieved, gold)
    return 1 / rank if rank else 0.0


def items_found(retrieved: Sequence[Span], gold: Sequence[Span]) -> float:
    """The share of gold passages of which anything was retrieved."""
    return sum(first_rank(retrieved, [item]) is not None for item in gold) / len(gold)


def discounted_gain(retrieved: Sequence[Span], gold: Sequence[Span], limit: int) -> float:
    """nDCG of the first `limit`: each gold passage counts once, at its first rank, and less the later that is.

    The ideal is one gold passage at each of the first ranks. A passage that covers two of them would beat that, so the
    result is capped at 1.
    """
    ranks = [first_rank(retrieved[:limit], [item]) for item in gold]
    gain = sum(1 / math.log2(1 + rank) for rank in ranks if rank)
    best = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(gold), limit) + 1))
    return min(gain / best, 1.0)


def cost_to_first(costs: Sequence[int], retrieved: Sequence[Span], gold: Sequence[Span]) -> float:
    """The cost of reading down to the first right passage, or all of them if none is right."""
    return float(sum(costs[: first_rank(retrieved, gold)]))
