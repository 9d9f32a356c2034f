"""Make the vectors that are missing, in batches, each a transaction of its own.

Interrupted embedding resumes where it stopped. Several processes can share the work: see `claims.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from typing import NamedTuple, TypeVar

from headnote.embedding.base import Embedder
from headnote.errors import IndexFailure
from headnote.index.claims import NameQueue, Queue, TextQueue, Worker, is_work_left, others_at_work
from headnote.index.manifest import models_in
from headnote.index.parts import embed_in_parts, whole
from headnote.index.task import Progress, Watcher, ignore_progress, never
from headnote.store.base import Store, Writer
from headnote.store.rows import PendingText

TEXTS_AT_ONCE = 64
"""Vectors that are made and stored together: what a kill can lose."""
NAMES_AT_ONCE = 512
"""The same for names, which are short."""
_POLL_SECONDS = 0.2
"""Pause between two looks at whether others are done."""

Item = TypeVar("Item", PendingText, str)
"""What has no vector yet: a text or a name."""


class VectorReport(NamedTuple):
    """What came of making vectors."""

    texts: int
    """How many were embedded."""
    vectors: int
    """How many were made: of texts and of names."""
    others: list[str]
    """Who is still making some of them."""


def update_vectors(
    store: Store,
    embedder: Embedder,
    wait: float = 10.0,
    watch: Watcher = ignore_progress,
    gives_way: Callable[[], bool] = never,
) -> VectorReport:
    """Make the missing vectors, of names and then of texts: with the names made, a part of the folder is complete as
    soon as its texts are. Stored batches survive an interruption.

    Where others make some of them, this run makes the rest and waits up to `wait` seconds for theirs. It ends early if
    it `gives_way` to something else.
    """
    if embedder.dimensions == 0:
        return VectorReport(0, 0, [])
    run = _Run(store, embedder, wait, Worker.here())
    deadline = time.monotonic() + wait
    while True:
        with closing(run.batches()) as batches:
            for _ in batches:
                left = run.left()
                watch(Progress("embed", run.made, run.made + left, run.seconds_left(left)))
                if gives_way():
                    return VectorReport(run.texts, run.made, [])
                deadline = time.monotonic() + wait
        with store.reading() as reader:
            others = others_at_work(reader, embedder.name)
        if (not others and not run.has_work()) or time.monotonic() >= deadline:
            return VectorReport(run.texts, run.made, list(map(str, others)))
        time.sleep(_POLL_SECONDS)


class _Run:
    """One worker: claims a batch, embeds it, then stores it and claims the next in one transaction."""

    def __init__(self, store: Store, embedder: Embedder, wait: float, worker: Worker) -> None:
        self._store = store
        self._embedder = embedder
        self._model = embedder.name
        self._wait = wait
        self._worker = worker
        self._text_queue = TextQueue(self._model, worker)
        self._name_queue = NameQueue(self._model, worker)
        self._texts_began = 0.0
        self.texts = 0
        self.names = 0

    @property
    def made(self) -> int:
        return self.texts + self.names

    def left(self) -> int:
        """Vectors that are missing, whoever makes them."""
        with self._store.reading() as reader:
            return reader.pending_count(self._model)

    def seconds_left(self, left: int) -> float | None:
        """By the pace of the texts so far; names take much less time."""
        return (time.monotonic() - self._texts_began) / self.texts * left if self.texts else None

    def has_work(self) -> bool:
        """Whether anything is pending that nobody has claimed."""
        with self._store.reading() as reader:
            return is_work_left(reader, self._model)

    def batches(self) -> Generator[None, None, None]:
        """Ends when everything that is left has been claimed by others."""
        if not self.has_work():  # a run without work writes nothing
            return
        try:
            for count in self._each_batch(self._name_queue, NAMES_AT_ONCE, self._embed_names):
                self.names += count
                yield
            self._texts_began = self._texts_began or time.monotonic()
            for count in self._each_batch(self._text_queue, TEXTS_AT_ONCE, self._embed_texts):
                self.texts += count
                yield
        except BaseException:
            with suppress(IndexFailure):  # the first error is the one to report; the claim expires by itself
                self._release()
            raise

    def _each_batch(
        self,
        queue: Queue[Item],
        most: int,
        embed: Callable[[list[Item]], Callable[[Writer], None]],
    ) -> Iterator[int]:
        """The sizes of the batches, each after it was stored. Embedding is slow and holds no transaction open."""
        with self._store.writing(self._wait) as writer:
            batch = queue.take(writer, most)
        while batch:
            add_to = embed(batch)
            with self._store.writing(self._wait) as writer:
                add_to(writer)
                writer.release(self._worker.name)
                following = queue.take(writer, most)
            yield len(batch)
            batch = following

    def _embed_texts(self, texts: list[PendingText]) -> Callable[[Writer], None]:
        parts = embed_in_parts(self._embedder, [text.text for text in texts])
        hashes, vectors = [text.hash for text in texts], whole(parts)
        return lambda writer: writer.add_vectors(self._model, hashes, vectors, parts)

    def _embed_names(self, names: list[str]) -> Callable[[Writer], None]:
        vectors = self._embedder.embed(names)
        return lambda writer: writer.add_names(self._model, names, vectors)

    def _release(self) -> None:
        with self._store.writing(wait=1.0) as writer:
            writer.release(self._worker.name)


def sweep(store: Store, models: Iterable[str], wait: float = 10.0) -> int:
    """Drop the vectors that nothing uses any more. Those the index was made with stay, whatever this process uses."""
    with store.writing(wait) as writer:
        return writer.sweep({*models, *models_in(writer.manifest())})
