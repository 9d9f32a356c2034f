"""Texts that say the same are shown once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote.search.duplicates import SeenTexts

LONG = " ".join(f"word{number}" for number in range(600))


def said(*texts: str) -> SeenTexts:
    shown = SeenTexts()
    for text in texts:
        shown.add(text)
    return shown


@given(st.text(max_size=60))
def test_a_text_says_the_same_as_itself_whatever_the_blanks(text: str) -> None:
    assert said("other", text).has("  ".join(["", *text.split(), ""]))


def test_a_word_more_or_less_makes_no_other_text() -> None:
    assert said(LONG).has(LONG.replace("word60", "changed"))
    assert said(LONG).has(LONG + " and more")


@pytest.mark.parametrize("other", [LONG.replace("word1", "x"), LONG[: len(LONG) // 2], "word1 word2", ""])
def test_what_differs_is_another_text(other: str) -> None:
    assert not said(LONG).has(other)


def test_short_texts_must_be_equal() -> None:
    assert not said("version 1").has("version 2")


def test_pages_of_two_versions_are_found_once(tmp_path: Path) -> None:
    for version in (1, 2):
        (tmp_path / f"v{version}.md").write_text(f"# Install\n\nInstall release {version} so: {LONG}\n")
    with headnote.Index.open(tmp_path, embedder="none", max_tokens=4000) as index:
        index.update()
        assert [hit.path for hit in index.search("install word7")] == ["v1.md"]
