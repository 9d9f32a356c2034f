"""Rows of a window: nothing is lost, nothing is too wide, and words stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.cli.terminal import StyledText, columns, folded

WORDS = st.lists(
    st.one_of(
        st.text("abcdefgh.,", min_size=1, max_size=12),
        st.text("木の海、東京。", min_size=1, max_size=30),
        st.sampled_from(["👩\u200d💻", "e\u0301", "guides/a/client-side-scripts.mdx:174,", "x" * 90]),
    ),
    min_size=1,
    max_size=30,
)


def rows_of(line: list[StyledText], width: int, indent: str) -> list[str]:
    return ["".join(span.text for span in row) for row in folded(line, width, indent)]


@given(WORDS, st.integers(40, 200), st.sampled_from(["", "    ", "    │           "]))
def test_rows_fit_and_hold_everything(words: list[str], width: int, indent: str) -> None:
    text = " ".join(words)
    line = [StyledText(text[at : at + 7], "bold" if at % 2 else "") for at in range(0, len(text), 7)]
    rows = rows_of(line, width, indent)
    assert all(columns(row) <= width for row in rows)
    assert all(row.startswith(indent) for row in rows[1:])
    shown = [rows[0], *(row.removeprefix(indent) for row in rows[1:])]
    assert "".join("".join(shown).split()) == "".join(text.split())
    assert not any(row != row.strip() for row in shown)
    whole = [word for word in words if word.isascii() and len(word) <= width - len(indent)]
    assert all(any(word in row for row in shown) for word in whole), "a word that fits is not broken"


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("short", 40, ["short"]),
        ("see docs/guide/a-long-name/of-a-file.md now", 30, ["see docs/guide/a-long-name/", "  of-a-file.md now"]),
        ("東京の潮位を調べる、毎日。", 18, ["東京の潮位を調べ", "  る、毎日。"]),
        ("ab 👩\u200d💻👩\u200d💻👩\u200d💻👩\u200d💻", 20, ["ab 👩\u200d💻👩\u200d💻👩\u200d💻👩\u200d💻"]),
    ],
)
def test_a_line_is_folded_where_it_may_be(text: str, width: int, rows: list[str]) -> None:
    assert rows_of([StyledText(text)], width, "  ") == rows


def test_without_a_window_a_line_stays_as_it_is() -> None:
    line = [StyledText("word " * 100)]
    assert list(folded(line, None, "    ")) == [line]


def test_the_colours_stay_with_their_words() -> None:
    line = [StyledText("a " * 12), StyledText("tide " * 4, "bold"), StyledText("b " * 12)]
    spans = [span for row in folded(line, 20, "") for span in row]
    assert " ".join(span.text for span in spans if span.style == "bold").split() == ["tide"] * 4
