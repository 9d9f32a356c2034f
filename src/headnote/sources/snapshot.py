"""A listed file → its text and hash, all of one moment."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from headnote.errors import NotAFile, UnreadableSource
from headnote.sources.files import Fallback, decode_or_guess, source_error

ATTEMPTS = 5
FIRST_PAUSE = 0.01
"""Seconds before a file that was being written is read again; doubled each time."""

CLOCK_TICK_NS = 12_000_000
"""The clock of a file system is coarser than a nanosecond: within one tick, a file may change and keep its time."""

# If a pipe has replaced the file, opening it must not wait for the writer.
_READ_ONLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class FileSnapshot(NamedTuple):
    """A file at one moment: `text`, `hash`, `size` and `mtime_ns` all belong to the same bytes.

    As long as the file has this size and time, it has this text.
    """

    path: str
    """From the root."""
    size: int
    mtime_ns: int
    hash: str
    """Of the bytes, see `content_hash`."""
    text: str
    warning: str
    """What had to be guessed to decode it; empty if nothing."""


def content_hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_snapshot(root: str | os.PathLike[str], path: str, *, fallback: Fallback | None = "cp1252") -> FileSnapshot:
    """The file at `path` below `root`.

    A file that changes meanwhile is read again. Raises `MissingSource` if it is gone, `NotText` if it is binary, and
    `UnreadableSource` if it must not be read, lies outside the root by now, or keeps changing.
    """
    data, status = _read_at_rest(_inside(root, path), path)
    decoded = decode_or_guess(data, path, fallback)
    return FileSnapshot(
        path=path,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        hash=content_hash(data),
        text=decoded.text,
        warning=decoded.warning,
    )


def _inside(root: str | os.PathLike[str], path: str) -> str:
    """The full path, checked again: a link may have replaced a folder since the listing."""
    file = os.path.join(root, path)  # noqa: PTH118  a path object for each file takes as long as reading it
    parent, name = os.path.split(file)
    parent = parent or "."
    try:
        folder = os.stat(parent)  # noqa: PTH116
        safe = _lies_inside(os.fspath(root), parent, (folder.st_dev, folder.st_ino))
        if safe and os.path.islink(file):  # noqa: PTH114
            safe = _real(file).is_relative_to(_real(root))
    except (OSError, ValueError) as error:
        raise source_error(path, error) from None
    if not safe or name in ("", ".", ".."):
        raise UnreadableSource("leads out of the folder", path=path, remedy="name a file inside the folder")
    return file


@lru_cache(maxsize=4096)
def _lies_inside(root: str, folder: str, _identity: tuple[int, int]) -> bool:
    """Resolving every link of a path takes longer than reading a page, so it is done once per folder. `_identity` voids
    the cached answer when another folder has taken its place."""
    return _real(folder).is_relative_to(_real(root))


def _real(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.realpath(path, strict=True))


def _read_at_rest(file: str, path: str) -> tuple[bytes, os.stat_result]:
    for attempt in range(ATTEMPTS):
        try:
            data, status = _read_once(file, path)
            _outlast_the_tick(status)
            # Compare with the path, not the open file: saving may have replaced it.
            if len(data) == status.st_size and _state(os.stat(file)) == _state(status):  # noqa: PTH116
                return data, status
        except (OSError, ValueError) as error:
            raise source_error(path, error) from None
        time.sleep(FIRST_PAUSE * 2**attempt)
    raise UnreadableSource("keeps changing while it is read", path=path, remedy="try again later")


def _read_once(file: str, path: str) -> tuple[bytes, os.stat_result]:
    opened = os.open(file, _READ_ONLY)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFile("not a file", path=path, remedy="name a file")
        return _read_all(opened, status.st_size), status
    finally:
        os.close(opened)


def _read_all(opened: int, size: int) -> bytes:
    """What an open file holds. One byte more than its size is asked for, so that most files are read in one call."""
    data = os.read(opened, size + 1)
    while 0 < len(data) < size and (more := os.read(opened, size + 1 - len(data))):
        data += more
    return data


def _outlast_the_tick(status: os.stat_result) -> None:
    age = time.time_ns() - status.st_mtime_ns
    if 0 <= age < CLOCK_TICK_NS:
        time.sleep((CLOCK_TICK_NS - age) / 1e9)


def _state(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
