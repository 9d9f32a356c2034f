"""The documents that INPUT means, each with its location and a version that changes with its content. INPUT is

- a folder: all Markdown and text below it, as for `headnote index`; if there is none, all parquet below it;
- a file, whatever its name, or a glob for files of these kinds;
- an address such as `s3://bucket/folder`: the same three, without ignore files.

A parquet file is a table of documents with columns `path` and `text`, `bytes` or `content`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.errors import MissingSource, SourceError, UnreadableSource
from headnote.extra.scale.batch import CONTENT, ERROR, MODIFIED, content_column, load_arrow, load_parquet
from headnote.extra.scale.storage import absolute, input_errors, is_remote, read_local, read_remote, remote
from headnote.sources.discover import MAX_BYTES, discover
from headnote.sources.files import SUFFIXES, has_known_suffix, source_error
from headnote.sources.ignore import OUTPUT_FOLDERS, IgnoreScope, outputs_beside
from headnote.sources.repository import SkippedFile, by_parts

if TYPE_CHECKING:
    import pyarrow as pa


PARQUET = ".parquet"
_MAGIC = "*?["


class Unit(NamedTuple):
    """One document to read."""

    path: str
    """From the root of the input; the path of its chunks."""
    location: str
    """Full path or address of its file."""
    size: int
    """In bytes; for a row of a table, the average of its row group."""
    mtime_ns: int
    version: str
    """Changes with the content: size and time, or the tag given by the service."""
    row_group: int = -1
    """For a row of a table: where it is."""
    row: int = -1


class Inputs(NamedTuple):
    """All documents, in the order of their paths."""

    units: list[Unit]
    skipped: list[SkippedFile]
    """Files left out that one might expect."""


class _InputFile(NamedTuple):
    """A listed file: a document or a table of documents."""

    path: str
    location: str
    size: int
    mtime_ns: int
    version: str


def list_inputs(pattern: str, max_bytes: int = MAX_BYTES) -> Inputs:
    """All documents of an INPUT. Having none is an error."""
    files, skipped = _remote_files(pattern) if is_remote(pattern) else _local_files(pattern, max_bytes)
    units: list[Unit] = []
    for file in files:
        if file.path.lower().endswith(PARQUET):
            units += _table_units(file)
        elif file.size > max_bytes:
            skipped.append(SkippedFile(file.path, f"too large: {file.size:,} bytes, and {max_bytes:,} are allowed"))
        else:
            units.append(Unit(*file))
    units, duplicates = _without_duplicates(units)
    if not units and not skipped:
        suffixes = " ".join((*SUFFIXES, PARQUET))
        raise MissingSource("there is nothing to read", path=pattern, remedy=f"looked for {suffixes}")
    return Inputs(units, [*skipped, *duplicates])


def _without_duplicates(units: Iterable[Unit]) -> tuple[list[Unit], list[SkippedFile]]:
    """One unit per path, sorted. Tables may repeat a path: the first document counts."""
    by_path: dict[str, Unit] = {}
    duplicates = []
    for unit in units:
        if unit.path in by_path:
            duplicates.append(SkippedFile(unit.path, f"another document of this path, in {unit.location}"))
        else:
            by_path[unit.path] = unit
    return sorted(by_path.values(), key=lambda unit: by_parts(unit.path)), duplicates


# ── on this machine ──


def _local_files(pattern: str, max_bytes: int) -> tuple[list[_InputFile], list[SkippedFile]]:
    path = Path(pattern).expanduser()
    try:
        if path.is_dir():
            return _folder_files(path, max_bytes)
        if path.exists():
            return [_local_file(path.name, path)], []
    except (OSError, ValueError) as error:
        raise source_error(pattern, error) from None
    if not _is_glob(pattern):
        raise MissingSource("no such file or folder", path=pattern, remedy="check the path")
    return _glob_files(str(path))


def _is_glob(pattern: str) -> bool:
    return any(sign in pattern for sign in _MAGIC)


def _folder_files(folder: Path, max_bytes: int) -> tuple[list[_InputFile], list[SkippedFile]]:
    listing = discover(folder, max_bytes=max_bytes)
    root = Path(absolute(str(folder)))
    files = [
        _InputFile(file.path, str(root / file.path), file.size, file.mtime_ns, f"{file.size}-{file.mtime_ns}")
        for file in listing.files
    ]
    if not files and not listing.skipped:
        files = [_local_file(path.relative_to(root).as_posix(), path) for path in sorted(root.rglob(f"*{PARQUET}"))]
    return files, list(listing.skipped)


def _glob_files(pattern: str) -> tuple[list[_InputFile], list[SkippedFile]]:
    root = Path(before_magic(pattern) or ".")
    files, skipped = [], []
    # Not Path.glob: it enters hidden folders and stops at a folder it may not read.
    for name in glob.iglob(pattern, recursive=True):  # noqa: PTH207
        path = Path(name)
        if not _has_known_suffix(path.name) or not path.is_file():
            continue
        relative = path.relative_to(root).as_posix()
        if relative.encode("utf-8", "replace").decode() != relative:
            printable = os.fsencode(relative).decode("utf-8", "backslashreplace")
            skipped.append(SkippedFile(printable, "no valid UTF-8: rename it"))
        else:
            files.append(_local_file(relative, path))
    return files, skipped


def _local_file(relative: str, path: Path) -> _InputFile:
    status = path.stat()
    version = f"{status.st_size}-{status.st_mtime_ns}"
    return _InputFile(relative, absolute(str(path)), status.st_size, status.st_mtime_ns, version)


def before_magic(pattern: str) -> str:
    """The folder that a glob starts in; anything else unchanged."""
    positions = [pattern.find(sign) for sign in _MAGIC if sign in pattern]
    if not positions or Path(pattern).exists():
        return pattern
    return pattern[: min(positions)].rpartition("/")[0] or ("/" if pattern.startswith("/") else "")


def _has_known_suffix(name: str) -> bool:
    return has_known_suffix(name) or name.lower().endswith(PARQUET)


# ── in a bucket ──


def _remote_files(address: str) -> tuple[list[_InputFile], list[SkippedFile]]:
    file_system, pattern = remote(address)
    scheme = address.partition("://")[0]
    is_glob = _is_glob(pattern)
    root = before_magic(pattern) if is_glob else pattern
    infos = _list_remote(file_system, address, pattern, root)
    if list(infos) == [pattern]:
        return [_remote_file(scheme, pattern.rpartition("/")[2], pattern, infos[pattern])], []
    files = [
        _remote_file(scheme, name[len(root) :].lstrip("/"), name, info)
        for name, info in sorted(infos.items())
        if info.get("type") != "directory" and _has_known_suffix(name) and not _is_hidden(name, root, infos)
    ]
    documents = [file for file in files if not file.path.lower().endswith(PARQUET)]
    return (documents if documents and not is_glob else files), []


def _list_remote(file_system: Any, address: str, pattern: str, root: str) -> Mapping[str, Any]:
    """The objects that match, with what the service says about each."""
    with input_errors(address):
        file_system.invalidate_cache()
        list_objects = file_system.glob if _is_glob(pattern) else file_system.find
        infos: Mapping[str, Any] = list_objects(pattern, detail=True)
        if not infos:
            # An empty list may also mean that there is no such bucket; listing the bucket itself raises then.
            file_system.ls(root.partition("/")[0], refresh=True)
    return infos


def _is_hidden(address: str, root: str, addresses: Container[str]) -> bool:
    """Whether a name below the root is usually ignored. Ignore files are only obeyed in folders."""
    parts = address[len(root) :].strip("/").split("/")
    above = address.removesuffix("/".join(parts))
    for depth, part in enumerate(parts, 1):
        name, is_folder = part.encode("utf-8", "replace"), depth < len(parts)
        makers = [file for file in OUTPUT_FOLDERS.get(name, ()) if f"{above}{file}" in addresses]
        if IgnoreScope(outputs=outputs_beside({part, *makers})).verdict(name, name, is_folder):
            return True
        above += f"{part}/"
    return False


def _remote_file(scheme: str, relative: str, name: str, info: Mapping[str, Any]) -> _InputFile:
    size = int(info.get("size") or 0)
    modified = next((info[key] for key in ("LastModified", "last_modified", "mtime", "created") if info.get(key)), None)
    mtime_ns = _nanoseconds(modified)
    tag = next((str(info[key]) for key in ("ETag", "etag", "md5Hash") if info.get(key)), "")
    version = f"{size}-{tag.strip(chr(34))}" if tag else f"{size}-{mtime_ns}"
    return _InputFile(relative, f"{scheme}://{name}", size, mtime_ns, version)


def _nanoseconds(modified: Any) -> int:
    if isinstance(modified, datetime):
        return int(modified.timestamp()) * 1_000_000_000 + modified.microsecond * 1000
    return int(float(modified) * 1e9) if isinstance(modified, int | float) else 0


# ── tables ──


def _table_units(file: _InputFile) -> Iterator[Unit]:
    """The documents of a parquet file. Their paths are read now, their contents by the workers."""
    table = open_table(file.location)
    content = content_column(table.schema_arrow.names)
    metadata = table.metadata
    column_number = {metadata.schema.column(number).path: number for number in range(metadata.num_columns)}
    for group in range(metadata.num_row_groups):
        paths: Sequence[str | None] = table.read_row_group(group, columns=["path"]).column("path").to_pylist()
        size = metadata.row_group(group).column(column_number[content]).total_uncompressed_size // max(len(paths), 1)
        for row, path in enumerate(paths):
            yield Unit(str(path or ""), file.location, size, file.mtime_ns, file.version, group, row)


def open_table(location: str) -> Any:
    """A parquet file, local or remote."""
    parquet = load_parquet()
    try:
        if is_remote(location):
            files, name = remote(location)
            with input_errors(location):
                return parquet.ParquetFile(files.open(name, "rb"))
        return parquet.ParquetFile(location)
    except (OSError, ValueError) as error:
        # Arrow raises a ValueError for a broken file.
        reason = " ".join(str(error).split())
        raise UnreadableSource(f"not a parquet file: {reason}", path=location, remedy="check the file") from None


def read_files(units: Sequence[Unit]) -> list[bytes | SourceError]:
    """The bytes of each file, or its error."""
    if units and is_remote(units[0].location):
        return read_remote([unit.location for unit in units])
    return [read_local(unit.location) for unit in units]


# -- Reads documents into the batches that `chunk_batch` takes, a few megabytes at a time.


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
