"""Word pieces in plain Python: the same as those of BERT's own tokenizer, for every text."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference_texts import reference_texts

from headnote.embedding.wordpieces import UNKNOWN, VOCABULARY, WordPieces, uncased

TOKENIZER = Path(__file__).parents[2] / "models" / "minilm" / "src" / "headnote_minilm" / "tokenizer.json"

WORDS = "café naïve K8S don't rückwärts C++ foo_bar https://a.b/c?d=1 東京 🚀x ΣΑΣ İst ﬁn ẞ Å ½ [SEP] ##ing".split()


@cache
def original() -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="compares with the package tokenizers", exc_type=ImportError)
    tokenizer = tokenizers.Tokenizer.from_file(str(TOKENIZER))
    tokenizer.encode_special_tokens = True  # that is, as ordinary text
    return tokenizer


def original_ids(text: str) -> list[int]:
    ids: list[int] = original().encode(text, add_special_tokens=False).ids
    return ids


@cache
def is_read_alike(character: str) -> bool:
    """Not so for some marks and punctuation that came to Unicode after the tables of the package were made."""
    text = f"x{character}y {character}"
    return uncased().ids(text) == original_ids(text)


CHARACTERS = st.characters(exclude_categories=["Cs"]).filter(is_read_alike)
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(CHARACTERS, max_size=12) | st.sampled_from(" \n\t,.-`")).map("".join)


@given(text=TEXTS)
@example("a\x0bb\x0cc\x1cd\x85e\u2028f\u3000g\u00a0h\u200bi\ufffdj\x00k")
@example("x" * 100 + " " + "x" * 101 + " " + "é" * 101)
def test_the_same_as_the_original(text: str) -> None:
    assert uncased().ids(text) == original_ids(text)


def test_every_character_of_the_vocabulary_is_read_alike() -> None:
    every = [chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000]
    texts = [f"x{character}y {character}" for character in every]
    theirs = original().encode_batch(texts, add_special_tokens=False)
    other = [
        character
        for character, text, encoding in zip(every, texts, theirs, strict=True)
        if uncased().ids(text) != encoding.ids
    ]
    assert len(other) < 1000
    pieces = "".join(VOCABULARY.read_text(encoding="utf-8"))
    assert [character for character in other if character in pieces] == []


def test_real_text_is_read_alike(shared: Path) -> None:
    files = sorted((shared / "corpora").rglob("*.md*"))
    texts = [file.read_text(encoding="utf-8", errors="ignore") for file in files[:: len(files) // 200 + 1]]
    assert len(texts) > 100
    for text in texts:
        assert uncased().ids(text) == original_ids(text)


def test_texts_of_every_kind_are_read_alike() -> None:
    for text in reference_texts():
        assert uncased().ids(text) == original_ids(text)


def test_half_a_character_is_nothing() -> None:
    assert uncased().ids("one\ud800 two") == uncased().ids("one two")
    assert uncased().ids("\udfff") == []


def test_the_vocabulary_is_the_one_of_the_model() -> None:
    pieces = VOCABULARY.read_text(encoding="utf-8").splitlines()
    assert {piece: number for number, piece in enumerate(pieces)} == original().get_vocab(with_added_tokens=False)
    assert pieces[UNKNOWN] == "[UNK]"


def test_a_word_is_cut_into_the_longest_pieces() -> None:
    vocabulary = ["read", "reader", "##er", "##s", "un", "##read"]
    words = WordPieces([*vocabulary, *(f"[{number}]" for number in range(100))])
    assert words.ids("readers unread Reads, unreadx") == [1, 3, 4, 5, 0, 3, UNKNOWN, UNKNOWN]


def test_memory_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.embedding.wordpieces._REMEMBERED", 10)
    words = WordPieces(VOCABULARY.read_text(encoding="utf-8").splitlines())
    for text in reference_texts()[:20]:
        assert words.ids(text) == uncased().ids(text)
    assert max(len(words._packed), len(words._pieces), len(words._spelled)) <= 10


def test_one_object_for_all() -> None:
    assert uncased() is uncased()
