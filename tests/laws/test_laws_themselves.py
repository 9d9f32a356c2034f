"""A law that never complains proves nothing: each is shown chunks that break it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from headnote.chunking.chunker import chunk
from headnote.chunking.presets import make_settings
from headnote.model import Chunk
from laws import LAWS, faults

CODE = "```py\n" + "\n".join(f"line_{number} = {number}" for number in range(60)) + "\n```"
TABLE = "| a | b |\n|---|---|\n" + "\n".join(f"| {number} | some words |" for number in range(40))
SOURCE = f"# Title\n\nA paragraph of text.\n\n## Code\n\n{CODE}\n\n## Table\n\n{TABLE}\n\n## End\n\nThe end.\n"
SETTINGS: dict[str, Any] = {"max_tokens": 100, "min_tokens": 0}


def good() -> list[Chunk]:
    return list(chunk(SOURCE, **SETTINGS))


def complaints(chunks: list[Chunk], **changed: Any) -> set[str]:
    """The numbers of the laws that are broken."""
    messages = faults(SOURCE, chunks, make_settings(**{**SETTINGS, **changed}))
    return {match[1] for message in messages if (match := re.match(r"law (\d)", message))}


def test_good_chunks_break_none() -> None:
    assert complaints(good()) == set()
    assert {name[0] for name in LAWS} == set("12456")


@pytest.mark.parametrize("lost", [0, 3, -1])
def test_a_lost_chunk_is_missed(lost: int) -> None:
    chunks = good()
    del chunks[lost]
    assert "1" in complaints(chunks)


def test_a_text_told_twice_is_noticed() -> None:
    chunks = good()
    chunks[2].start -= 3
    assert "1" in complaints(chunks)


def test_a_chunk_above_the_cap_is_noticed() -> None:
    assert "2" in complaints(good(), max_tokens=60)


@pytest.mark.parametrize(("field", "value"), [("prefix", ""), ("suffix", ""), ("suffix", "\n~~~")])
def test_a_fence_that_is_not_reopened_or_closed_is_noticed(field: str, value: str) -> None:
    chunks = good()
    part = next(each for each in chunks if each.prefix.startswith("```") and each.suffix)
    setattr(part, field, value)
    assert "5" in complaints(chunks)


def test_a_table_part_without_its_header_is_noticed() -> None:
    chunks = good()
    next(each for each in chunks if each.prefix.startswith("|")).prefix = ""
    assert "5" in complaints(chunks)


def test_a_block_that_is_cut_without_need_is_noticed() -> None:
    assert "5" in complaints(good(), max_tokens=1000)


@pytest.mark.parametrize(
    ("field", "value"), [("heading_path", ("Other",)), ("block_start", 0), ("index", 9), ("start", 1)]
)
def test_a_wrong_place_is_noticed(field: str, value: object) -> None:
    chunks = good()
    setattr(chunks[2], field, value)
    assert "4" in complaints(chunks)


def test_a_heading_that_ends_a_chunk_is_noticed() -> None:
    chunks = good()
    title, rest = chunks[0], chunk(SOURCE, **SETTINGS)[0]
    title.end = title.start + len("# Title")
    rest.start = title.end + 2
    assert "6" in complaints([title, rest, *chunks[1:]])


def test_an_empty_chunk_is_noticed() -> None:
    chunks = good()
    chunks[0].end = chunks[0].start
    assert "6" in complaints(chunks)
