"""An index as output: documents, chunks, links and vectors, so that `headnote search` answers from the result.

Workers write their documents themselves, each batch in one transaction; links, which need all documents, are resolved
at the end. A document is done when the index has it with the size and time it has now.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headnote.embedding.base import Embedder
from headnote.errors import BulkError, HeadnoteError, SourceError
from headnote.index.entries import read_entry
from headnote.index.manifest import manifest_of, needs_rebuild
from headnote.index.ownership import Owner
from headnote.index.parts import embed_in_parts, whole
from headnote.index.relinking import link_all
from headnote.index.vectors import sweep, update_vectors
from headnote.scale.batch import Outcome, failed, rows_of
from headnote.scale.inputs import Unit
from headnote.scale.output import Finished
from headnote.scale.reading import read_batches
from headnote.scale.recipe import Recipe
from headnote.scale.work import Failure, Part, PartResult, PartWriter
from headnote.sources.decode import decode
from headnote.sources.snapshot import FileSnapshot, content_hash
from headnote.store.base import Store, Writer
from headnote.store.damage import MADE_WITH
from headnote.store.names import names_of
from headnote.store.opening import open_store, shown_store
from headnote.store.rows import Entry, StoredFile

if TYPE_CHECKING:
    import pyarrow as pa

PATIENCE = 3600.0
"""Seconds that a worker waits for another writer: the others are mostly its own kind."""
NO_MODEL = "none"


class Place(NamedTuple):
    """Which index."""

    root: str
    """The folder whose index it is; its name is the name of the index where the URL gives none."""
    target: str
    """URL of a database; empty for the file below the root."""
    source: str
    """What the documents come from, and whom the index belongs to: a folder or file by its path, or an address."""
    adopts: bool = False
    """Whether an index that belongs to another source is taken over."""


@lru_cache(maxsize=2)
def _opened(place: Place) -> Store:
    """Once in a process: connections are kept."""
    return open_store(Path(place.root), place.target)


class StoreOutput:
    """The side of the one who shares out the work."""

    def __init__(self, place: Place, recipe: Recipe, made_with: str = "") -> None:
        self._place = place
        self._recipe = recipe
        self._made_with = {MADE_WITH: made_with} if made_with else {}
        self._store = _opened(place)
        self._owner = Owner(place.source, self._store.place, self._store.is_shared, place.adopts)
        self._files: dict[str, StoredFile] = {}
        self._is_changed = False

    def open(self, rebuild: bool) -> None:
        wanted = manifest_of(self._recipe.settings, self._recipe.model or NO_MODEL)
        with self._store.reading() as reader:
            before = reader.manifest()
            wanted |= self._made_with | self._owner.entry(before)
            self._files = {} if rebuild else reader.files()
        reason = needs_rebuild(before, wanted) if before else ""
        if reason and not rebuild:
            remedy = "name another index for --out, or add --rebuild to make everything anew"
            raise BulkError(f"cannot go on: {reason}", path=shown_store(self._place.target), remedy=remedy)
        if self._recipe.model and before.get("model") != self._recipe.model:
            # Workers make the vectors of documents that they read, so all are read.
            self._files = {}
        elif not self._recipe.model and before:
            wanted["model"] = before["model"]
        if rebuild or before != wanted:
            self._is_changed = True
            with self._store.writing() as writer:
                if rebuild:
                    writer.clear()
                writer.set_manifest(wanted)

    def has(self, unit: Unit) -> bool:
        known = self._files.get(unit.path)
        # The size of a row of a table is known when it is read, and not before.
        return known is not None and known.mtime_ns == unit.mtime_ns and (unit.row >= 0 or known.size == unit.size)

    def known(self) -> Collection[str]:
        return self._files.keys()

    def writer(self) -> PartWriter:
        self._is_changed = True
        return StorePartWriter(self._place, self._recipe)

    def finish(self, units: Sequence[Unit], kept: Collection[str], failures: Sequence[Failure]) -> Finished:
        wanted = {unit.path for unit in units} | set(kept)
        failing = {failure.path for failure in failures}
        with self._store.reading() as reader:
            gone = [path for path in reader.files() if path not in wanted or path in failing]
        if gone or self._is_changed:
            with self._store.writing(PATIENCE) as writer:
                writer.remove(gone)
                link_all(writer)
        embedder = self._recipe.open_embedder()
        if embedder is not None:
            update_vectors(self._store, embedder, PATIENCE)
            if gone or self._is_changed:
                sweep(self._store, [embedder.name], PATIENCE)
        with self._store.reading() as reader:
            counts = reader.counts()
        removed = len([path for path in gone if path not in wanted])
        return Finished(counts.documents + len(failing), counts.chunks, removed, list(failures))

    def report(self, lines: bytes) -> None:
        """A database has no place for it; `--report` names one."""

    def close(self) -> None:
        self._store.close()
        _opened.cache_clear()


@dataclass(frozen=True, slots=True)
class StorePartWriter:
    """Reads, chunks and stores a part. Done twice, it puts the same documents twice."""

    place: Place
    recipe: Recipe

    def __call__(self, part: Part) -> PartResult:
        store = _opened(self.place)
        embedder = self.recipe.open_embedder()
        outcomes: list[Outcome] = []
        for units, batch in read_batches(part.units, self.recipe.max_bytes):
            entries, told = self._entries(units, batch)
            outcomes += told
            vectors = _Vectors(entries, embedder) if embedder is not None else None
            with store.writing(PATIENCE, together=True) as writer:
                writer.put(entries)
                if vectors is not None:
                    vectors.add_to(writer)
        failures = [Failure(one.path, one.error, one.line, one.remedy) for one in outcomes if one.error]
        chunks, size = sum(one.chunks for one in outcomes), sum(one.size for one in outcomes)
        return PartResult(part.name, len(part.units), chunks, size, failures)

    def _entries(self, units: Sequence[Unit], batch: pa.RecordBatch) -> tuple[list[Entry], list[Outcome]]:
        entries, outcomes = [], []
        for unit, (path, content, _, error) in zip(units, rows_of(batch), strict=True):
            if not isinstance(content, bytes):
                outcomes.append(Outcome(path, error=error or "it has no content", retry=True))
                continue
            try:
                source = _source(unit, content)
                entry, _anchors = read_entry(source, self.recipe.settings)
            except SourceError as failure:
                outcomes.append(failed(path, len(content), failure))
            except HeadnoteError:
                raise
            except Exception as failure:  # noqa: BLE001  as in `chunk_batch`
                outcomes.append(failed(path, len(content), failure))
            else:
                entries.append(entry)
                outcomes.append(Outcome(path, len(content), source.hash, len(entry.chunks)))
        return entries, outcomes


def _source(unit: Unit, content: bytes) -> FileSnapshot:
    text = decode(content, unit.path)
    return FileSnapshot(unit.path, len(content), unit.mtime_ns, content_hash(content), text, "")


class _Vectors:
    """The vectors of some documents, made before the transaction begins: others must not wait for them."""

    def __init__(self, entries: Sequence[Entry], embedder: Embedder) -> None:
        texts = {row.hash: row.embed_text(entry.document.text) for entry in entries for row in entry.chunks}
        self._model = embedder.name
        self._hashes = list(texts)
        self._parts = embed_in_parts(embedder, list(texts.values()))
        places = ((entry.document.title, row.heading_path) for entry in entries for row in entry.chunks)
        self._names = sorted({name for place in places for name in names_of(*place)})
        self._named = embedder.embed(self._names)

    def add_to(self, writer: Writer) -> None:
        if self._hashes:
            writer.add_vectors(self._model, self._hashes, whole(self._parts), self._parts)
            writer.add_names(self._model, self._names, self._named)
