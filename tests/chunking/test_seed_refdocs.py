"""The preset `refdocs`: sections, small ones merged into siblings, large ones split, as its seed describes them."""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import Any

import pytest

from headnote.chunking.chunker import chunk
from headnote.model import Chunk

EXAMPLE = """# Authentication

Overview of auth methods.

## Basic Auth

Send credentials in the Authorization header.
Username and password are base64 encoded.

## OAuth

OAuth 2.0 flow for third-party access.

### Authorization Code

The most common OAuth grant type...
(long section with many paragraphs)
"""
BODY = "Some text that is long enough to stay on its own. " * 9  # 450 characters, more than 100 tokens
PARAGRAPHS = "\n\n".join(f"Paragraph {number} says: {BODY.strip()}" for number in range(12))


def refdocs(text: str, **settings: Any) -> list[Chunk]:
    return chunk(text, path="docs/auth.md", preset="refdocs", **settings)


# The example of the seed


def test_its_example_gives_the_four_chunks() -> None:
    chunks = refdocs(EXAMPLE, min_tokens=0)
    assert [(each.breadcrumb, each.text) for each in chunks] == [
        ("Authentication", "Overview of auth methods."),
        (
            "Authentication > Basic Auth",
            "Send credentials in the Authorization header.\nUsername and password are base64 encoded.",
        ),
        ("Authentication > OAuth", "OAuth 2.0 flow for third-party access."),
        (
            "Authentication > OAuth > Authorization Code",
            "The most common OAuth grant type...\n(long section with many paragraphs)",
        ),
    ]


def test_a_long_last_section_becomes_several_chunks() -> None:
    chunks = refdocs(EXAMPLE.replace("(long section with many paragraphs)", PARAGRAPHS), min_tokens=0)
    parts = [each for each in chunks if each.title == "Authorization Code"]
    assert len(parts) > 1
    assert {each.breadcrumb for each in parts} == {"Authentication > OAuth > Authorization Code"}


def test_a_small_section_joins_the_sibling_before_it() -> None:
    chunks = refdocs(EXAMPLE)
    assert [each.breadcrumb for each in chunks] == [
        *("Authentication", "Authentication > Basic Auth", "Authentication > OAuth > Authorization Code"),
    ]
    assert chunks[1].text.endswith("encoded.\n\n## OAuth\n\nOAuth 2.0 flow for third-party access.")


# Pass 1: sections


def test_only_the_first_three_levels_split() -> None:
    text = "\n\n".join(f"{'#' * level} Level {level}\n\n{BODY}" for level in range(1, 7))
    chunks = refdocs(text)
    assert [each.title for each in chunks] == ["Level 1", "Level 2", "Level 3"]
    assert all(f"{'#' * level} Level {level}" in chunks[2].text for level in (4, 5, 6))


def test_the_breadcrumb_is_a_stack() -> None:
    text = "".join(f"{heading}\n\n{BODY}\n\n" for heading in ("# C", "## D", "### E", "## F", "# G", "### H"))
    assert [each.breadcrumb for each in refdocs(text)] == ["C", "C > D", "C > D > E", "C > F", "G", "G > H"]


def test_a_body_has_no_heading_line_and_the_title_is_the_innermost_heading() -> None:
    (only,) = refdocs(f"# Outer\n\n## Inner\n\n{BODY}")
    assert (only.title, only.heading_path) == ("Inner", ("Outer", "Inner"))
    assert only.text.strip() == BODY.strip()


def test_text_before_the_first_heading_is_a_preamble() -> None:
    chunks = refdocs(f"{BODY}\n\n# A\n\n{BODY}")
    assert [(each.title, each.heading_path) for each in chunks] == [("", ()), ("A", ("A",))]


@pytest.mark.parametrize("matter", ["---\ntitle: x\ntags: [a]\n---\n", "---\n---\n\n\n"])
def test_frontmatter_is_stripped_and_lines_are_still_those_of_the_file(matter: str) -> None:
    text = f"{matter}# A\n\n{BODY.strip()}\n\n# B\n\n{BODY.strip()}\n"
    lines = text.split("\n")
    chunks = refdocs(text)
    assert len(chunks) == 2
    for each in chunks:
        assert "---" not in each.text
        assert "\n".join(lines[each.start_line - 1 : each.end_line]) == each.text


# Pass 2: merging


def test_sections_below_100_tokens_are_merged() -> None:
    siblings = f"# Top\n\n{BODY}\n\n## A\n\n{BODY}\n\n## B\n\n{{}}\n\n## C\n\n{BODY}"
    below, enough = siblings.format("x" * 396), siblings.format("x" * 397)
    assert [each.title for each in refdocs(below)] == ["Top", "A", "C"]
    assert [each.title for each in refdocs(enough)] == ["Top", "A", "B", "C"]


