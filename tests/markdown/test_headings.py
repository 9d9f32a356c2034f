"""Headings: plain text, anchors, the stack, sections."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from headnote.markdown.headings import (
    HeadingStack,
    Slugs,
    explicit_id,
    github_slug,
    heading_text,
    headings,
    plain_text,
    sections,
)
from headnote.markdown.scanner import scan

COMMONMARK = MarkdownIt("commonmark")


def only_heading(text: str) -> tuple[str, str]:
    [block] = [block for block in scan(text) if block.kind == "heading"]
    return heading_text(text, block.start, block.end), explicit_id(text, block)


@pytest.mark.parametrize(
    ("inline", "expected"),
    [
        ("plain words", "plain words"),
        ("  many \t blanks\n and lines ", "many blanks and lines"),
        ("*a* **b** _c_ __d__ ***e***", "a b c d e"),
        ("~~gone~~ ~also~ ~~~not~~~", "gone also ~~~not~~~"),
        ("snake_case_name and 2*3*4", "snake_case_name and 234"),
        ("`code *x*` and `` a`b ``", "code *x* and a`b"),
        ("[text](url) ![alt *x*](src) [ref][label] [same][]", "text alt x ref same"),
        ("[not a link] [x] ]", "[not a link] [x] ]"),
        ("[![badge](src)](url) after", "badge after"),
        ("<https://a.org> <b>bold</b> one<br>two <!-- no -->", "https://a.org bold one two"),
        (r"\*stars\* \[x\] a\b", r"*stars* [x] a\b"),
        ("&lt;T&gt; &amp; &copy; &#35; &nosuch; AT&T", "<T> & © # &nosuch; AT&T"),
        ("[[note]] [[note|alias]] ![[image.png]] [[a#b]]", "note alias image.png a#b"),
        ("*a [b* c](d) e*", "a b* c e"),
        ("a < b > c", "a < b > c"),
        ("footnote[^1]", "footnote"),
        ("`unclosed *x*", "`unclosed x"),
    ],
)
def test_plain_text_is_what_the_reader_sees(inline: str, expected: str) -> None:
    assert plain_text(inline) == expected


def test_with_definitions_only_defined_labels_are_links() -> None:
    assert plain_text("[a] [b] [c][a] [c][b] x[^1] x[^2]", {"a": "", "^1": ""}) == "a [b] c [c][b] x x[^2]"


MARKUP = st.sampled_from([*"*_`[]()!<>\\&;ab. ", "**", "](u)", "<b>", "&lt;", "![", "``", "[a](b)", "é", "“"])
INLINE = st.lists(MARKUP, max_size=14).map("".join)


def rendered(children: list[Any]) -> str:
    visible = []
    for token in children:
        if token.type == "image":
            visible.append(rendered(token.children or []))
        elif token.type != "html_inline":
            visible.append(token.content)
    return "".join(visible)


@given(INLINE)
def test_plain_text_agrees_with_a_complete_parser(inline: str) -> None:
    if "[[" in inline:
        return  # wikilinks are not CommonMark
    inline = inline.strip()
    [token] = COMMONMARK.parseInline(inline)
    assert plain_text(inline, {}) == " ".join(rendered(token.children or []).split())


@given(st.text())
def test_plain_text_never_raises_and_is_one_line(inline: str) -> None:
    assert "\n" not in plain_text(inline)


@pytest.mark.parametrize(
    "unit",
    ["[", "![", "](", "[a](b", "[a](<", "[a](b '", "*", "*a ", "a*", "_a*", "**a*", "`", "``a`", "<", '<a b="', "<!--"],
)
def test_plain_text_of_endless_markup(unit: str) -> None:
    """It would not come back if one unit made all others be read again."""
    assert plain_text(unit * 20_000) is not None


def test_backticks_of_every_length_and_nested_brackets() -> None:
    assert plain_text(" ".join("`" * length for length in range(1, 600))) is not None
    nested = "[x" * 50_000 + "]" * 50_000
    assert plain_text(nested) == nested
    assert plain_text("![" * 20_000 + "a" + "](b)" * 20_000) == "a"
    assert plain_text("*" * 50_000 + "a* " * 50_000) == " ".join("a" * 50_000)


@pytest.mark.parametrize(
    ("text", "expected", "identifier"),
    [
        ("# C#", "C#", ""),
        ("# C #", "C", ""),
        ("## C ##  ", "C", ""),
        ("# a \\#", "a #", ""),
        ("#", "", ""),
        ("# #", "", ""),
        ("   ###  Far   out", "Far out", ""),
        ("# Storage {#storage}", "Storage", "storage"),
        ("# Storage { #storage }", "Storage", "storage"),
        ("# Storage {#storage .wide}", "Storage", "storage"),
        ("# Storage {#storage} #", "Storage", "storage"),
        ("# Storage {: #storage }", "Storage", "storage"),
        ("# Storage # {: #storage }", "Storage", "storage"),
        ("# Android {: android}", "Android", ""),
        ("# Returns {:ok}", "Returns {:ok}", ""),
        ('# Storage {: .wide data-label="A #b" #storage}', "Storage", "storage"),
        ("# Storage { .wide }", "Storage", ""),
        ("# C# {#c}", "C#", "c"),
        ("# `use` {/*use-it*/}", "use", "use-it"),
        ("# Use {/* use-it */}", "Use", "use-it"),
        ("# A {b} set", "A {b} set", ""),
        ("# The set {}", "The set {}", ""),
        ("# The set {a, .b}", "The set {a, .b}", ""),
        ("# {{ heading }}", "{{ heading }}", ""),
        ("Two *lines*\nof `text` {#two}\n===", "Two lines of text", "two"),
        ("Two\r\nlines\r\n---\r\n", "Two lines", ""),
        ("\ufeff# Mark", "Mark", ""),
    ],
)
def test_heading_text_and_id(text: str, expected: str, identifier: str) -> None:
    assert only_heading(text) == (expected, identifier)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("a  b", "a--b"),
        ("snake_case & dots.js", "snake_case--dotsjs"),
        ("Größe ½ 二", "größe--二"),
        ("नमस्ते", "नमस्ते"),
        ("ⓐ", "ⓐ"),
        ("C++ 🎉 emoji", "c--emoji"),
        ("", ""),
    ],
)
def test_slugs_are_those_of_github(text: str, slug: str) -> None:
    assert github_slug(text) == slug


def test_repeated_slugs_are_numbered() -> None:
    slugs = Slugs()
    given_slugs = ["a", "a", "a-1", "a", "a-1", "b"]
    assert [slugs.unique(slug) for slug in given_slugs] == ["a", "a-1", "a-1-1", "a-2", "a-1-2", "b"]


def test_the_stack_pops_what_is_not_above() -> None:
    stack = HeadingStack()
    assert stack.push(1, "A") == ("A",)
    assert stack.push(2, "B") == ("A", "B")
    assert stack.push(4, "D") == ("A", "B", "D")
    assert stack.push(3, "C") == ("A", "B", "C")
    assert stack.push(2, "E") == ("A", "E")
    assert stack.push(1, "F") == ("F",)
    assert stack.path == ("F",)


def test_a_stack_has_a_title_a_breadcrumb_and_copies() -> None:
    stack = HeadingStack()
    assert (stack.path, stack.title, stack.breadcrumb) == ((), "", "")
    stack.push(1, "A")
    stack.push(3, "C")
    kept = stack.copy()
    stack.push(2, "B")
    assert (stack.title, stack.breadcrumb) == ("B", "A > B")
    assert (kept.path, kept.title) == (("A", "C"), "C")
    kept.push(4, "D")
    assert (kept.breadcrumb, stack.breadcrumb) == ("A > C > D", "A > B")


@given(st.lists(st.integers(1, 6)))
def test_levels_rise_along_a_path(levels: list[int]) -> None:
    stack = HeadingStack()
    for level in levels:
        path = stack.push(level, str(level))
        assert path[-1] == str(level)
        assert list(path) == sorted(set(path))


DOCUMENT = """---
title: T
---
Before.

