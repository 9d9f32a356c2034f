"""Which ranked hits are returned, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote import Hit
from headnote.search.selection import REPEAT_FACTOR, SeenTexts, best_first

LONG = " ".join(f"word{number}" for number in range(600))


# -- order


def hit(path: str, score: float, start: int = 0) -> Hit:
    return Hit(
        path=path,
        start_line=1,
        end_line=1,
        breadcrumb="",
        title="",
        text="",
        score=score,
        id="",
        key="",
        tokens=0,
        start=start,
        end=start + 1,
    )


def test_another_hit_of_a_document_counts_a_little_less() -> None:
    hits = best_first([hit("a", 0.80), hit("a", 0.78, 5), hit("a", 0.60, 9), hit("b", 0.76)], REPEAT_FACTOR)
    assert [(one.path, one.start, one.score) for one in hits] == [
        ("a", 0, 0.80),
        ("b", 0, 0.76),
        ("a", 5, 0.78 * REPEAT_FACTOR),
        ("a", 9, 0.60 * REPEAT_FACTOR),
    ]


def test_hits_that_are_much_better_stay_in_front() -> None:
    hits = best_first([hit("b", 0.4), hit("a", 0.8), hit("a", 0.7, 5)], REPEAT_FACTOR)
    assert [(one.path, one.start) for one in hits] == [("a", 0), ("a", 5), ("b", 0)]


def test_an_order_can_be_left_alone() -> None:
    hits = best_first([hit("a", 0.80), hit("b", 0.76), hit("a", 0.78, 5)], 1.0)
    assert [one.score for one in hits] == [0.80, 0.78, 0.76]


def test_ties_come_by_path_and_position() -> None:
    assert [one.path for one in best_first([hit("c", 0.5), hit("a", 0.5), hit("b", 0.5)], REPEAT_FACTOR)] == [
        "a",
        "b",
        "c",
    ]
    assert [one.start for one in best_first([hit("a", 0.5, 7), hit("a", 0.5, 3)], REPEAT_FACTOR)] == [3, 7]
    assert best_first([], REPEAT_FACTOR) == []


# -- duplicates


def seen(*texts: str) -> SeenTexts:
    entries = SeenTexts()
    for text in texts:
        entries.add(text)
    return entries


@given(st.text(max_size=60))
def test_whitespace_makes_no_difference(text: str) -> None:
    assert seen("other", text).has("  ".join(["", *text.split(), ""]))


def test_a_text_that_differs_in_one_word_is_a_duplicate() -> None:
    assert seen(LONG).has(LONG.replace("word60", "changed"))
    assert seen(LONG).has(LONG + " and more")


@pytest.mark.parametrize("other", [LONG.replace("word1", "x"), LONG[: len(LONG) // 2], "word1 word2", ""])
def test_a_text_that_differs_in_more_is_none(other: str) -> None:
    assert not seen(LONG).has(other)


def test_short_texts_must_be_equal() -> None:
    assert not seen("version 1").has("version 2")


def test_pages_of_two_versions_are_found_once(tmp_path: Path) -> None:
    for version in (1, 2):
        (tmp_path / f"v{version}.md").write_text(f"# Install\n\nInstall release {version} so: {LONG}\n")
    with headnote.Index.open(tmp_path, embedder="none", max_tokens=4000) as index:
        index.update()
        assert [hit.path for hit in index.search("install word7")] == ["v1.md"]
