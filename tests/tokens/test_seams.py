"""Counts add up at seams, and nearly every block begins at one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference, texts

from headnote.markdown import parse
from headnote.sources.files import is_mdx, read_source
from headnote.tokens import get_counter, is_seam

NAMES = ["cl100k", "o200k"]


def count(name: str, text: str) -> int:
    return len(reference(name).encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
@given(text=texts, data=st.data())
def test_counts_add_up_at_seams(name: str, text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text)))
    slashes = name == "o200k"
    for offset in range(end + 1):
        if is_seam(text, offset, end, swallows_slashes=slashes):
            assert count(name, text[:offset]) + count(name, text[offset:end]) == count(name, text[:end])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Text.\n\n", "Foo"),
        ("text\n", "# Heading"),
        ("code;\n", "    indented"),
        ("```\n", "\tindented"),
        ("text\r\n\r\n", "- item"),
        ("text\r", "more"),
        ("text.\n \t\n", "| table |"),
        ("text\n", "/path"),
        ("Text.", " More"),
        ("(", "\tx"),
    ],
)
def test_seams(before: str, after: str) -> None:
    assert is_seam(before + after, len(before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("te", "xt"),
        ("text", "\n"),
        ("text.", "\n\n"),
        ("text.\n", "\nmore"),
        ("text\r", "\nmore"),
        ("text \n", "  \nmore"),
        ("text\n", "   "),
        ("text.\n\n", "/// tip"),
        ("two ", " spaces"),
    ],
)
def test_no_seams(before: str, after: str) -> None:
    assert not is_seam(before + after, len(before))


def test_a_slash_is_only_swallowed_by_o200k() -> None:
    before, after = "etc.\n\n", "/// tip"
    assert is_seam(before + after, len(before), swallows_slashes=False)
    assert count("cl100k", before + after) == count("cl100k", before) + count("cl100k", after)
    assert count("o200k", ".\n/") == 1


def test_a_blank_line_may_make_a_text_cheaper() -> None:
    # Why trailing line ends are recounted and not subtracted.
    assert count("cl100k", "x[];") > count("cl100k", "x[];\n")


@pytest.mark.parametrize("name", NAMES)
def test_blocks_of_real_documents_add_up(name: str, corpus_files: Callable[[str], list[Path]]) -> None:
    counter = get_counter(name)
    seams = 0
    for file in [
        *corpus_files("kubernetes-en")[::40],
        *corpus_files("fastapi-en"),
        *corpus_files("kubernetes-ja")[::20],
    ]:
        text = read_source(file)
        cuts = [block.start for block in parse(text, mdx=is_mdx(file))]
        cuts = [cut for cut in cuts if is_seam(text, cut, swallows_slashes=counter.swallows_slashes)]
        cuts = [0, *(cut for cut in cuts if cut), len(text)]
        assert sum(counter.weigh_pieces(text, cuts)) == counter.count(text)
        seams += len(cuts)
    assert seams > 1000
