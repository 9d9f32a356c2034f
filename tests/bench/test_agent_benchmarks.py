"""The benchmarks about agents: what is read until a passage is there, and pages with grades."""

from __future__ import annotations

import pytest

from agents_tokens import Read, matches_of, read_files, read_places, tokens_until
from graded_pages import document_of, score_of


def test_what_is_read_counts_up_to_the_first_line_of_the_gold() -> None:
    reads = [Read(50), Read(100, "a.md", 1, 10), Read(200, "b.md", 1, 10), Read(300, "b.md", 11, 20)]
    assert tokens_until(iter(reads), {"b.md": [(10, 12)]}) == 350
    assert tokens_until(iter(reads), {"b.md": [(15, 15)]}) == 650
    assert tokens_until(iter(reads), {"c.md": [(1, 1)]}) is None
    assert tokens_until(iter([Read(9_000, "a.md", 1, 1)]), {"a.md": [(1, 1)]}) is None


def test_a_reader_of_files_begins_where_most_words_are() -> None:
    lines = ["nothing"] * 300
    files = {
        "long.md": [*lines, "how to mount a disk"],
        "other.md": ["mount", "mount", "mount"],
        "changelog.md": ["mount a disk"],
        "none.md": ["nothing"],
    }
    matches = matches_of(files, "How do I mount a disk?", frozenset())
    assert {path: set(by_line) for path, by_line in matches.items()} == {"long.md": {300}, "other.md": {0, 1, 2}}
    listing, *windows = [(read.path, read.first, read.last) for read in read_files(files, matches)]
    assert listing == ("", 0, 0)
    assert windows == [("long.md", 201, 301), ("long.md", 1, 200), ("other.md", 1, 3)]
    assert [(read.path, read.first) for read in read_places(files, matches)] == [("long.md", 281), ("other.md", 1)]
    assert not matches_of(files, "mount", frozenset(files))


def test_a_page_counts_once_and_by_its_grade() -> None:
    documents = ["docs/guide/why.md", "docs/config/index.md", "docs/blog/guide/why.md"]
    assert [document_of(page, documents) for page in ("guide/why", "config", "nowhere")] == [*documents[:2], ""]
    best = score_of(["a", "b"], {"a": 3, "b": 1})
    assert best == (1.0, 1.0, 1.0)
    assert score_of(["x", "x"], {"a": 3}) == (0.0, 0.0, 0.0)
    later = score_of(["x", "b", "b", "a"], {"a": 3, "b": 1})
    assert (later.mrr, later.hit) == (0.5, 1.0)
    assert later.ndcg == pytest.approx((1 / 1.584963 + 7 / 2.321928) / (7 + 1 / 1.584963))
