"""Parquet as output: a folder or a bucket that is complete, or knows what it lacks.

    OUT/bulk.json                  what it was made with, and whether it is complete
    OUT/chunks/NAME.parquet        chunks: the whole folder is one table
    OUT/documents/NAME.parquet     the documents of the same part, those without chunks included
    OUT/report.jsonl               documents without chunks, and why

A part is finished when its documents are written, which happens last. So whatever ends a job, the next one knows by
document what is done; chunks that belong to no finished part are removed when it begins.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from headnote.errors import BulkError
from headnote.extras import load
from headnote.scale.arrow import BULK, load_arrow, load_parquet
from headnote.scale.columns import chunk_schema
from headnote.scale.inputs import Unit
from headnote.scale.parquet_part import (
    CHUNKS,
    DOCUMENTS,
    Buffer,
    ParquetPartWriter,
    stored_document_schema,
    write_part,
)
from headnote.scale.recipe import Recipe
from headnote.scale.storage import open_storage
from headnote.scale.work import Failure, PartWriter, part_name

if TYPE_CHECKING:
    import pyarrow as pa

MANIFEST = "bulk.json"
REPORT = "report.jsonl"


class Finished(NamedTuple):
    """What there is when a job has ended."""

    documents: int
    """Those without chunks included."""
    chunks: int
    removed: int
    """Documents that are no longer in the input."""
    failures: list[Failure]


class Output(Protocol):
    """Where chunks go, as the one sees it who shares out the work."""

    def open(self, rebuild: bool) -> None:
        """Take up what an earlier job has left, or begin; with `rebuild`, begin in any case."""

    def has(self, unit: Unit) -> bool:
        """Whether nothing is left to do for it."""

    def writer(self) -> PartWriter: ...

    def finish(self, units: Sequence[Unit], kept: Collection[str], failures: Sequence[Failure]) -> Finished:
        """Make it say what the input says, now that every part is written. What is `kept` was not in the input only
        because nobody could look; `failures` are those of this job."""

    def known(self) -> Collection[str]:
        """Paths of the documents that were there when it was opened."""

    def report(self, lines: bytes) -> None:
        """Keep the report of what has no chunks, if there is a place for it."""

    def close(self) -> None: ...


class _Record(NamedTuple):
    """A document of a finished part."""

    part: str
    path: str
    version: str
    chunks: int
    error: str
    line: int | None
    remedy: str
    retry: bool


class ParquetOutput:
    """Files in a folder or a bucket."""

    def __init__(self, place: str, recipe: Recipe) -> None:
        self._place = place
        self._recipe = recipe
        self._storage = open_storage(place)
        self._done: set[tuple[str, str]] = set()
        self._known: set[str] = set()

    def open(self, rebuild: bool) -> None:
        names = self._storage.names()
        visible = [name for name in names if not _is_hidden(name)]
        if visible and MANIFEST not in visible:
            remedy = "name an empty folder for --out"
            raise BulkError(f"holds something else: {visible[0]}", path=self._place, remedy=remedy)
        if visible and not rebuild:
            self._check_manifest()
        self._write_manifest(complete=False)
        if rebuild:
            self._remove(name for name in visible if name.startswith(f"{DOCUMENTS}/"))
        finished = set() if rebuild else _parts(visible, DOCUMENTS)
        # Chunks without their documents are of no finished part; hidden files are what a killed writer left.
        self._remove(f"{CHUNKS}/{name}.parquet" for name in _parts(visible, CHUNKS) - finished)
        self._remove(name for name in names if _is_hidden(name) and name.startswith((f"{CHUNKS}/", f"{DOCUMENTS}/")))
        records = self._read_records(finished)
        self._done = {(record.path, record.version) for record in records if not record.retry}
        self._known = {record.path for record in records}

    def has(self, unit: Unit) -> bool:
        return (unit.path, unit.version) in self._done

    def known(self) -> Collection[str]:
        return self._known

    def writer(self) -> PartWriter:
        return ParquetPartWriter(self._place, self._recipe)

    def finish(self, units: Sequence[Unit], kept: Collection[str], _failures: Sequence[Failure]) -> Finished:
        wanted = {unit.path: unit.version for unit in units}
        records = self._read_records(_parts(self._storage.names(), DOCUMENTS))
        current: dict[str, _Record] = {}
        # A document that was tried again has two records; the one that succeeded counts.
        for record in sorted(records, key=lambda record: record.retry):
            if record.version == wanted.get(record.path, record.version if record.path in kept else ""):
                current.setdefault(record.path, record)
        self._drop_all_but(records, set(current.values()))
        # Also those that an earlier job has found and nobody reads again.
        failures = [Failure(one.path, one.error, one.line, one.remedy) for one in current.values() if one.error]
        removed = len(self._known - current.keys())
        self._write_manifest(complete=True)
        return Finished(len(current), sum(one.chunks for one in current.values()), removed, failures)

    def report(self, lines: bytes) -> None:
        self._storage.write(REPORT, lines)

    def close(self) -> None:
        """Nothing is held."""

    def _drop_all_but(self, records: Iterable[_Record], current: set[_Record]) -> None:
        """Write the parts anew that have documents of yesterday in them, without these; then the old ones go.

        In this order nothing is lost, whatever happens between. A name says what is in a part, so a part that is
        written anew may be there already, from a job that came as far as this; then it stays.
        """
        by_part: dict[str, list[_Record]] = {}
        for record in records:
            by_part.setdefault(record.part, []).append(record)
        left = {part: [record for record in members if record in current] for part, members in by_part.items()}
        old = {part for part, members in by_part.items() if len(left[part]) < len(members)}
        written = {self._rewritten(part, left[part]) for part in sorted(old) if left[part]}
        for part in sorted(old - written):
            self._remove([f"{DOCUMENTS}/{part}.parquet", f"{CHUNKS}/{part}.parquet"])

    def _rewritten(self, part: str, left: Sequence[_Record]) -> str:
        """The name of the part that has only these documents of an old one."""
        name = part_name(((record.path, record.version) for record in left), self._recipe.text)
        paths = {record.path for record in left}
        chunks = Buffer(chunk_schema(bool(self._recipe.embedder)))
        chunks.add(_only(self._read_table(f"{CHUNKS}/{part}.parquet"), paths))
        documents = Buffer(stored_document_schema())
        documents.add(_only(self._read_table(f"{DOCUMENTS}/{part}.parquet"), paths))
        write_part(self._storage, name, chunks, documents)
        return name

    def _read_records(self, parts: Iterable[str]) -> list[_Record]:
        columns = _Record._fields[1:]
        found = []
        for part in sorted(parts):
            rows = self._read_table(f"{DOCUMENTS}/{part}.parquet").select(columns).to_pylist()
            found += [_Record(part, **row) for row in rows]
        return found

    def _read_table(self, name: str) -> pa.Table:
        try:
            return load_parquet().read_table(io.BytesIO(self._storage.read(name)))
        except load_arrow().ArrowInvalid as error:
            place = f"{self._place.rstrip('/')}/{name}"
            remedy = "delete the file and run the command again"
            raise BulkError(f"damaged: {' '.join(str(error).split())}", path=place, remedy=remedy) from None

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            self._storage.remove(name)

    def _check_manifest(self) -> None:
        place = f"{self._place.rstrip('/')}/{MANIFEST}"
        try:
            before = json.loads(self._storage.read(MANIFEST))["recipe"]
        except (ValueError, TypeError, KeyError):
            raise BulkError("not what headnote wrote", path=place, remedy="name another folder for --out") from None
        wanted = json.loads(self._recipe.text)
        if before != wanted:
            what = ", ".join(_differences(before, wanted))
            remedy = "name another folder for --out, or add --rebuild to make everything anew"
            raise BulkError(f"was made with other settings: {what}", path=self._place, remedy=remedy)

    def _write_manifest(self, complete: bool) -> None:
        content = {"complete": complete, "recipe": json.loads(self._recipe.text)}
        self._storage.write(MANIFEST, json.dumps(content, indent=2).encode() + b"\n")


def _is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".")


def _parts(names: Iterable[str], folder: str) -> set[str]:
    """Names of the parts that have a file in this folder."""
    found = (name.removeprefix(f"{folder}/") for name in names if name.startswith(f"{folder}/"))
    return {name.removesuffix(".parquet") for name in found if name.endswith(".parquet") and not _is_hidden(name)}


def _only(table: pa.Table, paths: Collection[str]) -> pa.Table:
    arrow = load_arrow()
    compute = load("pyarrow.compute", "chunking in bulk", BULK)
    return table.filter(compute.is_in(table.column("path"), arrow.array(sorted(paths), arrow.string())))


def _differences(before: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """What is other than before, in words."""
    old, new = ({**recipe, **json.loads(recipe.get("settings") or "{}"), "settings": ""} for recipe in (before, wanted))
    return [f"{name} {old.get(name)}, now {value}" for name, value in new.items() if old.get(name) != value]
