"""A chunk that was sent to another process, or copied, is the same chunk. Compiled classes have to be told how."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

import headnote
from headnote.model import Chunk

TEXT = "---\ntags: [a]\n---\n# One\n\nText with a [link](b.md).\n\n## Two\n\n" + "```sh\nrun\n```\n\nMore text. " * 40


@pytest.mark.parametrize("preset", headnote.presets())
@pytest.mark.parametrize("copied", [lambda chunks: pickle.loads(pickle.dumps(chunks)), copy.deepcopy, copy.copy])
def test_a_copy_has_every_field(preset: str, copied: Callable[[list[Chunk]], list[Chunk]]) -> None:
    chunks = headnote.chunk(TEXT, path="a.md", preset=preset)
    assert [chunk.to_dict() for chunk in copied(chunks)] == [chunk.to_dict() for chunk in chunks]


@pytest.mark.parametrize("copied", [lambda chunk: pickle.loads(pickle.dumps(chunk)), copy.deepcopy, copy.copy])
def test_a_copy_of_one_chunk_equals_it(copied: Callable[[Chunk], Chunk]) -> None:
    for chunk in headnote.chunk(TEXT, path="a.md", max_tokens=60):
        assert copied(chunk) == chunk
        restored = copied(Chunk.from_dict(chunk.to_dict()))
        assert restored == chunk


class Rated(Chunk):
    """Users may derive from it, compiled or not."""

    rating = 0.0

    @property
    def title(self) -> str:
        return f"{super().title} ({self.rating})"


@pytest.mark.parametrize("copied", [lambda chunk: pickle.loads(pickle.dumps(chunk)), copy.deepcopy, copy.copy])
def test_a_derived_chunk_is_copied_with_its_own_fields(copied: Callable[[Rated], Rated]) -> None:
    [first, *_] = headnote.chunk(TEXT, path="a.md")
    rated = Rated.from_dict(first.to_dict())
    assert isinstance(rated, Rated)
    rated.rating = 0.5
    assert copied(rated).title == "One (0.5)"
    assert rated.text == first.text


def test_what_was_counted_before_is_sent_along() -> None:
    chunks = headnote.chunk(TEXT, counter=str.__len__, max_tokens=500)
    counts = [chunk.tokens for chunk in chunks]
    first, *_ = copy.deepcopy(chunks)
    assert first.tokens == counts[0]
