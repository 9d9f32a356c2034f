"""What a query is about."""

from __future__ import annotations

import pytest

from headnote.search.terms import content_terms, coverage, rarity


def test_words_that_hold_a_question_together_are_left_out() -> None:
    assert content_terms("How do I calibrate the gauge?") == content_terms("calibrate gauge")


@pytest.mark.parametrize("query", ["to be or not to be", "how", "the who"])
def test_unless_there_is_nothing_else(query: str) -> None:
    assert content_terms(query)


def test_a_rare_word_tells_more() -> None:
    weights = rarity({"gauge": 900, "datum": 2, "xyzzy": 0}, 1000)
    assert weights["gauge"] < weights["datum"] < weights["xyzzy"]
    assert coverage(weights, {"gauge"}) < 0.1 < coverage(weights, {"datum", "xyzzy"})


def test_coverage_goes_from_nothing_to_all() -> None:
    weights = rarity({"a": 1, "b": 5}, 10)
    assert coverage(weights, set()) == 0
    assert coverage(weights, {"a", "b", "c"}) == 1
    assert coverage({}, {"a"}) == 0
