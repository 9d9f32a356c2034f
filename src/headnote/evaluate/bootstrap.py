"""How certain a mean is: bootstrap intervals. The same values give the same interval on every machine."""

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
