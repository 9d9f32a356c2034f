"""What INPUT means: a list of documents, each with the place of its bytes and what tells whether it has changed.

- a folder: all Markdown and text below it, as `headnote index` takes it; without any, all parquet below it;
- a file: itself, whatever its name; a glob: what fits, of these kinds;
- an address such as `s3://bucket/folder`: the same three, without ignore files.

A parquet file is a table of documents, with columns `path` and `text`, `bytes` or `content`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from headnote.errors import MissingSource, UnreadableSource
from headnote.scale.arrow import load_parquet
from headnote.scale.batch import content_column
from headnote.scale.storage import absolute, input_errors, is_remote, read_local, read_remote, remote
from headnote.sources.discover import MAX_BYTES, discover
from headnote.sources.files import SUFFIXES, has_known_suffix, source_error
from headnote.sources.ignore import is_usually_ignored
from headnote.sources.listing import SkippedFile, by_parts

PARQUET = ".parquet"
_MAGIC = "*?["


class Unit(NamedTuple):
    """One document to be read."""

    path: str
    """From the root of the input; the path of its chunks."""
    location: str
    """Full path or address of the file it lies in."""
    size: int
    """In bytes; of a row of a table, what it has on average."""
    mtime_ns: int
    version: str
    """Another one means that it has changed: size and time, or the tag that the service gives it."""
    row_group: int = -1
    """In a table: where its row is."""
    row: int = -1


class Inputs(NamedTuple):
    """All documents, in the order of their paths."""

    units: list[Unit]
    skipped: list[SkippedFile]
    """What was left out although one might expect it."""


class _File(NamedTuple):
    """A file that was found, before it is known whether it is a document or a table of them."""

    path: str
    location: str
    size: int
    mtime_ns: int
    version: str


def list_inputs(given: str, max_bytes: int = MAX_BYTES) -> Inputs:
    """The documents that are meant. None at all is an error."""
    files, skipped = _remote_files(given) if is_remote(given) else _local_files(given, max_bytes)
    units: list[Unit] = []
    for file in files:
        if file.path.lower().endswith(PARQUET):
            units += _rows(file)
        elif file.size > max_bytes:
            skipped.append(SkippedFile(file.path, f"too large: {file.size:,} bytes, and {max_bytes:,} are allowed"))
        else:
            units.append(Unit(*file))
    units, doubled = _each_once(units)
    if not units and not skipped:
        looked_for = " ".join((*SUFFIXES, PARQUET))
        raise MissingSource("there is nothing to read", path=given, remedy=f"looked for {looked_for}")
    return Inputs(units, [*skipped, *doubled])


def _each_once(units: Iterable[Unit]) -> tuple[list[Unit], list[SkippedFile]]:
    """A path is the name of one document. In tables it may occur twice; then the first one has it."""
    found: dict[str, Unit] = {}
    doubled = []
    for unit in units:
        if unit.path in found:
            doubled.append(SkippedFile(unit.path, f"another document of this path, in {unit.location}"))
        else:
            found[unit.path] = unit
    return sorted(found.values(), key=lambda unit: by_parts(unit.path)), doubled


# -- on this machine


def _local_files(given: str, max_bytes: int) -> tuple[list[_File], list[SkippedFile]]:
    path = Path(given).expanduser()
    try:
        if path.is_dir():
            return _below(path, max_bytes)
        if path.exists():
            return [_local_file(path.name, path)], []
    except (OSError, ValueError) as error:
        raise source_error(given, error) from None
    if not any(sign in given for sign in _MAGIC):
        raise MissingSource("no such file or folder", path=given, remedy="check the path")
    return _fitting(str(path))


def _below(folder: Path, max_bytes: int) -> tuple[list[_File], list[SkippedFile]]:
    listing = discover(folder, max_bytes=max_bytes)
    root = Path(absolute(str(folder)))
    files = [
        _File(file.path, str(root / file.path), file.size, file.mtime_ns, f"{file.size}-{file.mtime_ns}")
        for file in listing.files
    ]
    if not files and not listing.skipped:
        files = [_local_file(path.relative_to(root).as_posix(), path) for path in sorted(root.rglob(f"*{PARQUET}"))]
    return files, list(listing.skipped)


def _fitting(pattern: str) -> tuple[list[_File], list[SkippedFile]]:
    root = Path(before_magic(pattern) or ".")
    files, skipped = [], []
    # Not the one of Path, which goes into hidden folders and stops at a folder it must not enter.
    for name in glob.iglob(pattern, recursive=True):  # noqa: PTH207
        path = Path(name)
        if not _is_wanted(path.name) or not path.is_file():
            continue
        shown = path.relative_to(root).as_posix()
        if shown.encode("utf-8", "replace").decode() != shown:
            skipped.append(
                SkippedFile(os.fsencode(shown).decode("utf-8", "backslashreplace"), "no valid UTF-8: rename it")
            )
        else:
            files.append(_local_file(shown, path))
    return files, skipped


def _local_file(shown: str, path: Path) -> _File:
    status = path.stat()
    version = f"{status.st_size}-{status.st_mtime_ns}"
    return _File(shown, absolute(str(path)), status.st_size, status.st_mtime_ns, version)


def before_magic(pattern: str) -> str:
    """The folder that a glob begins in; what is no glob is itself."""
    found = [pattern.find(sign) for sign in _MAGIC if sign in pattern]
    if not found or Path(pattern).exists():
        return pattern
    return pattern[: min(found)].rpartition("/")[0] or ("/" if pattern.startswith("/") else "")


def _is_wanted(name: str) -> bool:
    return has_known_suffix(name) or name.lower().endswith(PARQUET)


# -- elsewhere


def _remote_files(given: str) -> tuple[list[_File], list[SkippedFile]]:
    files, place = remote(given)
    scheme = given.partition("://")[0]
    is_glob = any(sign in place for sign in _MAGIC)
    root = before_magic(place) if is_glob else place
    with input_errors(given):
        files.invalidate_cache()
        found: Mapping[str, Any] = files.glob(place, detail=True) if is_glob else files.find(place, detail=True)
        if not found:
            # An empty answer may also mean that the bucket is not there, which only asking for it tells.
            files.ls(root.partition("/")[0], refresh=True)
    if list(found) == [place]:
        return [_remote_file(scheme, place.rpartition("/")[2], place, found[place])], []
    below = {name: info for name, info in found.items() if info.get("type") != "directory"}
    listed = [
        _remote_file(scheme, name[len(root) :].lstrip("/"), name, info)
        for name, info in sorted(below.items())
        if _is_wanted(name) and not _is_hidden(name[len(root) :])
    ]
    documents = [file for file in listed if not file.path.lower().endswith(PARQUET)]
    return (documents if documents and not is_glob else listed), []


def _is_hidden(path: str) -> bool:
    """By the names that are usually ignored; ignore files are only obeyed in folders."""
    *folders, name = path.strip("/").encode("utf-8", "replace").split(b"/")
    return is_usually_ignored(name, False) or any(is_usually_ignored(folder, True) for folder in folders)


def _remote_file(scheme: str, shown: str, name: str, info: Mapping[str, Any]) -> _File:
    size = int(info.get("size") or 0)
    modified = next((info[key] for key in ("LastModified", "last_modified", "mtime", "created") if info.get(key)), None)
    mtime_ns = _nanoseconds(modified)
    tag = next((str(info[key]) for key in ("ETag", "etag", "md5Hash") if info.get(key)), "")
    version = f"{size}-{tag.strip(chr(34))}" if tag else f"{size}-{mtime_ns}"
    return _File(shown, f"{scheme}://{name}", size, mtime_ns, version)


def _nanoseconds(modified: Any) -> int:
    if isinstance(modified, datetime):
        return int(modified.timestamp()) * 1_000_000_000 + modified.microsecond * 1000
    return int(float(modified) * 1e9) if isinstance(modified, int | float) else 0


# -- tables


def _rows(file: _File) -> Iterator[Unit]:
    """The documents of a parquet file: their paths are read now, their content by whoever cuts it."""
    table = open_table(file.location)
    content = content_column(table.schema_arrow.names)
    metadata = table.metadata
    place = {metadata.schema.column(number).path: number for number in range(metadata.num_columns)}
    for group in range(metadata.num_row_groups):
        paths: Sequence[str | None] = table.read_row_group(group, columns=["path"]).column("path").to_pylist()
        size = metadata.row_group(group).column(place[content]).total_uncompressed_size // max(len(paths), 1)
        for row, path in enumerate(paths):
            yield Unit(str(path or ""), file.location, size, file.mtime_ns, file.version, group, row)


def open_table(location: str) -> Any:
    """A parquet file, from wherever it lies."""
    parquet = load_parquet()
    try:
        if is_remote(location):
            files, name = remote(location)
            with input_errors(location):
                return parquet.ParquetFile(files.open(name, "rb"))
        return parquet.ParquetFile(location)
    except (OSError, ValueError) as error:
        # Arrow says for a broken file what Python says for a wrong value.
        reason = " ".join(str(error).split())
        raise UnreadableSource(f"no parquet: {reason}", path=location, remedy="check the file") from None


def read_whole(units: Sequence[Unit]) -> list[Any]:
    """The bytes of files, or why there are none."""
    if units and is_remote(units[0].location):
        return list(read_remote([unit.location for unit in units]))
    return [read_local(unit.location) for unit in units]
