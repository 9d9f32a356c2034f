"""How much meaning counts: by model, by length of the query, and by what was found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote.search.ranking import (
    BY_RANK,
    LONG,
    LONG_QUERY_LOSS,
    MEANING_ALONE,
    RELEVANT,
    SHARE,
    SHARES,
    SHORT,
    UNREADABLE,
    WORDS_ALONE,
    Evidence,
    Share,
    share_of_meaning,
)

MODELS = st.sampled_from(["instant:abc", "deep:abc", "minilm:abc:254-32", "openai:small", "own"])


def both(model: str, terms: int, unfinished: int = 0) -> Share:
    """Where words and meaning both found something."""
    return share_of_meaning(model, terms, has_words=True, has_meaning=True, unfinished=unfinished)


def test_a_short_query_counts_meaning_more_than_a_long_one() -> None:
    assert both("deep:abc", 1) == (SHARE, "a short query")
    assert both("deep:abc", SHORT).meaning == SHARE
    longest = both("deep:abc", LONG)
    assert longest.meaning == pytest.approx(SHARE - LONG_QUERY_LOSS)
    assert longest.reason == "a long query"


def test_each_model_has_its_share() -> None:
    assert both("instant:abc", 2).meaning == SHARES["instant"]
    assert both("a model of others", 2).meaning == SHARE


@given(model=MODELS, terms=st.integers(0, 100))
def test_the_share_never_grows_with_the_length_and_leaves_both_a_part(model: str, terms: int) -> None:
    share, longer = (both(model, count).meaning for count in (terms, terms + 1))
    assert longer <= share
    assert 0.4 <= share <= 0.8


@given(terms=st.integers(0, 100))
def test_what_found_something_alone_has_the_whole_weight(terms: int) -> None:
    assert share_of_meaning("", terms, has_words=True, has_meaning=False) == WORDS_ALONE
    assert share_of_meaning("deep:abc", terms, has_words=True, has_meaning=False) == UNREADABLE
    assert share_of_meaning("deep:abc", terms, has_words=False, has_meaning=True) == MEANING_ALONE
    assert WORDS_ALONE.meaning == UNREADABLE.meaning == 0
    assert MEANING_ALONE.meaning == 1


@given(model=MODELS, terms=st.integers(1, 100), data=st.data())
def test_words_count_more_the_more_of_them_are_unfinished(model: str, terms: int, data: st.DataObject) -> None:
    unfinished = data.draw(st.integers(1, terms))
    assert both(model, terms, unfinished).meaning < both(model, terms, unfinished - 1).meaning
    assert both(model, terms, terms).meaning == 0


def test_an_unfinished_word_alone_is_searched_by_words(tmp_path: Path) -> None:
    (tmp_path / "gauges.md").write_text("# Gauges\n\nCalibrate gauges yearly.\n", encoding="utf-8")
    (tmp_path / "other.md").write_text("# Storms\n\nWhen the wind blows, boats stay at home.\n", encoding="utf-8")
    with headnote.Index.open(tmp_path, embedder="instant") as index:
        index.update()
        hits = index.search("calib")
        assert [(hit.path, hit.why.meaning_share) for hit in hits] == [("gauges.md", 0.0)]
        both_words = index.search("yearly calib")
        assert both_words[0].why.meaning_share == pytest.approx(SHARES["instant"] / 2)


@given(model=MODELS, terms=st.integers(1, 100), similarity=st.none() | st.floats(0, 1))
def test_half_of_the_words_of_a_query_are_always_relevant(model: str, terms: int, similarity: float | None) -> None:
    """Whatever the model thinks of them: it may not know a name."""
    assert Evidence(0.5, terms, similarity, model).relevance(counts_words=True) >= RELEVANT


@given(model=MODELS, terms=st.integers(1, 100), similarity=st.floats(0, 0.4))
def test_words_that_are_nowhere_do_not_make_meaning_more_certain(model: str, terms: int, similarity: float) -> None:
    """As near as made-up words are to something."""
    assert Evidence(0.0, terms, similarity, model).relevance(counts_words=True) < RELEVANT


def test_a_long_question_need_not_be_covered_as_a_short_one() -> None:
    assert Evidence(0.2, 6).relevance(counts_words=True) < RELEVANT <= Evidence(0.2, 18).relevance(counts_words=True)
    assert Evidence(0.2, 18, pairs=18).relevance(counts_words=True) < RELEVANT


def test_hits_say_which_share_was_used(tmp_path: Path) -> None:
    (tmp_path / "gauges.md").write_text("# Gauges\n\nCalibrate gauges yearly.\n", encoding="utf-8")
    with headnote.Index.open(tmp_path, embedder="instant") as index:
        index.update()
        (hit,) = index.search("calibrate gauges")
        assert (hit.why.meaning_share, hit.why.share_reason) == (SHARES["instant"], "a short query")
        expected = SHARES["instant"] * hit.why.similarity + (1 - SHARES["instant"])
        assert hit.score == pytest.approx(expected), "its words are the best, and cover the query"
        (by_rank,) = index.search("calibrate gauges", fusion="rrf")
        assert by_rank.why.share_reason == BY_RANK.reason
        (by_words,) = index.search("calibrate gauges", mode="keyword")
        assert (by_words.why.meaning_share, by_words.score) == (0.0, 1.0)


def test_a_text_that_the_model_cannot_read_is_found_by_its_words(tmp_path: Path) -> None:
    """Beside texts that it can read, which mention the word in passing."""
    (tmp_path / "ja.md").write_text("# kubectl\n\nこれは kubectl の使い方についての説明です。\n", encoding="utf-8")
    for number in range(5):
        text = f"# Notes {number}\n\nOn day {number} we looked at several tools, among them kubectl, and at others.\n"
        (tmp_path / f"{number}.md").write_text(text, encoding="utf-8")
    with headnote.Index.open(tmp_path, embedder="instant") as index:
        index.update()
        assert index.search("kubectl")[0].path == "ja.md"
