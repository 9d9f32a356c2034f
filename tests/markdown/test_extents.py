"""The outline: each heading with the extent of all that stands below it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from corpora import files_below
from hypothesis import given
from hypothesis import strategies as st

from headnote.markdown.document import Document
from headnote.markdown.headings import OutlineEntry
from headnote.sources.files import read_source


def extents_are_true(text: str, entries: list[OutlineEntry]) -> bool:
    """Each entry begins with its heading, and the next lies wholly inside or wholly after it."""
    for entry, following in pairwise(entries):
        inside = following.heading.level > entry.heading.level
        if inside and following.end > entry.end:
            return False
        if not inside and following.start < entry.end:
            return False
    return all(
        entry.start_line == entry.heading.start_line
        and entry.start < entry.end <= len(text)
        and entry.start_line <= entry.end_line
        and not text[entry.end - 1].isspace()
        for entry in entries
    )


def test_extents_in_the_examples(repository: Path) -> None:
    for path in files_below(repository / "examples"):
        text = read_source(path)
        entries = Document(text, str(path)).outline
        assert entries
        assert extents_are_true(text, entries)


@given(st.lists(st.sampled_from(["# a", "## b", "### c", "###### d", "text", "", "- item", "```\n# code\n```"])))
def test_extents_nest_whatever_the_levels(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert extents_are_true(text, Document(text).outline)


def test_the_last_heading_reaches_to_the_end_of_the_text() -> None:
    text = "# a\n\n## b\n\ntext\n\n\n"
    assert [(entry.start, entry.end, entry.end_line) for entry in Document(text).outline] == [
        (0, 15, 5),
        (5, 15, 5),
    ]
