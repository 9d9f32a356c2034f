"""Chunks as plain data: JSON takes what `to_dict` gives, and `from_dict` makes the same chunk of it again."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote import Chunk
from headnote.chunking.presets import presets

FRONTMATTER = """---
title: Dates
day: 2024-05-01
moment: 2024-05-01 10:20:30
zoned: 2024-05-01T10:20:30+02:00
not_a_number: .nan
endless: [.inf, -.inf, 1.5]
names: !!set {a, b}
large: 123456789012345678901234567890
deep: {list: [2024-05-02, {day: 2024-05-03}]}
tags: [x]
---
"""
BODY = "# A\n\n[link](b.md#c) and #tag\n\n## B\n\n" + ("Some words here. " * 40 + "\n\n") * 2
TOML = "+++\nclock = 10:20:30\nday = 2024-05-01\n+++\n"


def written_and_read(chunk: Chunk) -> Chunk:
    return Chunk.from_dict(json.loads(json.dumps(chunk.to_dict(), allow_nan=False)))


def fields(chunk: Chunk) -> dict[str, Any]:
    return {name: getattr(chunk, name) for name in Chunk.FIELDS if name != "metadata"}


@pytest.mark.parametrize("preset", presets())
def test_every_field_comes_back(preset: str) -> None:
    chunks = headnote.chunk(FRONTMATTER + BODY, path="a.md", preset=preset, max_tokens=120, modified=1.5)
    assert any(chunk.is_split for chunk in chunks)
    for chunk in chunks:
        again = written_and_read(chunk)
        assert again == chunk
        assert fields(again) == fields(chunk)
        assert again.to_dict() == chunk.to_dict()
        assert again.section == again.index - (again.part or 0)


def test_metadata_is_plain_where_it_is_written() -> None:
    (first, *_) = headnote.chunk(FRONTMATTER + BODY)
    assert first.metadata["day"] == datetime.date(2024, 5, 1)
    written = first.to_dict()["metadata"]
    assert written["day"] == "2024-05-01"
    assert written["moment"] == "2024-05-01T10:20:30"
    assert written["not_a_number"] is None
    assert written["endless"] == [None, None, 1.5]
    assert written["deep"] == {"list": ["2024-05-02", {"day": "2024-05-03"}]}
    assert written["large"] == 123456789012345678901234567890
    (only,) = headnote.chunk(TOML + "text")
    assert only.to_dict()["metadata"] == {"clock": "10:20:30", "day": "2024-05-01"}


SCALARS = st.sampled_from(
    ["1", "2024-05-01", "2024-05-01 10:20:30", ".nan", "-.inf", "yes", "null", "text", "!!binary QUJD", "0x" + "f" * 40]
)
LINES = st.lists(st.tuples(st.sampled_from("abcde"), SCALARS), max_size=5)


@pytest.mark.parametrize("preset", presets())
@given(lines=LINES, body=st.text(max_size=200))
def test_any_document_can_be_written_and_read(preset: str, lines: list[tuple[str, str]], body: str) -> None:
    matter = "".join(f"{key}: {value}\n" for key, value in lines)
    for chunk in headnote.chunk(f"---\n{matter}---\n{body}", path="a.md", preset=preset):
        assert written_and_read(chunk) == chunk


def test_what_is_no_chunk_is_refused() -> None:
    with pytest.raises(headnote.SettingsError, match="id is missing"):
        Chunk.from_dict({})
