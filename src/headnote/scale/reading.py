"""Units → batches of documents that `chunk_batch` takes, a few megabytes at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from headnote.errors import SourceError
from headnote.scale.arrow import load_arrow
from headnote.scale.batch import CONTENT, ERROR, MODIFIED, content_column
from headnote.scale.inputs import Unit, open_table, read_whole

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_BYTES = 4_000_000
"""Read and chunked together: what a worker holds besides its output."""


def read_batches(units: Sequence[Unit], max_bytes: int) -> Iterator[tuple[Sequence[Unit], pa.RecordBatch]]:
    """The units in their order, a few at a time, each with a row: its content, or why there is none."""
    for is_row, run in groupby(units, lambda unit: unit.row >= 0):
        for few in _few(list(run)):
            yield few, _batch(few, _rows(few) if is_row else read_whole(few), max_bytes)


def _few(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    taken: list[Unit] = []
    size = 0
    for unit in units:
        # Rows of one group are read together, so a batch of rows never needs two of them at once.
        other_group = taken and unit.row >= 0 and _group(unit) != _group(taken[-1])
        if taken and (size + unit.size > BATCH_BYTES or other_group):
            yield taken
            taken, size = [], 0
        taken.append(unit)
        size += unit.size
    if taken:
        yield taken


def _group(unit: Unit) -> tuple[str, int]:
    return unit.location, unit.row_group


def _batch(units: Sequence[Unit], contents: Sequence[Any], max_bytes: int) -> pa.RecordBatch:
    arrow = load_arrow()
    errors = [_error(content, max_bytes) for content in contents]
    columns = {
        "path": arrow.array([unit.path for unit in units], arrow.string()),
        CONTENT[0]: arrow.array(
            [None if error else content for content, error in zip(contents, errors, strict=True)], arrow.large_binary()
        ),
        MODIFIED: arrow.array([unit.mtime_ns / 1e9 for unit in units], arrow.float64()),
        ERROR: arrow.array(errors, arrow.string()),
    }
    return arrow.RecordBatch.from_pydict(columns)


def _error(content: Any, max_bytes: int) -> str:
    if isinstance(content, SourceError):
        return content.message
    if content is None:
        return "it has no content"
    too_large = len(content) > max_bytes
    return f"too large: {len(content):,} bytes, and {max_bytes:,} are allowed" if too_large else ""


def _rows(units: Sequence[Unit]) -> list[Any]:
    """The content of rows of one group of a table, as bytes."""
    first = units[0]
    try:
        column = _column(first.location, first.version, first.row_group)
    except SourceError as error:
        return [error] * len(units)
    found = (column[unit.row].as_py() for unit in units)
    return [content.encode() if isinstance(content, str) else content for content in found]


@lru_cache(maxsize=1)
def _column(location: str, _version: str, row_group: int) -> Any:
    """Kept for the next batch, which mostly goes on in the same group."""
    table = open_table(location)
    name = content_column(table.schema_arrow.names)
    return table.read_row_group(row_group, columns=[name]).column(name)
