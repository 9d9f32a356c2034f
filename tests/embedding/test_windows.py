"""Windows cover every token, overlap, and are even."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from headnote.embedding.embedder import windows


def test_a_text_that_fits_is_one_window() -> None:
    assert windows(254, 254, 32) == [(0, 254)]
    assert windows(1, 254, 32) == [(0, 1)]


def test_one_more_token_makes_two_halves() -> None:
    assert windows(255, 254, 32) == [(0, 144), (112, 255)]


@given(length=st.integers(1, 5000), size=st.integers(2, 300), share=st.floats(0, 0.9))
def test_nothing_is_left_out(length: int, size: int, share: float) -> None:
    overlap = int(size * share)
    spans = windows(length, size, overlap)
    assert spans[0][0] == 0
    assert spans[-1][1] == length
    assert all(0 < end - start <= size for start, end in spans)
    assert all(after[0] == before[1] - overlap for before, after in pairwise(spans))


@given(length=st.integers(255, 5000))
def test_as_few_as_possible_and_even(length: int) -> None:
    spans = windows(length, 254, 32)
    sizes = [end - start for start, end in spans]
    assert len(spans) == -(-(length - 32) // (254 - 32))
    assert len(set(sizes[:-1])) == 1
    assert sizes[-1] >= sizes[0] - len(spans)
