"""Bring an index up to date: list, plan, read on all cores, and write.

What has been read can be searched, by words and by the vectors of the instant model; where much is read, that is
committed in batches. Links are resolved at the end, with all that needs to know every document. `vectors.py` makes the
vectors of the deep model afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from headnote.index.batches import Batches
from headnote.index.manifest import Unfinished, manifest_of, needs_rebuild, unfinished_entry, unfinished_reads
from headnote.index.ownership import Owner, name_of
from headnote.index.plan import Plan, Reading, plan_changes, plan_reading
from headnote.index.sites.finding import find_sites
from headnote.index.sites.model import sites_entry
from headnote.index.task import FilesRead, Progress, Report, Task, Watcher, ignore_progress
from headnote.sources.discover import discover
from headnote.sources.listing import Listing, SkippedFile
from headnote.store.base import Reader, Store
from headnote.store.damage import MADE_WITH, SITES
from headnote.store.filters import path_matcher
from headnote.store.rows import NonText, StoredFile


def update_documents(store: Store, task: Task, model: str, watch: Watcher = ignore_progress) -> Report:
    """Update everything but the vectors of the deep model. `model` is the one that searches prefer."""
    generation = store.generation()
    watch(Progress("read", 0, 0))
    listing = _listing(task)
    sites = find_sites(task.root, listing.site_marks, [file.path for file in listing.files])
    resolved_with = {SITES: sites_entry(sites)}
    scope = Scope(store, task)
    with store.reading() as reader:
        manifest = scope.manifest(reader, model) | resolved_with
        reading, reason = _what_to_read(reader, listing, scope, manifest)
        if reading.is_empty and reader.manifest() == manifest:
            nothing = Plan([], [], [], [], [], reading.unchanged)
            return Report(nothing, _skipped(listing, reading), rebuilt=reason, stayed=reading.stayed)
    from headnote.index.applying import apply
    from headnote.index.relinking import LinkContext

    with store.writing(task.wait) as writer:
        if writer.generation() != generation:
            # Another writer may have stored files that are newer than this listing: they are not gone.
            listing = _listing(task)
        manifest, before = scope.manifest(writer, model) | resolved_with, writer.manifest()
        first = scope.is_first_read(writer)
        if first and task.removes and _reason(task, before, manifest):
            # What was read with other settings is not worth keeping: nobody has ever searched all of it.
            writer.remove(scope.files(writer))
        reading, reason = _what_to_read(writer, listing, scope, manifest)
        stored, known = scope.files(writer), reading.unchanged + len(reading.passed)
        after = partial(scope.unfinished_manifest, manifest, first)
        # An index that is complete stays so until it is complete with the new settings.
        batches = None if reason and stored else Batches(writer, after, known, len(reading.read))
        links = LinkContext(sites, task.root, bool(unfinished_reads(before)) or before.get(SITES) != manifest[SITES])
        report = apply(writer, reading, stored, task, reason, links, _from(known if first else 0, watch), batches)
        writer.set_non_texts([*scope.foreign_non_texts(writer), *reading.passed, *report.non_texts])
        writer.set_manifest(manifest)
    report.is_first_read = first
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
    """The files that an update is responsible for. In a shared index, a task that includes only some files leaves the
    rest to others."""

    def __init__(self, store: Store, task: Task) -> None:
        self.task = task
        self._owner = Owner(name_of(task.root), store.place, store.is_shared, task.adopts)
        self._fits = path_matcher(task.include) if store.is_shared and task.include else None
        self._name = " ".join(sorted(task.include)) if self._fits else ""

    def files(self, reader: Reader) -> dict[str, StoredFile]:
        stored = reader.files()
        return stored if self._fits is None else {path: file for path, file in stored.items() if self._fits(path)}

    def foreign_non_texts(self, reader: Reader) -> list[NonText]:
        """Those outside this scope."""
        fits = self._fits
        return [] if fits is None else [file for path, file in reader.non_texts().items() if not fits(path)]

    def manifest(self, reader: Reader, model: str) -> dict[str, str]:
        """The manifest to store. Raises if the index belongs to another folder."""
        made_with = {MADE_WITH: self.task.made_with} if self.task.made_with else {}
        instant = self.task.instant.name if self.task.instant else ""
        stored = reader.manifest()
        others = unfinished_entry(self._unfinished_elsewhere(stored))
        return manifest_of(self.task.settings, model, instant) | made_with | self._owner.entry(stored) | others

    def unfinished_manifest(self, manifest: Mapping[str, str], first: bool, read: FilesRead) -> dict[str, str]:
        """What to store while not all files are read; `manifest` is for when they are."""
        own = {self._name: Unfinished(*read, is_first=first)}
        return {**manifest, **unfinished_entry(unfinished_reads(manifest) | own)}

    def is_first_read(self, reader: Reader) -> bool:
        """Whether the files of this scope have never been read to the end."""
        own = unfinished_reads(reader.manifest()).get(self._name)
        return own.is_first if own else not self.files(reader)

    def _unfinished_elsewhere(self, manifest: Mapping[str, str]) -> dict[str, Unfinished]:
        """The reads that this one does not finish."""
        if self._fits is None and self.task.removes:
            return {}  # afterwards, the index has these files and no others
        return {scope: read for scope, read in unfinished_reads(manifest).items() if scope != self._name}


def _what_to_read(reader: Reader, listing: Listing, scope: Scope, manifest: dict[str, str]) -> tuple[Reading, str]:
    reason = _reason(scope.task, reader.manifest(), manifest)
    files, non_texts = scope.files(reader), reader.non_texts()
    reading = plan_reading(listing.files, listing.skipped, files, bool(reason), non_texts)
    return reading if scope.task.removes else reading.without_removals(), reason


def _reason(task: Task, stored: Mapping[str, str], manifest: Mapping[str, str]) -> str:
    """Why everything is to be read; empty if it is not."""
    return "as asked" if task.rebuild else needs_rebuild(stored, manifest)


def _from(known: int, watch: Watcher) -> Watcher:
    """A read that goes on counts from where it stopped."""
    return lambda progress: watch(progress._replace(done=known + progress.done, total=known + progress.total))


def _skipped(listing: Listing, reading: Reading) -> list[SkippedFile]:
    """Files that are skipped without being read."""
    return [*listing.skipped, *(SkippedFile(file.path, file.reason) for file in reading.passed)]
