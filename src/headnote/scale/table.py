"""What Ray and Spark hand to a worker, and what they get back: Arrow tables and batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from headnote.chunking.settings import Settings
from headnote.scale.arrow import load_arrow
from headnote.scale.batch import chunk_batch, open_embedder
from headnote.scale.work import RESULT, WORK, Part, PartWriter, do_part, packed, unpacked_part

if TYPE_CHECKING:
    import pyarrow as pa


def work_table(parts: Sequence[Part]) -> pa.Table:
    """A row for each part."""
    arrow = load_arrow()
    return arrow.table({WORK: arrow.array([packed(part) for part in parts], arrow.binary())})


def do_table(writer: PartWriter, table: pa.Table | pa.RecordBatch) -> pa.Table:
    """The parts of a table, done: a row for each result."""
    arrow = load_arrow()
    results = [packed(do_part(writer, unpacked_part(work))) for work in table.column(WORK).to_pylist()]
    return arrow.table({RESULT: arrow.array(results, arrow.binary())})


def chunk_tables(
    batches: Iterable[pa.RecordBatch], settings: Settings, embedder: str, outcomes: bool
) -> Iterator[pa.RecordBatch]:
    """`chunk_batch` for each batch: its chunks, or what became of its documents."""
    opened = open_embedder(embedder, threads=1)
    for batch in batches:
        found = chunk_batch(batch, settings, opened)
        yield found.documents if outcomes else found.chunks
