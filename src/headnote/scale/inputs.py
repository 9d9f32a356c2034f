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
from pathlib import Path
from typing import Any, NamedTuple

from headnote.errors import MissingSource, SourceError, UnreadableSource
from headnote.scale.arrow import load_parquet
from headnote.scale.batch import content_column
from headnote.scale.storage import absolute, input_errors, is_remote, read_local, read_remote, remote
from headnote.sources.discover import MAX_BYTES, discover
from headnote.sources.files import SUFFIXES, has_known_suffix, source_error
from headnote.sources.ignore import OUTPUT_FOLDERS, Scope, outputs_beside
from headnote.sources.listing import SkippedFile, by_parts

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


class _File(NamedTuple):
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


def _local_files(pattern: str, max_bytes: int) -> tuple[list[_File], list[SkippedFile]]:
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


def _folder_files(folder: Path, max_bytes: int) -> tuple[list[_File], list[SkippedFile]]:
    listing = discover(folder, max_bytes=max_bytes)
    root = Path(absolute(str(folder)))
    files = [
        _File(file.path, str(root / file.path), file.size, file.mtime_ns, f"{file.size}-{file.mtime_ns}")
        for file in listing.files
    ]
    if not files and not listing.skipped:
        files = [_local_file(path.relative_to(root).as_posix(), path) for path in sorted(root.rglob(f"*{PARQUET}"))]
    return files, list(listing.skipped)


def _glob_files(pattern: str) -> tuple[list[_File], list[SkippedFile]]:
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


def _local_file(relative: str, path: Path) -> _File:
    status = path.stat()
    version = f"{status.st_size}-{status.st_mtime_ns}"
    return _File(relative, absolute(str(path)), status.st_size, status.st_mtime_ns, version)


def before_magic(pattern: str) -> str:
    """The folder that a glob starts in; anything else unchanged."""
    positions = [pattern.find(sign) for sign in _MAGIC if sign in pattern]
    if not positions or Path(pattern).exists():
        return pattern
    return pattern[: min(positions)].rpartition("/")[0] or ("/" if pattern.startswith("/") else "")


def _has_known_suffix(name: str) -> bool:
    return has_known_suffix(name) or name.lower().endswith(PARQUET)


# ── in a bucket ──


def _remote_files(address: str) -> tuple[list[_File], list[SkippedFile]]:
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
        if Scope(outputs=outputs_beside({part, *makers})).verdict(name, name, is_folder):
            return True
        above += f"{part}/"
    return False


def _remote_file(scheme: str, relative: str, name: str, info: Mapping[str, Any]) -> _File:
    size = int(info.get("size") or 0)
    modified = next((info[key] for key in ("LastModified", "last_modified", "mtime", "created") if info.get(key)), None)
    mtime_ns = _nanoseconds(modified)
    tag = next((str(info[key]) for key in ("ETag", "etag", "md5Hash") if info.get(key)), "")
    version = f"{size}-{tag.strip(chr(34))}" if tag else f"{size}-{mtime_ns}"
    return _File(relative, f"{scheme}://{name}", size, mtime_ns, version)


def _nanoseconds(modified: Any) -> int:
    if isinstance(modified, datetime):
        return int(modified.timestamp()) * 1_000_000_000 + modified.microsecond * 1000
    return int(float(modified) * 1e9) if isinstance(modified, int | float) else 0


# ── tables ──


def _table_units(file: _File) -> Iterator[Unit]:
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
