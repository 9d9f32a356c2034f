"""Other ways to cut, imitated: each gives what the original gives, byte for byte."""

from __future__ import annotations

from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.passes.peers import PEERS, SIZES
from headnote.errors import SettingsError
from headnote.model import Chunk
from headnote.tokens import get_counter

SAMPLE = files("headnote.web").joinpath("static/sample.md").read_text(encoding="utf-8")

PIECES = ["a", "word", "\n", "\n\n", "\n\n\n", " ", "  ", "\t", "# H\n\n", "```\n", "🐚", "é", "| a |\n", "\u3000"]
WORDS = st.sampled_from(PIECES)
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=12)), max_size=60).map("".join)


def cut(peer: str, text: str, **sizes: int) -> list[Chunk]:
    chosen = PEERS[peer]
    settings = chosen.with_sizes(sizes)
    return chunk_document(read_document(text, "a.md", settings), settings, passes=chosen.passes)


def check_as_langchain(text: str, size: int, overlap: int) -> None:
    splitters = pytest.importorskip("langchain_text_splitters", reason="LangChain's splitters are not installed")
    original = splitters.RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap)
    chunks = cut("langchain", text, max_tokens=size, overlap_tokens=overlap)
    assert [chunk.text for chunk in chunks] == original.split_text(text)
    for chunk in chunks:
        assert chunk.text == chunk.overlap + text[chunk.start : chunk.end]
        assert chunk.embed_text == chunk.text
        assert chunk.tokens == len(chunk.text)
    for before, after in pairwise(chunks):
        assert before.end <= after.start


@pytest.mark.parametrize(("size", "overlap"), [(1000, 200), (300, 0), (64, 63), (7, 3)])
def test_langchain_is_imitated_on_real_pages(repository: Path, size: int, overlap: int) -> None:
    pages = [SAMPLE, *(path.read_text(encoding="utf-8") for path in (repository / "examples").rglob("*.md"))]
    assert len(pages) > 5
    for text in pages:
        check_as_langchain(text, size, overlap)


@given(TEXTS, st.integers(2, 60), st.data())
def test_langchain_is_imitated_on_any_text(text: str, size: int, data: Any) -> None:
    check_as_langchain(text, size, data.draw(st.integers(0, size - 1)))


@given(TEXTS, st.integers(1, 20))
@example("", 5)
@example(" \n ", 5)
def test_windows_are_fixed(text: str, size: int) -> None:
    counter = get_counter("cl100k")
    chunks = cut("fixed", text, max_tokens=size)
    shown = [text[before.end : after.start] for before, after in pairwise(chunks)]
    assert not "".join(shown).strip(), "only windows of blanks are left out"
    starts = set(counter.boundaries(text))
    assert all(chunk.start in starts and chunk.end in starts for chunk in chunks)
    for chunk in chunks[:-1]:
        at = sorted(starts)
        assert at.index(chunk.end) - at.index(chunk.start) <= size


def test_fixed_windows_have_exactly_that_many_tokens() -> None:
    boundaries = get_counter("cl100k").boundaries(SAMPLE)
    cuts = [*boundaries[:-1:512], boundaries[-1]]
    assert [chunk.text for chunk in cut("fixed", SAMPLE)] == [SAMPLE[start:end] for start, end in pairwise(cuts)]


def test_only_sizes_can_be_changed() -> None:
    assert PEERS["langchain"].with_sizes({"max_tokens": 500}).max_tokens == 500
    with pytest.raises(SettingsError, match="strategy does not apply here") as caught:
        PEERS["fixed"].with_sizes({"strategy": "block"})
    assert all(name in str(caught.value) for name in SIZES)
