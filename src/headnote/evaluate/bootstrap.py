"""How sure a mean is: bootstrap intervals. The same values give the same interval, on any machine."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

ROUNDS = 1000
SEED = 5
LEVEL = 0.95


class Interval(NamedTuple):
    """A mean, and between which values it would lie, 95 times of 100, with other questions of the same kind."""

    mean: float
    low: float
    high: float

    @property
    def is_above_zero(self) -> bool:
        """Of a difference: whether it is more than chance."""
        return self.low > 0

    @property
    def is_below_zero(self) -> bool:
        return self.high < 0


def interval(values: Sequence[float], rounds: int = ROUNDS, seed: int = SEED) -> Interval:
    """Of the mean, by drawing as many values again and again, with replacement."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Interval(mean, mean, mean)
    means = sorted(sum(draw(values)) / len(values) for draw in _draws(len(values), rounds, seed))
    cut = round(len(means) * (1 - LEVEL) / 2)
    # A sum in another order may differ in the last digit, and the mean must lie inside.
    return Interval(mean, min(means[cut], mean), max(means[-1 - cut], mean))


def difference(values: Sequence[float], others: Sequence[float], rounds: int = ROUNDS, seed: int = SEED) -> Interval:
    """Of `values` minus `others`, question by question: what makes a question hard for both is taken out."""
    return interval([value - other for value, other in zip(values, others, strict=True)], rounds, seed)


@lru_cache(maxsize=8)
def _draws(count: int, rounds: int, seed: int) -> list[Callable[[Sequence[float]], tuple[float, ...]]]:
    """The same draws for all metrics of a set: drawing is what takes time."""
    chance = random.Random(seed)
    everything = range(count)
    return [itemgetter(*chance.choices(everything, k=count)) for _ in range(rounds)]
