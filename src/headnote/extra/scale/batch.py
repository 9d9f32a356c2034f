"""The one function every engine runs: an Arrow batch of documents in, their chunks and an outcome per document out.

It is pure: the other documents of a batch, their order and the machine change nothing in any chunk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.settings import Settings
from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import get_embedder
from headnote.embedding.transformer import TransformerEmbedder
from headnote.errors import HeadnoteError, NotText, SettingsError, SourceError
from headnote.extras import install, load
from headnote.model import Chunk, Link
from headnote.sources.files import content_hash, decode
from headnote.tokens.bpe import as_encodable

if TYPE_CHECKING:
    import pyarrow as pa

    from headnote.embedding.embedder import Vectors


# -- Arrow: loading it, and the columns of chunks and documents.


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
    """As `headnote chunk --json` writes it."""
    if not data:
        return "{}"
    try:
        return msgspec.json.encode(data).decode()
    except (UnicodeEncodeError, OverflowError, TypeError):
        # Half a surrogate pair, or an integer of more than 64 bits.
        return json.dumps(data, default=str)


# -- Documents in, chunks and outcomes out.


CONTENT = ("bytes", "text", "content")
"""Names for the column with the documents. It may hold bytes or text, whatever its name."""
MODIFIED = "modified"
ERROR = "error"


class ChunkedBatch(NamedTuple):
    """The result of a batch."""

    chunks: pa.RecordBatch
    """In the order of the documents; see `arrow.chunk_schema`."""
    documents: pa.RecordBatch
    """A row for each document, in their order; see `arrow.document_schema`."""


class Outcome(NamedTuple):
    """What happened to one document."""

    path: str
    size: int = 0
    hash: str = ""
    """Of its bytes."""
    chunks: int = 0
    error: str = ""
    """Why it has no chunks; empty if it was chunked."""
    line: int | None = None
    remedy: str = ""
    retry: bool = False
    """Whether another try may succeed on the same document."""


def chunk_batch(batch: pa.RecordBatch, settings: Settings, embedder: Embedder | None = None) -> ChunkedBatch:
    """Chunk a batch with columns `path` and `bytes` or `text` exactly as `headnote.chunk` does.

    An optional column `modified` has seconds since 1970. An unreadable document has no chunks and its error in
    `documents`; it never stops the others.
    """
    outcomes: list[Outcome] = []
    chunks: list[Chunk] = []
    for row in rows_of(batch):
        outcome, chunks_of_document = _chunk_row(row, settings)
        outcomes.append(outcome)
        chunks += chunks_of_document
    vectors = None if embedder is None else embed_chunks(chunks, embedder)
    return ChunkedBatch(chunk_columns(chunks, vectors), _outcome_columns(outcomes))


def chunk_batches(
    batches: Iterable[pa.RecordBatch], settings: Settings, embedder: str, outcomes: bool
) -> Iterator[pa.RecordBatch]:
    """`chunk_batch` for each batch of a worker: the chunks, or with `outcomes` the documents."""
    opened = open_embedder(embedder, threads=1)
    for batch in batches:
        result = chunk_batch(batch, settings, opened)
        yield result.documents if outcomes else result.chunks


class BatchRow(NamedTuple):
    """A document of a batch."""

    path: str
    content: bytes | str | None
    modified: float | None
    error: str
    """Why there is no content."""


def rows_of(batch: pa.RecordBatch) -> Iterator[BatchRow]:
    """The documents of a batch, one by one, so that only one at a time exists as a Python object."""
    content_name = content_column(batch.schema.names)
    paths, contents = batch.column("path"), batch.column(content_name)
    modified = batch.column(MODIFIED) if MODIFIED in batch.schema.names else None
    errors = batch.column(ERROR) if ERROR in batch.schema.names else None
    for row in range(batch.num_rows):
        time = None if modified is None else modified[row].as_py()
        error = "" if errors is None else errors[row].as_py() or ""
        yield BatchRow(paths[row].as_py() or "", contents[row].as_py(), time, error)


def content_column(names: Sequence[str]) -> str:
    """The name of the column with the documents."""
    content = next((name for name in CONTENT if name in names), None)
    if content is None or "path" not in names:
        needed = f"path and one of {', '.join(CONTENT)}"
        raise SettingsError(f"the columns are {', '.join(names) or 'none'}", remedy=f"have {needed}")
    return content


def _chunk_row(row: BatchRow, settings: Settings) -> tuple[Outcome, list[Chunk]]:
    path, content, modified, error = row
    if content is None:
        return Outcome(path, error=error or "it has no content", retry=True), []
    data = content.encode() if isinstance(content, str) else content
    try:
        text = content if isinstance(content, str) else decode(data, path)
        chunks = chunk_document(read_document(text, path, settings), settings, modified)
    except SourceError as failure:
        return failed_outcome(path, len(data), failure), []
    except HeadnoteError:
        raise
    except Exception as failure:  # noqa: BLE001  no single document may end a job of days
        return failed_outcome(path, len(data), failure), []
    return Outcome(path, len(data), content_hash(data), len(chunks)), chunks


def failed_outcome(path: str, size: int, failure: Exception) -> Outcome:
    """The outcome of a document that is unreadable, or on which headnote itself failed."""
    if isinstance(failure, HeadnoteError):
        retry = not isinstance(failure, NotText)
        return Outcome(path, size, error=failure.message, line=failure.line, remedy=failure.remedy, retry=retry)
    description = f"{type(failure).__name__}: {failure}".rstrip(": ")
    return Outcome(
        path, size, error=f"headnote failed: {description}", remedy="report it, and attach the file", retry=True
    )


def _outcome_columns(outcomes: Sequence[Outcome]) -> pa.RecordBatch:
    columns: dict[str, Any] = {name: [getattr(outcome, name) for outcome in outcomes] for name in Outcome._fields}
    return record_batch(columns, document_schema())


def embed_chunks(chunks: Sequence[Chunk], embedder: Embedder) -> Vectors:
    """A vector per chunk. Equal texts are embedded once."""
    texts = {chunk.hash: chunk.embed_text for chunk in chunks}
    row_of = {digest: row for row, digest in enumerate(texts)}
    distinct = embedder.embed(list(texts.values()))
    vectors: Vectors = distinct[[row_of[chunk.hash] for chunk in chunks]]
    return vectors


@lru_cache(maxsize=4)
def open_embedder(name: str, threads: int | None = None, device: str = "") -> Embedder | None:
    """The embedder of that name, opened once per process; None for an empty name.

    `threads` limits an embedder that would otherwise use all cores, when each core already has a process. `device` is
    for a model of ours; if empty, this machine chooses.
    """
    if not name:
        return None
    embedder = get_embedder(name)
    if isinstance(embedder, TransformerEmbedder) and threads:
        return embedder.with_threads(threads, device)
    return embedder
