"""How a chunk writes the terms of a query."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headnote import Index
from headnote.search import spelling
from headnote.search.spelling import Wording
from headnote.store.keyword_fields import terms_of
from headnote.words.languages import LATIN, language_of
from headnote.words.terms import word_terms

WORD = re.compile(r"[^\W_]+")


def begins_alike(word: str, language: str) -> bool:
    """Whether a word that is one term is cut out of a text by the beginning of the term."""
    terms = word_terms(language)[word]
    return len(terms) != 1 or spelling._words_from(min(terms)[0]).findall(f"({word}) _{word}_") == [word, word]


@given(st.text(min_size=1), st.sampled_from(["", *LATIN]))
@example("Über", "german")
@example("ﬁles", "")
@example("dying", "")
@example("İstanbul", "turkish")
def test_a_word_that_is_one_term_begins_as_the_term_does(text: str, language: str) -> None:
    assert [word for word in WORD.findall(text) if not begins_alike(word, language)] == []


@pytest.mark.parametrize("corpus", ["own", "kubernetes-ja", "astro-en"])
def test_words_of_real_texts_begin_as_their_terms_do(corpus: str, corpus_files: Callable[[str], list[Path]]) -> None:
    words: dict[str, set[str]] = {}
    for file in corpus_files(corpus):
        text = file.read_text(encoding="utf-8", errors="replace")
        words.setdefault(language_of(text), set()).update(WORD.findall(text))
    assert sum(map(len, words.values())) > 1000
    assert {word for language, own in words.items() for word in own if not begins_alike(word, language)} == set()


def test_cutting_by_the_beginning_finds_what_cutting_all_words_finds(
    own_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "own"
    shutil.copytree(own_corpus, folder)
    with Index.open(folder, embedder="none") as index:
        index.update()
        with index._store.reading() as reader:
            chunks = [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]
    chance = random.Random(1)
    asked = [chance.sample(sorted(own), min(len(own), 12)) for own in map(terms_of, chunks)]
    found = [Wording(terms).of(chunk, terms) for chunk, terms in zip(chunks, asked, strict=True)]
    monkeypatch.setattr(spelling, "_words_from", lambda _: WORD)
    assert found == [Wording(terms).of(chunk, terms) for chunk, terms in zip(chunks, asked, strict=True)]
    assert any(term != word for written in found for term, word in written.items())
