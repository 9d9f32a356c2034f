"""Brings an index up to date: lists, plans, reads on all cores, and writes everything in one transaction.

Keyword search is ready when that is done. Vectors follow in batches, each a transaction of its own, so whoever is
interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from headnote.chunking.settings import Settings
from headnote.embedding.base import Embedder
from headnote.index.entries import Anchors, FileRead, FileReader, anchors_of, read_hash
from headnote.index.linking import Resolver
from headnote.index.manifest import manifest_of, needs_rebuild
from headnote.index.plan import Plan, Reading, plan_changes, plan_reading
from headnote.index.store.base import Reader, Store, Writer
from headnote.index.store.rows import Entry, LinkRow
from headnote.markdown.scanner import scan
from headnote.sources.chunks import on_all_cores
from headnote.sources.discover import MAX_BYTES, discover
from headnote.sources.listing import Listing, SkippedFile

TEXTS_AT_ONCE = 64
"""Vectors that are made and stored together: what a kill can lose."""


@dataclass(frozen=True, slots=True)
class Task:
    """Which folder is to be indexed, and how."""

    root: str
    settings: Settings
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = MAX_BYTES
    workers: int | None = None
    rebuild: bool = False
    """Read everything again, whatever is stored."""
    wait: float = 10.0
    """Seconds to wait for another writer."""


class Progress(NamedTuple):
    """How far a stage is."""

    stage: str
    """`read` or `embed`."""
    done: int
    total: int


Watcher = Callable[[Progress], None]


@dataclass(slots=True)
class Report:
    """What an update did."""

    plan: Plan
    skipped: list[SkippedFile] = field(default_factory=list)
    """Files that could not be taken, and why."""
    warnings: list[tuple[str, str]] = field(default_factory=list)
    """(path, what had to be guessed)"""
    rebuilt: str = ""
    """Why everything was read again; empty if it was not."""
    chunks: int = 0
    """Chunks that were written."""
    embedded: int = 0
    """Texts that were made into vectors."""


def nobody(_: Progress) -> None:
    """Watches nothing."""


def update_documents(store: Store, task: Task, model: str, watch: Watcher = nobody) -> Report:
    """Everything but vectors: after this the index says what the folder says."""
    listing = discover(task.root, include=task.include, exclude=task.exclude, max_bytes=task.max_bytes)
    wanted = manifest_of(task.settings, model)
    with store.reading() as reader:
        reading, reason = _what_to_read(reader, listing, task, wanted)
        if reading.is_empty and reader.manifest() == wanted:
            return Report(Plan([], [], [], [], [], reading.unchanged), list(listing.skipped))
    with store.writing(task.wait) as writer:
        # Another writer may have been here in between, so the plan is made anew.
        reading, reason = _what_to_read(writer, listing, task, wanted)
        return _apply(writer, reading, listing, task, wanted, reason, watch)


def plan_update(store: Store, task: Task, model: str) -> Report:
    """What an update would do: files are read, nothing is written."""
    listing = discover(task.root, include=task.include, exclude=task.exclude, max_bytes=task.max_bytes)
    with store.reading() as reader:
        reading, reason = _what_to_read(reader, listing, task, manifest_of(task.settings, model))
        stored = reader.files()
    results = [read_hash(task.root, file.path) for file in reading.read]
    hashes = {result.path: result.hash for result in results if not result.error}
    return Report(plan_changes(reading, hashes, stored, bool(reason)), _all_skipped(listing, results), rebuilt=reason)


def _what_to_read(reader: Reader, listing: Listing, task: Task, wanted: dict[str, str]) -> tuple[Reading, str]:
    reason = "as asked" if task.rebuild else needs_rebuild(reader.manifest(), wanted)
    return plan_reading(listing.files, listing.skipped, reader.files(), everything=bool(reason)), reason


def _apply(
    writer: Writer,
    reading: Reading,
    listing: Listing,
    task: Task,
    wanted: dict[str, str],
    reason: str,
    watch: Watcher,
) -> Report:
    stored = writer.files()
    everything = bool(reason)
    known = frozenset() if everything else frozenset(file.hash for file in stored.values())
    reads = _Reads(on_all_cores(FileReader(task.root, task.settings, known), _paths(reading), task.workers), watch)
    before = _aliases(writer, [path for path in _paths(reading) if path in stored])
    writer.put(reads.entries(len(reading.read)))
    # A content that is known may still be new here: a copy of another document.
    plan = plan_changes(reading, reads.hashes, stored, everything)
    _put_copies(writer, plan, reads, task)
    for old, new in plan.renamed:
        writer.rename(old, new)
    for path in [*plan.touched, *(new for _, new in plan.renamed)]:
        writer.touch(path, *reads.stats[path])
    writer.remove(plan.removed)
    _link(writer, plan, reads, everything, before)
    writer.set_manifest(wanted)
    return Report(plan, _all_skipped(listing, reads.failed), reads.warnings, reason, reads.chunks)


def _paths(reading: Reading) -> list[str]:
    return [file.path for file in reading.read]


def _all_skipped(listing: Listing, results: Iterable[FileRead]) -> list[SkippedFile]:
    failed = [SkippedFile(result.path, result.error.message) for result in results if result.error]
    return [*listing.skipped, *failed]


class _Reads:
    """What comes from the workers, as it goes by on its way into the store."""

    def __init__(self, results: Iterator[FileRead], watch: Watcher) -> None:
        self._results = results
        self._watch = watch
        self.hashes: dict[str, str] = {}
        self.stats: dict[str, tuple[int, int]] = {}
        self.anchors: dict[str, Anchors] = {}
        self.failed: list[FileRead] = []
        self.warnings: list[tuple[str, str]] = []
        self.chunks = 0

    def entries(self, total: int) -> Iterator[Entry]:
        for done, result in enumerate(self._results, 1):
            self._watch(Progress("read", done, total))
            if result.error:
                self.failed.append(result)
                continue
            self.hashes[result.path] = result.hash
            self.stats[result.path] = (result.size, result.mtime_ns)
            if result.entry:
                yield self.taken(result.entry, result.anchors or {})

    def taken(self, entry: Entry, anchors: Anchors) -> Entry:
        self.anchors[entry.document.path] = anchors
        self.chunks += len(entry.chunks)
        if entry.document.warning:
            self.warnings.append((entry.document.path, entry.document.warning))
        return entry


def _put_copies(writer: Writer, plan: Plan, reads: _Reads, task: Task) -> None:
    missing = [path for path in (*plan.added, *plan.changed) if path not in reads.anchors]
    read = FileReader(task.root, task.settings)
    for result in map(read, missing):
        if result.entry:
            writer.put([reads.taken(result.entry, result.anchors or {})])
        else:  # gone since it was read a moment ago
            reads.failed.append(result)


# -- links


def _aliases(reader: Reader, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    documents = (reader.document(path) for path in paths)
    return {document.path: document.aliases for document in documents if document}


def _link(writer: Writer, plan: Plan, reads: _Reads, everything: bool, before: dict[str, tuple[str, ...]]) -> None:
    """Resolve what may lead elsewhere now: all links if names came or went, else those from and to what changed."""
    put = list(reads.anchors)
    names_changed = bool(plan.added or plan.removed or plan.renamed) or _aliases(writer, before) != before
    if everything or names_changed:
        links = writer.links()
    elif put:
        affected = {link for path in put for link in (*writer.links_from(path), *writer.links_to(path))}
        sources = sorted({link.path for link in affected})
        links = [link for path in sources for link in writer.links_from(path)]
    else:
        return
    resolver = Resolver(writer.document_paths(), _AnchorsOf(writer, reads.anchors), _AliasesOf(writer))
    by_document: dict[str, list[LinkRow]] = {}
    changed: dict[str, None] = {}
    for link in links:
        resolved = resolver.resolve(link)
        by_document.setdefault(link.path, []).append(resolved)
        if resolved != link:
            changed[link.path] = None
    for path in changed:
        writer.set_links(path, by_document[path])


class _AnchorsOf:
    """Path → its anchors: known for what was just read, worked out from the stored text for others."""

    def __init__(self, reader: Reader, known: dict[str, Anchors]) -> None:
        self._reader = reader
        self._known = known

    def __call__(self, path: str) -> Anchors:
        if path not in self._known:
            document = self._reader.document(path)
            rows = [chunk.row for chunk in self._reader.chunks_of(path)]
            self._known[path] = anchors_of(document.text, scan(document.text, document.mdx), rows) if document else {}
        return self._known[path]


class _AliasesOf:
    """Other name → path, of all documents; the first by path if several claim it. Read only if a link asks."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._found: dict[str, str] | None = None

    def __call__(self) -> dict[str, str]:
        if self._found is None:
            self._found = {}
            for path, names in _aliases(self._reader, self._reader.document_paths()).items():
                for name in names:
                    self._found.setdefault(name.casefold(), path)
        return self._found


# -- vectors


def update_vectors(store: Store, embedder: Embedder, wait: float = 10.0, watch: Watcher = nobody) -> int:
    """Make the vectors that are missing; how many. What is done when it is interrupted stays done."""
    if embedder.dimensions == 0:
        return 0
    with store.reading() as reader:
        counts = reader.counts()
        # Of a model that is new here, nothing is known but that every text is waiting.
        total = counts.pending.get(embedder.name, counts.chunks)
        pending = reader.pending(embedder.name, TEXTS_AT_ONCE)
    done = 0
    while pending:
        matrix = embedder.embed([text for _, text in pending])
        with store.writing(wait) as writer:
            writer.add_vectors(embedder.name, [digest for digest, _ in pending], matrix)
            done += len(pending)
            pending = writer.pending(embedder.name, TEXTS_AT_ONCE)
        watch(Progress("embed", done, max(total, done)))
    return done


def sweep(store: Store, models: Iterable[str], wait: float = 10.0) -> int:
    """Drop vectors that nothing uses any more."""
    with store.writing(wait) as writer:
        return writer.sweep(set(models))
