"""A folder or a bucket as output that is complete, or knows what it lacks.

    OUT/bulk.json                  the recipe, and whether the output is complete
    OUT/chunks/NAME.parquet        chunks: the whole folder is one table; or
    OUT/chunks.lance               the same as a Lance table, see `lance_files`, if OUT ends in `.lance`
    OUT/documents/NAME.parquet     the documents of the same part, those without chunks included
    OUT/report.jsonl               documents without chunks, and why

The documents of a part are written last and mark it as finished, so after an interruption the next job knows which
documents are done. It starts by removing chunks that belong to no finished part.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.errors import BulkError
from headnote.extra.scale.batch import chunk_batch, document_schema, load_arrow, load_compute
from headnote.extra.scale.chunk_files import (
    ChunkFiles,
    ParquetBuffer,
    ParquetFiles,
    PartChunks,
    is_hidden,
    parts_in,
    read_parquet,
)
from headnote.extra.scale.inputs import Unit, read_batches
from headnote.extra.scale.storage import Storage, open_storage
from headnote.extra.scale.work import FailedFile, JobTotals, OutputPart, PartResult, PartWriter, Recipe, part_name

if TYPE_CHECKING:
    import pyarrow as pa

MANIFEST = "bulk.json"
REPORT = "report.jsonl"
DOCUMENTS = "documents"
VERSION = "version"


class _OutputRecord(NamedTuple):
    """A document of a finished part."""

    part: str
    path: str
    version: str
    chunks: int
    error: str
    line: int | None
    remedy: str
    retry: bool


def open_chunk_files(place: str, recipe: Recipe) -> ChunkFiles:
    if is_lance(place):
        from headnote.extra.scale.chunk_files import LanceFiles

        return LanceFiles(place, recipe)
    return ParquetFiles(place, recipe)


def is_lance(place: str) -> bool:
    """Whether chunks go into a Lance table: the name of the folder says so."""
    return place.rstrip("/").endswith(".lance")


class FolderOutput:
    """Files in a folder or a bucket."""

    def __init__(self, place: str, recipe: Recipe) -> None:
        self._place = place
        self._recipe = recipe
        self._storage = open_storage(place)
        self._chunks = open_chunk_files(place, recipe)
        self._done: set[tuple[str, str]] = set()
        self._known: set[str] = set()

    def open(self, rebuild: bool) -> None:
        names = self._storage.names()
        visible = [name for name in names if not is_hidden(name)]
        if visible and MANIFEST not in visible:
            raise BulkError(
                f"contains other files: {visible[0]}", path=self._place, remedy="name an empty folder for --out"
            )
        if visible and not rebuild:
            self._check_manifest()
        if visible:
            # The old parts belong to the old recipe. If they outlived it, the next job would take them for its own.
            self._write_manifest(self._previous_recipe(), complete=False)
        finished = self._clean_up(names, rebuild)
        self._write_manifest(self._current_recipe(), complete=False)
        records = self._read_records(finished)
        self._done = {(record.path, record.version) for record in records if not record.retry}
        self._known = {record.path for record in records}

    def _clean_up(self, names: Sequence[str], rebuild: bool) -> set[str]:
        """Remove what belongs to no finished part, and return the names of those that are finished."""
        documents = _finished_parts(names)
        finished = set() if rebuild else documents
        self._remove_parts((documents | self._chunks.parts_among(names)) - finished)
        for name in names:
            # Left by a writer that was killed.
            if is_hidden(name) and "/" in name:
                self._storage.remove(name)
        return finished

    def has(self, unit: Unit) -> bool:
        return (unit.path, unit.version) in self._done

    def known(self) -> Collection[str]:
        return self._known

    def writer(self) -> PartWriter:
        return FolderPartWriter(self._place, self._recipe)

    def finish(self, units: Sequence[Unit], unlisted: Collection[str], _failures: Sequence[FailedFile]) -> JobTotals:
        records = self._read_records(_finished_parts(self._storage.names()))
        current = _current_records(records, {unit.path: unit.version for unit in units}, unlisted)
        self._drop_outdated(records, set(current.values()))
        self._chunks.publish(_finished_parts(self._storage.names()))
        self._write_manifest(self._current_recipe(), complete=True)
        return JobTotals(
            documents=len(current),
            chunks=sum(record.chunks for record in current.values()),
            removed=len(self._known - current.keys()),
            # From the records and not from this job: earlier jobs found failures that were not read again.
            failures=[
                FailedFile(record.path, record.error, record.line, record.remedy)
                for record in current.values()
                if record.error
            ],
        )

    def report(self, lines: bytes) -> None:
        self._storage.write(REPORT, lines)

    def close(self) -> None:
        """Nothing is held."""

    def _drop_outdated(self, records: Iterable[_OutputRecord], current: set[_OutputRecord]) -> None:
        """Rewrite each part with outdated documents to one without them, then remove the old part.

        In this order an interruption loses nothing. A part is named after its contents, so the rewritten part may
        exist already, from a job that came this far; it must not be removed then.
        """
        by_part: dict[str, list[_OutputRecord]] = defaultdict(list)
        for record in records:
            by_part[record.part].append(record)
        outdated: set[str] = set()
        rewritten: set[str] = set()
        for part, members in sorted(by_part.items()):
            remaining = [record for record in members if record in current]
            if len(remaining) == len(members):
                continue
            outdated.add(part)
            if remaining:
                rewritten.add(self._rewrite(part, remaining))
        self._remove_parts(outdated - rewritten)

    def _rewrite(self, part: str, remaining: Sequence[_OutputRecord]) -> str:
        """Write the remaining documents of a part as a part of their own, and return its name."""
        name = part_name(((record.path, record.version) for record in remaining), self._recipe.text)
        paths = {record.path for record in remaining}
        chunks = self._chunks.new(name)
        chunks.add(_with_paths(self._chunks.read(part), paths))
        documents = ParquetBuffer(_stored_document_schema())
        documents.add(_with_paths(self._read_documents(part), paths))
        _write_part(self._storage, name, chunks, documents)
        return name

    def _remove_parts(self, parts: Collection[str]) -> None:
        # Documents first: without them, chunks count as unfinished.
        for part in sorted(parts):
            self._storage.remove(_documents_of(part))
        for part in sorted(parts):
            self._chunks.remove(part)

    def _read_records(self, parts: Iterable[str]) -> list[_OutputRecord]:
        columns = _OutputRecord._fields[1:]
        return [
            _OutputRecord(part, **row)
            for part in sorted(parts)
            for row in self._read_documents(part).select(columns).to_pylist()
        ]

    def _read_documents(self, part: str) -> pa.Table:
        return read_parquet(self._storage, self._place, _documents_of(part))

    def _check_manifest(self) -> None:
        previous, current = self._previous_recipe(), self._current_recipe()
        if not isinstance(previous, dict):
            raise BulkError(
                "not written by headnote", path=self._full_path(MANIFEST), remedy="name another folder for --out"
            )
        if previous != current:
            raise BulkError(
                f"was built with other settings: {', '.join(_differences(previous, current))}",
                path=self._place,
                remedy="name another folder for --out, or add --rebuild to start over",
            )

    def _previous_recipe(self) -> Any:
        """The recipe in the manifest; None if it has none."""
        try:
            return json.loads(self._storage.read(MANIFEST))["recipe"]
        except (ValueError, TypeError, KeyError):
            return None

    def _current_recipe(self) -> Any:
        return json.loads(self._recipe.text)

    def _write_manifest(self, recipe: Any, complete: bool) -> None:
        content = {"complete": complete, "recipe": recipe}
        self._storage.write(MANIFEST, json.dumps(content, indent=2).encode() + b"\n")

    def _full_path(self, name: str) -> str:
        return f"{self._place.rstrip('/')}/{name}"


def _current_records(
    records: Iterable[_OutputRecord], versions: dict[str, str], unlisted: Collection[str]
) -> dict[str, _OutputRecord]:
    """By path, the record of each document in its current version. Any version of an `unlisted` one is current."""
    current: dict[str, _OutputRecord] = {}
    # A document that was retried has two records; the successful one comes first.
    for record in sorted(records, key=lambda record: record.retry):
        version = versions.get(record.path)
        if record.version == version or (version is None and record.path in unlisted):
            current.setdefault(record.path, record)
    return current


def _finished_parts(names: Iterable[str]) -> set[str]:
    """The parts that have documents."""
    return parts_in(DOCUMENTS, names, ".parquet")


def _documents_of(part: str) -> str:
    return f"{DOCUMENTS}/{part}.parquet"


def _with_paths(table: pa.Table, paths: Collection[str]) -> pa.Table:
    arrow = load_arrow()
    return table.filter(load_compute().is_in(table.column("path"), arrow.array(sorted(paths), arrow.string())))


def _differences(previous: dict[str, Any], current: dict[str, Any]) -> list[str]:
    """The settings that changed, as `name old, now new`."""
    old, new = (
        {**recipe, **json.loads(recipe.get("settings") or "{}"), "settings": ""} for recipe in (previous, current)
    )
    return [f"{name} {old.get(name)}, now {value}" for name, value in new.items() if old.get(name) != value]


# ── in the workers ──


@dataclass(frozen=True, slots=True)
class FolderPartWriter:
    """Reads, chunks and writes a part. Doing it twice writes the same twice, and the second replaces the first."""

    place: str
    recipe: Recipe

    def __call__(self, part: OutputPart) -> PartResult:
        embedder = self.recipe.open_embedder()
        chunks = open_chunk_files(self.place, self.recipe).new(part.name)
        documents = ParquetBuffer(_stored_document_schema())
        failures: list[FailedFile] = []
        size = 0
        for units, batch in read_batches(part.units, self.recipe.max_bytes):
            result = chunk_batch(batch, self.recipe.settings, embedder)
            chunks.add(result.chunks)
            documents.add(_with_versions(result.documents, units))
            failures += _failures(result.documents)
            size += sum(result.documents.column("size").to_pylist())
        _write_part(open_storage(self.place), part.name, chunks, documents)
        return PartResult(part.name, len(part.units), chunks.rows, size, failures)


def _write_part(storage: Storage, name: str, chunks: PartChunks, documents: ParquetBuffer) -> None:
    # Documents last: they say that the part is finished.
    chunks.finish()
    storage.write(_documents_of(name), documents.finish())


def _stored_document_schema() -> pa.Schema:
    """The outcome of a document, and the version of the document it is about."""
    return document_schema().append(load_arrow().field(VERSION, load_arrow().string()))


def _with_versions(documents: pa.RecordBatch, units: Sequence[Unit]) -> pa.RecordBatch:
    arrow = load_arrow()
    versions = arrow.array([unit.version for unit in units], arrow.string())
    return arrow.RecordBatch.from_arrays([*documents.columns, versions], schema=_stored_document_schema())


def _failures(documents: pa.RecordBatch) -> list[FailedFile]:
    rows: list[dict[str, Any]] = documents.to_pylist()
    return [FailedFile(row["path"], row["error"], row["line"], row["remedy"]) for row in rows if row["error"]]
