"""An index as output: documents, chunks, links and vectors, ready for `headnote search`.

Workers store their documents directly, each batch in one transaction. Links need all documents, so they are resolved at
the end. A document is done when the index has it with its current size and time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headnote.embedding.embedder import Embedder
from headnote.errors import BulkError, HeadnoteError, SourceError
from headnote.extra.scale.batch import Outcome, failed_outcome, rows_of
from headnote.extra.scale.inputs import Unit, read_batches
from headnote.extra.scale.work import FailedFile, JobTotals, OutputPart, PartResult, PartWriter, Recipe
from headnote.index.deep_vectors import sweep, update_vectors
from headnote.index.entries import read_entry
from headnote.index.manifest import Owner, manifest_of, needs_rebuild, unfinished_entry, unfinished_reads
from headnote.index.relinking import link_all
from headnote.index.text_vectors import complete, embed_in_parts, whole, with_vectors
from headnote.sources.files import FileSnapshot, content_hash, decode
from headnote.sources.repository import ListedFile
from headnote.store.codec import columns_of
from headnote.store.integrity import STORED_SETTINGS, UNFINISHED
from headnote.store.interface import Store, Writer
from headnote.store.opening import open_store, shown_store
from headnote.store.quantized import names_of
from headnote.store.rows import DocumentEntry

if TYPE_CHECKING:
    import pyarrow as pa

LOCK_SECONDS = 3600.0
"""How long a worker waits for another writer, which is mostly another worker."""
NO_MODEL = "none"


class IndexTarget(NamedTuple):
    """Which index to write."""

    root: str
    """The folder of the index; its name becomes the name of the index unless the URL has one."""
    url: str
    """URL of a database; empty for the file below the root."""
    source: str
    """Where the documents come from, which owns the index: the path of a folder or file, or an address."""
    adopt: bool = False
    """Whether to take over an index that belongs to another source."""


@lru_cache(maxsize=2)
def _open(target: IndexTarget) -> Store:
    """Opened once per process, which keeps connections."""
    return open_store(Path(target.root), target.url)


class StoreOutput:
    """An index in a database."""

    def __init__(self, target: IndexTarget, recipe: Recipe, stored_settings: str = "") -> None:
        self._target = target
        self._recipe = recipe
        self._stored_settings = {STORED_SETTINGS: stored_settings} if stored_settings else {}
        self._store = _open(target)
        self._owner = Owner(target.source, self._store.place, self._store.is_shared, target.adopt)
        self._files: dict[str, ListedFile] = {}
        self._is_changed = False

    def open(self, rebuild: bool) -> None:
        instant = self._recipe.open_models().instant
        name = instant.name if instant else ""
        manifest = manifest_of(self._recipe.settings, self._recipe.model or name or NO_MODEL, name)
        with self._store.reading() as reader:
            previous = reader.manifest()
            unfinished = unfinished_reads(previous)
            # A read that stopped is finished when this job is.
            manifest |= self._stored_settings | self._owner.entry(previous) | unfinished_entry(unfinished)
            self._files = {} if rebuild else reader.files()
        reason = needs_rebuild(previous, manifest) if previous else ""
        if reason and not rebuild:
            remedy = "name another index for --out, or add --rebuild to start over"
            raise BulkError(f"cannot resume: {reason}", path=shown_store(self._target.url), remedy=remedy)
        if self._recipe.model and previous.get("model") != self._recipe.model:
            # Workers embed the documents they read, so all documents must be read.
            self._files = {}
        elif not self._recipe.model and previous.get("model", NO_MODEL) != NO_MODEL:
            manifest["model"] = previous["model"]
        self._is_changed = bool(unfinished)
        if rebuild or previous != manifest:
            self._is_changed = True
            with self._store.writing() as writer:
                if rebuild:
                    writer.clear()
                writer.set_manifest(manifest)
                if instant:
                    complete(writer, instant)

    def has(self, unit: Unit) -> bool:
        known = self._files.get(unit.path)
        if known is None or known.mtime_ns != unit.mtime_ns:
            return False
        # The size of a table row is unknown until it is read.
        return unit.row >= 0 or known.size == unit.size

    def known(self) -> Collection[str]:
        return self._files.keys()

    def writer(self) -> PartWriter:
        self._is_changed = True
        return StorePartWriter(self._target, self._recipe)

    def finish(self, units: Sequence[Unit], unlisted: Collection[str], failures: Sequence[FailedFile]) -> JobTotals:
        listed = {unit.path for unit in units} | set(unlisted)
        failing = {failure.path for failure in failures}
        with self._store.reading() as reader:
            outdated = [path for path in reader.files() if path not in listed or path in failing]
        if outdated or self._is_changed:
            with self._store.writing(LOCK_SECONDS) as writer:
                writer.remove(outdated)
                link_all(writer)
                writer.set_manifest({key: entry for key, entry in writer.manifest().items() if key != UNFINISHED})
        deep = self._recipe.open_models().deep
        if deep is not None:
            update_vectors(self._store, deep, LOCK_SECONDS)
        if self._recipe.model and (outdated or self._is_changed):
            sweep(self._store, [self._recipe.model], LOCK_SECONDS)
        with self._store.reading() as reader:
            counts = reader.counts()
        return JobTotals(
            documents=counts.documents + len(failing),
            chunks=counts.chunks,
            removed=sum(path not in listed for path in outdated),
            failures=list(failures),
        )

    def report(self, lines: bytes) -> None:
        """A database has no place for it; `--report` writes it to a file."""

    def close(self) -> None:
        self._store.close()
        _open.cache_clear()


@dataclass(frozen=True, slots=True)
class StorePartWriter:
    """Reads, chunks and stores a part. Doing it twice stores the same documents twice."""

    target: IndexTarget
    recipe: Recipe

    def __call__(self, part: OutputPart) -> PartResult:
        store = _open(self.target)
        instant, deep = self.recipe.open_models()
        outcomes: list[Outcome] = []
        for units, batch in read_batches(part.units, self.recipe.max_bytes):
            entries, batch_outcomes = self._entries(units, batch)
            outcomes += batch_outcomes
            if instant is not None:
                entries = with_vectors(entries, instant)
            vectors = _Vectors(entries, deep) if deep is not None else None
            columns = list(map(columns_of, entries))
            with store.writing(LOCK_SECONDS, concurrent=True) as writer:
                writer.put(columns)
                if vectors is not None:
                    vectors.add_to(writer)
        return PartResult(
            name=part.name,
            documents=len(part.units),
            chunks=sum(outcome.chunks for outcome in outcomes),
            size=sum(outcome.size for outcome in outcomes),
            failures=[
                FailedFile(outcome.path, outcome.error, outcome.line, outcome.remedy)
                for outcome in outcomes
                if outcome.error
            ],
        )

    def _entries(self, units: Sequence[Unit], batch: pa.RecordBatch) -> tuple[list[DocumentEntry], list[Outcome]]:
        entries, outcomes = [], []
        for unit, (path, content, _, error) in zip(units, rows_of(batch), strict=True):
            if not isinstance(content, bytes):
                outcomes.append(Outcome(path, error=error or "it has no content", retry=True))
                continue
            try:
                source = _source(unit, content)
                entry, _anchors = read_entry(source, self.recipe.settings)
            except SourceError as failure:
                outcomes.append(failed_outcome(path, len(content), failure))
            except HeadnoteError:
                raise
            except Exception as failure:  # noqa: BLE001  as in `chunk_batch`
                outcomes.append(failed_outcome(path, len(content), failure))
            else:
                entries.append(entry)
                outcomes.append(Outcome(path, len(content), source.hash, len(entry.chunks)))
        return entries, outcomes


def _source(unit: Unit, content: bytes) -> FileSnapshot:
    text = decode(content, unit.path)
    return FileSnapshot(unit.path, len(content), unit.mtime_ns, content_hash(content), text, "")


class _Vectors:
    """The vectors of some documents, made before the transaction starts so that other writers need not wait."""

    def __init__(self, entries: Sequence[DocumentEntry], embedder: Embedder) -> None:
        sources = ((entry, entry.document.masked) for entry in entries)
        texts = {row.hash: row.embed_text(source) for entry, source in sources for row in entry.chunks}
        self._model = embedder.name
        self._hashes = list(texts)
        self._parts = embed_in_parts(embedder, list(texts.values()))
        headings = ((entry.document.title, row.heading_path) for entry in entries for row in entry.chunks)
        self._names = sorted({name for title, path in headings for name in names_of(title, path)})
        self._name_vectors = embedder.embed(self._names)

    def add_to(self, writer: Writer) -> None:
        if self._hashes:
            writer.add_vectors(self._model, self._hashes, whole(self._parts), self._parts)
            writer.add_names(self._model, self._names, self._name_vectors)
