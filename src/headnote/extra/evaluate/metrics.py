"""How good a ranking is: pure functions over the retrieved spans, best first, and the gold spans.

There are two views. By characters: how much of the gold was retrieved, and how much else. By rank: how early the gold
appears; here, a passage is right as soon as it shares a character with the gold.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

# -- Ranges of characters in documents, and how much two sets of them share. Pure functions.


class TextSpan(NamedTuple):
    """Characters `start` to `end` of a document, the last not included."""

    path: str
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


def meets(one: TextSpan, other: TextSpan) -> bool:
    """Whether they have at least one character in common."""
    return one.path == other.path and max(one.start, other.start) < min(one.end, other.end)


def union(spans: Iterable[TextSpan]) -> list[TextSpan]:
    """The same characters as sorted spans that neither overlap nor touch."""
    merged: list[TextSpan] = []
    for span in sorted(span for span in spans if span.length > 0):
        last = merged[-1] if merged else None
        if last is not None and last.path == span.path and span.start <= last.end:
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def size(spans: Iterable[TextSpan]) -> int:
    """Number of characters. Those in several spans count once."""
    return sum(span.length for span in union(spans))


def shared(some: Sequence[TextSpan], others: Sequence[TextSpan]) -> int:
    """Number of characters in both, each counted once."""
    return size(some) + size(others) - size([*some, *others])


# ── by characters ──


def recall(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan]) -> float:
    """The share of the gold that was retrieved."""
    return shared(retrieved, gold) / size(gold)


def precision(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan]) -> float:
    """The share of the retrieved text that is gold. Text retrieved twice is read twice, and counts twice."""
    total = sum(span.length for span in retrieved)
    return shared(retrieved, gold) / total if total else 0.0


def intersection_over_union(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan]) -> float:
    """Both in one: the common text as a share of all that was or should have been retrieved."""
    common = shared(retrieved, gold)
    return common / (sum(span.length for span in retrieved) + size(gold) - common)


def recall_within(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan], budget: int) -> float:
    """Recall of the first `budget` characters, which is fair to large and small passages. The last one is cut."""
    read: list[TextSpan] = []
    left = budget
    for span in retrieved:
        if left <= 0:
            break
        read.append(span._replace(end=min(span.end, span.start + left)))
        left -= span.length
    return recall(read, gold)


# ── by rank ──


def first_rank(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan]) -> int | None:
    """Rank of the first right passage, from 1; None if there is none."""
    return next((rank for rank, span in enumerate(retrieved, 1) if any(meets(span, item) for item in gold)), None)


def hit(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan]) -> float:
    """1 if any passage is right, else 0."""
    return 0.0 if first_rank(retrieved, gold) is None else 1.0


def reciprocal_rank(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan]) -> float:
    """1 if the first passage is right, 1/2 if the second is, …, 0 if none is. The mean of it is MRR."""
    rank = first_rank(retrieved, gold)
    return 1 / rank if rank else 0.0


def items_found(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan]) -> float:
    """The share of gold passages of which anything was retrieved."""
    return sum(first_rank(retrieved, [item]) is not None for item in gold) / len(gold)


def discounted_gain(retrieved: Sequence[TextSpan], gold: Sequence[TextSpan], limit: int) -> float:
    """nDCG of the first `limit`: each gold passage counts once, at its first rank, and less the later that is.

    The ideal is one gold passage at each of the first ranks. A passage that covers two of them would beat that, so the
    result is capped at 1.
    """
    ranks = [first_rank(retrieved[:limit], [item]) for item in gold]
    gain = sum(1 / math.log2(1 + rank) for rank in ranks if rank)
    best = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(gold), limit) + 1))
    return min(gain / best, 1.0)


def cost_to_first(costs: Sequence[int], retrieved: Sequence[TextSpan], gold: Sequence[TextSpan]) -> float:
    """The cost of reading down to the first right passage, or all of them if none is right."""
    return float(sum(costs[: first_rank(retrieved, gold)]))


# -- How certain a mean is: bootstrap intervals. The same values give the same interval on every machine.


ROUNDS = 1000
SEED = 5
LEVEL = 0.95


class Interval(NamedTuple):
    """A mean and its 95 % interval: where it would be in 95 of 100 cases, with other questions of the same kind."""

    mean: float
    low: float
    high: float

    @property
    def is_above_zero(self) -> bool:
        """For a difference: whether it is more than chance."""
        return self.low > 0

    @property
    def is_below_zero(self) -> bool:
        return self.high < 0


def interval(values: Sequence[float], rounds: int = ROUNDS, seed: int = SEED) -> Interval:
    """The interval of the mean, by resampling the values with replacement."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Interval(mean, mean, mean)
    means = sorted(sum(draw(values)) / len(values) for draw in _draws(len(values), rounds, seed))
    cut = round(len(means) * (1 - LEVEL) / 2)
    # Sums in another order may differ in the last digit, but the mean must stay inside.
    return Interval(mean, min(means[cut], mean), max(means[-1 - cut], mean))


def difference(values: Sequence[float], others: Sequence[float], rounds: int = ROUNDS, seed: int = SEED) -> Interval:
    """The interval of the paired difference `values` − `others`, which cancels out how hard each question is."""
    return interval([value - other for value, other in zip(values, others, strict=True)], rounds, seed)


@lru_cache(maxsize=8)
def _draws(count: int, rounds: int, seed: int) -> list[Callable[[Sequence[float]], tuple[float, ...]]]:
    """The resamplings, shared by all metrics of a question set because drawing takes most of the time."""
    generator = random.Random(seed)
    positions = range(count)
    return [itemgetter(*generator.choices(positions, k=count)) for _ in range(rounds)]
