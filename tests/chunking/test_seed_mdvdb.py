"""The preset `mdvdb`: every test and every validation point that its seed lists, and the rulings on them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from headnote import SettingsError
from headnote.chunking.chunker import chunk
from headnote.model import Chunk
from headnote.tokens import count_tokens, get_counter

NESTED = """Preamble line.

# Getting Started

Welcome.

## Installation

Install it.

### macOS

Use brew.

## Usage

Run it.

# Reference

All of it.
"""
ENGLISH = " ".join(f"Sentence number {number} says something else about the matter." for number in range(400))
MIXED = " ".join(f"{number} naïve 日本語の文章 👩‍👩‍👧 e\u0301 <|endoftext|>  tabs\tand\nlines" for number in range(200))


def mdvdb(text: str, **settings: Any) -> list[Chunk]:
    return chunk(text, path="path/to/file.md", preset="mdvdb", **settings)


def section_of(tokens: int) -> str:
    """A section of exactly this many tokens, including its heading."""
    text = "# Long\n\n" + " ".join(["word"] * tokens)
    return text[: get_counter("cl100k").boundaries(text)[tokens]]


# Sections


@pytest.mark.parametrize("count", [3, 5])
def test_each_heading_is_a_chunk(count: int) -> None:
    text = "\n".join(f"## Section {number}\n\nText of {number}.\n" for number in range(count))
    chunks = mdvdb(text)
    assert [each.title for each in chunks] == [f"Section {number}" for number in range(count)]
    assert [each.text for each in chunks] == [f"## Section {number}\n\nText of {number}." for number in range(count)]


def test_headings_of_all_six_levels_split() -> None:
    text = "\n\n".join(f"{'#' * level} Level {level}\n\ntext" for level in range(1, 7))
    assert [each.title for each in mdvdb(text)] == [f"Level {level}" for level in range(1, 7)]


def test_without_headings_there_is_one_chunk() -> None:
    (only,) = mdvdb("One paragraph.\n\nAnother one.\n")
    assert only.heading_path == ()
    assert not only.is_split


def test_the_preamble_is_chunk_0_without_headings() -> None:
    first = mdvdb(NESTED)[0]
    assert (first.index, first.text, first.heading_path) == (0, "Preamble line.", ())


def test_headings_are_a_stack_that_a_new_one_of_the_same_level_resets() -> None:
    assert [each.heading_path for each in mdvdb(NESTED)] == [
        (),
        ("Getting Started",),
        ("Getting Started", "Installation"),
        ("Getting Started", "Installation", "macOS"),
        ("Getting Started", "Usage"),
        ("Reference",),
    ]


def test_a_section_ends_at_the_next_heading_so_that_no_text_doubles() -> None:
    """The seed also says "of equal or higher level", which would double the text of subsections."""
    texts = "\n".join(each.text for each in mdvdb(NESTED))
    assert texts.count("Use brew.") == 1


def test_a_hash_in_code_begins_no_section() -> None:
    (only,) = mdvdb("# A\n\n```sh\n# no heading\n```\n\n- item\n\n      # neither\n")
    assert only.heading_path == ("A",)


# Short, empty, deterministic


def test_a_short_file_is_not_split_further() -> None:
    text = " ".join(["word"] * 100)
    (only,) = mdvdb(text)
    assert (only.text, only.tokens, only.is_split) == (text, 100, False)


def test_a_short_file_with_headings_may_be_joined() -> None:
    assert len(mdvdb(NESTED)) == 6
    (only,) = mdvdb(NESTED, join_short_files=True)
    assert only.text == NESTED.strip()
    assert only.heading_path == mdvdb(NESTED)[1].heading_path[:1]
    assert len(mdvdb(NESTED, join_short_files=True, max_tokens=20, overlap_tokens=0)) > 1


@pytest.mark.parametrize("empty", ["", "\n\n", "---\ntitle: only matter\n---\n"])
def test_an_empty_body_is_one_empty_chunk(empty: str) -> None:
    (only,) = mdvdb(empty)
    assert (only.id, only.text, only.heading_path, only.tokens) == ("path/to/file.md#0", "", (), 0)


def test_the_same_input_gives_the_same_chunks() -> None:
    text = NESTED + ENGLISH
    assert mdvdb(text, max_tokens=64, overlap_tokens=8) == mdvdb(text, max_tokens=64, overlap_tokens=8)


# Windows


def test_a_section_over_max_is_split_into_windows_that_say_so() -> None:
    chunks = mdvdb(f"# Small\n\ntext\n\n# Large\n\n{ENGLISH}")
    assert [each.is_split for each in chunks] == [False, *[True] * (len(chunks) - 1)]
    assert [each.part for each in chunks[1:]] == list(range(len(chunks) - 1))
    assert {each.heading_path for each in chunks[1:]} == {("Large",)}


@pytest.mark.parametrize(("tokens", "windows"), [(512, 1), (513, 2), (974, 2), (975, 3), (2000, 5)])
def test_how_many_windows_a_section_makes(tokens: int, windows: int) -> None:
    """512 at a time, 462 new: 2000 tokens are five windows, "about four" in the seed."""
    text = section_of(tokens)
    assert count_tokens(text) == tokens
    assert len(mdvdb(text)) == windows


@pytest.mark.parametrize("text", [ENGLISH, MIXED], ids=["english", "mixed"])
@pytest.mark.parametrize(("most", "overlap"), [(64, 10), (128, 0), (512, 50), (1024, 200), (64, 63)])
def test_windows_are_max_tokens_and_overlap_exactly(text: str, most: int, overlap: int) -> None:
    boundaries = get_counter("cl100k").boundaries(text)
    tokens = len(boundaries) - 1
    chunks = mdvdb(text, max_tokens=most, overlap_tokens=overlap)
    begin = 0
    for each in chunks:
        stop = min(begin + most, tokens)
        assert each.text == text[boundaries[begin] : boundaries[stop]]
        begin = stop - overlap
    assert chunks[-1].end == len(text)


def test_the_last_tokens_of_a_window_are_the_first_of_the_next() -> None:
    chunks = mdvdb(ENGLISH, max_tokens=512, overlap_tokens=50)
    assert len(chunks) > 3
    for before, after in pairwise(chunks):
        assert count_tokens(after.overlap) == 50
        assert before.text.endswith(after.overlap)
        assert after.text == after.overlap + ENGLISH[after.start : after.end]


def test_overlap_stays_inside_a_section() -> None:
    chunks = mdvdb(f"# A\n\n{ENGLISH}\n\n# B\n\n{ENGLISH}")
    firsts = [each for each in chunks if each.part == 0]
    assert [each.overlap for each in firsts] == ["", ""]


@pytest.mark.parametrize("most", [64, 128, 512, 1024])
def test_no_window_cuts_a_character_and_none_is_lost(most: int) -> None:
    chunks = mdvdb(MIXED, max_tokens=most, overlap_tokens=most // 8)
    assert "".join(MIXED[each.start : each.end] for each in chunks) == MIXED
    assert "\ufffd" not in "".join(each.text for each in chunks)


# Ids, lines, counts, settings


def test_ids_are_path_and_index() -> None:
    chunks = mdvdb(NESTED + ENGLISH, max_tokens=100, overlap_tokens=10)
    assert [each.id for each in chunks] == [f"path/to/file.md#{index}" for index in range(len(chunks))]
    assert [each.index for each in chunks] == list(range(len(chunks)))


def test_lines_are_those_of_the_file_frontmatter_included() -> None:
    text = f"---\ntitle: t\n---\n{NESTED}"
    lines = text.split("\n")
    for each in mdvdb(text):
        assert "\n".join(lines[each.start_line - 1 : each.end_line]) == each.text


def test_lines_of_windows_are_those_of_their_own_text() -> None:
    text = "# Lines\n\n" + "\n".join(f"line {number} of many" for number in range(300))
    for each in mdvdb(text, max_tokens=64, overlap_tokens=8):
        assert each.start_line == text.count("\n", 0, each.start) + 1
        assert each.end_line == text.count("\n", 0, each.end - 1) + 1


@pytest.mark.parametrize(
    ("text", "tokens"), [("hello world", 2), ("", 0), ("don't", 2), ("tiktoken is great!", 6), ("漢字", 3)]
)
def test_tokens_are_those_of_cl100k(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_overlap_must_be_below_max() -> None:
    with pytest.raises(SettingsError) as caught:
        mdvdb("text", max_tokens=50, overlap_tokens=50)
    assert "overlap_tokens" in caught.value.remedy


def test_its_own_names_are_understood() -> None:
    ours = mdvdb(ENGLISH, max_tokens=100, overlap_tokens=20)
    assert mdvdb(ENGLISH, MDVDB_CHUNK_MAX_TOKENS=100, MDVDB_CHUNK_OVERLAP_TOKENS=20) == ours
