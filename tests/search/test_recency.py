"""A bonus for what is new, within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.search.recency import DAY, decay_factor, step_factor


@pytest.mark.parametrize(("days", "factor"), [(0, 1.2), (6.9, 1.2), (7, 1.1), (29.9, 1.1), (30, 1.0), (4000, 1.0)])
def test_steps_at_seven_and_thirty_days(days: float, factor: float) -> None:
    assert step_factor(days * DAY) == factor


def test_half_of_the_bonus_is_left_after_the_half_life() -> None:
    assert decay_factor(0, 10) == pytest.approx(1.2)
    assert decay_factor(10 * DAY, 10) == pytest.approx(1.1)
    assert decay_factor(20 * DAY, 10) == pytest.approx(1.05)


@given(age=st.floats(-1e9, 1e12), half_life=st.floats(0.1, 1e4))
def test_it_never_drowns_relevance(age: float, half_life: float) -> None:
    """A file from the future is as new as one of today."""
    assert 1.0 <= decay_factor(age, half_life) <= 1.2
