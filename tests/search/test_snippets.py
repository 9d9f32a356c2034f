"""Which words of a text are marked."""

from __future__ import annotations

from itertools import pairwise

import pytest

from headnote.search.snippets import marked_terms, marks


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in marks(text, marked_terms(query))]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("The tide rises; tides fall.", "tide", ["tide", "tides"]),
        ("Tidewater is no tide.", "tide", ["tide"]),
        ("Use `max_tokens` or --max-file-bytes.", "max_tokens", ["max_tokens", "max-file-bytes"]),
        ("The cat and the hat", "the cat", ["cat"]),
        ("東京の潮位を調べる", "潮位", ["潮位"]),
        ("nothing here", "tide", []),
        ("", "tide", []),
        ("tide", "", []),
    ],
)
def test_words_that_the_query_asks_for(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


def test_marks_are_in_order_and_apart() -> None:
    ranges = list(marks("tide wall tide wall " * 50, marked_terms("wall tide")))
    assert len(ranges) == 200
    assert all(first[1] <= second[0] for first, second in pairwise(ranges))
