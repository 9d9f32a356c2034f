"""Reads documents into the batches that `chunk_batch` takes, a few megabytes at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from headnote.errors import SourceError
from headnote.scale.arrow import load_arrow
from headnote.scale.batch import CONTENT, ERROR, MODIFIED, content_column
from headnote.scale.inputs import Unit, open_table, read_files

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_BYTES = 4_000_000
"""Source held by a worker at a time, besides its output."""


def read_batches(units: Sequence[Unit], max_bytes: int) -> Iterator[tuple[Sequence[Unit], pa.RecordBatch]]:
    """The units in their order, a few at a time, and a batch with a row for each: its content, or its error."""
    for is_row, run in groupby(units, lambda unit: unit.row >= 0):
        for group in _groups(list(run)):
            yield group, _batch(group, _read_rows(group) if is_row else read_files(group), max_bytes)


def _groups(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    group: list[Unit] = []
    size = 0
    for unit in units:
        # A row group of a table is read as a whole, so a batch never spans two of them.
        is_other_table = group and unit.row >= 0 and _row_group(unit) != _row_group(group[-1])
        if group and (size + unit.size > BATCH_BYTES or is_other_table):
            yield group
            group, size = [], 0
        group.append(unit)
        size += unit.size
    if group:
        yield group


def _row_group(unit: Unit) -> tuple[str, int]:
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


def _read_rows(units: Sequence[Unit]) -> list[Any]:
    """The contents of rows in one row group, as bytes, or their error."""
    first = units[0]
    try:
        column = _column(first.location, first.version, first.row_group)
    except SourceError as error:
        return [error] * len(units)
    contents = (column[unit.row].as_py() for unit in units)
    return [content.encode() if isinstance(content, str) else content for content in contents]


@lru_cache(maxsize=1)
def _column(location: str, _version: str, row_group: int) -> Any:
    """Cached, because the next batch mostly continues in the same row group."""
    table = open_table(location)
    name = content_column(table.schema_arrow.names)
    return table.read_row_group(row_group, columns=[name]).column(name)
