"""A part as two parquet files: its chunks, then its documents, which say that it is finished."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headnote.scale.arrow import load_arrow, load_parquet
from headnote.scale.batch import chunk_batch
from headnote.scale.columns import chunk_schema, document_schema
from headnote.scale.inputs import Unit
from headnote.scale.reading import read_batches
from headnote.scale.recipe import Recipe
from headnote.scale.storage import Storage, open_storage
from headnote.scale.work import Failure, Part, PartResult

if TYPE_CHECKING:
    import pyarrow as pa

CHUNKS = "chunks"
DOCUMENTS = "documents"
VERSION = "version"


@dataclass(frozen=True, slots=True)
class ParquetPartWriter:
    """Reads, chunks and writes a part. Done twice, it writes the same files twice."""

    place: str
    recipe: Recipe

    def __call__(self, part: Part) -> PartResult:
        embedder = self.recipe.open_embedder()
        chunks = Buffer(chunk_schema(embedder is not None))
        documents = Buffer(stored_document_schema())
        failures: list[Failure] = []
        size = 0
        for units, batch in read_batches(part.units, self.recipe.max_bytes):
            found = chunk_batch(batch, self.recipe.settings, embedder)
            chunks.add(found.chunks)
            documents.add(with_versions(found.documents, units))
            failures += failures_of(found.documents)
            size += sum(found.documents.column("size").to_pylist())
        write_part(open_storage(self.place), part.name, chunks, documents)
        return PartResult(part.name, len(part.units), chunks.rows, size, failures)


class Buffer:
    """A parquet file that grows in memory, compressed, until it is written as a whole."""

    def __init__(self, schema: pa.Schema) -> None:
        self._file = io.BytesIO()
        self._writer = load_parquet().ParquetWriter(self._file, schema, compression="zstd")
        self.rows = 0

    def add(self, batch: pa.RecordBatch | pa.Table) -> None:
        if batch.num_rows:
            table = batch if hasattr(batch, "to_batches") else load_arrow().Table.from_batches([batch])
            self._writer.write_table(table)
            self.rows += batch.num_rows

    def finished(self) -> bytes:
        self._writer.close()
        return self._file.getvalue()


def write_part(storage: Storage, name: str, chunks: Buffer, documents: Buffer) -> None:
    storage.write(f"{CHUNKS}/{name}.parquet", chunks.finished())
    storage.write(f"{DOCUMENTS}/{name}.parquet", documents.finished())


def stored_document_schema() -> pa.Schema:
    """What became of a document, and of which version of it."""
    return document_schema().append(load_arrow().field(VERSION, load_arrow().string()))


def with_versions(documents: pa.RecordBatch, units: Sequence[Unit]) -> pa.RecordBatch:
    arrow = load_arrow()
    versions = arrow.array([unit.version for unit in units], arrow.string())
    arrays = [*documents.columns, versions]
    return arrow.RecordBatch.from_arrays(arrays, schema=stored_document_schema())


def failures_of(documents: pa.RecordBatch) -> list[Failure]:
    rows: list[dict[str, Any]] = documents.to_pylist()
    return [Failure(row["path"], row["error"], row["line"], row["remedy"]) for row in rows if row["error"]]
