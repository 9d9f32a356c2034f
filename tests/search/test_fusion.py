"""Two rankings become one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.search.fusion import rank_scores, ranked, reciprocal_ranks, weighted_scores

RANKINGS = st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), max_size=20, unique_by=lambda pair: pair[0]).map(
    lambda pairs: sorted(pairs, key=lambda pair: -pair[1])
)


def test_reciprocal_ranks_add_up_with_sixty() -> None:
    scores = reciprocal_ranks([(1, 9.0), (2, 8.0)], [(2, 0.9), (3, 0.8)])
    assert scores == pytest.approx({1: 1 / 61, 2: 1 / 62 + 1 / 61, 3: 1 / 62})
    assert ranked(scores) == [2, 1, 3]


def test_only_the_order_counts_for_ranks() -> None:
    assert reciprocal_ranks([(1, 100.0), (2, 1.0)]) == reciprocal_ranks([(1, 2.0), (2, 1.9)])


def test_weighted_scores_count_by_how_much() -> None:
    scores = weighted_scores([(1, 10.0), (2, 5.0)], [(2, 0.8), (3, 0.4)], coverage=1.0, semantic_share=0.5)
    assert scores == pytest.approx({1: 0.5, 2: 0.25 + 0.4, 3: 0.2})


def test_words_that_say_little_of_the_query_count_little() -> None:
    sure = weighted_scores([(1, 10.0)], [(2, 0.4)], coverage=1.0)
    unsure = weighted_scores([(1, 10.0)], [(2, 0.4)], coverage=0.2)
    assert ranked(sure) == [1, 2]
    assert ranked(unsure) == [2, 1]


@given(ranking=RANKINGS)
def test_one_ranking_alone_keeps_its_order_and_has_all_the_say(ranking: list[tuple[int, float]]) -> None:
    assert weighted_scores([], ranking, coverage=0.0) == dict(ranking)
    by_words = weighted_scores(ranking, [], coverage=1.0)
    order = [by_words[chunk] for chunk, _ in ranking]
    assert order == sorted(order, reverse=True)


@given(keyword=RANKINGS, semantic=RANKINGS, coverage=st.floats(0, 1))
def test_scores_stay_between_nothing_and_all(
    keyword: list[tuple[int, float]], semantic: list[tuple[int, float]], coverage: float
) -> None:
    scores = weighted_scores(keyword, semantic, coverage)
    assert scores.keys() == dict(keyword).keys() | dict(semantic).keys()
    assert all(0 <= score <= 1.0000001 for score in scores.values())


def test_of_equals_the_first_stored_comes_first() -> None:
    assert ranked({7: 0.5, 3: 0.5, 9: 0.6}) == [9, 3, 7]


def test_ranks_as_scores_are_one_for_what_is_first_everywhere() -> None:
    words, meaning = [(1, 9.0), (2, 8.0)], [(1, 0.9), (3, 0.1)]
    scores = rank_scores(words, meaning)
    assert scores[1] == 1.0
    assert scores[2] == scores[3] == pytest.approx(61 / 62 / 2)
    assert rank_scores(words, [])[1] == 1.0, "a way of looking that was not taken costs nothing"
    assert rank_scores([], []) == {}