def test_several_small_siblings_join_the_same_one() -> None:
    text = "# Top\n\n" + "".join(f"## {name}\n\nsmall {name}\n\n" for name in "ABCD")
    last = refdocs(text)[-1]
    assert last.title == "A"
    assert last.text == "small A\n\n## B\n\nsmall B\n\n## C\n\nsmall C\n\n## D\n\nsmall D"


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("# A\n\na\n\n## B\n\nb", ["A", "B"]),
        ("# A\n\n## B\n\nb\n\n# C\n\nc\n\n## D\n\nd", ["B", "C", "D"]),
        ("## B\n\nb\n\n### C\n\nc\n\n## D\n\nd", ["B", "C", "D"]),
        ("preamble\n\n# A\n\na", ["", "A"]),
    ],
    ids=["parent", "cousin", "after a child", "preamble"],
)
def test_a_section_joins_only_the_sibling_just_before_it(text: str, titles: list[str]) -> None:
    assert [each.title for each in refdocs(text)] == titles


# Pass 3: splitting


def test_a_large_section_is_split_between_paragraphs() -> None:
    text = f"# Large\n\n{PARAGRAPHS}"
    chunks = refdocs(text)
    assert "\n\n".join(each.text for each in chunks) == PARAGRAPHS
    assert all(len(each.text) <= 3200 for each in chunks)
    assert {each.heading_path for each in chunks} == {("Large",)}
    assert all(each.is_split for each in chunks)


def test_a_part_is_filled_until_the_next_paragraph_would_exceed_the_limit() -> None:
    chunks = refdocs(f"# Large\n\n{PARAGRAPHS}")
    paragraph = len(PARAGRAPHS.split("\n\n")[-1]) + 2
    assert all(len(each.text) + paragraph > 3200 for each in chunks[:-1])


def test_a_section_without_paragraphs_stays_whole_however_long() -> None:
    text = "# A\n\n" + "word " * 4000
    (only,) = refdocs(text)
    assert only.text.strip() == ("word " * 4000).strip()
    assert not only.is_split


def test_blank_lines_in_code_are_no_paragraph_boundaries() -> None:
    code = "```\n" + "line of code\n\n" * 400 + "```"
    (owner,) = [each for each in refdocs(f"# A\n\n{BODY}\n\n{code}\n\n{BODY}") if "```" in each.text]
    assert code in owner.text


# The record


@pytest.mark.parametrize("empty", ["", "\n \n", "---\na: b\n---\n"])
def test_an_empty_file_gives_no_chunks(empty: str) -> None:
    assert refdocs(empty) == []


def test_a_file_without_headings_is_one_chunk() -> None:
    (only,) = refdocs("First paragraph.\n\nSecond one.\n")
    assert (only.text, only.title, only.breadcrumb) == ("First paragraph.\n\nSecond one.", "", "")


def test_ids_are_path_and_index() -> None:
    chunks = refdocs(f"# A\n\n{PARAGRAPHS}\n\n# B\n\n{BODY}")
    assert [each.id for each in chunks] == [f"docs/auth.md:{index}" for index in range(len(chunks))]
    assert {each.path for each in chunks} == {"docs/auth.md"}


def test_tokens_are_a_quarter_of_the_characters_rounded_up() -> None:
    for each in refdocs(EXAMPLE, min_tokens=0):
        assert each.tokens == ceil(len(each.embed_text) / 4)
        assert each.embed_text == f"{each.breadcrumb}\n\n{each.text}"


def test_a_heading_without_a_body_lives_on_in_the_paths_of_its_children() -> None:
    chunks = refdocs(f"# Only a title\n\n## Child\n\n{BODY}")
    assert [each.breadcrumb for each in chunks] == ["Only a title > Child"]


def test_a_heading_without_body_and_children_is_not_lost() -> None:
    text = f"# A\n\n{BODY}\n\n# Lonely"
    assert "Lonely" in " ".join(each.embed_text for each in refdocs(text))


def test_its_own_names_are_understood() -> None:
    named = refdocs(EXAMPLE + PARAGRAPHS, chunkMaxTokens=300, chunkMinTokens=20)
    assert named == refdocs(EXAMPLE + PARAGRAPHS, max_tokens=300, min_tokens=20)


# Overlap, which the seed does not have and its users may set


@pytest.mark.parametrize("counter", ["chars4", "estimate", "cl100k"])
@pytest.mark.parametrize("oversized", ["keep", "split"])
def test_parts_of_a_section_repeat_whole_blocks_and_keep_the_cap(counter: str, oversized: str) -> None:
    text = "# A\n\n" + "\n\n".join(f"Paragraph {number} says so." for number in range(60)) + "\n\n# B\n\nText.\n"
    settings: dict[str, Any] = {"counter": counter, "oversized": oversized, "max_tokens": 60, "min_tokens": 0}
    *parts, last = refdocs(text, overlap_tokens=20, **settings)
    assert len(parts) > 5
    for before, part in pairwise(parts):
        assert part.overlap
        assert text[: before.end].endswith("\n\n" + part.overlap)
        assert part.embed_text == f"A\n\n{part.overlap}\n\n{part.text}"
        assert part.tokens <= 60
    assert (parts[0].overlap, last.overlap) == ("", "")
    assert not any(each.overlap for each in refdocs(text, **settings))


def test_overlap_does_not_cross_sections() -> None:
    text = "# A\n\nShort.\n\n# B\n\nText.\n"
    assert not any(each.overlap for each in refdocs(text, min_tokens=0, overlap="high", overlap_across_sections=True))
