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


def test_what_was_counted_before_is_sent_along() -> None:
    chunks = headnote.chunk(TEXT, counter=str.__len__, max_tokens=500)
    counts = [chunk.tokens for chunk in chunks]
    first, *_ = copy.deepcopy(chunks)
    assert first.tokens == counts[0]
