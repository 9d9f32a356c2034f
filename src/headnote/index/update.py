"""Bring an index up to date: list, plan, read on all cores, and write.

What has been read can be searched, by words and by the vectors of the instant model; where much is read, that is
committed in batches. Links are resolved at the end, with all that needs to know every document. `vectors.py` makes the
vectors of the deep model afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping

from headnote.index.batches import Batches
from headnote.index.manifest import files_read, manifest_of, needs_rebuild
from headnote.index.ownership import Owner, name_of
from headnote.index.plan import Plan, Reading, plan_changes, plan_reading
from headnote.index.sites.finding import find_sites
from headnote.index.sites.model import sites_entry
from headnote.index.task import Progress, Report, Task, Watcher, ignore_progress
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
        is_unfinished = files_read(before) is not None
        if is_unfinished and task.removes and _reason(task, before, manifest):
            # What was read with other settings is not worth keeping: nobody has ever searched all of it.
            writer.remove(scope.files(writer))
        reading, reason = _what_to_read(writer, listing, scope, manifest)
        context = LinkContext(sites, task.root, is_unfinished or before.get(SITES) != manifest[SITES])
        stored = scope.files(writer)
        known = reading.unchanged + len(reading.passed)
        # An index that is complete stays so until it is complete with the new settings.
        batches = None if reason and stored else Batches(writer, manifest, known, len(reading.read))
        watch = _from(known, watch) if is_unfinished else watch
        report = apply(writer, reading, stored, task, reason, context, watch, batches)
        writer.set_non_texts([*scope.foreign_non_texts(writer), *reading.passed, *report.non_texts])
        writer.set_manifest(manifest)
    report.is_first_read = is_unfinished or not before
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
        return manifest_of(self.task.settings, model, instant) | made_with | self._owner.entry(reader.manifest())


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
