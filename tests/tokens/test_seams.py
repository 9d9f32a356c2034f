"""Counts add up at seams, and nearly every block begins at one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference, texts

from headnote.markdown import parse
from headnote.markdown.document import is_mdx
from headnote.sources.files import read_source
from headnote.tokens import get_counter, is_seam
from headnote.tokens.seams import seams_of_lines

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


@pytest.mark.parametrize("name", NAMES)
@given(text=texts, data=st.data())
def test_counts_add_up_at_the_seams_before_any_cuts(name: str, text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    seams = get_counter(name).seams_before(text, cuts)
    for cut, seam in zip(cuts, seams, strict=True):
        assert seam is None or (seam <= cut and not text[seam:cut].strip())
    places = [0, *(seam for seam in seams if seam is not None), len(text)]
    assert sum(count(name, text[a:b]) for a, b in pairwise(places)) == count(name, text)


@pytest.mark.parametrize("name", NAMES)
@given(lines=st.lists(texts, min_size=1, max_size=6), data=st.data())
def test_counts_add_up_at_the_seams_of_lines(name: str, lines: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(["\n", "\r\n", "\n\n", "\n  ", "\n\t"])).join(lines)
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    seams = seams_of_lines(text, start, end)
    assert all(text[seam - 1] == "\n" for seam in seams)
    assert sum(count(name, text[a:b]) for a, b in pairwise([start, *seams, end])) == count(name, text[start:end])


def test_which_lines_begin_with_a_seam() -> None:
    text = "first\nletter\n  indented\n\ttab\n  /indented slash\n/slash\n\n  \n\u00e9\n\u00a0x\nlast"
    lines = [text[seam:].partition("\n")[0] for seam in seams_of_lines(text, 0, len(text))]
    assert lines == ["letter", "  indented", "\ttab", "  /indented slash", "last"]
    assert seams_of_lines(text, 6, 16) == [13]


def test_a_cut_in_front_of_a_word_has_its_seam_before_the_blanks() -> None:
    seams = get_counter("cl100k").seams_before
    assert seams("word \u00a0word", [0, 4, 6, 10]) == [0, 4, 4, 10]
    assert seams("word\n\n  word", [4, 5, 6, 8, 9]) == [None, None, 6, 6, None]
    assert get_counter("chars").seams_before("word", [1, 2]) == [1, 2]


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
        ("word", "\u00a0x"),
        ("word", "\u3000\n"),
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


@pytest.mark.parametrize(
    ("corpus", "every"), [("own", 1), ("kubernetes-en", 40), ("fastapi-en", 1), ("kubernetes-ja", 20)]
)
@pytest.mark.parametrize("name", NAMES)
def test_blocks_of_real_documents_add_up(
    name: str, corpus: str, every: int, corpus_files: Callable[[str], list[Path]]
) -> None:
    counter = get_counter(name)
    seams = 0
    for file in corpus_files(corpus)[::every]:
        text = read_source(file)
        cuts = [block.start for block in parse(text, mdx=is_mdx(file))]
        cuts = [cut for cut in cuts if is_seam(text, cut, swallows_slashes=counter.swallows_slashes)]
        cuts = [0, *(cut for cut in cuts if cut), len(text)]
        assert sum(counter.weigh_pieces(text, cuts)) == counter.count(text)
        seams += len(cuts)
    assert seams > 1000
