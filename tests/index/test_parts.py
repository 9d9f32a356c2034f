"""Texts in parts: nothing lost, none too large, and one vector each that survives being written."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headnote.embedding.embedder import HashingEmbedder
from headnote.index.text_vectors import PART, _sentences, embed_in_parts, lead_of, parts_of, whole
from headnote.store.quantized import chunk_vectors, packed_parts, part_set

TEXTS = st.text(st.sampled_from("ab .!?\n'\"。語é\ud800"), max_size=40).flatmap(
    lambda piece: st.integers(1, 120).map(lambda times: piece * times)
)


@given(text=TEXTS, lead=st.sampled_from(["", "A > B\n\n", "Über > schrift > tief\n\n"]))
def test_parts_are_the_text_and_fit(text: str, lead: str) -> None:
    parts = parts_of(lead + text)
    assert "".join(part.removeprefix(lead) for part in parts) == text
    assert all(part.startswith(lead) for part in parts)
    assert all(len(part.removeprefix(lead).encode("utf-8", "surrogatepass")) <= PART for part in parts)


def test_a_short_text_is_its_only_part() -> None:
    assert parts_of("A > B\n\nA sentence. Another one.") == ["A > B\n\nA sentence. Another one."]
    assert parts_of("") == [""]


def test_cuts_are_between_sentences_and_lines() -> None:
    prose = "One sentence that says something. " * 60
    assert all(part.endswith(". ") for part in parts_of(prose))
    lines = "\n".join(f"line number {number} without a full stop" for number in range(80))
    assert all(part.endswith("\n") for part in parts_of(lines)[:-1])


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("A > B\n\ntext", "A > B\n\n"),
        ("A\n\n# A\n\ntext", "A\n\n"),
        ("A\n\n# AB\n\ntext", ""),
        ("A sentence.\n\nAnother one.", ""),
        ("x > y" * 100 + "\n\ntext", ""),
        ("A > B", ""),
    ],
)
def test_a_breadcrumb_is_known_by_its_looks(text: str, lead: str) -> None:
    assert lead_of(text) == lead


@pytest.mark.parametrize("hostile", ["." * 200_000, ".'" * 100_000, "x" * 200_000, "a. " * 70_000, " " * 200_000])
def test_no_text_takes_forever(hostile: str) -> None:
    assert "".join(parts_of(hostile)) == hostile


def test_what_is_packed_comes_back_nearly_exact() -> None:
    embedder = HashingEmbedder()
    texts = ["alpha beta. " * 90, "Lead > text\n\nshort"]
    parts = embed_in_parts(embedder, texts)
    assert [len(rows) for rows in parts] == [len(parts_of("alpha beta. " * 90)), 1]
    name = embedder.embed(["a name"])
    stored: dict[int, tuple[bytes, list[bytes | None]]] = {
        7: (packed_parts(parts[0]), [None, packed_parts(name)]),
        3: (packed_parts(parts[1]), [packed_parts(name), packed_parts(name)]),
    }
    again = part_set(list(chunk_vectors(stored, embedder.dimensions).items()), embedder.dimensions)
    assert (again.chunks, again.counts) == ([7, 3], [len(own) for own in parts])
    names, rows = again.floats()
    assert np.allclose(names, [[np.zeros_like(name[0]), name[0]], [name[0], name[0]]], atol=0.01)
    assert np.abs(rows - np.concatenate(parts)).max() <= np.abs(rows).max() / 200
    assert np.allclose(again.lengths, [np.linalg.norm(own.sum(axis=0)) for own in parts], rtol=0.01)
    assert np.allclose(np.linalg.norm(whole(parts), axis=1), 1)


def test_similarities_are_those_of_the_numbers() -> None:
    embedder = HashingEmbedder()
    stored = {
        at: (packed_parts(embedder.embed([f"one {at}", "two", "three"][: at + 1])), [packed_parts(name), None])
        for at in range(3)
        for name in [embedder.embed([f"name {at}"])]
    }
    parts = part_set(list(chunk_vectors(stored, embedder.dimensions).items()), embedder.dimensions)
    query = embedder.embed_query("two names")
    for similarities, floats in zip(parts.similarities(query), parts.floats(), strict=True):
        assert np.allclose(similarities, floats @ query, atol=1e-6)


def test_zeros_stay_zeros_and_nothing_is_nothing() -> None:
    stored = {1: (packed_parts(np.zeros((2, 8), np.float32)), [None, None])}
    zeros = part_set(list(chunk_vectors(stored, 8).items()), 8)
    assert (zeros.counts, zeros.lengths.tolist()) == ([2], [0])
    assert not any(floats.any() for floats in zeros.floats())
    empty = part_set([], 8)
    assert (empty.chunks, empty.counts, [floats.shape for floats in empty.floats()]) == ([], [], [(0, 2, 8), (0, 8)])


END = re.compile(r"\n+|[.!?]['\")\]*_]*[^\S\n]+|(?<=[。！？])")


@given(st.text(alphabet='ab.!?\n ")*_。！é', max_size=20))
@example("x。\n\ny")
@example("。. a")
def test_a_sentence_goes_on_to_the_next_end(text: str) -> None:
    """The pattern that cuts all sentences at once finds the ends that a search from each start finds."""
    sentences, start = [], 0
    while start < len(text):
        match = END.search(text, start + 1)
        end = match.end() if match else len(text)
        sentences.append(text[start:end])
        start = end
    assert _sentences(text) == sentences
