"""One text is searched as a folder with that text alone would be, and its passages are found whatever the settings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote import Chunk, Index
from headnote.chunking.budgets import with_changes
from headnote.chunking.chunker import chunk, chunk_document
from headnote.chunking.presets import find_preset, presets
from headnote.embedding.registry import Models, get_models
from headnote.markdown.document import Document
from headnote.search.single_text import (
    PASSAGES,
    Range,
    Score,
    _without_headings,
    best_passage,
    is_relevant,
    place_of,
    range_of_lines,
    searchable,
    trimmed,
)

TEXT = """\
---
title: Boats
---

# Boats

Boats are kept in the shed behind the church. The key hangs in the office.

## Paint

A hull is painted in spring, when the wood is dry. Two coats are enough, and a third does no harm.

- Scrape it.
- Wash it with fresh water.
- Wait three days.

```python
def coats(years):
    return 2 if years < 5 else 3
```

## Oars

An oar that floats for a week is lost. Whoever finds it may keep it.

| Oar | Length |
| --- | --- |
| long | 3 m |
| short | 2 m |
"""

INSTANT = get_models("instant")
QUESTIONS = ("how many coats of paint does a hull need", "who may keep a lost oar", "where is the key", "coats(years)")
WAYS: list[tuple[str, dict[str, Any]]] = [
    *((preset, {}) for preset in presets()),
    ("default", {"max_tokens": 40}),
    ("default", {"max_tokens": 60, "overlap_tokens": 20}),
    ("mdvdb", {"max_tokens": 24, "overlap_tokens": 8}),
]


@pytest.mark.parametrize("models", [INSTANT, Models()], ids=["words and meaning", "words alone"])
@pytest.mark.parametrize(("preset", "changes"), WAYS)
def test_a_text_ranks_as_a_folder_with_it_does(
    preset: str, changes: dict[str, Any], models: Models, tmp_path: Path
) -> None:
    (tmp_path / "boats.md").write_text(TEXT, encoding="utf-8", newline="\n")
    settings = with_changes(find_preset(preset), changes)
    with Index.open(tmp_path, preset=preset, embedder=models, **changes) as index:
        index.update()
        for question in QUESTIONS:
            found = index.search(question, 200, min_score=0.0, recency_days=0)  # a text has no age
            ours = searchable(TEXT, "boats.md", settings, models)
            ranking = {ours.chunks[number].key: score for number, score in ours.rank(question)}
            assert found
            # A search leaves duplicates out; what it shows has the same scores, in the same order.
            assert [hit.score for hit in found] == [pytest.approx(ranking[hit.key]) for hit in found]
            assert [key for key in ranking if key in {hit.key for hit in found}] == [hit.key for hit in found]


def test_what_a_search_would_not_show_is_not_relevant() -> None:
    text = searchable(TEXT, "boats.md", find_preset("default"), INSTANT)
    assert is_relevant(text.rank("who may keep a lost oar"))
    assert not is_relevant(text.rank("interest rates of the central bank"))
    assert not is_relevant([])


@pytest.mark.parametrize("text", ["", "\n\n", "---\ntitle: x\n---\n", "# Only a heading", "\x00\r\r\n\ud800"])
def test_any_text_and_question_is_safe(text: str) -> None:
    for question in ("", "  ", "x", '"', "\x00", "heading", "\ud800"):
        found = searchable(text, "", find_preset("default"), INSTANT)
        assert all(isinstance(score, Score) for score in found.rank(question))
        best_passage(text, "", question, INSTANT)


# -- the passage


@pytest.mark.parametrize("models", [INSTANT, Models()], ids=["words and meaning", "words alone"])
def test_the_passage_is_what_answers_without_the_heading_above(models: Models) -> None:
    passage = best_passage(TEXT, "boats.md", "who may keep a lost oar", models)
    assert passage is not None
    assert TEXT[passage.start : passage.end].startswith("An oar that floats")
    assert best_passage(TEXT, "boats.md", "xylophone", Models()) is None


class CountingText(str):
    """Counts the characters that are copied out of it."""

    __slots__ = ("copied",)
    copied: int

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        self.copied += len(part)
        return part


@given(
    st.lists(st.sampled_from(["# a\n", "## b\n\n", "c\n\n", "\n", "- d\n- e\n\n", "f\n===\n", "<!-- -->\n\n"])),
    st.data(),
)
def test_headings_go_from_the_beginning_of_a_passage_and_nothing_else(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    document = Document(text)
    for passage in chunk_document(document, data.draw(st.sampled_from((PASSAGES, find_preset("default"))))):
        start = passage.start
        for block in document.blocks:
            is_next = block.start >= start and not text[start : block.start].strip()
            if block.kind == "heading" and is_next and text[block.end : passage.end].strip():
                start = block.end
        assert _without_headings(document, passage) == trimmed(text, start, passage.end)


def test_a_passage_is_read_without_the_text_behind_it() -> None:
    text = "# a\n\nb\n\n" * 200
    document = Document(text)
    (first, *_) = chunk_document(document, PASSAGES)
    counting = CountingText(text)
    counting.copied = 0
    _without_headings(cast(Document, SimpleNamespace(text=counting, blocks=document.blocks)), first)
    assert counting.copied < 100


def squeezed(text: str) -> str:
    """Without blanks, which chunks may lose at their ends."""
    return "".join(text.split())


def shared_text(passage: Range, chunks: Sequence[Chunk]) -> str:
    """What chunks have of a passage."""
    parts = [TEXT[max(one.start, passage.start) : min(one.end, passage.end)] for one in chunks]
    return squeezed("".join(parts))


@given(st.sampled_from(WAYS), st.data())
def test_a_passage_is_whole_or_in_pieces_that_make_it_up(way: tuple[str, dict[str, Any]], data: st.DataObject) -> None:
    preset, changes = way
    chunks = chunk(TEXT, preset=preset, **changes)
    body = TEXT.index("# Boats")
    start = data.draw(st.integers(body, len(TEXT) - 1))
    passage = trimmed(TEXT, start, data.draw(st.integers(start + 1, len(TEXT))))
    ranks = {number: rank for rank, number in enumerate(data.draw(st.permutations(range(len(chunks)))), 1)}
    place = place_of(passage, TEXT, chunks, ranks)
    # Some presets keep headings in the breadcrumb alone: these are in no chunk.
    held = shared_text(passage, chunks)
    assert shared_text(passage, [chunks[at] for at in place.chunks]) == held
    if not held:
        assert not place.chunks
        return
    assert place.chunks == tuple(range(place.chunks[0], place.chunks[-1] + 1))
    if held != squeezed(TEXT[passage.start : passage.end]):
        return
    if len(place.chunks) == 1:
        assert place.whole_in is not None
    if place.whole_in is None:
        assert place.rank == min(ranks[at] for at in place.chunks)
    else:
        assert place.rank == ranks[place.whole_in]
        shown = squeezed(chunks[place.whole_in].overlap + chunks[place.whole_in].text)
        assert held in shown


def test_overlap_makes_a_torn_passage_whole() -> None:
    words = " ".join(f"word{number}" for number in range(120))
    without, with_overlap = (chunk(words, preset="mdvdb", max_tokens=60, overlap_tokens=overlap) for overlap in (0, 30))
    torn = next(at.end for at, _ in pairwise(without))
    passage = trimmed(words, torn - 12, torn + 6)
    assert place_of(passage, words, without, {}).whole_in is None
    assert place_of(passage, words, with_overlap, {}).whole_in is not None


def test_what_no_chunk_has_has_no_place() -> None:
    place = place_of(range_of_lines(TEXT, 2, 2), TEXT, chunk(TEXT), {0: 1})
    assert (place.chunks, place.whole_in, place.rank) == ((), None, None)


@given(st.lists(st.sampled_from(["a", "bc ", "", " "]), min_size=1), st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_lines_are_counted_as_everywhere(lines: list[str], end: str, data: st.DataObject) -> None:
    text = end.join(lines)
    first = data.draw(st.integers(1, len(lines) + 2))
    last = data.draw(st.integers(first, len(lines) + 2))
    start, stop = range_of_lines(text, first, last)
    assert text[start:stop] == end.join(lines[first - 1 : last]).strip()
    assert Range(0, len(text)).holds(Range(start, stop))
