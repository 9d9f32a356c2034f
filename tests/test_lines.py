"""What a line is: the same for all that count, cut and number them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.lines import LINE, count_lines, split_lines, whole_lines

TEXTS = st.text("ab \r\n\f\x85\u2028")


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\r\nb", 2), ("\n\n", 2), ("a\rb\r", 2), ("a\u2028b\x0c", 1)],
)
def test_lines_are_counted_as_markdown_ends_them(text: str, lines: int) -> None:
    assert count_lines(text) == lines


@given(TEXTS)
def test_lines_are_split_where_they_are_counted(text: str) -> None:
    lines = split_lines(text)
    assert len(lines) == count_lines(text)
    assert "".join(lines) == text.replace("\r", "").replace("\n", "")
    assert text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n") == "\n".join(lines)


@given(TEXTS)
def test_whole_lines_are_the_text(text: str) -> None:
    lines = whole_lines(text)
    assert "".join(lines) == text
    assert [line.rstrip("\r\n") for line in lines] == split_lines(text)


@given(TEXTS)
def test_the_pattern_finds_the_same_lines_and_an_empty_one_at_the_end(text: str) -> None:
    *lines, end = LINE.finditer(text)
    assert end.span() == (len(text), len(text))
    assert [line[0] for line in lines] == whole_lines(text)
    assert [line[1] for line in lines] == split_lines(text)
