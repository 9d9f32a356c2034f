"""What a chunk and a document are in Arrow: names and types that do not change.

Every field of a chunk has its column, in the order of `Chunk.FIELDS`. What has a shape keeps it (headings, links and
tags are lists); frontmatter, which has any shape, is JSON. With an embedder there is a column `vector` more.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from headnote.model import Chunk, Link
from headnote.scale.arrow import load_arrow
from headnote.tokens.bpe import as_encodable

if TYPE_CHECKING:
    import pyarrow as pa

    from headnote.embedding.base import Vectors

FORMAT = "1"
"""Raised whenever the columns, or what stands in them, change."""

VECTOR = "vector"

_INTEGERS = ("index", "part", "start_line", "end_line", "block_start", "block_end", "tokens")
"""A batch holds less than 2³¹ characters, so these are less too."""
_NULLABLE = ("part", "modified", VECTOR)


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
    """The columns of what became of each document."""
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
    """Chunks as columns; a row of `vectors` for each, if there are any."""
    schema = chunk_schema(vectors is not None)
    columns: dict[str, Any] = {name: [getattr(chunk, name) for chunk in chunks] for name in Chunk.FIELDS}
    columns["metadata"] = _texts_of_metadata(chunks)
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
        # Text of a file is Unicode. What YAML writes as "\ud800" is not, and neither Arrow nor JSON has a place for it.
        return arrow.array([_encodable(value) for value in values], kind)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return as_encodable(value)
    if isinstance(value, Link):
        return Link(*map(_encodable, value))
    return [_encodable(one) for one in value] if isinstance(value, list | tuple) else value


def _texts_of_metadata(chunks: Sequence[Chunk]) -> list[str]:
    """Chunks of one document share their frontmatter, so it is written once for all of them."""
    written: dict[int, str] = {}
    found = []
    for chunk in chunks:
        data = chunk.metadata
        if id(data) not in written:
            written[id(data)] = _json(data)
        found.append(written[id(data)])
    return found


def _json(data: dict[str, Any]) -> str:
    """As `headnote chunk --json` writes it."""
    if not data:
        return "{}"
    try:
        return msgspec.json.encode(data).decode()
    except (UnicodeEncodeError, OverflowError, TypeError):
        # Half a surrogate pair, or a number that only Python can hold.
        return json.dumps(data, default=str)
