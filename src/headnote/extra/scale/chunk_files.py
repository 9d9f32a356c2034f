"""The chunks of a part as a file: how the two forms of output, parquet and Lance, differ."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from headnote.errors import BulkError
from headnote.extra.scale.batch import VECTOR, chunk_schema, load_arrow, load_parquet
from headnote.extra.scale.storage import Storage, open_storage
from headnote.extra.scale.work import Recipe
from headnote.extras import install, load

if TYPE_CHECKING:
    import pyarrow as pa


CHUNKS = "chunks"


class PartChunks(Protocol):
    """The chunks of a part while they are made."""

    @property
    def rows(self) -> int:
        """How many there are so far."""

    def add(self, chunks: pa.RecordBatch | pa.Table) -> None: ...

    def finish(self) -> None:
        """Store them, completely or not at all."""


class ChunkFiles(Protocol):
    """The chunks of all parts."""

    def parts_among(self, names: Iterable[str]) -> set[str]:
        """The parts that have chunks, given the names of all files of the output."""

    def new(self, part: str) -> PartChunks: ...

    def read(self, part: str) -> pa.Table: ...

    def remove(self, part: str) -> None:
        """Does nothing if it does not exist."""

    def publish(self, parts: Collection[str]) -> None:
        """Make the chunks of these parts, and no others, what readers see."""


class ParquetFiles:
    """A file for each part. The folder is the table, so that a part is published as soon as it is written."""

    def __init__(self, place: str, recipe: Recipe) -> None:
        self._storage = open_storage(place)
        self._place = place
        self._schema = chunk_schema(bool(recipe.embedder))

    def parts_among(self, names: Iterable[str]) -> set[str]:
        return parts_in(CHUNKS, names, ".parquet")

    def new(self, part: str) -> PartChunks:
        return _ParquetPart(self._storage, _name_of(part), self._schema)

    def read(self, part: str) -> pa.Table:
        return read_parquet(self._storage, self._place, _name_of(part))

    def remove(self, part: str) -> None:
        self._storage.remove(_name_of(part))

    def publish(self, parts: Collection[str]) -> None:
        """Readers see them already."""


def _name_of(part: str) -> str:
    return f"{CHUNKS}/{part}.parquet"


class _ParquetPart:
    def __init__(self, storage: Storage, name: str, schema: pa.Schema) -> None:
        self._storage = storage
        self._name = name
        self._buffer = ParquetBuffer(schema)

    @property
    def rows(self) -> int:
        return self._buffer.rows

    def add(self, chunks: pa.RecordBatch | pa.Table) -> None:
        self._buffer.add(chunks)

    def finish(self) -> None:
        self._storage.write(self._name, self._buffer.finish())


class ParquetBuffer:
    """A parquet file that grows in memory, compressed, until it is written as a whole."""

    def __init__(self, schema: pa.Schema) -> None:
        self._file = io.BytesIO()
        self._writer = load_parquet().ParquetWriter(self._file, schema, compression="zstd")
        self.rows = 0

    def add(self, batch: pa.RecordBatch | pa.Table) -> None:
        if batch.num_rows:
            self._writer.write_table(as_table(batch))
            self.rows += batch.num_rows

    def finish(self) -> bytes:
        self._writer.close()
        return self._file.getvalue()


def as_table(batch: pa.RecordBatch | pa.Table) -> pa.Table:
    return batch if hasattr(batch, "to_batches") else load_arrow().Table.from_batches([batch])


def read_parquet(storage: Storage, place: str, name: str) -> pa.Table:
    try:
        return load_parquet().read_table(io.BytesIO(storage.read(name)))
    except load_arrow().ArrowInvalid as error:
        reason = " ".join(str(error).split())
        path = f"{place.rstrip('/')}/{name}"
        raise BulkError(f"damaged: {reason}", path=path, remedy="delete the file and run the command again") from None


def parts_in(folder: str, names: Iterable[str], suffix: str) -> set[str]:
    """Names of the parts with a file in this folder."""
    return {
        name.removeprefix(f"{folder}/").removesuffix(suffix)
        for name in names
        if name.startswith(f"{folder}/") and name.endswith(suffix) and not is_hidden(name)
    }


def is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".")


# -- Chunks in a Lance table, `OUT/chunks.lance`.
#
# Workers write the data of their parts, which no reader sees yet, and say in `OUT/fragments/PART.json` what they wrote.
# The end of the job makes all of it the next version of the table, in one step: readers see the last finished job or
# this one, and a part that was written twice counts once.


LANCE = install("lance")
FRAGMENTS = "fragments"
_PURPOSE = "writing a Lance table"


def load_lance() -> Any:
    load_arrow()
    # It warns that a table is new.
    os.environ.setdefault("LANCE_LOG", "error")
    return load("lance", _PURPOSE, LANCE)


def lance_schema(dimensions: int) -> pa.Schema:
    """The columns of chunks. An index of vectors needs to know their length, so it is part of the type."""
    arrow = load_arrow()
    if not dimensions:
        return chunk_schema()
    return chunk_schema().append(arrow.field(VECTOR, arrow.list_(arrow.float32(), dimensions)))


class LanceFiles:
    """The table, and the files that say which data belongs to which part."""

    def __init__(self, place: str, recipe: Recipe) -> None:
        load_lance()
        self._storage = open_storage(place)
        self._table = f"{place.rstrip('/')}/{CHUNKS}.lance"
        embedder = recipe.open_embedder()
        self._schema = lance_schema(embedder.dimensions if embedder else 0)

    def parts_among(self, names: Iterable[str]) -> set[str]:
        return parts_in(FRAGMENTS, names, ".json")

    def new(self, part: str) -> PartChunks:
        return _LancePart(self._storage, _table_name_of(part), self._table, self._schema)

    def read(self, part: str) -> pa.Table:
        reader = load("lance.file", _PURPOSE, LANCE).LanceFileReader
        files = [file["path"] for fragment in self._fragments(part) for file in fragment["files"]]
        tables = [reader(f"{self._table}/data/{file}").read_all().to_table() for file in files]
        return load_arrow().concat_tables([self._schema.empty_table(), *(table.cast(self._schema) for table in tables)])

    def remove(self, part: str) -> None:
        # Its data goes with the version of the table that has it.
        self._storage.remove(_table_name_of(part))

    def publish(self, parts: Collection[str]) -> None:
        lance = load_lance()
        fragments = [fragment for part in sorted(parts) for fragment in self._fragments(part)]
        if self._published() != (_files_of(fragments), self._schema):
            metadata = lance.fragment.FragmentMetadata
            stored = [metadata.from_json(json.dumps(fragment)) for fragment in fragments]
            lance.LanceDataset.commit(self._table, lance.LanceOperation.Overwrite(self._schema, stored))
        # What belongs to no part: earlier versions, and what killed workers left. No worker is at work any more.
        lance.dataset(self._table).cleanup_old_versions(timedelta(0), delete_unverified=True)

    def _fragments(self, part: str) -> list[dict[str, Any]]:
        fragments: list[dict[str, Any]] = json.loads(self._storage.read(_table_name_of(part)))
        return fragments

    def _published(self) -> tuple[list[str], pa.Schema] | None:
        """The files of the table as it is, and its columns; None without a table."""
        try:
            table = load_lance().dataset(self._table)
        except ValueError:
            return None
        return _files_of([fragment.metadata.to_json() for fragment in table.get_fragments()]), table.schema


def _files_of(fragments: Iterable[dict[str, Any]]) -> list[str]:
    return [file["path"] for fragment in fragments for file in fragment["files"]]


def _table_name_of(part: str) -> str:
    return f"{FRAGMENTS}/{part}.json"


class _LancePart:
    def __init__(self, storage: Storage, name: str, table: str, schema: pa.Schema) -> None:
        self._storage = storage
        self._name = name
        self._table = table
        self._schema = schema
        self._chunks: list[pa.Table] = []
        self.rows = 0

    def add(self, chunks: pa.RecordBatch | pa.Table) -> None:
        if chunks.num_rows:
            self._chunks.append(as_table(chunks).cast(self._schema))
            self.rows += chunks.num_rows

    def finish(self) -> None:
        self._storage.write(self._name, json.dumps(self._written()).encode() + b"\n")

    def _written(self) -> list[dict[str, Any]]:
        if not self._chunks:
            return []
        write = load_lance().fragment.write_fragments
        # "overwrite" only means that the columns need not be those of the table that is there.
        fragments = write(load_arrow().concat_tables(self._chunks), self._table, schema=self._schema, mode="overwrite")
        return [fragment.to_json() for fragment in fragments]
