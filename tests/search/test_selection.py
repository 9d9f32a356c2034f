"""Which ranked hits are returned, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headnote
from headnote.search.selection import (
    REPEAT_FACTOR,
    RUN_LENGTH,
    SHARED_RUNS,
    SHARED_WORDS,
    Candidate,
    SeenTexts,
    _overlap,
    best_first,
)

LONG = " ".join(f"word{number}" for number in range(600))


# -- order


def hit(path: str, score: float, chunk: int = 0) -> Candidate:
    return Candidate(-score, path, chunk)


def test_another_hit_of_a_document_counts_a_little_less() -> None:
    hits = best_first([hit("a", 0.80), hit("a", 0.78, 5), hit("a", 0.60, 9), hit("b", 0.76)], REPEAT_FACTOR)
    assert [(one.path, one.chunk, one.score) for one in hits] == [
        ("a", 0, 0.80),
        ("b", 0, 0.76),
        ("a", 5, 0.78 * REPEAT_FACTOR),
        ("a", 9, 0.60 * REPEAT_FACTOR),
    ]


def test_hits_that_are_much_better_stay_in_front() -> None:
    hits = best_first([hit("b", 0.4), hit("a", 0.8), hit("a", 0.7, 5)], REPEAT_FACTOR)
    assert [(one.path, one.chunk) for one in hits] == [("a", 0), ("a", 5), ("b", 0)]


def test_an_order_can_be_left_alone() -> None:
    hits = best_first([hit("a", 0.80), hit("b", 0.76), hit("a", 0.78, 5)], 1.0)
    assert [one.score for one in hits] == [0.80, 0.78, 0.76]


def test_ties_come_by_path_and_position() -> None:
    assert [one.path for one in best_first([hit("c", 0.5), hit("a", 0.5), hit("b", 0.5)], REPEAT_FACTOR)] == [
        "a",
        "b",
        "c",
    ]
    assert [one.chunk for one in best_first([hit("a", 0.5, 7), hit("a", 0.5, 3)], REPEAT_FACTOR)] == [3, 7]
    assert best_first([], REPEAT_FACTOR) == []


# -- duplicates


def seen(*texts: str) -> SeenTexts:
    entries = SeenTexts()
    for text in texts:
        entries.add(text, key=text)
    return entries


@given(st.text(max_size=60))
def test_whitespace_makes_no_difference(text: str) -> None:
    assert seen("other", text).original_of("  ".join(["", *text.split(), ""])) in (text, "other")


def test_a_text_that_differs_in_one_word_is_a_duplicate() -> None:
    assert seen("other", LONG).original_of(LONG.replace("word60", "changed")) == LONG
    assert seen("other", LONG).original_of(LONG + " and more") == LONG


@pytest.mark.parametrize("other", [LONG.replace("word1", "x"), LONG[: len(LONG) // 2], "word1 word2", ""])
def test_a_text_that_differs_in_more_is_none(other: str) -> None:
    assert seen(LONG).original_of(other) is None


def test_short_texts_must_be_equal() -> None:
    assert seen("version 1").original_of("version 2") is None


def is_near_copy(one: str, other: str) -> bool:
    """What a duplicate is, by definition."""

    def are_alike(ours: frozenset[str], theirs: frozenset[str], least: float) -> bool:
        return len(ours & theirs) >= least * len(ours | theirs)

    def runs(words: list[str]) -> frozenset[str]:
        return frozenset(" ".join(words[at : at + RUN_LENGTH]) for at in range(max(len(words) - RUN_LENGTH, 0) + 1))

    ours, theirs = one.split(), other.split()
    return are_alike(frozenset(ours), frozenset(theirs), SHARED_WORDS) and are_alike(
        runs(ours), runs(theirs), SHARED_RUNS
    )


@st.composite
def related_texts(draw: st.DrawFn) -> list[str]:
    """Texts of a few words, most of them made from others: a word changed, added or left out, a half repeated."""
    words = st.sampled_from([*(f"w{number}" for number in range(draw(st.integers(1, 300)))), "new", "other"])
    texts = [draw(st.lists(words, max_size=160))]
    for _ in range(draw(st.integers(1, 8))):
        text = list(draw(st.sampled_from(texts)))
        at, count = draw(st.integers(0, len(text))), draw(st.integers(0, 3))
        text[at : at + count] = draw(st.lists(words, max_size=3))
        texts.append(draw(st.sampled_from((text, text, text + text[at:], draw(st.lists(words, max_size=160))))))
    return [" ".join(text) for text in texts]


@settings(max_examples=400, deadline=None)
@given(related_texts())
def test_near_copies_are_found_and_nothing_else(texts: list[str]) -> None:
    entries, added = SeenTexts(), list[str]()
    for text in texts:
        originals: list[str | None] = [other for other in added if is_near_copy(text, other)]
        assert entries.original_of(text) in (originals or [None])
        if not originals:
            entries.add(text, key=text)
            added.append(text)


def test_texts_that_differ_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counted(one: frozenset[object], other: frozenset[object], least: float) -> bool:
        nonlocal compared
        compared += 1
        return _overlap(one, other, least)

    monkeypatch.setattr("headnote.search.selection._overlap", counted)
    template = " ".join(f"word{number}" for number in range(60))
    entries = SeenTexts()
    for number in range(200):
        own = " ".join(f"own{number}-{place}" for place in range(60))
        for text in (f"{template} number {number} of many", own):
            assert entries.original_of(text) is None
            entries.add(text, key=text)
        assert entries.original_of(f" {own} ") == own
    assert compared == 0


def test_pages_of_two_versions_are_found_once(tmp_path: Path) -> None:
    for version in (1, 2):
        (tmp_path / f"v{version}.md").write_text(f"# Install\n\nInstall release {version} so: {LONG}\n")
    with headnote.Index.open(tmp_path, embedder="none", max_tokens=4000) as index:
        index.update()
        [hit] = index.search("install word7")
        assert (hit.path, hit.also_in) == ("v1.md", ("v2.md:1",))
        [page] = index.search_page("install word7").hits
        assert page.also_in == ("v2.md:1",)
        [section] = index.search("install word7", expand="section")
        assert section.also_in == ("v2.md:1",)
        assert index.search("install word7", path="v2.md")[0].also_in == ()


def test_a_passage_that_a_document_repeats_is_in_no_other(tmp_path: Path) -> None:
    passage = "Valves are opened by hand, slowly, and closed the same way."
    (tmp_path / "a.md").write_text(f"# One\n\n{passage}\n\n# Two\n\n{passage}\n", encoding="utf-8")
    with headnote.Index.open(tmp_path, embedder="none", min_tokens=1) as index:
        index.update()
        assert {hit.also_in for hit in index.search("valves")} == {()}
