"""Brings an index up to date: lists, plans, reads on all cores, and writes everything in one transaction.

Keyword search is ready when that is done. Vectors follow in batches, each a transaction of its own, so whoever is
interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from headnote.chunking.settings import Settings
from headnote.embedding.base import Embedder
from headnote.errors import NotText
from headnote.index.entries import Anchors, FileRead, FileReader, FileToRead, anchors_of, read_hash, title_of
from headnote.index.linking import Resolver, folded
from headnote.index.manifest import manifest_of, needs_rebuild
from headnote.index.part_vectors import embed_in_parts, whole
from headnote.index.plan import Plan, Reading, candidates_for_renames, plan_changes, plan_reading
from headnote.index.store.base import Reader, Store, Writer
from headnote.index.store.filters import path_matcher
from headnote.index.store.rows import Entry, LinkRow, StoredFile
from headnote.markdown.headings import headings
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
    generation = store.generation()
    listing = _listing(task)
    wanted = manifest_of(task.settings, model)
    scope = Scope(store, task)
    with store.reading() as reader:
        reading, reason = _what_to_read(reader, listing, scope, wanted)
        if reading.is_empty and reader.manifest() == wanted:
            return Report(Plan([], [], [], [], [], reading.unchanged), list(listing.skipped), rebuilt=reason)
    with store.writing(task.wait) as writer:
        if writer.generation() != generation:
            # Another writer was here, and may have seen files that came after our look: they are not gone.
            listing = _listing(task)
        reading, reason = _what_to_read(writer, listing, scope, wanted)
        report = _apply(writer, reading, scope, reason, watch)
        writer.set_manifest(wanted)
    report.skipped[:0] = listing.skipped
    return report


def plan_update(store: Store, task: Task, model: str) -> Report:
    """What an update would do: files are read, nothing is written."""
    listing = _listing(task)
    scope = Scope(store, task)
    with store.reading() as reader:
        reading, reason = _what_to_read(reader, listing, scope, manifest_of(task.settings, model))
        stored = scope.files(reader)
    results = [read_hash(task.root, file.path) for file in reading.read]
    hashes = {result.path: result.hash for result in results if not result.error}
    plan = plan_changes(_without_binaries(reading, results, stored), hashes, stored, bool(reason))
    return Report(plan, [*listing.skipped, *_skipped(results)], rebuilt=reason)


def _listing(task: Task) -> Listing:
    return discover(task.root, include=task.include, exclude=task.exclude, max_bytes=task.max_bytes)


class Scope:
    """What an update speaks for. Where others write into the same index, each with a folder of its own, those who
    include some files only say nothing about the rest: it is for somebody else, and stays."""

    def __init__(self, store: Store, task: Task) -> None:
        self.task = task
        self._fits = path_matcher(task.include) if store.is_shared and task.include else None

    def files(self, reader: Reader) -> dict[str, StoredFile]:
        stored = reader.files()
        return stored if self._fits is None else {path: file for path, file in stored.items() if self._fits(path)}


def _what_to_read(reader: Reader, listing: Listing, scope: Scope, wanted: dict[str, str]) -> tuple[Reading, str]:
    reason = "as asked" if scope.task.rebuild else needs_rebuild(reader.manifest(), wanted)
    return plan_reading(listing.files, listing.skipped, scope.files(reader), everything=bool(reason)), reason


def _apply(writer: Writer, reading: Reading, scope: Scope, reason: str, watch: Watcher) -> Report:
    stored = scope.files(writer)
    everything = bool(reason)
    before = {} if everything else _aliases(writer, [file.path for file in reading.read if file.path in stored])
    reads = _Reads(scope.task, watch)
    reads.put_all(writer, _files_to_read(reading, stored, everything))
    reading = _without_binaries(reading, reads.failed, stored)
    plan = plan_changes(reading, reads.hashes, stored, everything)
    plan = _put_copies(writer, plan, reads)
    for old, new in plan.renamed:
        writer.rename(old, new)
        _rename_title(writer, new)
    for path in [*plan.touched, *(new for _, new in plan.renamed)]:
        writer.touch(path, *reads.stats[path])
    writer.remove(plan.removed)
    _link(writer, plan, reads.anchors, everything, before)
    return Report(plan, _skipped(reads.failed), reads.warnings, reason, reads.chunks)


def _files_to_read(reading: Reading, stored: Mapping[str, StoredFile], everything: bool) -> list[FileToRead]:
    if everything:
        return [FileToRead(file.path) for file in reading.read]
    renames = candidates_for_renames(reading, stored)
    return [
        FileToRead(file.path, frozenset({stored[file.path].hash}) if file.path in stored else renames[file.path])
        for file in reading.read
    ]


def _without_binaries(reading: Reading, results: Iterable[FileRead], stored: Mapping[str, StoredFile]) -> Reading:
    """What is no text any more is as good as gone. Of a file that could not be read nothing is known, so it stays."""
    lost = {result.path for result in results if isinstance(result.error, NotText) and result.path in stored}
    return reading._replace(gone=sorted({*reading.gone, *lost})) if lost else reading


def _skipped(results: Iterable[FileRead]) -> list[SkippedFile]:
    return [SkippedFile(result.path, result.error.message) for result in results if result.error]


class _Reads:
    """What comes from the workers, as it goes by on its way into the store."""

    def __init__(self, task: Task, watch: Watcher) -> None:
        self._workers = task.workers
        self._watch = watch
        self.read = FileReader(task.root, task.settings)
        self.hashes: dict[str, str] = {}
        self.stats: dict[str, tuple[int, int]] = {}
        self.anchors: dict[str, Anchors] = {}
        """Of the documents that were put."""
        self.failed: list[FileRead] = []
        self.warnings: list[tuple[str, str]] = []
        self.chunks = 0

    def put_all(self, writer: Writer, files: Sequence[FileToRead]) -> None:
        results = on_all_cores(self.read, files, self._workers)
        try:
            writer.put(self._entries(results, len(files)))
        finally:
            # An error on the way must not leave workers behind until somebody lets go of its traceback.
            if isinstance(results, Generator):
                results.close()

    def _entries(self, results: Iterable[FileRead], total: int) -> Iterator[Entry]:
        for done, result in enumerate(results, 1):
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


def _put_copies(writer: Writer, plan: Plan, reads: _Reads) -> Plan:
    """A file that might have been renamed and was not, because another one was: a copy of it. What will be done."""
    failed: set[str] = set()
    for path in (*plan.added, *plan.changed):
        if path in reads.anchors:
            continue
        result = reads.read(FileToRead(path))
        if result.entry:
            writer.put([reads.taken(result.entry, result.anchors or {})])
        else:  # gone since it was read a moment ago
            reads.failed.append(result)
            failed.add(path)
    if not failed:
        return plan
    added, changed = ([path for path in paths if path not in failed] for paths in (plan.added, plan.changed))
    return plan._replace(added=added, changed=changed)


def _rename_title(writer: Writer, path: str) -> None:
    """A document that says no title has the name of its file, which is another one now."""
    document = writer.document(path)
    if document is None:
        return
    found = headings(document.text, scan(document.text, document.mdx))
    title = title_of(document.metadata, found, path)
    if title != document.title:
        rows = [chunk.row for chunk in writer.chunks_of(path)]
        writer.put([Entry(document._replace(title=title), rows, writer.links_from(path))])


# -- links


def _aliases(reader: Reader, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    documents = (reader.document(path) for path in paths)
    return {document.path: document.aliases for document in documents if document}


def _link(
    writer: Writer,
    plan: Plan,
    put: Mapping[str, Anchors],
    everything: bool,
    before: Mapping[str, tuple[str, ...]],
) -> None:
    """Resolve what may lead elsewhere now: all links if names came or went, else those from and to what changed."""
    names_changed = bool(plan.added or plan.removed or plan.renamed) or _aliases(writer, before) != before
    if everything or names_changed:
        links = writer.links()
    elif put:
        affected = {link.path for path in put for link in (*writer.links_from(path), *writer.links_to(path))}
        links = [link for path in sorted(affected) for link in writer.links_from(path)]
    else:
        return
    resolver = Resolver(writer.document_paths(), _AnchorsOf(writer, put), _AliasesOf(writer))
    by_document: dict[str, list[LinkRow]] = {}
    changed: dict[str, None] = {}
    for link in links:
        resolved = resolver.resolve(link)
        by_document.setdefault(link.path, []).append(resolved)
        if resolved != link:
            changed[link.path] = None
    for path in changed:
        writer.set_links(path, by_document[path])


def link_all(writer: Writer) -> None:
    """Resolve every link anew, for whoever has put documents in other ways than by an update."""
    _link(writer, Plan([], [], [], [], [], 0), {}, True, {})


class _AnchorsOf:
    """Path → its anchors: known for what was just read, worked out from the stored text for others."""

    def __init__(self, reader: Reader, known: Mapping[str, Anchors]) -> None:
        self._reader = reader
        self._known = dict(known)

    def __call__(self, path: str) -> Anchors:
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: str) -> Anchors:
        document = self._reader.document(path)
        if document is None:
            return {}
        blocks = scan(document.text, document.mdx)
        rows = [chunk.row for chunk in self._reader.chunks_of(path)]
        return anchors_of(headings(document.text, blocks), blocks, rows)


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
                    self._found.setdefault(folded(name), path)
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
        parts = embed_in_parts(embedder, pending)
        with store.writing(wait) as writer:
            writer.add_vectors(embedder.name, [text.hash for text in pending], whole(parts), parts)
            done += len(pending)
            pending = writer.pending(embedder.name, TEXTS_AT_ONCE)
        watch(Progress("embed", done, max(total, done)))
    return done


def sweep(store: Store, models: Iterable[str], wait: float = 10.0) -> int:
    """Drop vectors that nothing uses any more."""
    with store.writing(wait) as writer:
        return writer.sweep(set(models))
