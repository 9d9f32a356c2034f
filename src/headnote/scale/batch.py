"""A batch of documents in, their chunks and what became of each document out: the one function every engine runs.

It is pure. Which documents share a batch, in what order and on what machine, changes nothing in any chunk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.chunking.chunker import chunk_document
from headnote.chunking.settings import Settings
from headnote.embedding.base import Embedder
from headnote.embedding.registry import get_embedder
from headnote.errors import HeadnoteError, NotText, SettingsError, SourceError
from headnote.markdown.document import Document
from headnote.model import Chunk
from headnote.scale.columns import chunk_columns, document_schema, record_batch
from headnote.sources.decode import decode
from headnote.sources.snapshot import content_hash

if TYPE_CHECKING:
    import pyarrow as pa

    from headnote.embedding.base import Vectors

CONTENT = ("bytes", "text", "content")
"""What the column with the document itself may be called. It may hold bytes or text, whatever its name."""
MODIFIED = "modified"
ERROR = "error"


class ChunkedBatch(NamedTuple):
    """What came of a batch."""

    chunks: pa.RecordBatch
    """In the order of the documents; see `columns.chunk_schema`."""
    documents: pa.RecordBatch
    """A row for each document, in their order; see `columns.document_schema`."""


class Outcome(NamedTuple):
    """What became of one document."""

    path: str
    size: int = 0
    hash: str = ""
    """Of its bytes."""
    chunks: int = 0
    error: str = ""
    """Why there are no chunks of it; empty if all is well."""
    line: int | None = None
    remedy: str = ""
    retry: bool = False
    """Whether the same document may well be read another time."""


def chunk_batch(batch: pa.RecordBatch, settings: Settings, embedder: Embedder | None = None) -> ChunkedBatch:
    """The chunks of a batch with columns `path` and `bytes` or `text`, as `headnote.chunk` cuts them.

    `modified`, in seconds since 1970, is taken where it is given. A document that cannot be read has no chunks, and
    `documents` says why; it never stops the others.
    """
    outcomes: list[Outcome] = []
    chunks: list[Chunk] = []
    for path, content, modified, error in rows_of(batch):
        outcome, found = _chunked(path, content, modified, error, settings)
        outcomes.append(outcome)
        chunks += found
    vectors = None if embedder is None else embedded(chunks, embedder)
    return ChunkedBatch(chunk_columns(chunks, vectors), outcome_columns(outcomes))


Row = tuple[str, bytes | str | None, float | None, str]
"""Path, content, modification time, and why there is no content."""


def rows_of(batch: pa.RecordBatch) -> Iterator[Row]:
    """The documents of a batch, one by one, so that no more than one is held twice."""
    content_name = content_column(batch.schema.names)
    paths, contents = batch.column("path"), batch.column(content_name)
    modified = batch.column(MODIFIED) if MODIFIED in batch.schema.names else None
    errors = batch.column(ERROR) if ERROR in batch.schema.names else None
    for row in range(batch.num_rows):
        time = None if modified is None else modified[row].as_py()
        error = "" if errors is None else errors[row].as_py() or ""
        yield paths[row].as_py() or "", contents[row].as_py(), time, error


def content_column(names: Sequence[str]) -> str:
    """The name of the column that has the documents."""
    found = next((name for name in CONTENT if name in names), None)
    if found is None or "path" not in names:
        needed = f"path and one of {', '.join(CONTENT)}"
        raise SettingsError(f"the columns are {', '.join(names) or 'none'}", remedy=f"have {needed}")
    return found


def _chunked(
    path: str, content: bytes | str | None, modified: float | None, error: str, settings: Settings
) -> tuple[Outcome, list[Chunk]]:
    if content is None:
        return Outcome(path, error=error or "it has no content", retry=True), []
    data = content.encode() if isinstance(content, str) else content
    try:
        text = content if isinstance(content, str) else decode(data, path)
        chunks = chunk_document(Document(text, path, settings.mdx), settings, modified)
    except SourceError as failure:
        return failed(path, len(data), failure), []
    except HeadnoteError:
        raise
    except Exception as failure:  # noqa: BLE001  one document, whatever is wrong with it, must not end a job of days
        return failed(path, len(data), failure), []
    return Outcome(path, len(data), content_hash(data), len(chunks)), chunks


def failed(path: str, size: int, failure: Exception) -> Outcome:
    """What to say of a document that could not be read, or that headnote itself could not cope with."""
    if isinstance(failure, HeadnoteError):
        retry = not isinstance(failure, NotText)
        return Outcome(path, size, error=failure.message, line=failure.line, remedy=failure.remedy, retry=retry)
    what = f"{type(failure).__name__}: {failure}".rstrip(": ")
    return Outcome(path, size, error=f"headnote failed: {what}", remedy="report it, with the file", retry=True)


def outcome_columns(outcomes: Sequence[Outcome]) -> pa.RecordBatch:
    columns: dict[str, Any] = {name: [getattr(one, name) for one in outcomes] for name in Outcome._fields}
    return record_batch(columns, document_schema())


def embedded(chunks: Sequence[Chunk], embedder: Embedder) -> Vectors:
    """A vector for each chunk; equal texts are embedded once."""
    texts = {chunk.hash: chunk.embed_text for chunk in chunks}
    place = {digest: row for row, digest in enumerate(texts)}
    matrix = embedder.embed(list(texts.values()))
    rows: Vectors = matrix[[place[chunk.hash] for chunk in chunks]]
    return rows


@lru_cache(maxsize=4)
def open_embedder(name: str, threads: int | None = None) -> Embedder | None:
    """The embedder of that name, opened once in a process; None for no name.

    `threads` is for those that would otherwise take all cores, when there is a process for each core already.
    """
    if not name:
        return None
    if name == "minilm" and threads:
        from headnote.embedding.minilm import MiniLMEmbedder

        return MiniLMEmbedder(threads)
    return get_embedder(name)
