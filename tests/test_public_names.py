"""The public surface changes on purpose or not at all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import headnote

PUBLIC_NAMES = {
    "Answer",
    "AnswerError",
    "Block",
    "Chunk",
    "Citation",
    "Dropped",
    "EmbeddingError",
    "Frontmatter",
    "Heading",
    "HeadnoteError",
    "Hit",
    "Index",
    "IndexFailure",
    "Link",
    "MissingExtra",
    "MissingSource",
    "NotAFile",
    "NotText",
    "Passage",
    "Section",
    "Settings",
    "SettingsError",
    "SourceError",
    "Tag",
    "UnreadableSource",
    "Why",
    "__version__",
    "chunk",
    "chunk_file",
    "chunk_files",
    "count_tokens",
    "parse",
    "presets",
}


def test_public_names_are_locked() -> None:
    assert set(headnote.__all__) == PUBLIC_NAMES
    assert set(dir(headnote)) == PUBLIC_NAMES


@pytest.mark.parametrize("name", sorted(PUBLIC_NAMES))
def test_every_public_name_exists(name: str) -> None:
    assert getattr(headnote, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = headnote.no_such_name


def test_parse_gives_blocks_with_positions() -> None:
    assert headnote.parse("# A\n\ntext\n") == [
        headnote.Block("heading", 0, 3, 1, 1, 1),
        headnote.Block("paragraph", 5, 9, 3, 3),
    ]


def test_every_error_is_one_of_ours() -> None:
    for name in PUBLIC_NAMES:
        value = getattr(headnote, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, headnote.HeadnoteError)


def test_the_version_is_in_the_changelog_or_ahead_of_it(repository: Path) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", headnote.__version__)
    assert "## [Unreleased]" in (repository / "CHANGELOG.md").read_text(encoding="utf-8")
