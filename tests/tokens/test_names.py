"""Counters by name, file and function: characters, estimates, Hugging Face, errors."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import texts

from headnote.errors import SettingsError
from headnote.markdown import parse
from headnote.tokens import BIASES, NAMES, Counter, count_tokens, estimate_tokens, get_counter


@pytest.mark.parametrize(
    ("counter", "text", "size"),
    [
        ("chars", "", 0),
        ("chars", "héllo🧠", 6),
        ("chars4", "", 0),
        ("chars4", "a", 1),
        ("chars4", "abcd", 1),
        ("chars4", "abcde", 2),
        ("chars4", "漢字漢字漢", 2),
        ("estimate", "", 0),
        ("estimate", "abcd", 1),
        ("estimate", "abcde", 2),
        ("cl100k_base", "hello world", 2),
        ("o200k_base", "hello world", 2),
        (len, "abc", 3),
    ],
)
def test_sizes(counter: Any, text: str, size: int) -> None:
    assert count_tokens(text, counter) == size


@pytest.mark.parametrize(
    ("bias", "prose", "code"),
    [("balanced", 4, 2.75), ("prose", 4.4, 3.0), ("code", 3.6, 2.4)],
)
def test_estimates_by_bias(bias: str, prose: float, code: float) -> None:
    counter = get_counter("estimate", bias)
    assert counter.count("x" * 39600) == 39600 / prose
    assert counter.count("x" * 39600, code=True) == 39600 / code
    assert counter.count("x" * 39601, code=True) == 39600 / code + 1
    assert counter.count_many(["x" * 396] * 2, [False, True]) == [round(396 / prose), round(396 / code)]


@pytest.mark.parametrize(
    ("bias", "prose", "code"),
    [("balanced", 4, 2.75), ("prose", 4.4, 3.0), ("code", 3.6, 2.4)],
)
def test_blocks_are_estimated_by_their_kind(bias: str, prose: float, code: float) -> None:
    source = f"{'x' * 396}\n\n```\n{'x' * 388}\n```\n\nimport a from {'x' * 380!r}\n\n<A>\n{'x' * 387}\n</A>\n"
    blocks = parse(source, mdx=True)
    assert [block.kind for block in blocks] == ["paragraph", "code", "mdx_esm", "mdx_jsx"]
    assert [block.end - block.start for block in blocks] == [396] * 4
    expected = [round(396 / prose), *[round(396 / code)] * 3]
    assert [estimate_tokens(block, bias) for block in blocks] == expected
    assert [estimate_tokens(block, bias=bias, source=source) for block in blocks] == expected
    assert estimate_tokens(source[:396], bias) == expected[0]


def test_wide_characters_of_a_block_count_with_its_source() -> None:
    source = "text\n\n" + "漢字" * 10
    block = parse(source)[1]
    assert (estimate_tokens(block), estimate_tokens(block, source=source)) == (5, 20)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("wide", ["漢", "か", "한", "，", "🧠", "Ａ", "𠀀"])
def test_wide_characters_are_a_token_each(bias: str, wide: str) -> None:
    counter = get_counter("estimate", bias)
    assert counter.count(wide * 7) == counter.count(wide * 7, code=True) == 7
    assert counter.count("x" * 396 + wide) == counter.count("x" * 396) + 1


@pytest.mark.parametrize("narrow", ["é", "я", "א", "ﾊ", "½"])
def test_narrow_characters_are_less_than_a_token(narrow: str) -> None:
    assert count_tokens(narrow * 8, "estimate") == 2


@pytest.mark.parametrize("name", ["chars", "chars4", "estimate"])
@given(text=texts, code=st.booleans())
def test_boundaries_of_characters(name: str, text: str, code: bool) -> None:
    counter = get_counter(name)
    boundaries = counter.boundaries(text, code)
    assert len(boundaries) == counter.count(text, code) + 1
    for tokens, boundary in enumerate(boundaries):
        assert counter.count(text[:boundary], code) <= tokens
        assert boundary == len(text) or counter.count(text[: boundary + 1], code) > tokens


@pytest.mark.parametrize("counter", ["chars", "chars4", "estimate", lambda text: len(text.encode())])
@given(text=texts, limit=st.integers(1, 20))
def test_the_longest_piece_that_fits(counter: Any, text: str, limit: int) -> None:
    chosen = get_counter(counter)
    cut = chosen.fit(text, limit)
    assert cut >= bool(text)
    assert cut <= 1 or chosen.count(text[:cut]) <= limit
    assert cut == len(text) or chosen.count(text[: cut + 1]) > limit


def test_a_function_has_sizes_but_no_boundaries() -> None:
    counter = get_counter(len)
    assert counter.name == "len"
    assert counter.count_many(["a", "bc"]) == [1, 2]
    with pytest.raises(SettingsError, match="counts tokens but does not know where they start"):
        counter.boundaries("text")


@pytest.mark.parametrize("answer", [-1, 1.5, None, "3"])
def test_a_function_that_returns_nonsense(answer: Any) -> None:
    with pytest.raises(SettingsError, match="whole number"):
        count_tokens("text", lambda _: answer)


def test_a_counter_is_its_own_counter() -> None:
    for name in NAMES:
        counter = get_counter(name)
        assert get_counter(counter) is counter
        assert get_counter(name) is counter
        assert repr(counter) == f"<counter {name}>"
        assert pickle.loads(pickle.dumps(counter)).count("some text") == counter.count("some text")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("cl100", "did you mean cl100k?"),
        ("O200K", "did you mean o200k?"),
        ("char", "did you mean chars?"),
        ("estimated", "did you mean estimate?"),
        ("quux", "known: cl100k, o200k, chars, chars4, estimate"),
        ("", "known: cl100k"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(name: str, remedy: str) -> None:
    with pytest.raises(SettingsError) as caught:
        count_tokens("text", name)
    assert remedy in str(caught.value)
    assert repr(name) in str(caught.value)


def test_an_unknown_bias_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"unknown bias 'balance'.*did you mean balanced\?"):
        get_counter("estimate", "balance")


def test_an_object_that_is_no_counter_is_refused() -> None:
    with pytest.raises(SettingsError, match="42 is not a counter"):
        get_counter(42)  # type: ignore[arg-type]


# Hugging Face


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    """A word tokenizer as models publish them: lower-casing, cut at four tokens, padded, with special tokens."""
    library = pytest.importorskip("tokenizers")
    words = {word: number for number, word in enumerate(["[UNK]", "[CLS]", "hello", "world", "!"])}
    tokenizer = library.Tokenizer(library.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.normalizer = library.normalizers.Lowercase()
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["[CLS]"])
    tokenizer.post_processor = library.processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=4)
    file = tmp_path / "tokenizer.json"
    tokenizer.save(str(file))
    return file


def test_a_tokenizer_file(tokenizer_file: Path) -> None:
    counter = get_counter(tokenizer_file)
    assert counter.count("Hello world!") == 3
    assert counter.count("") == 0
    assert counter.count("hello " * 100) == 100, "cut off, as the model would"
    assert counter.count_many(["hello", "hello world"]) == [1, 2], "padded"
    assert counter.count("[CLS]") == 3, "text that spells a special token is text"
    assert counter.count("\ud800 hello") == 2
    assert count_tokens("hello world", str(tokenizer_file)) == 2
    assert get_counter(tokenizer_file.parent) is counter
    assert pickle.loads(pickle.dumps(counter)) is counter


def test_boundaries_of_a_tokenizer_file(tokenizer_file: Path) -> None:
    counter: Counter = get_counter(tokenizer_file)
    assert list(counter.boundaries("Hello  world!")) == [0, 7, 12, 13]
    assert list(counter.boundaries("")) == [0]
    assert counter.fit("hello world " * 50, 7) == 42


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    with pytest.raises(SettingsError, match=r"none\.json: cannot read the tokenizer: No such file"):
        count_tokens("text", tmp_path / "none.json")


def test_a_file_that_is_no_tokenizer(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    file = tmp_path / "tokenizer.json"
    file.write_text("{}")
    with pytest.raises(SettingsError, match="not a tokenizer"):
        count_tokens("text", file)


def test_without_the_extra_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(SettingsError, match=r'pip install "headnote-md\[tokenizers\]"'):
        count_tokens("text", tmp_path / "tokenizer.json")
