"""The sample of the playground shows what it is meant to show."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from headnote.chunking.chunker import chunk

SAMPLE = files("headnote.web").joinpath("static/sample.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("preset", ["default", "blocks"])
@pytest.mark.parametrize("overlap", ["medium", "high"])
def test_overlap_is_seen_and_adds_no_chunk(preset: str, overlap: Any) -> None:
    without, with_overlap = (chunk(SAMPLE, preset=preset, overlap=word) for word in ("none", overlap))
    assert len(with_overlap) == len(without)
    assert any(each.overlap for each in with_overlap)


def test_a_block_is_cut() -> None:
    assert any(each.prefix.startswith("```python") for each in chunk(SAMPLE))
