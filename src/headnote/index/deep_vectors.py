"""Make the vectors of the deep model that are missing, in batches, each a transaction of its own.

Interrupted embedding resumes where it stopped. Several processes can share the work: each claims some texts.
"""

from __future__ import annotations

import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from typing import Generic, NamedTuple, TypeVar
from uuid import uuid4

from headnote.embedding.embedder import Embedder
from headnote.errors import IndexFailure
from headnote.index.manifest import models_in
from headnote.index.plan import ignore_progress, never
from headnote.index.text_vectors import embed_in_parts, whole
from headnote.model.results import Progress, Watcher
from headnote.store.integrity import Damaged
from headnote.store.interface import Reader, Store, Writer
from headnote.store.quantized import name_hash
from headnote.store.rows import PendingText

# -- Who embeds what where several processes work: each claims some texts, and the others take different ones.
#
# A claim ends when its vectors are stored. If its owner dies, others take over: at once on the same machine, where they
# see that the process is gone, and elsewhere when the claim expires.


SECONDS = 300.0
"""Lifetime of a claim: longer than a slow service needs for one batch, and short enough to wait for."""
BATCH_SIZE = 2048
"""Texts in a queue: about a minute of work, after which the newest come first again."""

ClaimedItem = TypeVar("ClaimedItem")


def _host() -> str:
    import socket  # late: a search makes no vectors

    return socket.gethostname()


class Worker(NamedTuple):
    """One run that makes vectors."""

    run: str
    process: int
    host: str

    @classmethod
    def here(cls) -> Worker:
        return cls(uuid4().hex, os.getpid(), _host())

    @classmethod
    def named(cls, name: str) -> Worker:
        run, process, host = name.split(" ", 2)
        return cls(run, int(process), host)

    @property
    def name(self) -> str:
        return f"{self.run} {self.process} {self.host}"

    @property
    def is_gone(self) -> bool:
        """Whether the process is known to have ended; unknown counts as alive."""
        # On Windows, `os.kill` would end the process.
        if self.host != _host() or sys.platform == "win32":
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


class Queue(ABC, Generic[ClaimedItem]):
    """What a worker is going to embed, in order. It asks the store for many at once, since it takes a look at all
    chunks to tell which come first, and takes a few at a time."""

    def __init__(self, model: str, worker: Worker) -> None:
        self._model = model
        self._worker = worker
        self._waiting: list[ClaimedItem] = []
        self._tried: set[ClaimedItem] = set()
        """Those of the last look that have been claimed, by this worker or by others."""

    def take(self, writer: Writer, most: int) -> list[ClaimedItem]:
        """Claim the next ones for this worker, who has stored those it had before; none if others have claimed all that
        is left."""
        _release_dead(writer, self._model)
        while self._waiting or self._refill(writer):
            following, self._waiting = self._waiting[:most], self._waiting[most:]
            self._tried.update(following)
            if taken := self._claim(writer, following):
                return taken
        return []

    def _refill(self, writer: Writer) -> bool:
        self._waiting = self._find(writer)
        # A store that does not find what it has just stored would hand out the same items forever.
        if not self._tried.isdisjoint(self._waiting):
            raise Damaged("vectors that were stored are not found again")
        self._tried.clear()
        return bool(self._waiting)

    @abstractmethod
    def _find(self, writer: Writer) -> list[ClaimedItem]: ...

    @abstractmethod
    def _claim(self, writer: Writer, items: list[ClaimedItem]) -> list[ClaimedItem]: ...


class TextQueue(Queue[PendingText]):
    """New and much linked documents first."""

    def _find(self, writer: Writer) -> list[PendingText]:
        return writer.pending(self._model, BATCH_SIZE)

    def _claim(self, writer: Writer, items: list[PendingText]) -> list[PendingText]:
        claimed = writer.claim(self._model, [text.hash for text in items], self._worker.name, SECONDS)
        return [text for text in items if text.hash in claimed]


class NameQueue(Queue[str]):
    """In alphabetical order."""

    def _find(self, writer: Writer) -> list[str]:
        return writer.pending_names(self._model)

    def _claim(self, writer: Writer, items: list[str]) -> list[str]:
        hashes = {name_hash(name).hex(): name for name in items}
        claimed = writer.claim(self._model, list(hashes), self._worker.name, SECONDS, names=True)
        return [name for digest, name in hashes.items() if digest in claimed]


def others_at_work(reader: Reader, model: str) -> list[Worker]:
    """The workers that are making vectors of this model."""
    workers = [(Worker.named(claim.owner), claim.seconds_left) for claim in reader.claims(model)]
    return [worker for worker, left in workers if left > 0 and not worker.is_gone]


def is_work_left(reader: Reader, model: str) -> bool:
    """Whether anything is left to embed that no living worker has claimed."""
    return bool(reader.pending(model, 1) or reader.pending_names(model) or _dead_owners(reader, model))


def _release_dead(writer: Writer, model: str) -> None:
    for owner in _dead_owners(writer, model):
        writer.release(owner)


def _dead_owners(reader: Reader, model: str) -> set[str]:
    alive = {worker.name for worker in others_at_work(reader, model)}
    return {claim.owner for claim in reader.claims(model)} - alive


# -- Make the vectors that are missing, in batches, each a transaction of its own


TEXT_BATCH = 64
"""Vectors that are made and stored together: what a kill can lose."""
NAME_BATCH = 512
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
    should_stop: Callable[[], bool] = never,
) -> VectorReport:
    """Make the missing vectors, of names and then of texts: with the names made, a part of the folder is complete as
    soon as its texts are. Stored batches survive an interruption.

    Where others make some of them, this run makes the rest and waits up to `wait` seconds for theirs. It ends early if
    it `should_stop` to something else.
    """
    if embedder.dimensions == 0:
        return VectorReport(0, 0, [])
    run = _EmbeddingRun(store, embedder, wait, Worker.here())
    deadline = time.monotonic() + wait
    while True:
        with closing(run.batches()) as batches:
            for _ in batches:
                left = run.left()
                watch(Progress("embed", run.made, run.made + left, run.seconds_left(left)))
                if should_stop():
                    return VectorReport(run.texts, run.made, [])
                deadline = time.monotonic() + wait
        with store.reading() as reader:
            others = others_at_work(reader, embedder.name)
        if (not others and not run.has_work()) or time.monotonic() >= deadline:
            return VectorReport(run.texts, run.made, list(map(str, others)))
        time.sleep(_POLL_SECONDS)


class _EmbeddingRun:
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
        """How many vectors are missing, including those that others are making."""
        with self._store.reading() as reader:
            return reader.pending_count(self._model)

    def seconds_left(self, left: int) -> float | None:
        """The estimate by the pace of the texts so far; names take much less time."""
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
            for count in self._each_batch(self._name_queue, NAME_BATCH, self._embed_names):
                self.names += count
                yield
            self._texts_began = self._texts_began or time.monotonic()
            for count in self._each_batch(self._text_queue, TEXT_BATCH, self._embed_texts):
                self.texts += count
                yield
        except BaseException:
            with suppress(IndexFailure):  # the first error is the one to report; the claim expires by itself
                self._release()
            raise

    def _each_batch(
        self, queue: Queue[Item], most: int, embed: Callable[[list[Item]], Callable[[Writer], None]]
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
