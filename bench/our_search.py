"""Our search as the quality benchmark asks it: the three modes as users have them, and plain reciprocal ranks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from headnote.api import Index
from headnote.config.stored import choose
from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models, get_embedder
from headnote.extra.evaluate.measuring import CachingEmbedder, Retrieved
from headnote.extra.evaluate.metrics import TextSpan
from headnote.model import Hit
from headnote.model.results import Progress
from headnote.search.engine import DEPTH
from headnote.search.query import Mode
from headnote.search.ranking import by_meaning, by_words, ranked, reciprocal_ranks
from headnote.search.spelling import content_terms
from headnote.store.filters import Filter
from headnote.store.rows import LinkRow
from headnote.store.sqlite.store import SqliteStore
from headnote.tokens import count_tokens
from vector_file import VectorFile

MODES: tuple[Mode, ...] = ("hybrid", "semantic", "keyword")
PLAIN = "plain RRF"
WORDS = "none"
"""The model that makes no vectors."""

Ask = Callable[[str, int], Sequence[Retrieved]]
"""A question and how many passages at most → passages, best first."""


class Clock:
    """Says every few seconds how far something is that takes minutes, and how long the rest will take."""

    def __init__(self, what: str, every: float = 15.0) -> None:
        self._what = what
        self._every = every
        self._begin = self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last > self._every:
            self._last = now
            left = (now - self._begin) / max(done, 1) * (total - done)
            print(f"  {self._what}: {done} of {total}, {left:.0f} s left", file=sys.stderr, flush=True)


class Model(NamedTuple):
    """A model by the name that users write, whose vectors outlive the run."""

    name: str
    embedder: Embedder

    @classmethod
    def load(cls, name: str, cache: Path) -> Model:
        embedder = get_embedder(name)
        vectors = VectorFile(cache / "vectors", embedder.name, embedder.dimensions)
        return cls(name, CachingEmbedder(embedder, vectors))


class OurIndex:
    """A folder, cut with the default preset or with other settings, with an index of one model beside the vectors."""

    def __init__(
        self,
        root: Path,
        cache: Path,
        model: Model,
        *,
        settings: Mapping[str, Any] = MappingProxyType({}),
        ignores_links: bool = False,
    ) -> None:
        """`ignores_links`: a search never follows a link, for questions that ask for the targets of links."""
        cut = ",".join(f"{name}={value}" for name, value in settings.items())
        folder = cache / f"index-{root.name}-{cut or 'default'}-{model.name}"
        folder.mkdir(parents=True, exist_ok=True)
        store: Any = SqliteStore.open(folder)
        self._store = _WithoutLinks(store) if ignores_links else store
        # The settings of this machine must not decide what is measured.
        choice = choose(settings, root, environment={})
        self._index = Index(root, self._store, choice, Models(deep=model.embedder))
        clock = Clock(f"{root.name}, {model.name} {cut}".rstrip())

        def watch(progress: Progress) -> None:
            clock(progress.done, progress.total)

        self._index.update(on_progress=watch)
        self.chunks = self._index.status().chunks
        self._tokens: dict[str, int] = {}

    def texts(self) -> dict[str, str]:
        return {path: self._index.read(path).text for path in self._index.documents()}

    def asking(self, mode: str) -> Ask:
        """`mode` is one of `MODES`, or `PLAIN`."""
        return self._by_plain_ranks if mode == PLAIN else lambda question, limit: self._search(question, limit, mode)

    def _search(self, question: str, limit: int, mode: Any) -> list[Retrieved]:
        return [self._retrieved(hit) for hit in self.hits(question, limit, mode)]

    def hits(self, question: str, limit: int, mode: Mode) -> list[Hit]:
        return self._index.search(question, limit, mode)

    def _retrieved(self, hit: Hit) -> Retrieved:
        # The same passages answer many questions, and counting tokens takes longer than finding them.
        if hit.key not in self._tokens:
            self._tokens[hit.key] = count_tokens(hit.text)
        return Retrieved(TextSpan(hit.path, hit.start, hit.end), self._tokens[hit.key])

    def _by_plain_ranks(self, question: str, limit: int) -> list[Retrieved]:
        """Of the same two legs."""
        everything, model = Filter(), self._index.embedder
        with self._store.reading() as reader:
            words = by_words(reader, dict.fromkeys(content_terms(question), 1.0), DEPTH, everything)
            meaning = by_meaning(reader, model.name, model.embed_query(question), DEPTH, everything)
            chunks = reader.chunks(ranked(reciprocal_ranks(words, meaning))[:limit])
            return [
                Retrieved(TextSpan(chunk.path, chunk.row.start, chunk.row.end), count_tokens(chunk.text))
                for chunk in chunks
            ]


class _WithoutLinks:
    """A store, or a reader of it, that knows of no links."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @contextmanager
    def reading(self) -> Iterator[_WithoutLinks]:
        with self._inner.reading() as reader:
            yield _WithoutLinks(reader)

    def linked_chunks(self, _: Sequence[int]) -> list[tuple[int, int]]:
        return []

    def linking_chunks(self, _: Sequence[int]) -> list[tuple[int, int]]:
        return []

    def links_from(self, _: str) -> list[LinkRow]:
        return []
