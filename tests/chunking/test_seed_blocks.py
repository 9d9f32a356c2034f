"""The preset `blocks`: packing, overlap, merging, headings and metadata, as its two seeds describe them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

import pytest

from headnote.chunking.chunker import chunk
from headnote.chunking.presets import make_settings
from headnote.chunking.settings import Boundaries
from headnote.markdown import parse
from headnote.model import Chunk
from headnote.tokens import get_counter


def blocks(text: str, path: str = "guide.md", **settings: Any) -> list[Chunk]:
    return chunk(text, path=path, preset="blocks", **settings)


def own(text: str, chunks: list[Chunk]) -> list[str]:
    return [text[each.start : each.end] for each in chunks]


def paragraph(tokens: int, letter: str = "x") -> str:
    """A paragraph of exactly this many estimated tokens, including the blank line after it."""
    return letter * (4 * tokens - 2)


def document(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"


# Estimates


@pytest.mark.parametrize(
    ("bias", "prose", "code"), [("balanced", "4", "2.75"), ("prose", "4.4", "3"), ("code", "3.6", "2.4")]
)
@pytest.mark.parametrize("size", [1, 396, 397, 1000])
def test_tokens_are_estimated_by_the_kind_of_block(bias: str, prose: str, code: str, size: int) -> None:
    counter = get_counter("estimate", bias)
    assert counter.count("x" * size) == ceil(size / Fraction(prose))
    assert counter.count("x" * size, code=True) == ceil(size / Fraction(code))


def test_wide_characters_count_one_each() -> None:
    assert get_counter("estimate").count("日本語の文") == 5
    (only,) = blocks("日本語の文" * 20)
    assert only.tokens == 100


def test_a_chunk_adds_up_prose_and_code() -> None:
    code = "```py\n" + "x" * 100 + "\n```"
    (only,) = blocks(document("y" * 98, code), min_tokens=0)
    assert only.tokens == 100 / 4 + len(code) / 2.75 == 65


def test_component_blocks_are_estimated_as_code() -> None:
    component = "<Tabs>\n" + "x" * 96 + "\n</Tabs>"
    (as_text,), (as_mdx,) = blocks(document(component), mdx=False), blocks(document(component), mdx=True)
    assert as_mdx.tokens == -(-len(component) // 2.75)
    assert as_text.text == as_mdx.text


# Packing


def test_the_numbers_are_those_of_the_seed() -> None:
    settings = make_settings("blocks")
    sizes = settings.target_tokens, settings.max_tokens, settings.min_tokens, settings.overlap_tokens
    assert (*sizes, settings.heading_depth) == (750, 1000, 200, 80, 3)


def test_blocks_are_packed_until_the_next_would_pass_max() -> None:
    text = document(paragraph(400), paragraph(300), paragraph(350), paragraph(300))
    chunks = blocks(text, target_tokens=1000, overlap_tokens=0)
    assert [len(each.split("\n\n")) for each in own(text, chunks)] == [2, 2]


def test_a_chunk_closes_when_it_has_reached_its_target() -> None:
    text = document(*[paragraph(100)] * 20)
    chunks = blocks(text, overlap_tokens=0)
    assert [len(each.split("\n\n")) for each in own(text, chunks)] == [8, 8, 4]


def test_no_block_that_fits_is_cut() -> None:
    text = document(paragraph(700), paragraph(990), paragraph(30), paragraph(999))
    texts = own(text, blocks(text))
    assert all(any(block in each for each in texts) for block in text.strip().split("\n\n"))


def test_packing_is_deterministic_and_tiles_the_source() -> None:
    text = document("# A", *[paragraph(90)] * 30, "## B", *[paragraph(60)] * 9)
    first, second = blocks(text), blocks(text)
    assert first == second
    assert "".join("".join(own(text, first)).split()) == "".join(text.split())


def test_an_empty_input_gives_no_chunks() -> None:
    assert blocks("") == blocks("\n\n") == blocks("---\ntitle: x\n---\n") == []


# Sections


def test_headings_within_the_depth_close_chunks() -> None:
    text = document("# A", paragraph(300), "## B", paragraph(300), "### C", paragraph(300), "#### D", paragraph(300))
    chunks = blocks(text)
    assert [each.breadcrumb for each in chunks] == ["A", "A > B", "A > B > C"]
    assert "#### D" in chunks[2].text


def test_a_deeper_depth_closes_more() -> None:
    text = document("# A", paragraph(300), "#### D", paragraph(300))
    assert [each.breadcrumb for each in blocks(text, heading_depth=4)] == ["A", "A > D"]
    assert [each.breadcrumb for each in blocks(text, heading_depth=1)] == ["A"]


def test_a_large_section_is_packed_into_chunks_that_keep_its_breadcrumb() -> None:
    chunks = blocks(document("# Doc", "## Large", *[paragraph(300)] * 8))
    assert len(chunks) > 2
    assert {each.breadcrumb for each in chunks} == {"Doc > Large"}
    assert {each.title for each in chunks} == {"Large"}


def test_boundaries_paragraph_ignores_headings() -> None:
    text = document("# A", paragraph(300), "# B", paragraph(300), "# C", paragraph(300))
    assert len(blocks(text, boundaries="paragraph", target_tokens=1000)) == 1
    assert len(blocks(text)) == 3


def test_boundaries_heading_never_packs_across_and_splits_only_for_size() -> None:
    text = document("# A", paragraph(20), "# B", paragraph(900), "# C", paragraph(600), paragraph(600))
    chunks = blocks(text, boundaries="heading", overlap_tokens=0)
    assert [each.heading_path for each in chunks] == [("A",), ("B",), ("C",), ("C",)]
    assert own(text, chunks)[1].count("\n\n") == 1


def test_irregular_headings_stay_as_they_are() -> None:
    text = "".join(f"{'#' * level} H{level}\n\n{paragraph(300)}\n\n" for level in (2, 4, 3, 1, 6, 2))
    assert [each.heading_path for each in blocks(text, heading_depth=6)] == [
        *[("H2",), ("H2", "H4"), ("H2", "H3")],
        *[("H1",), ("H1", "H6"), ("H1", "H2")],
    ]


def test_a_new_h1_is_a_new_root() -> None:
    text = document("# One", "## Sub", paragraph(300), "# Two", paragraph(300))
    assert [each.breadcrumb for each in blocks(text)] == ["One > Sub", "Two"]


# Overlap


def test_overlap_is_the_largest_suffix_of_whole_blocks_within_the_budget() -> None:
    text = document(paragraph(700), paragraph(40, "a"), paragraph(30, "b"), paragraph(30, "c"), paragraph(900, "z"))
    chunks = blocks(text, target_tokens=1000, max_tokens=1000, min_tokens=0)
    assert [each.overlap for each in chunks] == ["", f"{paragraph(30, 'b')}\n\n{paragraph(30, 'c')}"]
    assert chunks[1].embed_text == f"{chunks[1].overlap}\n\n{chunks[1].text}"


def test_no_overlap_if_not_even_one_block_is_within_the_budget() -> None:
    text = document(paragraph(700), paragraph(81), paragraph(800))
    assert [each.overlap for each in blocks(text)] == ["", ""]


def test_overlap_is_never_headings_alone() -> None:
    text = document(paragraph(800), "#### Deep heading", paragraph(700), paragraph(700))
    for each in blocks(text, min_tokens=0):
        assert not each.overlap.startswith("####") or "\n\n" in each.overlap


def test_overlap_never_holds_frontmatter() -> None:
    text = document("---\ntitle: x\n---", paragraph(20), paragraph(990), paragraph(900))
    for each in blocks(text, frontmatter="include", min_tokens=0):
        assert "title: x" not in each.overlap


def test_overlap_keeps_the_cap_and_is_no_own_text() -> None:
    text = document(*[paragraph(70, letter) for letter in "abcdefghijklmnopqrstuvwxyz"])
    chunks = blocks(text, max_tokens=300, target_tokens=300, min_tokens=0, overlap_tokens=80)
    assert len(chunks) > 5
    for before, after in pairwise(chunks):
        assert after.overlap == text[after.start - 2 - len(after.overlap) : before.end]
        assert before.end <= after.start
        assert after.tokens <= 300
    assert all(each.overlap for each in chunks[1:])


@pytest.mark.parametrize("preset", ["blocks", "default"])
def test_overlap_that_finds_nothing_to_carry_costs_nothing(preset: str) -> None:
    text = document("# Title", *[paragraph(30, letter) for letter in "abcdefghijklmnopqrstuvwxyz"])
    sizes: dict[str, Any] = {"counter": "estimate", "target_tokens": 100, "max_tokens": 100, "min_tokens": 0}
    without, with_overlap = (chunk(text, preset=preset, overlap_tokens=tokens, **sizes) for tokens in (0, 10))
    assert [(each.start, each.end) for each in with_overlap] == [(each.start, each.end) for each in without]
    assert max(each.tokens for each in without) > 90


@pytest.mark.parametrize("preset", ["blocks", "default"])
@pytest.mark.parametrize("tokens", [30, 61, 95])
def test_own_text_leaves_space_for_what_is_carried(preset: str, tokens: int) -> None:
    text = document("# Title", *[paragraph(30, letter) for letter in "abcdefghijklmnopqrstuvwxyz"])
    sizes: dict[str, Any] = {"counter": "estimate", "target_tokens": 210, "max_tokens": 210, "min_tokens": 0}
    _, *others = chunk(text, preset=preset, overlap_tokens=tokens, **sizes)
    assert {each.overlap.count("\n\n") + 1 for each in others} == {tokens // 30}
    assert max(each.tokens for each in others) > 180


@pytest.mark.parametrize("preset", ["blocks", "default"])
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("A sentence of words.", "- an item of words\n- another"),
        ("- an item of words\n- another", "```\ncode of words\n```"),
        ("```\ncode of words\n```", "| a table | of words |\n|---|---|"),
    ],
)
def test_of_equal_places_to_cut_the_one_with_the_better_overlap_is_taken(better: str, worse: str, preset: str) -> None:
    parts = [f"{kind.replace('words', f'words {number}')}" for number in range(60) for kind in (better, worse)]
    sizes: dict[str, Any] = {"max_tokens": 128, "target_tokens": 64, "min_tokens": 0, "overlap_tokens": 20}
    chunks = chunk(document("# Title", *parts), preset=preset, **sizes)
    assert len(chunks) > 10
    carried = [each.overlap.rpartition("\n\n")[2] for each in chunks[1:]]
    assert {text[:2] for text in carried} == {better[:2]}


def test_a_chunk_closes_at_its_target_where_nothing_better_can_be_carried() -> None:
    parts = [f"A sentence of words {number}." if number % 9 else paragraph(30) for number in range(90)]
    with_lists = [part if number % 4 else f"- an item {number}" for number, part in enumerate(parts)]
    sizes: dict[str, Any] = {"max_tokens": 200, "target_tokens": 96, "min_tokens": 0, "overlap_tokens": 20}
    for text in (document(*parts), document(*with_lists)):
        for before in blocks(text, **sizes)[:-1]:
            last = parse(text)[before.block_end]
            shorter = text[before.start : last.start].rstrip()
            is_past_target = len(shorter) / 4 > sizes["target_tokens"]
            assert not is_past_target or last.kind == "paragraph"


def test_a_carried_code_block_counts_as_code() -> None:
    """A chunk is as large as what it embeds, by the kind of each block, the carried ones included."""
    code = "```\n" + "x" * 192 + "\n```"
    text = document(paragraph(900), code, paragraph(900))
    last = blocks(text, min_tokens=0)[-1]
    if last.overlap:
        assert last.tokens == ceil(len(code) / Fraction("2.75") + (len(last.text) + 2) / Fraction(4))
    assert last.tokens <= 1000


# Merging


def test_a_small_chunk_merges_forward_if_both_fit() -> None:
    text = document("# A", paragraph(50), "# B", paragraph(300), "# C", paragraph(300))
    assert [each.count("# ") for each in own(text, blocks(text))] == [2, 1]


def test_it_merges_backward_if_forward_does_not_fit() -> None:
    text = document("# A", paragraph(300), "# B", paragraph(50), "# C", paragraph(970))
    assert [each.split("\n")[0] for each in own(text, blocks(text, overlap_tokens=0))] == ["# A", "# C"]


def test_else_it_stays() -> None:
    text = document("# A", paragraph(970), "# B", paragraph(50), "# C", paragraph(970))
    assert len(blocks(text, overlap_tokens=0)) == 3


def test_merging_drops_what_was_carried_so_that_no_text_doubles() -> None:
    text = document(paragraph(700, "a"), paragraph(60, "b"), paragraph(20, "c"), "# D", paragraph(100, "d"))
    for each in blocks(text):
        assert each.embed_text.count(paragraph(60, "b")) <= 1
        assert each.overlap not in each.text or not each.overlap


def test_a_merged_chunk_has_the_headings_its_sections_share() -> None:
    (only,) = blocks(document("# Doc", "## A", paragraph(50), "## B", paragraph(50)))
    assert only.heading_path == ("Doc",)


IMPORT = "import Card from './Card'"


@pytest.mark.parametrize("preset", ["blocks", "default"])
@pytest.mark.parametrize("above", [IMPORT, "An introduction.", f"{IMPORT}\n\nAn introduction."])
@pytest.mark.parametrize("boundaries", ["hybrid", "heading", "paragraph"])
def test_what_stands_above_the_first_heading_takes_its_path(preset: str, above: str, boundaries: Boundaries) -> None:
    text = document(above, "# Title", "Text.", "## Details", paragraph(900), "## More", paragraph(900))
    chunks = chunk(text, path="page.mdx", preset=preset, boundaries=boundaries)
    assert chunks[0].start == 0
    assert [each.heading_path[:1] for each in chunks] == [("Title",)] * len(chunks)


def test_it_stays_with_its_heading_although_the_section_is_cut() -> None:
    text = document(IMPORT, "# Title", *[paragraph(60, letter) for letter in "abcdefgh"])
    for preset in ("blocks", "default"):
        first, *others = chunk(text, path="page.mdx", preset=preset, max_tokens=100)
        assert others
        assert (first.heading_path, first.text.startswith(IMPORT), "aaa" in first.text) == (("Title",), True, True)


def test_a_long_text_above_the_first_heading_is_a_chunk_without_headings() -> None:
    first, second = blocks(document(paragraph(600), "# Title", paragraph(600)))
    assert (first.heading_path, second.heading_path) == ((), ("Title",))


def test_a_small_section_that_joins_it_gives_it_its_path() -> None:
    (only,) = blocks(document(paragraph(300), "# Title", paragraph(50)))
    assert only.heading_path == ("Title",)


def test_roots_that_share_nothing_are_not_named_by_what_stands_above_them() -> None:
    (only,) = blocks(document(IMPORT, "# A", "Text.", "# B", "Text."), mdx=True)
    assert only.heading_path == ()


def test_merging_may_be_switched_off() -> None:
    assert len(blocks(document("# A", "a", "# B", "b"), merge=False)) == 2


# Frontmatter and metadata

MATTER = "---\ntitle: Guide\ntags: [a, b]\ndate: 2024-02-29\n---"


def test_frontmatter_is_metadata_by_default() -> None:
    (only,) = blocks(document(MATTER, "# A", "text"))
    assert only.text == "# A\n\ntext"
    assert only.metadata["title"] == "Guide"
    assert only.tags == ("a", "b")
    assert only.start_line == 7


def test_frontmatter_may_be_included_as_the_first_block() -> None:
    (only,) = blocks(document(MATTER, "# A", "text"), frontmatter="include")
    assert only.text.startswith(MATTER)
    assert only.metadata["title"] == "Guide"


def test_frontmatter_may_be_stripped() -> None:
    (only,) = blocks(document(MATTER, "# A", "text"), frontmatter="strip")
    assert only.text == "# A\n\ntext"
    assert only.metadata == {}
    assert only.tags == ()


def test_frontmatter_that_cannot_be_read_stops_nothing() -> None:
    (only,) = blocks("---\na: [\n---\n\ntext\n")
    assert (only.text, only.metadata, only.start_line) == ("text", {}, 5)


def test_every_chunk_says_where_it_comes_from() -> None:
    text = document("# Doc", paragraph(300), "## Part", paragraph(300), paragraph(300))
    first, second = blocks(text)
    assert (first.breadcrumb, first.title, first.block_start, first.block_end) == ("Doc", "Doc", 0, 1)
    assert (second.breadcrumb, second.title, second.block_start, second.block_end) == ("Doc > Part", "Part", 2, 4)
    assert [each.path for each in (first, second)] == ["guide.md", "guide.md"]
    assert (second.start_line, second.end_line) == (5, 9)


# MDX

COMPONENT = "<Card title='x'>\n  Text inside.\n</Card>"


def test_imports_and_components_are_blocks_of_their_own_in_mdx() -> None:
    text = document("import { Card } from 'x'\nexport const a = 1", "# A", COMPONENT)
    (only,) = chunk(text, path="a.mdx", preset="blocks")
    assert "Text inside." in only.text
    assert (only.block_start, only.block_end) == (0, 2)


def test_a_component_that_fits_is_not_cut() -> None:
    inside = "\n\n".join(f"Paragraph {number} in the component." for number in range(6))
    component = f"<Tabs>\n\n{inside}\n\n</Tabs>"
    text = document(*[paragraph(60)] * 4, component, *[paragraph(60)] * 4)
    texts = own(text, blocks(text, mdx=True, max_tokens=120, min_tokens=0, overlap_tokens=0))
    assert any(component in each for each in texts)


@pytest.mark.parametrize("broken", ["<Card", "{", "<A><B></A>", "export const a = {", "<Card title={`}>"])
def test_mdx_that_cannot_be_parsed_becomes_text(broken: str) -> None:
    chunks = blocks(document("# A", broken, "text"), mdx=True)
    assert broken in "".join(each.text for each in chunks)


# Settings


@pytest.mark.parametrize(
    ("size", "sizes"), [("small", (375, 500, 100)), ("medium", (750, 1000, 200)), ("large", (1500, 2000, 400))]
)
def test_basic_mode(size: str, sizes: tuple[int, int, int]) -> None:
    settings = make_settings("blocks", size=size)
    assert (settings.target_tokens, settings.max_tokens, settings.min_tokens) == sizes


def test_its_own_names_are_understood() -> None:
    text = document(MATTER, "# A", *[paragraph(90)] * 30)
    named = blocks(text, TargetTokens=200, MaxTokens=300, MinTokens=50, OverlapTokens=20, FrontmatterMode="include")
    ours: dict[str, Any] = {"target_tokens": 200, "max_tokens": 300, "min_tokens": 50, "overlap_tokens": 20}
    assert named == blocks(text, frontmatter="include", **ours)


# The chunker it replaces


@pytest.mark.parametrize("name", ["fixed", "fixed_size", "Fixed", "fixed-size"])
def test_fixed_is_windows_over_the_whole_text(name: Any) -> None:
    text = "# A\n\none two three\n\n# B\n\nfour five six\n\n# C\n\nseven eight\n"
    chunks = chunk(text, strategy=name, counter="chars", max_tokens=24, overlap_tokens=4)
    body = text.rstrip("\n")
    assert [each.text for each in chunks] == [body[at : at + 24] for at in range(0, len(body) - 4, 20)]
    assert [each.heading_path for each in chunks] == [("A",), ("B",), ("C",)]
    assert len(chunk(text, strategy=name)) == 1


# Files that are no Markdown

PLAIN = "# no heading\n\n" + "Some words. " * 400 + "\n\n```\n" + "a line of code\n" * 200 + "```\n\n    more\n"


@pytest.mark.parametrize("counter", ["estimate", "chars", "chars4"])
def test_plain_text_becomes_windows_of_one_size(counter: str) -> None:
    chunks = blocks(PLAIN, path="docs/notes.TXT", counter=counter, max_tokens=200, overlap_tokens=20)
    assert {each.tokens for each in chunks[:-1]} == {200}
    assert chunks[-1].tokens <= 200
    assert {get_counter(counter).count(each.overlap) for each in chunks[1:]} == {20}
    assert [each.embed_text for each in chunks] == [each.text for each in chunks]
    assert "".join(PLAIN[each.start : each.end] for each in chunks).strip() == PLAIN.strip()
    assert {each.start for each in chunks[1:]} <= {each.end for each in chunks}


@pytest.mark.parametrize("options", [{"plain_text": "markdown"}, {"strategy": "block"}, {"strategy": "markdown"}])
def test_plain_text_is_read_as_markdown_if_that_is_set(options: dict[str, Any]) -> None:
    markdown = [each.text for each in blocks(PLAIN, path="notes.md")]
    assert [each.text for each in blocks(PLAIN, path="notes.txt", **options)] == markdown
    assert [each.text for each in blocks(PLAIN, path="notes.txt")] != markdown


def test_other_presets_make_windows_of_plain_text_if_that_is_set() -> None:
    assert [each.text for each in chunk(PLAIN, path="a.txt")] == [each.text for each in chunk(PLAIN, path="a.md")]
    windows = chunk(PLAIN, path="a.txt", strategy="fixed", breadcrumb=False)
    assert [each.text for each in chunk(PLAIN, path="a.txt", plain_text="fixed")] == [each.text for each in windows]


def test_plain_text_without_text_has_no_chunks() -> None:
    assert blocks("", path="notes.txt") == blocks(" \n\n", path="notes.txt") == []
