"""The hashing embedder: reproducible, near for texts that share words, with any number of dimensions."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.embedding.embedder import HashingEmbedder
from headnote.errors import SettingsError

WORDS = st.sampled_from("index chunk vector heading table code query link tag note page line token cache".split())
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


@given(text=st.text(), dimensions=st.integers(1, 64))
def test_every_text_has_length_one_or_is_blank(text: str, dimensions: int) -> None:
    vector = HashingEmbedder(dimensions).embed([text])[0]
    assert vector.shape == (dimensions,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1 if text.strip() else 0, abs=1e-6)


@given(texts=st.lists(st.text(max_size=40), max_size=8), seed=st.integers(0, 100))
def test_neighbours_and_order_change_nothing(texts: list[str], seed: int) -> None:
    embedder = HashingEmbedder(32)
    random.Random(seed).shuffle(texts)
    alone = [embedder.embed_query(text).tobytes() for text in texts]
    assert [vector.tobytes() for vector in embedder.embed(texts)] == alone


@given(text=SENTENCES)
def test_case_and_punctuation_do_not_count(text: str) -> None:
    first, second = HashingEmbedder().embed([text, text.upper().replace(" ", ", ") + "!"])
    assert first @ second == pytest.approx(1, abs=1e-5)


@given(text=st.lists(WORDS, min_size=4, max_size=12, unique=True))
def test_one_more_word_is_nearer_than_other_words(text: list[str]) -> None:
    embedder = HashingEmbedder(1024)
    base, longer, other = embedder.embed([" ".join(text), " ".join([*text, "extra"]), "zebra violin marmalade harbour"])
    assert base @ longer > 0.6
    assert base @ longer > base @ other + 0.3


def test_the_order_of_words_counts_a_little() -> None:
    first, second = HashingEmbedder(1024).embed(["dog bites man today", "man bites dog today"])
    assert 0.5 < first @ second < 0.99


def test_the_same_on_every_machine() -> None:
    vector = HashingEmbedder(8).embed_query("chunks that remember their headings")
    assert [round(float(value), 3) for value in vector] == [0.535, -0.535, 0.0, -0.267, 0.267, 0.0, 0.535, 0.0]


def test_words_whose_signs_cancel_out() -> None:
    # In one dimension, half of all pairs of words do.
    vectors = HashingEmbedder(1).embed([f"{first} {second}" for first in "abcdefgh" for second in "ijklmnop"])
    assert set(np.abs(vectors).ravel().tolist()) == {1.0}


def test_the_dimensions_are_part_of_the_name() -> None:
    assert HashingEmbedder(64).name != HashingEmbedder(65).name
    assert HashingEmbedder(64).dimensions == 64


def test_zero_dimensions_are_refused() -> None:
    with pytest.raises(SettingsError, match="at least 1"):
        HashingEmbedder(0)
