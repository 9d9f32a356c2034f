"""Search in one text that no folder has: which of its chunks answer a question, and which passage of it does.

The text gets an index of its own, in memory, and the engine searches that: there is one ranking, whatever is searched.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

from headnote.chunking.chunker import Pass, chunk_document, read_document
from headnote.chunking.settings import Settings
from headnote.embedding.registry import Models
from headnote.index.entries import entry_of
from headnote.index.manifest import manifest_of
from headnote.index.text_vectors import with_vectors
from headnote.markdown.document import Document
from headnote.model import Chunk
from headnote.search.engine import Engine
from headnote.search.query import Query
from headnote.search.ranking import RELEVANT
from headnote.sources.files import FileSnapshot
from headnote.store.sqlite.store import MemoryStore

# -- Where the chunks of a text leave a passage of it: whole in one of them, or torn into several. Pure functions.


_LINE_END = re.compile(r"\r\n|\n|\r")


class Range(NamedTuple):
    """Characters of a text, the last not included."""

    start: int
    end: int

    def holds(self, other: Range) -> bool:
        return self.start <= other.start and other.end <= self.end

    def meets(self, other: Range) -> bool:
        """Whether they have a character in common."""
        return max(self.start, other.start) < min(self.end, other.end)


class TextPlace(NamedTuple):
    """Where a passage is, among chunks."""

    chunks: tuple[int, ...]
    """Those that have some of it as their own text."""
    whole_in: int | None
    """The chunk that has all of it, overlap included; of several the best. None if it is torn."""
    rank: int | None
    """Of that chunk, from 1; of the best chunk that has some of it if it is torn. None if the search finds none."""


def place_of(passage: Range, text: str, chunks: Sequence[Chunk], ranks: Mapping[int, int]) -> TextPlace:
    """The place of a passage. `ranks` has those of the chunks that a search finds."""

    def best(numbers: Sequence[int]) -> int | None:
        return min(numbers, key=lambda number: (ranks.get(number, len(chunks) + 1), number), default=None)

    pieces = tuple(chunk.index for chunk in chunks if _own(chunk, text).meets(passage))
    whole_in = best(
        [chunk.index for chunk, seen in zip(chunks, _seen(text, chunks), strict=True) if seen.holds(passage)]
    )
    leading = best(pieces) if whole_in is None else whole_in
    return TextPlace(pieces, whole_in, None if leading is None else ranks.get(leading))


def trimmed(text: str, start: int, end: int) -> Range:
    """The range without the blanks at its ends."""
    inner = text[start:end]
    return (
        Range(start + len(inner) - len(inner.lstrip()), start + len(inner.rstrip()))
        if inner.strip()
        else Range(start, start)
    )


def range_of_lines(text: str, first: int, last: int) -> Range:
    """Lines of a text, both included, counted from 1; without the blanks around them."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    start = starts[first - 1] if first <= len(starts) else len(text)
    return trimmed(text, start, starts[last] if last < len(starts) else len(text))


def _own(chunk: Chunk, text: str) -> Range:
    return trimmed(text, chunk.start, chunk.end)


def _seen(text: str, chunks: Sequence[Chunk]) -> list[Range]:
    """What each chunk shows of the text: its own, and before it the overlap that it repeats."""
    least = [0, *(chunk.start for chunk in chunks)]
    return [Range(_beginning(text, chunk, start), chunk.end) for chunk, start in zip(chunks, least, strict=False)]


def _beginning(text: str, chunk: Chunk, least: int) -> int:
    overlap = chunk.overlap.strip()
    at = text.rfind(overlap, least, chunk.start) if overlap else -1
    is_next = at >= 0 and not text[at + len(overlap) : chunk.start].strip()
    return at if is_next else chunk.start


# -- Search in one text that no folder has


PASSAGES = Settings(packing="greedy", target_tokens=64, max_tokens=160, min_tokens=0, overlap_tokens=0, merge=False)
"""Cuts a text into passages: a paragraph, some items or some lines of code each. Of 122 questions about two long texts,
the first passage has the answer of 84; with half or twice the size, of 70 to 75."""
_REMEMBERED = 4
"""Texts: a text as two settings cut it, and its passages; one more, for the way back."""


class Score(NamedTuple):
    """How well a chunk answers a question."""

    chunk: int
    """Its position in the text."""
    score: float


@dataclass(frozen=True, slots=True)
class SearchableText:
    """A text that is cut and indexed. Any number of threads may ask it."""

    document: Document
    chunks: Sequence[Chunk]
    engine: Engine

    def rank(self, question: str) -> list[Score]:
        """The chunks that a search finds, best first, relevant or not."""
        if not self.chunks:
            return []
        numbers = {chunk.key: chunk.index for chunk in self.chunks}
        hits = self.engine.rank(Query(question, limit=len(self.chunks), min_score=0.0))
        return [Score(numbers[hit.key], hit.score) for hit in hits]


@lru_cache(maxsize=_REMEMBERED)
def searchable(
    text: str, path: str, settings: Settings, models: Models, passes: tuple[Pass, ...] = ()
) -> SearchableText:
    """The text, cut and indexed: by words, and by the vectors of the instant model if that is among the models.

    The last ones are remembered. While a question is typed, its text stays the same."""
    document, chunks = _cut(text, path, settings, passes)
    entry = entry_of(FileSnapshot(path, len(text), 0, "", text, ""), document, chunks)
    if models.instant and chunks:
        (entry,) = with_vectors([entry], models.instant)
    store = MemoryStore()
    with store.writing() as writer:
        writer.put([entry])
        writer.set_manifest(manifest_of(settings, "", models.instant.name if models.instant else ""))
    return SearchableText(document, chunks, Engine(store, models))


@lru_cache(maxsize=_REMEMBERED)
def _cut(text: str, path: str, settings: Settings, passes: tuple[Pass, ...] = ()) -> tuple[Document, list[Chunk]]:
    document = read_document(text, path, settings)
    return document, chunk_document(document, settings, passes=passes)


def is_relevant(ranking: Sequence[Score]) -> bool:
    """Whether a search would show any of it."""
    return bool(ranking) and ranking[0].score >= RELEVANT


def passage_count(text: str, path: str) -> int:
    """How many passages a text is cut into. To cut takes a small part of the time that an index of them takes."""
    return len(_cut(text, path, PASSAGES)[1])


def best_passage(text: str, path: str, question: str, models: Models) -> Range | None:
    """The passage that a search finds first if the text is cut into passages; None if it finds none.

    It depends on the text and the question alone, so it is the same whatever the settings."""
    passages = searchable(text, path, PASSAGES, models)
    ranking = passages.rank(question)
    return _without_headings(passages.document, passages.chunks[ranking[0].chunk]) if ranking else None


def _without_headings(document: Document, chunk: Chunk) -> Range:
    """A chunk from its first block on that is no heading, if it has one."""
    text, start = document.text, chunk.start
    first = bisect_left(document.blocks, start, key=lambda block: block.start)
    for block in takewhile(lambda block: block.kind == "heading", islice(document.blocks, first, None)):
        # A chunk may begin inside a block, whose rest stands before the heading.
        if text[start : block.start].strip() or not text[block.end : chunk.end].strip():
            break
        start = block.end
    return trimmed(text, start, chunk.end)
