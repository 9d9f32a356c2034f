"""Scores become one ranking: fusion, link boosts, recency."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote.search.ranking import (
    BACKLINK_FACTOR,
    DAY,
    LINK_SHARE,
    LinkBoost,
    decay_factor,
    link_boosts,
    rank_scores,
    ranked,
    reciprocal_ranks,
    step_factor,
    weighted_scores,
)

pytest_plugins = ("store_fixtures",)

RANKINGS = st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), max_size=20, unique_by=lambda pair: pair[0]).map(
    lambda pairs: sorted(pairs, key=lambda pair: -pair[1])
)
UNREAD = st.frozensets(st.integers(0, 30))
SCORES = st.dictionaries(st.integers(0, 9), st.floats(0, 1), min_size=1)


# -- fusion


def test_reciprocal_ranks_add_up_with_sixty() -> None:
    scores = reciprocal_ranks([(1, 9.0), (2, 8.0)], [(2, 0.9), (3, 0.8)])
    assert scores == pytest.approx({1: 1 / 61, 2: 1 / 62 + 1 / 61, 3: 1 / 62})
    assert ranked(scores) == [2, 1, 3]


def test_only_the_order_counts_for_ranks() -> None:
    assert reciprocal_ranks([(1, 100.0), (2, 1.0)]) == reciprocal_ranks([(1, 2.0), (2, 1.9)])


def test_weighted_scores_count_by_how_much() -> None:
    scores = weighted_scores([(1, 10.0), (2, 5.0)], [(2, 0.8), (3, 0.4)], coverage=1.0, meaning_share=0.6)
    assert scores == pytest.approx({1: 0.4, 2: 0.2 + 0.48, 3: 0.24})


def test_words_that_cover_little_of_the_query_count_little() -> None:
    sure = weighted_scores([(1, 10.0)], [(2, 0.4)], coverage=1.0, meaning_share=0.5)
    unsure = weighted_scores([(1, 10.0)], [(2, 0.4)], coverage=0.2, meaning_share=0.5)
    assert ranked(sure) == [1, 2]
    assert ranked(unsure) == [2, 1]


@given(ranking=RANKINGS, coverage=st.floats(0.1, 1))
def test_one_ranking_alone_keeps_its_order(ranking: list[tuple[int, float]], coverage: float) -> None:
    assert weighted_scores([], ranking, coverage=0.0, meaning_share=1.0) == dict(ranking)
    by_words = weighted_scores(ranking, [], coverage, meaning_share=0.0)
    order = [by_words[chunk] for chunk, _ in ranking]
    assert order == sorted(order, reverse=True)


@given(keyword=RANKINGS, semantic=RANKINGS, unread=UNREAD, coverage=st.floats(0, 1), share=st.floats(0, 1))
def test_scores_stay_between_0_and_1(
    keyword: list[tuple[int, float]],
    semantic: list[tuple[int, float]],
    unread: frozenset[int],
    coverage: float,
    share: float,
) -> None:
    scores = weighted_scores(keyword, semantic, coverage, share, unread)
    assert scores.keys() == dict(keyword).keys() | dict(semantic).keys()
    assert all(0 <= score <= 1.0000001 for score in scores.values())
    assert scores == weighted_scores(keyword, semantic, coverage, share, unread)


@given(keyword=RANKINGS, semantic=RANKINGS, coverage=st.floats(0, 1), share=st.floats(0, 1))
def test_a_chunk_that_is_better_in_both_rankings_scores_no_less(
    keyword: list[tuple[int, float]], semantic: list[tuple[int, float]], coverage: float, share: float
) -> None:
    words, meaning = dict(keyword), dict(semantic)
    scores = weighted_scores(keyword, semantic, coverage, share)
    for one in scores:
        for other in scores:
            if words.get(one, 0) >= words.get(other, 0) and meaning.get(one, 0) >= meaning.get(other, 0):
                assert scores[one] >= scores[other] - 1e-12


@given(keyword=RANKINGS, semantic=RANKINGS, unread=UNREAD, share=st.floats(0, 1))
def test_a_chunk_that_cannot_be_read_gains_by_its_words_and_others_keep_their_scores(
    keyword: list[tuple[int, float]], semantic: list[tuple[int, float]], unread: frozenset[int], share: float
) -> None:
    plain = weighted_scores(keyword, semantic, 1.0, share)
    scores = weighted_scores(keyword, semantic, 1.0, share, unread)
    for chunk in plain:
        assert scores[chunk] >= plain[chunk] if chunk in unread else scores[chunk] == plain[chunk]


def test_the_best_words_count_as_near_as_the_nearest_chunk_if_the_model_cannot_read_them() -> None:
    keyword, semantic = [(1, 10.0), (2, 5.0), (3, 5.0)], [(3, 0.8)]
    scores = weighted_scores(keyword, semantic, coverage=1.0, meaning_share=0.7, unread={1, 2})
    assert scores == pytest.approx({1: 0.3 + 0.56, 2: 0.15 + 0.28, 3: 0.15 + 0.56})


def test_ties_go_to_the_chunk_stored_first() -> None:
    assert ranked({7: 0.5, 3: 0.5, 9: 0.6}) == [9, 3, 7]


def test_a_chunk_that_is_first_in_every_ranking_scores_1() -> None:
    words, meaning = [(1, 9.0), (2, 8.0)], [(1, 0.9), (3, 0.1)]
    scores = rank_scores(words, meaning)
    assert scores[1] == 1.0
    assert scores[2] == scores[3] == pytest.approx(61 / 62 / 2)
    assert rank_scores(words, [])[1] == 1.0, "a retriever that was not used costs nothing"
    assert rank_scores([], []) == {}


# -- links


def test_a_chunk_boosts_what_it_links_to() -> None:
    assert link_boosts({1: 0.8, 2: 0.4}, [(1, 2), (1, 9)]) == {
        2: LinkBoost(LINK_SHARE * 0.8, 1),
        9: LinkBoost(LINK_SHARE * 0.8, 1),
    }


def test_a_chunk_boosts_less_what_links_to_it() -> None:
    assert link_boosts({1: 0.8}, [], [(1, 2)]) == {
        2: LinkBoost(LINK_SHARE * BACKLINK_FACTOR * 0.8, 1, is_backlink=True)
    }
    assert link_boosts({1: 0.8}, [(1, 2)], [(1, 2)]) == {2: LinkBoost(LINK_SHARE * 0.8, 1)}


def test_only_the_best_source_counts() -> None:
    assert link_boosts({1: 0.8, 2: 0.5}, [(2, 3), (1, 3), (2, 3)]) == {3: LinkBoost(LINK_SHARE * 0.8, 1)}


@given(scores=SCORES, targets=st.lists(st.integers(0, 12), max_size=20))
def test_boosts_are_bounded_and_no_chunk_overtakes_its_source(scores: dict[int, float], targets: list[int]) -> None:
    links = [(source, target) for source in scores for target in targets if source != target]
    for target, boost in link_boosts(scores, links[::2], links[1::2]).items():
        assert 0 < boost.score <= LINK_SHARE
        assert scores.get(target, 0.0) + boost.score <= scores[boost.source] + 1e-12


def test_a_linked_document_becomes_a_hit_with_its_source(tmp_path: Path) -> None:
    (tmp_path / "hub.md").write_text("# Gauges\n\nCalibrate gauges yearly, as [the other page](other.md#deep) says.\n")
    (tmp_path / "other.md").write_text("# Other\n\nNothing.\n\n" + "Filler text here. " * 60 + "\n\n# Deep\n\nZebra.\n")
    with headnote.Index.open(tmp_path, embedder="none", max_tokens=80) as index:
        index.update()
        hits = index.search("calibrate gauges", mode="hybrid")
        assert [hit.path for hit in hits] == ["hub.md", "other.md"]
        assert "Zebra" in hits[1].text, "the section that the link names"
        assert hits[1].why.linked_from == "hub.md:1"
        assert hits[1].score <= LINK_SHARE
        assert [hit.path for hit in index.search("calibrate gauges", mode="keyword")] == ["hub.md"]
        assert [hit.path for hit in index.search("calibrate gauges", path="hub.md")] == ["hub.md"]


@pytest.mark.usefixtures("everywhere")
def test_a_document_that_links_to_a_good_hit_becomes_a_hit(tmp_path: Path) -> None:
    manual = "---\ntitle: Manual\n---\n# Gauges\n\nCalibrate gauges yearly.\n\n# More\n\n" + "Filler text. " * 60
    (tmp_path / "manual.md").write_text(manual)
    (tmp_path / "a.md").write_text("# Notes\n\nZebra, see [gauges](manual.md).\n")
    (tmp_path / "b.md").write_text("# Other notes\n\nQuagga, see [more](manual.md#more).\n")
    with headnote.Index.open(tmp_path, embedder="none", max_tokens=80, min_tokens=0, boundaries="heading") as index:
        index.update()
        hits = index.search("calibrate gauges", mode="hybrid")
        assert [(hit.path, hit.why.links_to) for hit in hits[:2]] == [("manual.md", ""), ("a.md", "manual.md:4")]
        assert "b.md" not in {hit.path for hit in hits}, "it names another section"
        assert hits[1].why.linked_from == ""
        assert 0 < hits[1].why.link_score <= LINK_SHARE * BACKLINK_FACTOR


# -- recency


@pytest.mark.parametrize(("days", "factor"), [(0, 1.2), (6.9, 1.2), (7, 1.1), (29.9, 1.1), (30, 1.0), (4000, 1.0)])
def test_steps_at_seven_and_thirty_days(days: float, factor: float) -> None:
    assert step_factor(days * DAY) == factor


def test_the_bonus_halves_with_each_half_life() -> None:
    assert decay_factor(0, 10) == pytest.approx(1.2)
    assert decay_factor(10 * DAY, 10) == pytest.approx(1.1)
    assert decay_factor(20 * DAY, 10) == pytest.approx(1.05)


@given(age=st.floats(-1e9, 1e12), half_life=st.floats(0.1, 1e4))
def test_the_bonus_is_bounded(age: float, half_life: float) -> None:
    """A file from the future is as new as one of today."""
    assert 1.0 <= decay_factor(age, half_life) <= 1.2
