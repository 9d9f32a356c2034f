"""Values of any kind come back as they were; filters compare them as people do."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.store.codec import escaped, packed, packed_strings, unescaped, unpacked, unpacked_strings
from headnote.store.filters import MOST_FIELDS, flat_fields, path_matcher

ANY_TEXT = st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | ANY_TEXT
    | st.dates()
    | st.datetimes()
    | st.times()
)
KEYS = st.sampled_from(["a", "b", "$headnote", "mapping"]) | ANY_TEXT
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=12)


@given(ANY_TEXT | st.text(st.sampled_from("\uffff0dc80\0\udce9a")))
def test_sealed_text_comes_back(text: str) -> None:
    stored = escaped(text)
    stored.encode()
    assert "\0" not in stored
    assert unescaped(stored) == text


@given(st.dictionaries(KEYS, DATA))
def test_metadata_come_back(data: dict[str, Any]) -> None:
    assert unpacked(packed(data)) == data


@given(st.lists(ANY_TEXT))
def test_strings_come_back(strings: list[str]) -> None:
    assert unpacked_strings(packed_strings(strings)) == tuple(strings)


def test_fields_are_flat_and_folded() -> None:
    data = {
        "Status": "Draft ",
        "draft": True,
        "weight": 10,
        "date": datetime.date(2026, 1, 2),
        "authors": ["Ann", {"name": "Bo"}],
        "nothing": None,
    }
    assert flat_fields(data) == {
        ("status", "draft"),
        ("draft", "true"),
        ("weight", "10"),
        ("date", "2026-01-02"),
        ("authors", "ann"),
        ("authors.name", "bo"),
        ("nothing", ""),
    }


def test_fields_have_a_limit() -> None:
    assert len(flat_fields({"many": list(range(10 * MOST_FIELDS))})) == MOST_FIELDS


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.md", "a.md", True),
        ("*.md", "docs/deep/a.md", True),
        ("*.md", "a.mdx", False),
        ("docs", "docs/deep/a.md", True),
        ("docs/", "docs/deep/a.md", True),
        ("docs/*", "docs/deep/a.md", True),
        ("docs/*.md", "docs/deep/a.md", False),
        ("docs/**/a.md", "docs/a.md", True),
        ("docs/**/a.md", "docs/very/deep/a.md", True),
        ("./docs/a.md", "docs/a.md", True),
        ("/a.md", "docs/a.md", False),
        ("docs/a.md", "other/docs/a.md", False),
        ("doc", "docs/a.md", False),
        ("日本/*", "日本/語.md", True),
        ("[", "[", False),
    ],
)
def test_paths_fit_as_in_an_ignore_file(glob: str, path: str, fits: bool) -> None:
    assert path_matcher((glob,))(path) is fits
    assert path_matcher((glob, "nothing"))(path) is fits


@given(st.lists(ANY_TEXT, max_size=3), ANY_TEXT)
def test_any_glob_and_any_path_are_safe(globs: list[str], path: str) -> None:
    path_matcher(tuple(globs))(path)
