"""Metrics: examples worked out by hand, and properties of any ranking."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.extra.evaluate import metrics
from headnote.extra.evaluate.metrics import TextSpan, meets, shared, size, union

GOLD = [TextSpan("a.md", 100, 200)]


def spans_of(*ranges: tuple[int, int], path: str = "a.md") -> list[TextSpan]:
    return [TextSpan(path, start, end) for start, end in ranges]


def test_union_counts_every_character_once() -> None:
    assert union(spans_of((0, 10), (5, 20), (20, 30), (40, 50))) == spans_of((0, 30), (40, 50))
    assert size(spans_of((0, 10), (5, 20))) == 20
    assert size([*spans_of((0, 10)), *spans_of((0, 10), path="b.md")]) == 20
    assert union(spans_of((5, 5))) == []


def test_spans_that_only_touch_share_nothing() -> None:
    assert not meets(TextSpan("a.md", 0, 10), TextSpan("a.md", 10, 20))
    assert meets(TextSpan("a.md", 0, 11), TextSpan("a.md", 10, 20))
    assert not meets(TextSpan("a.md", 0, 11), TextSpan("b.md", 0, 11))
    assert shared(spans_of((0, 10)), spans_of((10, 20))) == 0


def test_characters_by_hand() -> None:
    # 60 of 100 gold characters are retrieved, among 100 + 10.
    retrieved = spans_of((60, 160), (0, 10))
    assert metrics.recall(retrieved, GOLD) == 0.6
    assert metrics.precision(retrieved, GOLD) == 60 / 110
    assert metrics.intersection_over_union(retrieved, GOLD) == 60 / (110 + 100 - 60)


def test_text_retrieved_twice_counts_twice() -> None:
    once, twice = spans_of((100, 200)), spans_of((100, 200), (100, 200))
    assert metrics.recall(twice, GOLD) == metrics.recall(once, GOLD) == 1.0
    assert metrics.precision(twice, GOLD) == 0.5
    assert metrics.intersection_over_union(twice, GOLD) == 0.5


def test_a_budget_cuts_the_last_piece() -> None:
    retrieved = spans_of((0, 50), (100, 200))
    assert metrics.recall_within(retrieved, GOLD, 50) == 0.0
    assert metrics.recall_within(retrieved, GOLD, 80) == 0.3
    assert metrics.recall_within(retrieved, GOLD, 1000) == 1.0


def test_ranks_by_hand() -> None:
    retrieved = spans_of((0, 50), (50, 100), (150, 160))
    assert metrics.first_rank(retrieved, GOLD) == 3
    assert metrics.reciprocal_rank(retrieved, GOLD) == 1 / 3
    assert metrics.hit(retrieved, GOLD) == 1.0
    assert metrics.hit(retrieved[:2], GOLD) == 0.0
    assert metrics.reciprocal_rank([], GOLD) == 0.0


def test_discounted_gain_by_hand() -> None:
    gold = spans_of((0, 10), (100, 110))
    # The gold passages are at ranks 1 and 3; ideal are ranks 1 and 2.
    retrieved = spans_of((0, 10), (50, 60), (100, 110))
    expected = (1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert metrics.discounted_gain(retrieved, gold, 5) == pytest.approx(expected)
    assert metrics.discounted_gain(spans_of((0, 10), (100, 110)), gold, 5) == 1.0
    # One passage that covers both is capped at 1; one of two is not perfect.
    assert metrics.discounted_gain(spans_of((0, 200)), gold, 5) == 1.0
    assert metrics.discounted_gain(spans_of((0, 10)), gold, 5) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert metrics.discounted_gain(retrieved, gold, 1) == 1.0


def test_gold_passages_count_separately() -> None:
    gold = spans_of((0, 10), (100, 110))
    assert metrics.items_found(spans_of((0, 5)), gold) == 0.5
    assert metrics.items_found(spans_of((0, 5), (109, 120)), gold) == 1.0


def test_cost_to_the_first_right_passage() -> None:
    retrieved = spans_of((0, 50), (120, 130), (130, 140))
    assert metrics.cost_to_first([7, 11, 13], retrieved, GOLD) == 18
    assert metrics.cost_to_first([7], retrieved[:1], GOLD) == 7
    assert metrics.cost_to_first([], [], GOLD) == 0


SPANS = st.builds(
    lambda path, start, length: TextSpan(path, start, start + length),
    st.sampled_from(["a.md", "b.md"]),
    st.integers(0, 60),
    st.integers(1, 30),
)
RETRIEVED = st.lists(SPANS, max_size=8)
SOME_GOLD = st.lists(SPANS, min_size=1, max_size=4)


@given(RETRIEVED, SOME_GOLD, st.integers(1, 10))
def test_everything_is_between_0_and_1(retrieved: list[TextSpan], gold: list[TextSpan], limit: int) -> None:
    for value in (
        metrics.recall(retrieved, gold),
        metrics.precision(retrieved, gold),
        metrics.intersection_over_union(retrieved, gold),
        metrics.recall_within(retrieved, gold, 40),
        metrics.hit(retrieved, gold),
        metrics.reciprocal_rank(retrieved, gold),
        metrics.items_found(retrieved, gold),
        metrics.discounted_gain(retrieved, gold, limit),
    ):
        assert 0.0 <= value <= 1.0


@given(RETRIEVED, SOME_GOLD, SPANS)
def test_more_passages_never_find_less(retrieved: list[TextSpan], gold: list[TextSpan], more: TextSpan) -> None:
    longer = [*retrieved, more]
    for metric in (metrics.recall, metrics.hit, metrics.reciprocal_rank, metrics.items_found):
        assert metric(longer, gold) >= metric(retrieved, gold)
    assert metrics.discounted_gain(longer, gold, 20) >= metrics.discounted_gain(retrieved, gold, 20)


@given(RETRIEVED, SOME_GOLD, st.integers(0, 100), st.integers(0, 100))
def test_a_larger_budget_never_finds_less(
    retrieved: list[TextSpan], gold: list[TextSpan], budget: int, more: int
) -> None:
    assert metrics.recall_within(retrieved, gold, budget + more) >= metrics.recall_within(retrieved, gold, budget)


@given(SOME_GOLD)
def test_the_gold_itself_is_perfect(gold: list[TextSpan]) -> None:
    exact = union(gold)
    assert metrics.recall(exact, gold) == metrics.precision(exact, gold) == 1.0
    assert metrics.intersection_over_union(exact, gold) == 1.0
    assert metrics.reciprocal_rank(exact, gold) == 1.0


@given(RETRIEVED, SOME_GOLD)
def test_shared_characters_are_those_in_both(retrieved: list[TextSpan], gold: list[TextSpan]) -> None:
    def characters(spans: list[TextSpan]) -> set[tuple[str, int]]:
        return {(span.path, at) for span in spans for at in range(span.start, span.end)}

    assert shared(retrieved, gold) == len(characters(retrieved) & characters(gold))
