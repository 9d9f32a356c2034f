"""The sentence-transformers embedder, with a fake of the library, which would be half a gigabyte."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.sentence_transformers import SentenceTransformersEmbedder

LIMIT = 64


class Tokenizer:
    """One token per word."""

    is_fast = True

    def __call__(self, text: str, **options: bool) -> dict[str, list[tuple[int, int]]]:
        return {"offset_mapping": [match.span() for match in re.finditer(r"\S+", text)]}

    def num_special_tokens_to_add(self) -> int:
        return 2


class Model:
    """Truncates long texts, as the real one does, and records what it was given."""

    max_seq_length = LIMIT

    def __init__(self, name: str) -> None:
        self.tokenizer = Tokenizer()
        self.seen: list[str] = []
        self._hashing = HashingEmbedder(128)

    def get_sentence_embedding_dimension(self) -> int:
        return 128

    def encode(self, texts: list[str], **options: bool) -> Any:
        self.seen += texts
        return self._hashing.embed([" ".join(text.split()[: LIMIT - 2]) for text in texts]) * 3

    def encode_query(self, texts: list[str], **options: bool) -> Any:
        return self.encode([f"query: {text}" for text in texts])


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> SentenceTransformersEmbedder:
    library = ModuleType("sentence_transformers")
    library.__dict__["SentenceTransformer"] = Model
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    return SentenceTransformersEmbedder("org/model")


def test_rows_have_length_one_and_blank_texts_are_zeros(embedder: SentenceTransformersEmbedder) -> None:
    vectors = embedder.embed(["one two", "", " \n", "three"])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1], abs=1e-6)
    assert embedder.dimensions == 128
    assert embedder._model().seen == ["one two", "three"]


def test_only_blank_texts_and_none(embedder: SentenceTransformersEmbedder) -> None:
    assert not embedder.embed(["", " "]).any()
    assert embedder.embed([]).shape == (0, 128)


def test_long_texts_are_not_truncated(embedder: SentenceTransformersEmbedder) -> None:
    words = [f"w{number}" for number in range(500)]
    plain, marked = embedder.embed([" ".join(words), " ".join([*words, "zebra"])])
    assert plain @ marked < 0.9999
    seen = embedder._model().seen
    assert {word for part in seen for word in part.split()} == {*words, "zebra"}
    assert all(len(part.split()) <= LIMIT - 2 for part in seen)


def test_a_text_that_fits_is_passed_on_unchanged(embedder: SentenceTransformersEmbedder) -> None:
    text = "  spaces  " + "word " * (LIMIT - 3)
    embedder.embed([text])
    assert embedder._model().seen == [text]


def test_queries_are_encoded_as_queries(embedder: SentenceTransformersEmbedder) -> None:
    assert embedder.embed_query("where").shape == (128,)
    assert embedder._model().seen == ["query: where"]
