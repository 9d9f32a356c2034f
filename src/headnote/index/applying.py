"""A plan that is carried out: files are read on all cores, and what is stored becomes what they say.

Apart from `update.py`, because most updates find nothing to do, and all that reads Markdown takes a while to load.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

from headnote.errors import NotText
from headnote.index.anchors import Anchors
from headnote.index.entries import FileRead, FileReader, FileToRead, title_of
from headnote.index.plan import Plan, Reading, candidates_for_renames, plan_changes
from headnote.index.relinking import Names, Put, Surroundings, names, relink
from headnote.index.sites.model import naming_of
from headnote.index.task import Progress, Report, Task, Watcher
from headnote.markdown.document import Document
from headnote.sources.chunks import on_all_cores
from headnote.sources.listing import FoundFile, SkippedFile
from headnote.store.base import Writer
from headnote.store.rows import Entry, NonText, StoredFile


def apply(
    writer: Writer,
    reading: Reading,
    stored: Mapping[str, StoredFile],
    task: Task,
    reason: str,
    around: Surroundings,
    watch: Watcher,
) -> Report:
    """Carry out what is to be read and what is gone; `reason` is why everything is read, if it is."""
    everything = bool(reason)
    known = [] if everything else [file.path for file in reading.read if file.path in stored]
    before = Names({}, "") if everything else names(writer, known)
    reads = _Reads(task, watch)
    reads.put_all(writer, _files_to_read(reading, stored, everything))
    if task.removes:
        reading = without_binaries(reading, reads.failed, stored)
    plan = plan_changes(reading, reads.hashes, stored, everything)
    plan = _put_copies(writer, plan, reads)
    for old, new in plan.renamed:
        writer.rename(old, new)
        _rename_title(writer, new)
    for path in [*plan.touched, *(new for _, new in plan.renamed)]:
        writer.touch(path, *reads.stats[path])
    writer.remove(plan.removed)
    relink(writer, plan, reads.put, everything, before, around)
    return Report(
        plan,
        skipped(reads.failed),
        reads.warnings,
        reason,
        reads.chunks,
        stayed=reading.stayed,
        # One that is still stored is read again, until somebody removes it.
        non_texts=_non_texts([one for one in reading.read if task.removes or one.path not in stored], reads.failed),
    )


def _files_to_read(reading: Reading, stored: Mapping[str, StoredFile], everything: bool) -> list[FileToRead]:
    if everything:
        return [FileToRead(file.path) for file in reading.read]
    renames = candidates_for_renames(reading, stored)
    return [
        FileToRead(file.path, frozenset({stored[file.path].hash}) if file.path in stored else renames[file.path])
        for file in reading.read
    ]


def without_binaries(reading: Reading, results: Iterable[FileRead], stored: Mapping[str, StoredFile]) -> Reading:
    """What is no text any more is as good as gone. Of a file that could not be read nothing is known, so it stays."""
    lost = {result.path for result in results if isinstance(result.error, NotText) and result.path in stored}
    return reading._replace(gone=sorted({*reading.gone, *lost})) if lost else reading


def _non_texts(files: Iterable[FoundFile], failed: Iterable[FileRead]) -> list[NonText]:
    """With size and time from before they were read: one that changed meanwhile looks changed, and is read again."""
    reasons = {result.path: result.error.message for result in failed if isinstance(result.error, NotText)}
    return [NonText(file.path, file.size, file.mtime_ns, reasons[file.path]) for file in files if file.path in reasons]


def skipped(results: Iterable[FileRead]) -> list[SkippedFile]:
    return [SkippedFile(result.path, result.error.message) for result in results if result.error]


class _Reads:
    """What comes from the workers, as it goes by on its way into the store."""

    def __init__(self, task: Task, watch: Watcher) -> None:
        self._workers = task.workers
        self._watch = watch
        self.read = FileReader(task.root, task.settings)
        self.hashes: dict[str, str] = {}
        self.stats: dict[str, tuple[int, int]] = {}
        self.put = Put({}, {})
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
                yield self.taken(result.entry, result.anchors or Anchors())

    def taken(self, entry: Entry, anchors: Anchors) -> Entry:
        self.put.anchors[entry.document.path] = anchors
        self.put.naming[entry.document.path] = naming_of(entry.document)
        self.chunks += len(entry.chunks)
        if entry.document.warning:
            self.warnings.append((entry.document.path, entry.document.warning))
        return entry


def _put_copies(writer: Writer, plan: Plan, reads: _Reads) -> Plan:
    """A file that might have been renamed and was not, because another one was: a copy of it. What will be done."""
    failed: set[str] = set()
    for path in (*plan.added, *plan.changed):
        if path in reads.put.anchors:
            continue
        result = reads.read(FileToRead(path))
        if result.entry:
            writer.put([reads.taken(result.entry, result.anchors or Anchors())])
        else:  # gone since it was read a moment ago
            reads.failed.append(result)
            failed.add(path)
    if not failed:
        return plan
    added, changed = ([path for path in paths if path not in failed] for paths in (plan.added, plan.changed))
    return plan._replace(added=added, changed=changed)


def _rename_title(writer: Writer, path: str) -> None:
    """A document that says no title has the name of its file, which is another one now."""
    row = writer.document(path)
    if row is None:
        return
    title = title_of(Document(row.text, path, row.mdx))
    if title != row.title:
        chunks = [chunk.row for chunk in writer.chunks_of(path)]
        writer.put([Entry(row._replace(title=title), chunks, writer.links_from(path))])
