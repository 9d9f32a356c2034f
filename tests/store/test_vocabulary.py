"""Edit distances to many terms at once are those of the textbook."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")

from headnote.words.vocabulary import MAX_COMPARED_CHARS, Vocabulary, distances

WORDS = st.text("abyi\u0431\U0001f600", max_size=9)


def textbook(one: str, other: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours, each letter edited once at most."""

    @cache
    def between(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        edits = [between(i - 1, j) + 1, between(i, j - 1) + 1, between(i - 1, j - 1) + (one[i - 1] != other[j - 1])]
        if i > 1 and j > 1 and one[i - 2 : i] == other[j - 2 : j][::-1]:
            edits.append(between(i - 2, j - 2) + 1)
        return min(edits)

    return between(len(one), len(other))


@given(WORDS, st.lists(WORDS, max_size=20))
def test_distances_are_those_of_the_textbook(word: str, others: list[str]) -> None:
    assert distances(word, others) == [textbook(word, other) for other in others]
    opened = [min(textbook(word, other[:end]) for end in range(len(other) + 1)) for other in others]
    assert distances(word, others, is_open=True) == opened


@given(WORDS, st.sets(WORDS, max_size=20), st.lists(WORDS, max_size=3), st.integers(1, 2), st.booleans())
def test_the_nearest_terms_are_all_that_are_near(
    word: str, terms: set[str], endings: list[str], most: int, is_open: bool
) -> None:
    def with_i(text: str) -> str:
        return text.replace("y", "i")

    def expected(term: str) -> int:
        rests = ["", *map(with_i, endings)]
        typed, term = with_i(word), with_i(term)
        closed = min(
            textbook(typed[:end], term) + min(textbook(typed[end:], rest) for rest in rests)
            for end in range(len(typed) + 1)
        )
        opened = [textbook(typed, term[:end]) for end in range(len(term) + 1)] if is_open else []
        return min([closed, *opened])

    found = Vocabulary(dict.fromkeys(terms, 1)).nearest(word, most, endings=endings, is_open=is_open)
    assert found == {term: expected(term) for term in terms if expected(term) <= most}


def test_terms_that_are_no_words_are_left_alone() -> None:
    endless = "a" * (MAX_COMPARED_CHARS + 1)
    assert Vocabulary({endless: 1}).nearest(endless[:-1], 2) == {}
    assert Vocabulary({}).nearest("word", 2) == {}
