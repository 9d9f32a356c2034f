"""Arrow: loading it, the columns of chunks and documents, and chunks as columns.

Every field of a chunk has its column, in the order of `Chunk.FIELDS`. Headings, links and tags stay lists; frontmatter
can have any shape, so it is JSON. With an embedder there is one more column, `vector`. Names and types do not change.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from headnote.extras import install, load
from headnote.model import Chunk, Link
from headnote.tokens.bpe import as_encodable

if TYPE_CHECKING:
    import pyarrow as pa

    from headnote.embedding.embedder import Vectors

BULK = install("bulk")
_PURPOSE = "chunking in bulk"

FORMAT = "1"
"""Raised whenever the columns or their contents change."""

VECTOR = "vector"

_INTEGERS = ("index", "part", "start_line", "end_line", "block_start", "block_end", "tokens")
"""32 bits are enough: a batch holds less than 2³¹ characters."""


def load_arrow() -> Any:
    return load("pyarrow", _PURPOSE, BULK)


def load_parquet() -> Any:
    return load("pyarrow.parquet", _PURPOSE, BULK)


def load_compute() -> Any:
    return load("pyarrow.compute", _PURPOSE, BULK)


def chunk_schema(vectors: bool = False) -> pa.Schema:
    """The columns of chunks."""
    arrow = load_arrow()
    link = arrow.struct(
        [arrow.field(name, arrow.string()) for name in ("kind", "target", "fragment", "text")]
        + [arrow.field(name, arrow.int64()) for name in ("start", "end")]
    )
    special = {
        **dict.fromkeys(_INTEGERS, arrow.int32()),
        **dict.fromkeys(("start", "end"), arrow.int64()),
        **dict.fromkeys(("heading_path", "tags"), arrow.list_(arrow.string())),
        "is_split": arrow.bool_(),
        "links": arrow.list_(link),
        "modified": arrow.float64(),
        VECTOR: arrow.list_(arrow.float32()),
    }
    names = [*Chunk.FIELDS, *([VECTOR] if vectors else [])]
    return arrow.schema([(name, special.get(name, arrow.string())) for name in names])


def document_schema() -> pa.Schema:
    """The columns of documents: a row for each, with its error if it has no chunks."""
    arrow = load_arrow()
    return arrow.schema(
        [
            ("path", arrow.string()),
            ("size", arrow.int64()),
            ("hash", arrow.string()),
            ("chunks", arrow.int32()),
            ("error", arrow.string()),
            ("line", arrow.int32()),
            ("remedy", arrow.string()),
            ("retry", arrow.bool_()),
        ]
    )


def chunk_columns(chunks: Sequence[Chunk], vectors: Vectors | None = None) -> pa.RecordBatch:
    """Chunks as columns. `vectors`, if given, has a row per chunk."""
    schema = chunk_schema(vectors is not None)
    columns: dict[str, Any] = {name: [getattr(chunk, name) for chunk in chunks] for name in Chunk.FIELDS}
    columns["metadata"] = _metadata_column(chunks)
    if vectors is not None:
        columns[VECTOR] = list(vectors)
    return record_batch(columns, schema)


def record_batch(columns: dict[str, Any], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [_array(columns[field.name], field.type) for field in schema]
    return load_arrow().RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: list[Any], kind: Any) -> Any:
    arrow = load_arrow()
    try:
        return arrow.array(values, kind)
    except UnicodeEncodeError:
        # The text of a file is valid Unicode, but YAML can write half a surrogate pair ("\ud800"), which Arrow refuses.
        return arrow.array([_encodable(value) for value in values], kind)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return as_encodable(value)
    if isinstance(value, Link):
        return Link(*map(_encodable, value))
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value


def _metadata_column(chunks: Sequence[Chunk]) -> list[str]:
    """The frontmatter of each chunk as JSON. Chunks of a document share one object, which is encoded once."""
    objects = [chunk.metadata for chunk in chunks]
    encoded = {id(data): _json(data) for data in {id(data): data for data in objects}.values()}
    return [encoded[id(data)] for data in objects]


def _json(data: dict[str, Any]) -> str:
    """In the form of `headnote chunk --json`."""
    if not data:
        return "{}"
    try:
        return msgspec.json.encode(data).decode()
    except (UnicodeEncodeError, OverflowError, TypeError):
        # Half a surrogate pair, or an integer of more than 64 bits.
        return json.dumps(data, default=str)
