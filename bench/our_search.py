"""Our search as the quality benchmark asks it: the three modes as users have them, and plain reciprocal ranks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from headnote.api import Index
from headnote.config.stored import choose
from headnote.embedding.base import Embedder
from headnote.evaluate.measuring import Retrieved
from headnote.evaluate.spans import Span
from headnote.index.task import Progress
from headnote.search.engine import DEPTH
from headnote.search.query import Mode
from headnote.search.ranking import ranked, reciprocal_ranks
from headnote.search.retrievers import by_meaning, by_words
from headnote.search.terms import content_terms
from headnote.store.filters import Filter
from headnote.store.sqlite.store import SqliteStore
from headnote.tokens import count_tokens

MODES: tuple[Mode, ...] = ("keyword", "semantic", "hybrid")
PLAIN = "plain RRF"

Ask = Callable[[str, int], Sequence[Retrieved]]
"""A question and how many passages at most → passages, best first."""


class Clock:
    """Says every few seconds how far something is that takes minutes."""

    def __init__(self, what: str, every: float = 15.0) -> None:
        self._what = what
        self._every = every
        self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._last > self._every:
            self._last = time.monotonic()
            print(f"  {self._what}: {done} of {total}", file=sys.stderr, flush=True)


class OurIndex:
    """A folder, cut with the default preset or in another size, with its index beside the vectors."""

    def __init__(self, root: Path, size: int | None, cache: Path, embedder: Embedder) -> None:
        folder = cache / f"index-{root.name}-{size or 'default'}"
        folder.mkdir(parents=True, exist_ok=True)
        self._store = SqliteStore.open(folder)
        # The settings of this machine must not decide what is measured.
        choice = choose({} if size is None else {"max_tokens": size}, root, environment={})
        self._index = Index(root, self._store, choice, embedder)
        clock = Clock(f"{root.name}, ours {size or ''}")

        def watch(progress: Progress) -> None:
            clock(progress.done, progress.total)

        self._index.update(on_progress=watch)
        self.texts = {path: self._index.read(path).text for path in self._index.documents()}
        self.chunks = self._index.status().chunks

    def ways(self) -> dict[str, Ask]:
        return {**{mode: self._by_mode(mode) for mode in MODES}, PLAIN: self._by_plain_ranks}

    def _by_mode(self, mode: Mode) -> Ask:
        def ask(question: str, limit: int) -> list[Retrieved]:
            hits = self._index.search(question, limit, mode)
            return [Retrieved(Span(hit.path, hit.start, hit.end), count_tokens(hit.text)) for hit in hits]

        return ask

    def _by_plain_ranks(self, question: str, limit: int) -> list[Retrieved]:
        """Of the same two legs."""
        everything, model = Filter(), self._index.embedder
        with self._store.reading() as reader:
            words = by_words(reader, content_terms(question), DEPTH, everything)
            meaning = by_meaning(reader, model.name, model.embed_query(question), DEPTH, everything)
            chunks = reader.chunks(ranked(reciprocal_ranks(words, meaning))[:limit])
            return [
                Retrieved(Span(chunk.path, chunk.row.start, chunk.row.end), count_tokens(chunk.text))
                for chunk in chunks
            ]
