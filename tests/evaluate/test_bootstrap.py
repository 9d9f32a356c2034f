"""Bootstrap intervals: reproducible, around the mean, narrower with more questions."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.extra.evaluate.metrics import difference, interval

VALUES = [0.0, 1.0, 1.0, 0.5, 0.25, 1.0, 0.0, 0.75]


def test_the_same_values_give_the_same_interval_in_any_process() -> None:
    code = f"from headnote.extra.evaluate.metrics import interval; print(tuple(interval({VALUES})))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == str(tuple(interval(VALUES)))
    assert interval(VALUES, seed=1) != interval(VALUES, seed=2)


def test_intervals_of_few_values() -> None:
    assert interval([]) == (0.0, 0.0, 0.0)
    assert interval([0.3]) == (0.3, 0.3, 0.3)
    assert interval([0.5] * 20) == (0.5, 0.5, 0.5)


def test_more_questions_narrow_the_interval() -> None:
    few, many = interval(VALUES), interval(VALUES * 20)
    assert few.mean == many.mean
    assert many.high - many.low < (few.high - few.low) / 3


def test_the_width_agrees_with_theory() -> None:
    # 400 coin flips: the mean is within 1.96 · 0.5 / √400 of one half.
    coins = interval([0.0, 1.0] * 200)
    assert coins.low == pytest.approx(0.451, abs=0.012)
    assert coins.high == pytest.approx(0.549, abs=0.012)


def test_paired_differences_see_what_two_intervals_do_not() -> None:
    # Questions differ widely; one way is slightly better on each of them.
    others = [number / 40 for number in range(40)]
    values = [other + 0.01 for other in others]
    assert interval(values).low < interval(others).high
    gap = difference(values, others)
    assert gap.is_above_zero
    assert difference(others, values).is_below_zero
    assert not difference(values, values).is_above_zero


def test_paired_values_must_have_one_length() -> None:
    with pytest.raises(ValueError, match="argument"):
        difference([1.0], [1.0, 0.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_mean_is_inside(values: list[float]) -> None:
    result = interval(values, rounds=50)
    assert result.low <= result.mean <= result.high