# One

Text.

#### Deep

More.

## Two {#second}

# One
"""


def test_headings_have_path_and_unique_slug() -> None:
    entries = headings(DOCUMENT, scan(DOCUMENT))
    assert [(heading.level, heading.slug, heading.path) for heading in entries] == [
        (1, "one", ("One",)),
        (4, "deep", ("One", "Deep")),
        (2, "second", ("One", "Two")),
        (1, "one-1", ("One",)),
    ]
    assert [heading.start_line for heading in entries] == [6, 10, 14, 16]


def test_a_heading_knows_the_definitions_of_its_document() -> None:
    text = "# [1.0] and [draft]\n\n[1.0]: https://example.org\n"
    assert headings(text, scan(text))[0].text == "1.0 and [draft]"


def test_sections_are_cut_at_headings_within_the_depth() -> None:
    blocks = scan(DOCUMENT)
    deep = [(section.path, section.start_line, section.end_line) for section in sections(DOCUMENT, blocks)]
    assert deep == [
        ((), 4, 4),
        (("One",), 6, 8),
        (("One", "Deep"), 10, 12),
        (("One", "Two"), 14, 14),
        (("One",), 16, 16),
    ]
    flat = sections(DOCUMENT, blocks, depth=1)
    assert [(section.path, section.start_line, section.end_line) for section in flat] == [
        ((), 4, 4),
        (("One",), 6, 14),
        (("One",), 16, 16),
    ]


@pytest.mark.parametrize("text", ["", "---\na: 1\n---\n", "\n\n"])
def test_no_content_no_sections(text: str) -> None:
    assert sections(text, scan(text)) == []


LINES = st.sampled_from(["# A", "## B #", "### C", "###### F {#f}", "text", "", "Title\n===", "- # item", "```", "> q"])


@given(st.lists(LINES, max_size=25).map("\n".join), st.integers(1, 6))
def test_sections_tile_all_blocks_but_frontmatter(text: str, depth: int) -> None:
    blocks = scan(text)
    cut = sections(text, blocks, depth)
    position = 1 if blocks and blocks[0].kind == "frontmatter" else 0
    for section in cut:
        assert section.first_block == position
        assert (section.start, section.end) == (blocks[position].start, blocks[section.last_block - 1].end)
        position = section.last_block
        assert (section.heading.path if section.heading else ()) == section.path
    assert position == len(blocks) or not cut


@pytest.mark.parametrize("corpus", ["own", "rust-book", "foam", "fastapi-en"])
def test_heading_text_of_real_documents_is_what_a_parser_renders(
    corpus: str, corpus_files: Callable[[str], list[Path]]
) -> None:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    compared = 0
    for file in corpus_files(corpus):
        text = file.read_bytes().decode("utf-8")
        blocks = scan(text)
        body = text if not blocks or blocks[0].kind != "frontmatter" else text[blocks[0].end :]
        seen = [rendered(token.children or []) for token in _heading_inlines(parser, body)]
        ours = headings(text, blocks)
        if len(seen) != len(ours):
            continue  # where headings are is for the tests of the scanner to judge
        for heading, shown in zip(ours, seen, strict=True):
            if "[[" in shown:
                continue  # wikilinks are not CommonMark
            text_without_id = shown.partition("{")[0] if "{" in shown and "{" not in heading.text else shown
            assert heading.text == " ".join(text_without_id.split()), file
            compared += 1
    assert compared > 100


def _heading_inlines(parser: MarkdownIt, body: str) -> list[Any]:
    tokens = parser.parse(body)
    return [following for token, following in pairwise(tokens) if token.type == "heading_open" and token.level == 0]
