"""A file → its text; which names are documents, and which errors reading may raise."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from headnote.errors import MissingSource, NotAFile, SourceError, UnreadableSource
from headnote.formats.table import suffixes_of
from headnote.sources.decode import decode
from headnote.sources.nearest import nearest_paths

SUFFIXES = (".markdown", ".md", ".mdx", ".txt")
"""Endings of the files in a folder that are documents. A file that is named explicitly needs none of them."""


def has_known_suffix(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def suffixes_with(formats: Iterable[str]) -> tuple[str, ...]:
    """The endings of documents, if these formats are read too."""
    return (*SUFFIXES, *suffixes_of(formats))


class DatedText(NamedTuple):
    """What a file contains, and since when."""

    text: str
    """With its own line ends and byte order mark."""
    modified: float
    """Seconds since 1970."""


def read_source(path: str | os.PathLike[str]) -> str:
    """The text of a file: UTF-8, or the encoding that its byte order mark names. Nothing is guessed."""
    return read_dated(path).text


def read_dated(path: str | os.PathLike[str]) -> DatedText:
    """The same with the time of the file."""
    name = os.fspath(path)
    try:
        # Pipes are welcome (`<(command)` in a shell); a device may never end.
        status = Path(name).stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "a device or socket"
            raise NotAFile(f"{what}, not a file", path=name, remedy="name a file")
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        failure = source_error(name, error)
        if isinstance(failure, MissingSource) and (near := _files_like(name)):
            failure = MissingSource(failure.message, path=name, remedy=f"nearest: {', '.join(near)}")
        raise failure from None
    return DatedText(decode(data, name), status.st_mtime)


def _files_like(path: str) -> list[str]:
    """The documents beside a file that does not exist, as far as their names are like its own."""
    folder, name = os.path.split(path)
    try:
        beside = sorted(filter(has_known_suffix, os.listdir(folder or ".")))  # noqa: PTH208  names are enough
    except (OSError, ValueError):
        return []
    return [os.path.join(folder, near) for near in nearest_paths(name, beside)]  # noqa: PTH118  spelt like the path


def source_error(path: str, error: OSError | ValueError) -> SourceError:
    # A ValueError is a NUL in the name: no such file can exist.
    if isinstance(error, (FileNotFoundError, NotADirectoryError, ValueError)):
        return MissingSource("no such file or folder", path=path, remedy="check the path")
    reason = (error.strerror or str(error)).lower()
    return UnreadableSource(f"cannot be read: {reason}", path=path, remedy="check its permissions")
