"""Bring an index up to date: list, plan, read on all cores, and write.

What has been read can be searched, by words and by the vectors of the instant model; where much is read, that is
committed in batches. Links are resolved at the end, with all that needs to know every document. `deep_vectors.py`
makes the vectors of the deep model afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from headnote.index.dating import Dating, heads_entry, unread_commits
from headnote.index.manifest import (
    Owner,
    RootFolder,
    Unfinished,
    cut_with,
    folders_entry,
    folders_in,
    manifest_of,
    moved_roots,
    name_of,
    needs_rebuild,
    unfinished_entry,
    unfinished_reads,
)
from headnote.index.plan import (
    FilesRead,
    FilesToRead,
    Plan,
    Report,
    Task,
    ignore_progress,
    nothing_to_read,
    plan_changes,
    plan_reading,
)
from headnote.links.sites.detection import find_sites_of
from headnote.links.sites.site import Site, read_sites, sites_entry
from headnote.model.results import Progress, Watcher
from headnote.sources.repository import ListedFile, Listing, SkippedFile
from headnote.store.filters import path_matcher
from headnote.store.integrity import DATES, FOLDERS, SITES, STORED_SETTINGS
from headnote.store.interface import Reader, Store
from headnote.store.rows import NonText


def update_documents(store: Store, task: Task, model: str, watch: Watcher = ignore_progress) -> Report:
    """Update everything but the vectors of the deep model. `model` is the one that searches prefer."""
    generation = store.generation()
    watch(Progress("read", 0, 0))
    listing = _listing(task)
    scope = UpdateScope(store, task, listing.absent)
    with store.reading() as reader:
        sites = _sites(reader, task, listing)
        found = {SITES: sites_entry(sites), DATES: " ".join(task.dates)}
        found |= heads_entry(task.tree, task.dates, reader.manifest())
        manifest = scope.manifest(reader, model) | found
        reading, reason = _what_to_read(reader, listing, scope, manifest)
        if reading.is_empty and reader.manifest() == manifest:
            nothing = Plan([], [], [], [], [], reading.unchanged)
            skipped = skipped_files(listing, reading)
            return Report(nothing, skipped, rebuilt=reason, stayed=reading.stayed, absent=listing.absent)
    from headnote.index.applying import Batches, apply
    from headnote.index.relinking import Relinking

    with store.writing(task.wait) as writer:
        if writer.generation() != generation:
            # Another writer may have stored files that are newer than this listing: they are not gone.
            listing = _listing(task)
        manifest, before = scope.manifest(writer, model) | found, writer.manifest()
        first = scope.is_first_read(writer)
        if first and task.remove_missing and _reason(task, before, manifest):
            # What was read with other settings is not worth keeping: nobody has ever searched all of it.
            writer.remove(scope.files(writer))
        reading, reason = _what_to_read(writer, listing, scope, manifest)
        stored, known = scope.files(writer), reading.unchanged + len(reading.passed)
        after = partial(scope.unfinished_manifest, manifest | unread_commits(manifest), first)
        # An index that is complete stays so until it is complete with the new settings.
        is_rebuild = bool(stored and (reason or scope.stale_roots(before)))
        batches = None if is_rebuild else Batches(writer, after, known, len(reading.read))
        has_moved = any(before.get(key) != manifest.get(key) for key in (SITES, FOLDERS))
        links = Relinking(writer, task.tree, sites, bool(reason or has_moved or unfinished_reads(before)))
        report = apply(writer, reading, stored, task, reason, links, _from(known if first else 0, watch), batches)
        writer.set_non_texts([*scope.foreign_non_texts(writer), *reading.passed, *report.non_texts])
        commits, warnings = Dating(writer, task.tree, before, manifest).finish(report.plan, task.dates)
        report.warnings += warnings
        writer.set_manifest(manifest | commits)
    report.is_first_read = first
    report.absent, report.moved = listing.absent, moved_roots(before, manifest)
    report.skipped[:0] = skipped_files(listing, reading)
    return report


def plan_update(store: Store, task: Task, model: str) -> Report:
    """What an update would do: files are read, nothing is written."""
    from headnote.index.applying import skipped, without_binaries
    from headnote.index.entries import read_hash

    listing = _listing(task)
    scope = UpdateScope(store, task)
    with store.reading() as reader:
        reading, reason = _what_to_read(reader, listing, scope, scope.manifest(reader, model))
        stored = scope.files(reader)
    results = [read_hash(task.tree, file.path) for file in reading.read]
    hashes = {result.file.path: result.file.hash for result in results if not result.error}
    plan = plan_changes(without_binaries(reading, results, stored), hashes, stored, bool(reason), task.kind_of)
    return Report(plan, [*skipped_files(listing, reading), *skipped(results)], rebuilt=reason, absent=listing.absent)


def _listing(task: Task) -> Listing:
    return task.tree.discover(task.max_bytes)


def _sites(reader: Reader, task: Task, listing: Listing) -> dict[str, list[Site]]:
    """The sites of every root. Those of a root that is away stay as they were."""
    found = find_sites_of(task.tree, listing)
    if not listing.absent:
        return found
    known = read_sites(reader.manifest())
    return found | {one.path: known.get(one.path, []) for one in listing.absent}


class UpdateScope:
    """The files that an update is responsible for. In a shared index, a task that includes only some files leaves the
    rest to others."""

    def __init__(self, store: Store, task: Task, absent: Collection[SkippedFile] = ()) -> None:
        """`absent` are the roots that cannot be read now."""
        self.task = task
        self._absent = {one.path for one in absent}
        self._owner = Owner(name_of(task.root), store.place, store.is_shared, task.adopt)
        # Several roots are the whole of an index, and globs are those of a root.
        is_part = store.is_shared and task.include and not task.tree.is_named
        self._fits = path_matcher(task.include) if is_part else None
        self._name = " ".join(sorted(task.include)) if self._fits else ""
        self._folders = {
            root.name: RootFolder(str(root.real), cut_with(task.settings_of.get(root.name, task.settings)))
            for root in task.tree.roots
            if root.name and not root.barred
        }

    def files(self, reader: Reader) -> dict[str, ListedFile]:
        """What is stored of them. Files of a root whose settings have changed count as changed."""
        stored = reader.files()
        if self._fits is not None:
            return {path: file for path, file in stored.items() if self._fits(path)}
        stale = self.stale_roots(reader.manifest())
        if not stale:
            return stored
        root_of = self.task.tree.root_of
        return {path: _voided(file) if root_of(path) in stale else file for path, file in stored.items()}

    def has_exactly(self, reader: Reader, listing: Listing, non_texts: Mapping[str, NonText]) -> bool:
        """Whether each of these files is stored as it is, and no other. A no may be wrong: this is the quick way to
        see that nothing has changed, which is so before most searches."""
        if self._fits is not None or self.stale_roots(reader.manifest()):
            return False
        listed = {file[:3] for file in listing.files}
        return listed == reader.stamps() | {(file.path, file.size, file.mtime_ns) for file in non_texts.values()}

    def stale_roots(self, manifest: Mapping[str, str]) -> set[str]:
        """Roots whose documents were cut with other settings."""
        stored, now = folders_in(manifest), self._folders
        return {name for name in stored.keys() & now.keys() if stored[name].settings != now[name].settings}

    def foreign_non_texts(self, reader: Reader) -> list[NonText]:
        """Those outside this scope."""
        fits = self._fits
        return [] if fits is None else [file for path, file in reader.non_texts().items() if not fits(path)]

    def manifest(self, reader: Reader, model: str) -> dict[str, str]:
        """The manifest to store. Raises if the index belongs to another folder."""
        stored_settings = {STORED_SETTINGS: self.task.stored_settings} if self.task.stored_settings else {}
        instant = self.task.instant.name if self.task.instant else ""
        stored = reader.manifest()
        others = unfinished_entry(self._unfinished_elsewhere(stored))
        # Of a root that is away, nothing is read: it stays what it was made with, until it is back.
        kept = {name: folder for name, folder in folders_in(stored).items() if name in self._absent}
        folders = folders_entry(self._folders | kept)
        whole = manifest_of(self.task.settings, model, instant) | stored_settings | folders
        return whole | self._owner.entry(stored) | others

    def unfinished_manifest(self, manifest: Mapping[str, str], first: bool, read: FilesRead) -> dict[str, str]:
        """What to store while not all files are read; `manifest` is for when they are."""
        own = {self._name: Unfinished(read.done, read.total, is_first=first)}
        return {**manifest, **unfinished_entry(unfinished_reads(manifest) | own)}

    def is_first_read(self, reader: Reader) -> bool:
        """Whether the files of this scope have never been read to the end."""
        own = unfinished_reads(reader.manifest()).get(self._name)
        return own.is_first if own else not self.files(reader)

    def _unfinished_elsewhere(self, manifest: Mapping[str, str]) -> dict[str, Unfinished]:
        """The reads that this one does not finish."""
        if self._fits is None and self.task.remove_missing:
            return {}  # afterwards, the index has these files and no others
        return {scope: read for scope, read in unfinished_reads(manifest).items() if scope != self._name}


def _voided(file: ListedFile) -> ListedFile:
    return file._replace(size=-1, hash="")


def _what_to_read(
    reader: Reader, listing: Listing, scope: UpdateScope, manifest: dict[str, str]
) -> tuple[FilesToRead, str]:
    reason, non_texts = _reason(scope.task, reader.manifest(), manifest), reader.non_texts()
    if not reason and scope.has_exactly(reader, listing, non_texts):
        return nothing_to_read(listing.files, non_texts), ""
    files = scope.files(reader)
    reading = plan_reading(listing.files, listing.skipped, files, bool(reason), non_texts)
    return reading if scope.task.remove_missing else reading.without_removals(), reason


def _reason(task: Task, stored: Mapping[str, str], manifest: Mapping[str, str]) -> str:
    """Why everything is to be read; empty if it is not."""
    return "as asked" if task.rebuild else needs_rebuild(stored, manifest)


def _from(known: int, watch: Watcher) -> Watcher:
    """A read that goes on counts from where it stopped."""
    return lambda progress: watch(replace(progress, done=known + progress.done, total=known + progress.total))


def skipped_files(listing: Listing, reading: FilesToRead) -> list[SkippedFile]:
    """Files that are skipped without being read."""
    return [*listing.skipped, *(SkippedFile(file.path, file.reason) for file in reading.passed)]
