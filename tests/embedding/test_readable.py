"""A text in a script that a model cannot read has no vector, so it is searched by its words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.embedding.embedder import Embedder
from headnote.embedding.instant import InstantEmbedder
from headnote.embedding.transformer import TransformerEmbedder
from headnote.embedding.wordpieces import uncased

READABLE = [
    *("npm", "k8s", "C", "C++", "c#", "I", "R", "x = y + 1", "0x7f", "123 456", "->", "e = mc²", "±5°", "10 µs", "→"),
    *('fn main() { println!("hi"); }', "├── src\n│   └── main.py", "λ calculus", "α-β pruning", "🚀 deploy", "Σ x_i"),
    *("naïve café", "Größe ändern", "straße", "nasıl kurulur", "cài đặt", "cómo instalar", "łódź", "smørrebrød"),
    *("x" * 5000, "a" * 101, "The Greek word λόγος means word.", "Add a link to the article in Russian: установка"),
]
UNREADABLE = [
    *("Ελληνικά", "установка", "установка docker", "كيف أثبت", "אבטחה", "हिन्दी में", "การติดตั้ง", "การติดตั้ง docker"),
    *("毎週の点検", "如何安装 docker", "설치 방법", "ქართული", "தமிழ்", "🚀", "✅ ❌"),
]
LETTERS = st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789")
ENGLISH = st.lists(st.text(LETTERS, min_size=1, max_size=12), min_size=1).map(" ".join)


def is_readable(text: str) -> bool:
    return bool(uncased().readable_ids(text))


@pytest.mark.parametrize("text", READABLE)
def test_english_code_and_accents_are_read(text: str) -> None:
    assert uncased().readable_ids(text) == uncased().ids(text) != []


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_scripts_are_not(text: str) -> None:
    assert not is_readable(text)


@given(text=st.text(st.characters(max_codepoint=127)))
def test_what_is_ascii_is_read(text: str) -> None:
    assert uncased().readable_ids(text) == uncased().ids(text)


@given(text=st.text(st.characters(min_codepoint=0x370, max_codepoint=0x52F, categories=["Ll", "Lo"]), min_size=1))
def test_greek_and_cyrillic_letters_are_not(text: str) -> None:
    assert not is_readable(text)


@given(text=st.text(max_size=40))
def test_half_of_a_text_is_enough(text: str) -> None:
    """Whatever it is, as many pieces of English beside it make it readable, and more English never makes it worse."""
    spelled = sum(map(uncased()._count_spelled, text.split()))
    assert is_readable(f"{text} {'word ' * (2 * spelled + 1)}")


@given(text=ENGLISH, other=st.sampled_from(UNREADABLE))
def test_a_text_stays_unreadable_without_english(text: str, other: str) -> None:
    assert is_readable(text)
    assert is_readable(f"{text} {other}") or not is_readable(other)


SCRIPTS = {"de": True, "es": True, "tr": True, "vi": True, "el": False, "hi": False, "th": False}


@pytest.mark.parametrize(("language", "readable"), SCRIPTS.items())
def test_real_questions_and_paragraphs(language: str, readable: bool, shared: Path) -> None:
    file = shared / "retrieval" / "xquad" / f"xquad.{language}.json"
    paragraphs = [
        paragraph
        for article in json.loads(file.read_text(encoding="utf-8"))["data"]
        for paragraph in article["paragraphs"]
    ]
    questions = [entry["question"] for paragraph in paragraphs for entry in paragraph["qas"]]
    for texts in ([paragraph["context"] for paragraph in paragraphs], questions):
        assert np.mean([is_readable(text) is readable for text in texts]) > 0.99


@pytest.fixture(params=["instant", "minilm"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "instant":
        return InstantEmbedder()
    pytest.importorskip("headnote_minilm", reason="the model is not installed: run pip install ./models/minilm")
    return TransformerEmbedder("minilm")


def test_models_have_no_vector_for_what_they_cannot_read(embedder: Embedder) -> None:
    assert not embedder.embed(UNREADABLE).any()
    assert not embedder.embed_query(UNREADABLE[0]).any()
    assert np.abs(np.linalg.norm(embedder.embed(READABLE), axis=1) - 1).max() < 1e-6
