"""What is remembered of words: the loop in Python, and the same in C where the build has it."""

from __future__ import annotations

import gc
import weakref
from array import array
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.embedding.instant import plain_sum_rows
from headnote.words.memory import LONGEST, PlainWordMemory

BLANKS = "".join(character for character in map(chr, range(0x110000)) if character.isspace())
CHARACTERS = st.one_of(st.sampled_from(BLANKS + "aB1é漢ก🚀\ud800-._'"), st.characters())
TEXTS = st.lists(st.text(CHARACTERS, max_size=40) | st.sampled_from(["x" * LONGEST, "漢" * 42, "é" * 65]), max_size=8)


@pytest.fixture(scope="module")
def native() -> Any:
    return pytest.importorskip("headnote.native", reason="needs a compiled build")


@given(texts=TEXTS, most=st.integers(1, 12))
def test_a_text_has_the_results_of_its_words(texts: list[str], most: int) -> None:
    memory = PlainWordMemory(str.upper, most)
    for text in texts:
        assert memory.of_words(text) == list(map(str.upper, text.split()))
        assert len(memory) <= most


@given(texts=TEXTS, most=st.integers(1, 12))
def test_both_loops_remember_alike(texts: list[str], most: int, native: Any) -> None:
    asked: list[str] = []
    asked_natively: list[str] = []

    def ask(word: str) -> str:
        asked.append(word)
        return word.upper()

    def ask_natively(word: str) -> str:
        asked_natively.append(word)
        return word.upper()

    plain, other = PlainWordMemory(ask, most), native.WordMemory(ask_natively, most)
    for text in texts:
        assert other.of_words(text) == plain.of_words(text)
        assert other[text] == plain[text] == text.upper()
        assert len(other) == len(plain)
    assert asked_natively == asked


def test_a_function_may_ask_for_other_words_and_fail(native: Any) -> None:
    def length(word: str) -> int:
        if word == "x" * 30:
            raise ValueError("too long")
        return 0 if not word else 1 + int(memory[word[1:]])

    memory = native.WordMemory(length, 5)
    assert memory.of_words("abc abcdefghijklm bc") == [3, 13, 2]
    with pytest.raises(ValueError, match="too long"):
        memory.of_words(f"a {'x' * 35}")
    with pytest.raises(TypeError, match="a text, not int"):
        memory.of_words(1)


def test_no_memory_is_without_a_function(native: Any) -> None:
    with pytest.raises(TypeError, match="function"):
        native.WordMemory.__new__(native.WordMemory)
    with pytest.raises(TypeError, match="most"):
        native.WordMemory(str.upper)


def test_a_memory_that_knows_itself_is_freed(native: Any) -> None:
    class Owner:
        def __init__(self) -> None:
            self.memory = native.WordMemory(lambda _: self, 5)

    owner = Owner()
    assert owner.memory.of_words("a b") == [owner, owner]
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


@given(numbers=st.lists(st.integers(0, 9), max_size=300))
def test_rows_are_added_up_as_numpy_does(numbers: list[int], native: Any) -> None:
    rows = np.random.default_rng(1).integers(-83_058, 83_058, (10, 32), "int32")
    sums = np.full(32, 7)
    native.sum_rows(array("q", numbers).tobytes(), rows, sums)
    plain = np.full(32, 7)
    plain_sum_rows(array("q", numbers).tobytes(), rows, plain)
    assert sums.tolist() == plain.tolist() == rows[numbers].sum(axis=0).tolist()


@pytest.mark.parametrize("number", [-1, 10, 2**62])
def test_a_row_that_is_not_there_is_refused(number: int, native: Any) -> None:
    with pytest.raises(IndexError, match="a row"):
        native.sum_rows(array("q", [1, number]).tobytes(), np.ones((10, 32), "int32"), np.zeros(32, "int64"))
