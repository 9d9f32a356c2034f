"""Brings an index up to date: lists, plans, reads on all cores, and writes everything in one transaction.

Keyword search is ready when that is done. Vectors follow in batches, each a transaction of its own, so whoever is
interrupted goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple, TypeVar

from headnote.embedding.base import Embedder
from headnote.errors import IndexFailure
from headnote.index.claims import Worker, is_work_left, others_at_work, take_names, take_texts
from headnote.index.manifest import manifest_of, needs_rebuild
from headnote.index.ownership import Owner, name_of
from headnote.index.part_vectors import embed_in_parts, whole
from headnote.index.plan import Plan, Reading, plan_changes, plan_reading
from headnote.index.sites.finding import find_sites
from headnote.index.sites.model import sites_entry
from headnote.index.task import Progress, Report, Task, Watcher, ignore_progress
from headnote.sources.discover import discover
from headnote.sources.listing import Listing, SkippedFile
from headnote.store.base import Reader, Store
from headnote.store.damage import MADE_WITH, SITES, Damaged
from headnote.store.filters import path_matcher
from headnote.store.rows import NonText, StoredFile

TEXTS_AT_ONCE = 64
"""Vectors that are made and stored together: what a kill can lose."""
NAMES_AT_ONCE = 512
"""The same for names, which are short."""
_LOOK_AGAIN = 0.2
"""Seconds between two looks at whether others are done."""

Waiting = TypeVar("Waiting")
"""A text or a name that has no vector yet."""


class VectorReport(NamedTuple):
    """What came of making vectors."""

    texts: int
    """How many were embedded."""
    others: list[str]
    """Who is still making some of them."""


def update_documents(store: Store, task: Task, model: str, watch: Watcher = ignore_progress) -> Report:
    """Everything but vectors: after this the index says what the folder says."""
    generation = store.generation()
    listing = _listing(task)
    sites = find_sites(task.root, listing.site_marks, [file.path for file in listing.files])
    resolved_with = {SITES: sites_entry(sites)}
    scope = Scope(store, task)
    with store.reading() as reader:
        wanted = scope.manifest(reader, model) | resolved_with
        reading, reason = _what_to_read(reader, listing, scope, wanted)
        if reading.is_empty and reader.manifest() == wanted:
            nothing = Plan([], [], [], [], [], reading.unchanged)
            return Report(nothing, _skipped(listing, reading), rebuilt=reason, stayed=reading.stayed)
    from headnote.index.applying import apply
    from headnote.index.relinking import Surroundings

    with store.writing(task.wait) as writer:
        if writer.generation() != generation:
            # Another writer was here, and may have seen files that came after our look: they are not gone.
            listing = _listing(task)
        wanted = scope.manifest(writer, model) | resolved_with
        reading, reason = _what_to_read(writer, listing, scope, wanted)
        around = Surroundings(sites, task.root, writer.manifest().get(SITES) != wanted[SITES])
        report = apply(writer, reading, scope.files(writer), task, reason, around, watch)
        writer.set_non_texts([*scope.foreign_non_texts(writer), *reading.passed, *report.non_texts])
        writer.set_manifest(wanted)
    report.skipped[:0] = _skipped(listing, reading)
    return report


def plan_update(store: Store, task: Task, model: str) -> Report:
    """What an update would do: files are read, nothing is written."""
    from headnote.index.applying import skipped, without_binaries
    from headnote.index.entries import read_hash

    listing = _listing(task)
    scope = Scope(store, task)
    with store.reading() as reader:
        reading, reason = _what_to_read(reader, listing, scope, scope.manifest(reader, model))
        stored = scope.files(reader)
    results = [read_hash(task.root, file.path) for file in reading.read]
    hashes = {result.path: result.hash for result in results if not result.error}
    plan = plan_changes(without_binaries(reading, results, stored), hashes, stored, bool(reason))
    return Report(plan, [*_skipped(listing, reading), *skipped(results)], rebuilt=reason)


def _listing(task: Task) -> Listing:
    return discover(task.root, include=task.include, exclude=task.exclude, max_bytes=task.max_bytes)


class Scope:
    """What an update speaks for. Where others write into the same index, each with a folder of its own, those who
    include some files only say nothing about the rest: it is for somebody else, and stays."""

    def __init__(self, store: Store, task: Task) -> None:
        self.task = task
        self._owner = Owner(name_of(task.root), store.place, store.is_shared, task.adopts)
        self._fits = path_matcher(task.include) if store.is_shared and task.include else None

    def files(self, reader: Reader) -> dict[str, StoredFile]:
        stored = reader.files()
        return stored if self._fits is None else {path: file for path, file in stored.items() if self._fits(path)}

    def foreign_non_texts(self, reader: Reader) -> list[NonText]:
        """Those that somebody else has read."""
        fits = self._fits
        return [] if fits is None else [file for path, file in reader.non_texts().items() if not fits(path)]

    def manifest(self, reader: Reader, model: str) -> dict[str, str]:
        """What shall be stored beside the index. If it belongs to another folder, that is refused."""
        made_with = {MADE_WITH: self.task.made_with} if self.task.made_with else {}
        return manifest_of(self.task.settings, model) | made_with | self._owner.entry(reader.manifest())


def _what_to_read(reader: Reader, listing: Listing, scope: Scope, wanted: dict[str, str]) -> tuple[Reading, str]:
    reason = "as asked" if scope.task.rebuild else needs_rebuild(reader.manifest(), wanted)
    files, non_texts = scope.files(reader), reader.non_texts()
    reading = plan_reading(listing.files, listing.skipped, files, bool(reason), non_texts)
    return reading if scope.task.removes else reading.without_removals(), reason


def _skipped(listing: Listing, reading: Reading) -> list[SkippedFile]:
    """What is known not to be taken before anything is read."""
    return [*listing.skipped, *(SkippedFile(file.path, file.reason) for file in reading.passed)]


# -- vectors


def update_vectors(
    store: Store, embedder: Embedder, wait: float = 10.0, watch: Watcher = ignore_progress
) -> VectorReport:
    """Make the vectors that are missing, of texts and then of names. What is done when it is interrupted stays done.

    Where others make some of them, this one makes the rest, and waits so many seconds for theirs."""
    if embedder.dimensions == 0:
        return VectorReport(0, [])
    with store.reading() as reader:
        counts = reader.counts()
        total = counts.pending.get(embedder.name)
        if total is None:  # of a model that is new here, everything is waiting
            total = counts.chunks + len(reader.pending_names(embedder.name))
    making = _Making(store, embedder, wait, Worker.here())
    deadline = time.monotonic() + wait
    while True:
        for _ in making.batches():
            done = making.texts + making.names
            watch(Progress("embed", done, max(total, done)))
            deadline = time.monotonic() + wait
        with store.reading() as reader:
            others = others_at_work(reader, embedder.name)
        if (not others and not making.is_waiting()) or time.monotonic() >= deadline:
            return VectorReport(making.texts, list(map(str, others)))
        time.sleep(_LOOK_AGAIN)


class _Making:
    """One run that makes vectors: claims a batch, embeds it, stores it and claims the next in one transaction."""

    def __init__(self, store: Store, embedder: Embedder, wait: float, worker: Worker) -> None:
        self._store = store
        self._embedder = embedder
        self._wait = wait
        self._worker = worker
        self.texts = 0
        self.names = 0

    def is_waiting(self) -> bool:
        """Whether there is something to embed that nobody makes."""
        with self._store.reading() as reader:
            return is_work_left(reader, self._embedder.name)

    def batches(self) -> Iterator[None]:
        """Ends when nothing is left that nobody else has claimed."""
        if not self.is_waiting():  # who finds nothing to do writes nothing
            return
        try:
            yield from self._text_batches()
            yield from self._name_batches()
        except BaseException:
            with suppress(IndexFailure):  # what went wrong goes on; the claim ends by itself
                self._released()
            raise

    def _text_batches(self) -> Iterator[None]:
        model = self._embedder.name
        with self._store.writing(self._wait) as writer:
            texts = take_texts(writer, model, self._worker, TEXTS_AT_ONCE)
        while texts:
            parts = embed_in_parts(self._embedder, [text.text for text in texts])
            with self._store.writing(self._wait) as writer:
                writer.add_vectors(model, [text.hash for text in texts], whole(parts), parts)
                writer.release(self._worker.name)
                self.texts += len(texts)
                texts = _others_than(texts, take_texts(writer, model, self._worker, TEXTS_AT_ONCE))
            yield

    def _name_batches(self) -> Iterator[None]:
        model = self._embedder.name
        with self._store.writing(self._wait) as writer:
            names = take_names(writer, model, self._worker, NAMES_AT_ONCE)
        while names:
            matrix = self._embedder.embed(names)
            with self._store.writing(self._wait) as writer:
                writer.add_names(model, names, matrix)
                writer.release(self._worker.name)
                self.names += len(names)
                names = _others_than(names, take_names(writer, model, self._worker, NAMES_AT_ONCE))
            yield

    def _released(self) -> None:
        with self._store.writing(wait=1.0) as writer:
            writer.release(self._worker.name)


def _others_than(stored: list[Waiting], taken: list[Waiting]) -> list[Waiting]:
    """What is taken next. It cannot be what the same transaction has stored, unless the index does not find what it
    has; to embed that again would never end."""
    if not set(stored).isdisjoint(taken):
        raise Damaged("vectors that were stored are not found again")
    return taken


def sweep(store: Store, models: Iterable[str], wait: float = 10.0) -> int:
    """Drop vectors that nothing uses any more."""
    with store.writing(wait) as writer:
        return writer.sweep(set(models))
