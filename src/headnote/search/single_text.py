"""Search in one text that no folder has: which of its chunks answer a question, and which passage of it does.

The text gets an index of its own, in memory, and the engine searches that: there is one ranking, whatever is searched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.settings import Settings
from headnote.embedding.registry import Models
from headnote.index.entries import entry_of
from headnote.index.manifest import manifest_of
from headnote.index.packing import with_vectors
from headnote.markdown.document import Document
from headnote.model import Chunk
from headnote.search.engine import RELEVANT, Engine
from headnote.search.query import Query
from headnote.search.tearing import Range, trimmed
from headnote.sources.snapshot import FileSnapshot
from headnote.store.sqlite.memory import MemoryStore

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
def searchable(text: str, path: str, settings: Settings, models: Models) -> SearchableText:
    """The text, cut and indexed: by words, and by the vectors of the instant model if that is among the models.

    The last ones are remembered. While a question is typed, its text stays the same."""
    document, chunks = _cut(text, path, settings)
    entry = entry_of(FileSnapshot(path, len(text), 0, "", text, ""), document, chunks)
    if models.instant and chunks:
        (entry,) = with_vectors([entry], models.instant)
    store = MemoryStore()
    with store.writing() as writer:
        writer.put([entry])
        writer.set_manifest(manifest_of(settings, "", models.instant.name if models.instant else ""))
    return SearchableText(document, chunks, Engine(store, models))


@lru_cache(maxsize=_REMEMBERED)
def _cut(text: str, path: str, settings: Settings) -> tuple[Document, list[Chunk]]:
    document = read_document(text, path, settings)
    return document, chunk_document(document, settings)


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
