"""Filters compare paths and fields of the frontmatter as people do."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.store.filters import MAX_FIELDS, flat_fields, path_matcher

ANY_TEXT = st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF))


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
    assert len(flat_fields({"many": list(range(10 * MAX_FIELDS))})) == MAX_FIELDS


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
