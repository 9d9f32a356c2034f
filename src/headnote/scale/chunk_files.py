"""The chunks of a part as a file: how the two forms of output, parquet and Lance, differ."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Protocol

from headnote.errors import BulkError
from headnote.scale.arrow import chunk_schema, load_arrow, load_parquet
from headnote.scale.storage import Storage, open_storage
from headnote.scale.work import Recipe

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
