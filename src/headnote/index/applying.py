"""Carry out a plan: read files on all cores and write them into the store.

Separate from `update.py`, because most updates find nothing to do, and the parser takes a while to load.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TypeVar

from headnote.errors import NotText
from headnote.formats.kinds import open_document
from headnote.index.dating import date_in_name
from headnote.index.entries import FileRead, FileReader, FileToRead
from headnote.index.plan import FilesRead, FilesToRead, Plan, Report, Task, candidates_for_renames, plan_changes
from headnote.index.relinking import Relinking
from headnote.index.text_vectors import complete
from headnote.model.results import Progress, Watcher
from headnote.processes import batches_on_all_cores
from headnote.sources.repository import ListedFile, SkippedFile
from headnote.store.integrity import INSTANT
from headnote.store.interface import DOCUMENT_BATCH, Writer
from headnote.store.rows import Columns, DocumentEntry, NonText


def apply(
    writer: Writer,
    reading: FilesToRead,
    stored: Mapping[str, ListedFile],
    task: Task,
    reason: str,
    links: Relinking,
    watch: Watcher,
    batches: Batches | None,
) -> Report:
    """Read, write, rename, remove, then resolve links. `reason` says why everything is read; empty if it is not.
    Without `batches`, nothing is committed on the way."""
    everything = bool(reason)
    if batches and task.instant and writer.manifest().get(INSTANT) != task.instant.name:
        complete(writer, task.instant, task.workers)
    if not everything:
        links.remember(file.path for file in reading.read if file.path in stored)
    reads = _Reads(task, links, watch, Pace([file.size for file in reading.read]))
    reads.put_all(writer, _files_to_read(reading, stored, everything, task), batches)
    if task.remove_missing:
        reading = without_binaries(reading, reads.failed, stored)
    hashes = {path: file.hash for path, file in reads.files.items()}
    plan = plan_changes(reading, hashes, stored, everything, task.kind_of)
    plan = _put_copies(writer, plan, reads)
    for old, new in plan.renamed:
        writer.rename(old, new)
        _rename_title(writer, new)
        writer.set_name_date(new, date_in_name(new))
    for path in [*plan.touched, *(new for _, new in plan.renamed)]:
        writer.touch(path, reads.files[path].size, reads.files[path].mtime_ns)
    writer.remove(plan.removed)
    links.finish(plan)
    if task.instant is not None:
        complete(writer, task.instant, task.workers)
    return Report(
        plan,
        skipped(reads.failed),
        reads.warnings,
        reason,
        reads.chunks,
        stayed=reading.stayed,
        # A file that is still stored as a document is read again until it is removed.
        non_texts=_non_texts(
            [one for one in reading.read if task.remove_missing or one.path not in stored], reads.failed
        ),
    )


def _files_to_read(
    reading: FilesToRead, stored: Mapping[str, ListedFile], everything: bool, task: Task
) -> list[FileToRead]:
    if everything:
        return [(file.path, frozenset()) for file in reading.read]
    renames = candidates_for_renames(reading, stored, task.kind_of)
    return [
        (file.path, frozenset({stored[file.path].hash}) if file.path in stored else renames[file.path])
        for file in reading.read
    ]


def without_binaries(
    reading: FilesToRead, results: Iterable[FileRead], stored: Mapping[str, ListedFile]
) -> FilesToRead:
    """A file that has become binary counts as gone; one that could not be read stays."""
    lost = {result.file.path for result in results if isinstance(result.error, NotText)} & stored.keys()
    return reading._replace(gone=sorted({*reading.gone, *lost})) if lost else reading


def _non_texts(files: Iterable[ListedFile], failed: Iterable[FileRead]) -> list[NonText]:
    """Files that are no text, with size and time from before reading: one that changed is read again next time."""
    reasons = {result.file.path: result.error.message for result in failed if isinstance(result.error, NotText)}
    return [NonText(file.path, file.size, file.mtime_ns, reasons[file.path]) for file in files if file.path in reasons]


def skipped(results: Iterable[FileRead]) -> list[SkippedFile]:
    return [SkippedFile(result.file.path, result.error.message) for result in results if result.error]


class _Reads:
    """Collects what the workers read while it passes into the store."""

    def __init__(self, task: Task, links: Relinking, watch: Watcher, pace: Pace) -> None:
        self.links = links
        self._workers = task.workers
        self._watch = watch
        self._pace = pace
        self._read = 0
        self.read = FileReader(task.tree, task.settings, task.settings_of, task.instant)
        self.files: dict[str, ListedFile] = {}
        """Path → the file as it was read."""
        self.failed: list[FileRead] = []
        self.warnings: list[tuple[str, str]] = []
        self.chunks = 0

    def put_all(self, writer: Writer, files: Sequence[FileToRead], batches: Batches | None) -> None:
        if files:
            self._watch(Progress("read", 0, len(files)))
        if len(files) > FEW:
            self.read.prepare()
        results = batches_on_all_cores(self.read, files, self._workers)
        try:
            for group in in_groups(self._columns(results, len(files)), lambda: bool(batches and batches.is_due)):
                writer.put(group)
                # After the last file, what is left to do takes less time than another commit.
                if batches and batches.is_due and self._read < len(files):
                    self.links.write()
                    batches.commit(self._read)
        finally:
            # After an error, its traceback would keep the workers alive.
            if isinstance(results, Generator):
                results.close()

    def _columns(self, results: Iterable[FileRead], total: int) -> Iterator[Columns]:
        for result in results:
            self._read += 1
            self._watch(Progress("read", self._read, total, self._pace.seconds_left(self._read)))
            if result.error:
                self.failed.append(result)
                continue
            self.files[result.file.path] = result.file
            if result.columns:
                yield self.record(result, result.columns)

    def record(self, result: FileRead, columns: Columns) -> Columns:
        self.links.add(result.file.path, result.anchors, result.naming, result.links)
        self.chunks += len(columns.chunks)
        if result.warning:
            self.warnings.append((result.file.path, result.warning))
        return columns


def _put_copies(writer: Writer, plan: Plan, reads: _Reads) -> Plan:
    """Write copies: files that looked like renames, until another file took the old name. Returns the final plan."""
    failed: set[str] = set()
    for path in (*plan.added, *plan.changed):
        if reads.links.has(path):
            continue
        (result,) = reads.read([(path, frozenset())])
        if result.columns:
            writer.put([reads.record(result, result.columns)])
        else:  # gone since it was read a moment ago
            reads.failed.append(result)
            failed.add(path)
    if not failed:
        return plan
    added, changed = ([path for path in paths if path not in failed] for paths in (plan.added, plan.changed))
    return plan._replace(added=added, changed=changed)


def _rename_title(writer: Writer, path: str) -> None:
    """A document without a title of its own takes the name of its file, which has changed."""
    row = writer.document(path)
    if row is None:
        return
    # Without metadata its frontmatter has no title, or the index ignores it.
    title = open_document(row.text, path, row.mdx, has_metadata=bool(row.metadata)).title
    if title != row.title:
        chunks = [chunk.row for chunk in writer.chunks_of(path)]
        writer.put([DocumentEntry(row._replace(title=title), chunks, writer.links_from(path))])


# -- When an update commits what it has read so far.
#
# The first batch comes early, so that a new index can be searched at once. Later ones come less often: each commit
# costs, and a kill loses no more than the batch it interrupts.


FEW = 32
"""Files that are read in one transaction, however long it takes."""
FIRST = 1.0
"""Seconds from the first file to the first commit."""
MAX_SECONDS = 5.0
"""Seconds between two commits, at most."""

Item = TypeVar("Item")


class Batches:
    """The commits of one update."""

    def __init__(
        self, writer: Writer, manifest_after: Callable[[FilesRead], Mapping[str, str]], known: int, to_read: int
    ) -> None:
        """`manifest_after` tells what to store after this many files; `known` are those that need not be read."""
        self._writer = writer
        self._manifest_after = manifest_after
        self._known = known
        self._to_read = to_read
        self._began = self._due = 0.0

    @property
    def is_due(self) -> bool:
        """The clock starts when it is first asked: with the first file that was read."""
        now = time.monotonic()
        if not self._began:
            self._began, self._due = now, now + FIRST
        return self._to_read > FEW and now >= self._due

    def commit(self, read: int) -> None:
        """Store what was written so far; `read` files are read."""
        so_far = FilesRead(self._known + read, self._known + self._to_read)
        self._writer.set_manifest(self._manifest_after(so_far))
        self._writer.commit()
        now = time.monotonic()
        self._due = now + min(now - self._began, MAX_SECONDS)


def in_groups(items: Iterator[Item], is_due: Callable[[], bool]) -> Iterator[list[Item]]:
    """Lists of items: shorter ones where something is due."""
    group: list[Item] = []
    for item in items:
        group.append(item)
        if len(group) == DOCUMENT_BATCH or is_due():
            yield group
            group = []
    if group:
        yield group


# -- How long the rest of a read takes, by the pace so far.


PER_FILE = 2000
"""Bytes that take as long as opening a file and storing it."""
_MIN_SECONDS = 0.02
"""The share that must be done before the rest can be told."""


class Pace:
    """An estimate by size: a folder of long documents takes longer than one of short ones."""

    def __init__(self, sizes: Sequence[int]) -> None:
        """Of the files, in the order in which they are read."""
        self._done = list(accumulate((size + PER_FILE for size in sizes), initial=0))
        self._began = time.monotonic()

    def seconds_left(self, read: int) -> float | None:
        """The estimate after this many files; None if it is too early to tell."""
        done, total = self._done[read], self._done[-1]
        if done < _MIN_SECONDS * total:
            return None
        return (time.monotonic() - self._began) / done * (total - done)
