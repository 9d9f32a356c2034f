"""Parts of a document are measured exactly, though every character is counted once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference, texts

from headnote.markdown import parse
from headnote.sources.files import is_mdx, read_source
from headnote.tokens import Counter, Ruler, get_counter, is_seam

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


COUNTERS = [
    get_counter("cl100k"),
    get_counter("o200k"),
    get_counter("chars"),
    get_counter("chars4"),
    get_counter("estimate"),
    get_counter(lambda text: len(text.split())),
]


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: str(counter.name))
@given(text=texts, data=st.data())
def test_any_part_is_measured_as_if_alone(counter: Counter, text: str, data: st.DataObject) -> None:
    offsets = st.integers(0, len(text))
    lines = [offset for offset in range(1, len(text)) if text[offset - 1] == "\n"]
    inner = data.draw(st.just(lines) | st.lists(offsets).map(sorted))
    ruler = Ruler(counter, text, [0, *inner, len(text)])
    for start, end in data.draw(st.lists(st.tuples(offsets, offsets).map(sorted), max_size=10)):
        assert ruler.size(start, end) == counter.count(text[start:end])
    last = len(inner) + 1
    for first, second in data.draw(st.lists(st.tuples(*[st.integers(0, last)] * 2).map(sorted), max_size=5)):
        part = text[ruler.cuts[first] : ruler.cuts[second]]
        assert ruler.between(first, second) == counter.count(part)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("corpus", ["fastapi-en", "kubernetes-ja", "react.dev", "rust-book"])
def test_blocks_of_real_documents(corpus: str, name: str, corpus_files: Callable[[str], list[Path]]) -> None:
    counter = get_counter(name)
    rulers = rough = 0
    for file in corpus_files(corpus)[::5]:
        text = read_source(file)
        blocks = parse(text, mdx=is_mdx(file))
        ruler = Ruler(counter, text, [*(block.start for block in blocks), len(text)])
        rulers += 1
        for width in (1, 3, 10):
            for first, last in zip(blocks, blocks[width - 1 :], strict=False):
                size = ruler.size(first.start, last.end)
                assert size == counter.count(text[first.start : last.end])
        rough += any(not is_seam(text, block.start, swallows_slashes=name == "o200k") for block in blocks)
        if not any(text.startswith("/", block.start) for block in blocks):
            assert ruler.totals[-1] == sum(counter.count_many([text[start:end] for start, end in pairwise(ruler.cuts)]))
    assert rulers
    # Exact without a second look, as a rule: all of cl100k, and of o200k all but pages with `/// tip` blocks.
    assert rough == 0 or name == "o200k"


def test_an_estimate_knows_code_from_prose() -> None:
    text = "p" * 40 + "\n\n" + "c" * 44
    ruler = Ruler(get_counter("estimate"), text, [0, 42, len(text)], [False, True])
    assert ruler.between(0, 1) == 11  # 42 / 4, rounded up
    assert ruler.between(1, 2) == 16  # 44 / 2.75
    assert ruler.between(0, 2) == 27  # 10.5 + 16, rounded once
    assert ruler.size(0, 40) == 10
    assert ruler.size(38, 53) == 5  # 4 / 4 + 11 / 2.75
    assert ruler.size(64, 64) == 0


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: str(counter.name))
def test_a_text_without_seams_takes_linear_time(counter: Counter) -> None:
    # Every block begins with a slash behind punctuation: nothing adds up in o200k, and chunks are counted anew.
    text = "/a.\n\n" * 20_000
    cuts = [*range(0, len(text), 5), len(text)]
    ruler = Ruler(counter, text, cuts)
    for first in range(0, 20_000, 100):
        assert ruler.between(first, first + 100) == counter.count(text[first * 5 : first * 5 + 500])


def test_nothing_to_measure() -> None:
    for counter in COUNTERS:
        assert Ruler(counter, "", [0]).size(0, 0) == 0
        assert Ruler(counter, "", [0, 0]).between(0, 1) == 0
        assert Ruler(counter, "", []).totals == [0]
