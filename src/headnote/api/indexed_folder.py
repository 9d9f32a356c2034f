"""A folder with its store, settings and models: how it is updated, and what is known about it."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from headnote.api.folders import Asked, models_of, stored_settings_of
from headnote.api.reading import Library
from headnote.api.reports import Drift, ModelStatus, RootStatus, Status
from headnote.config import (
    Choice,
    Configure,
    ContextFile,
    SearchSettings,
    choose,
    load_search_settings,
    remember_flags,
    settings_files,
)
from headnote.embedding.embedder import NoEmbedder
from headnote.embedding.registry import Models
from headnote.errors import SettingsError, UnreadIndex, UntrustedSettings, warn
from headnote.extra.packs.format import PackInfo
from headnote.extra.packs.packed import read_only_pack
from headnote.index.dating import order_of_dates
from headnote.index.deep_vectors import sweep, update_vectors
from headnote.index.manifest import files_read, manifest_of, needs_rebuild, roots_in
from headnote.index.plan import FilesRead, Report, Task, plan_reading
from headnote.index.update import UpdateScope, skipped_files, update_documents
from headnote.model import Related
from headnote.model.results import Watcher
from headnote.search.engine import Engine
from headnote.search.ranking import NO_CONTEXTS, Contexts, is_complete, model_for
from headnote.sources.repository import Listing, SkippedFile
from headnote.sources.tree import why_no_documents
from headnote.sources.watch import Lookout, watch
from headnote.store.caching import Cache
from headnote.store.interface import Store
from headnote.store.opening import schema_of

if TYPE_CHECKING:
    from headnote.extra.packs.making import PackSource
    from headnote.links.spots import Arrangement
    from headnote.search.related import Surroundings


class IndexedFolder:
    """What an `Index` is, and does behind its methods."""

    def __init__(
        self,
        root: Path,
        store: Store,
        choice: Choice,
        models: Models,
        *,
        search_settings: SearchSettings = SearchSettings(),  # noqa: B008  immutable
        adopt: bool = False,
        read_only: bool = False,
        pack: PackInfo | None = None,
        contexts: Contexts = NO_CONTEXTS,
        asked: Asked | None = None,
    ) -> None:
        self.root = root
        self.pack_info = pack
        """What a pack says about itself; None for the index of a folder."""
        self._context_file = None if pack else ContextFile(root)
        self._packed_contexts = contexts
        self.read_only = read_only or not store.may_write
        self._store = store
        self._asked = asked
        self._is_settled = asked is None or asked.configure != "keep"
        """Whether the settings are those that the next update applies."""
        self._use(choice)
        self._use_models(models)
        self.search_settings = search_settings
        self._adopts = adopt
        self._was_updated = False
        self._left_out: tuple[int, Sequence[SkippedFile]] | None = None
        """The generation for which it was found out, and what is left out."""

    def _use(self, choice: Choice) -> None:
        self.choice = choice
        self.settings = choice.chunking.settings
        self.index_settings = choice.of_index.settings
        self.tree = choice.tree(self.root)

    def _use_models(self, models: Models) -> None:
        self.models = Models(*(model if model and model.name != "none" else None for model in models))
        self.embedder = models.deep or models.instant or NoEmbedder()
        self._engine = Engine(self._store, self.models)
        self._surroundings: Cache[str, Surroundings] = Cache(1)

    def _take_settings(self, configure: Configure) -> None:
        asked = self._asked
        if asked is None:
            return
        choice = choose(asked.flags, self.root, stored_settings_of(self._store), configure)
        self.search_settings = load_search_settings({}, self.root).settings
        if choice.of_index.settings.embedder != self.index_settings.embedder and not asked.has_models:
            self._use_models(models_of(choice, asked.embedder, asked.without_deep))
        self._use(choice)

    @property
    def _library(self) -> Library:
        return Library(self._store, self.root, self.tree, self.index_settings.max_file_bytes)

    @cached_property
    def _arrangement(self) -> Arrangement:
        from headnote.links.spots import Arrangement

        return Arrangement(None if self.pack_info else self._store.folder, may_write=not self.read_only)

    @property
    def _model(self) -> str:
        return self.embedder.name

    def _listing(self) -> Listing:
        return self.tree.discover(self.index_settings.max_file_bytes)

    def _task(
        self, *, rebuild: bool = False, workers: int | None = None, wait: float = 0.0, remove_missing: bool = True
    ) -> Task:
        settings = self.index_settings
        return Task(
            root=str(self.root),
            tree=self.tree,
            settings=self.settings,
            settings_of=self.choice.settings_of,
            include=settings.include,
            max_bytes=settings.max_file_bytes,
            workers=workers,
            rebuild=rebuild,
            wait=wait,
            remove_missing=remove_missing,
            stored_settings=self.choice.stored_settings,
            adopt=self._adopts,
            instant=self.models.instant,
            dates=order_of_dates(settings.dates),
        )

    @property
    def _contexts(self) -> Contexts:
        return self._context_file.contexts() if self._context_file else self._packed_contexts

    def _require_folder(self) -> None:
        """Raise for a pack, which has none."""
        if self.pack_info is not None:
            raise read_only_pack(str(self.root))

    def _unread(self) -> UnreadIndex:
        remedy = f"call index.update(), or run headnote index {self.root}"
        return UnreadIndex("the index is empty: nothing has been read yet", path=str(self.root), remedy=remedy)

    def _warn_if_unread(self) -> None:
        # A program that has called `update` knows about it, and may search while the first batch is being read.
        if not self._was_updated and self._store.generation() == 0:
            warn(self._unread())

    def _files_read(self) -> FilesRead | None:
        with self._store.reading() as reader:
            return files_read(reader.manifest())

    # Updating

    def _settle(self) -> None:
        """Take the settings that this update applies."""
        self._require_folder()
        self._was_updated = True
        if not self._is_settled:
            self._take_settings("keep" if self._store.is_shared else "follow")
        self._remember_flags()

    def _update_documents(self, task: Task, on_progress: Watcher) -> Report:
        report = update_documents(self._store, task, self._model, on_progress)
        self._left_out = self._store.generation(), _missing(report.skipped, report.absent)
        report.followed = self.choice.followed
        self._is_settled = self._asked is None
        return report

    def _update_vectors(
        self, report: Report, task: Task, on_progress: Watcher, should_stop: Callable[[], bool]
    ) -> Report:
        if self.models.deep:
            report.embedded, report.vectors, report.others = update_vectors(
                self._store, self.models.deep, task.wait, on_progress, should_stop
            )
        # Vectors of a model that may not be used now are not out of date: the user may trust it again.
        if task.remove_missing and not self.choice.withheld and (not report.plan.is_empty or report.embedded):
            sweep(self._store, [model.name for model in self.models if model], task.wait)
        return report

    def _remember_flags(self) -> None:
        """The index keeps flags, and lies in the folder: outside of it, the user's folder knows whose they are."""
        try:
            remember_flags(self.choice, self.root)
        except SettingsError as error:
            warn(UntrustedSettings(f"later commands need the same flags again: {error}"))

    def _watch(self, update: Callable[..., Report], stop: threading.Event, debounce_ms: int) -> Iterator[Report]:
        self._require_folder()
        while not stop.is_set():
            watched = self.tree
            changes = watch(
                watched,
                stop=stop,
                max_bytes=self.index_settings.max_file_bytes,
                # Listed before the first update, which may take minutes: changes in the meantime must not be missed.
                since=self._listing(),
                debounce_ms=debounce_ms,
                others=settings_files(self.root),
            )
            yield from self._updates(update)
            # A changed settings file may name other files.
            while self.tree == watched and next(changes, None) is not None:
                yield from self._updates(update)

    def _updates(self, update: Callable[..., Report]) -> Iterator[Report]:
        """Updates until nothing has changed meanwhile. Deep vectors may take an hour; files that change must not wait
        for them."""
        while True:
            lookout = Lookout(self._listing)
            yield update(should_stop=lookout)
            if not lookout.has_seen_changes:
                return

    # What is known

    def _lacks_vectors(self) -> bool:
        if self.models.deep is None:
            return False
        with self._store.reading() as reader:
            return not is_complete(reader, self.models.deep)

    def _related(self, path: str, line: int | None, limit: int, unlinked: bool, linked: bool) -> list[Related]:
        # Late: it loads the Markdown scanner.
        from headnote.search.related import Surroundings, missing_links, missing_links_anywhere, related

        with self._store.reading() as reader:
            known = self._surroundings.get(reader.generation(), "all", lambda: Surroundings(reader))
            if not path:
                return missing_links_anywhere(reader, self.models, known, limit)
            source = self._library.source(reader, path, line)
            if unlinked:
                return missing_links(reader, self.models, known, source, limit)
            return related(reader, self.models, known, source, limit, linked=linked)

    def _why_no_documents(self) -> str:
        with self._store.reading() as reader:
            if reader.document_paths():
                return ""
        if self.pack_info is not None:
            return "the pack has no documents"
        listing = self._listing()
        return "" if listing.files else why_no_documents(self.tree, listing)

    def _pack_source(self) -> PackSource:
        from headnote.extra.packs.making import PackSource

        return PackSource(
            store=self._store,
            choice=self.choice,
            models=self.models,
            search=self.search_settings,
            roots=self.tree.names,
            contexts=self._contexts,
            broken=self._library.broken_places,
            place=str(self.root),
        )

    def _drift(self) -> Drift:
        if self.pack_info is not None:
            return Drift(new=[], changed=[], gone=[], rebuild="")
        listing = self._listing()
        with self._store.reading() as reader:
            stored = UpdateScope(self._store, self._task(), listing.absent).files(reader)
            non_texts = reader.non_texts()
            reason = needs_rebuild(reader.manifest(), manifest_of(self.settings, self._model))
        reading = plan_reading(listing.files, listing.skipped, stored, non_texts=non_texts)
        paths = [file.path for file in reading.read]
        # A file that nobody may read is new to every update, and no update takes it in.
        new = {path: os.access(self.tree.file(path), os.R_OK) for path in paths if path not in stored}
        closed = [SkippedFile(path, "cannot be read: permission denied") for path in new if not new[path]]
        return Drift(
            new=[path for path in new if new[path]],
            changed=[path for path in paths if path in stored],
            gone=reading.gone,
            rebuild=reason,
            absent=listing.absent,
            left_out=_missing([*skipped_files(listing, reading), *closed], listing.absent),
        )

    def _files_left_out(self) -> list[SkippedFile]:
        generation = self._store.generation()
        if self._files_read() is not None or not generation:
            return []
        if self._left_out is None or self._left_out[0] != generation:
            self._left_out = generation, self._drift().left_out
        return list(self._left_out[1])

    def _status(self) -> Status:
        with self._store.reading() as reader:
            counts, manifest = reader.counts(), reader.manifest()
            paths = reader.document_paths() if self.tree.is_named else []
            roots, read = roots_in(manifest), files_read(manifest)
            # By name: to tell its dimensions, a model might have to be loaded or a service called.
            pending = {model.name: reader.pending_count(model.name) for model in self.models if model}
            answering = model_for(reader, self.models)
        return Status(
            root=str(self.root),
            documents=counts.documents,
            chunks=counts.chunks,
            links=counts.links,
            pending=pending.get(self._model, 0),
            model=self._model,
            settings=self.settings,
            index_settings=self.index_settings,
            bytes_on_disk=self.pack_info.bytes if self.pack_info else counts.bytes_on_disk,
            updated=counts.updated_ns / 1e9 if counts.updated_ns else None,
            generation=counts.generation,
            roots=tuple(roots),
            schema=schema_of(self.root, self.index_settings.target),
            models=tuple(
                ModelStatus("instant" if model is self.models.instant else "deep", model.name, pending[model.name])
                for model in self.models
                if model
            ),
            answering=answering.name if answering else "",
            files_read=read,
            folders=self._folders(paths),
            contexts=self._contexts.sentences,
            withheld=self.choice.withheld,
            origins={name: origin for name, origin in self.choice.origins.items() if origin != "default"},
            differing=self._differing(),
        )

    def _differing(self) -> tuple[str, ...]:
        """Where the settings file, as it is now, says something else than the index has."""
        if self._asked is None:
            return ()
        now = choose(self._asked.flags, self.root, self.choice.stored_settings)
        return (*now.differing, *now.outlived)

    def _folders(self, paths: Sequence[str]) -> tuple[RootStatus, ...]:
        """The roots, with how many of these documents each has. Those of a pack need no folder to be read."""
        counts = Counter(map(self.tree.root_of, paths))
        return tuple(
            RootStatus(root.name, root.barred or root.folder, counts[root.name], "" if self.pack_info else root.problem)
            for root in self.tree.roots
            if root.name
        )


def _missing(skipped: Sequence[SkippedFile], absent: Sequence[SkippedFile]) -> list[SkippedFile]:
    """Of what was skipped, what readers of the index may miss: below its folders, and in no document. Roots that are
    away are told by themselves."""
    return [one for one in skipped if one.is_missing and one not in absent and not os.path.isabs(one.path)]  # noqa: PTH117
