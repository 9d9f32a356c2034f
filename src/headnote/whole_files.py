"""A file that appears whole or not at all, and leaves nothing behind, however its writer ends.

Where the system can, it is written without a name: one that is killed leaves nothing. Elsewhere it has a temporary name
beside its place, and whoever writes the same file next removes what others have left.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

MAX_IDLE = 600.0
"""Seconds since a temporary file was last written, after which nobody writes it any more."""
_OWN_FILES = Path("/proc/self/fd")
"""Where Linux has the open files of a process, those without a name, too."""


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A path to write to. When the block ends, what was written takes the place of `file`; after an error, nothing
    does."""
    sweep(file)
    descriptor = _nameless(file.parent)
    if descriptor is None:
        with _named(file) as aside:
            yield aside
        return
    try:
        yield _OWN_FILES / str(descriptor)
        os.fsync(descriptor)
        _give_name(descriptor, file)
    finally:
        os.close(descriptor)


def name_aside(file: Path) -> Path:
    """A temporary name beside a file."""
    return file.with_name(f".{file.name}.{token_hex(4)}.part")


def sweep(file: Path) -> None:
    """Remove temporary files that writers of this one have left."""
    left_behind = re.compile(rf"\.{re.escape(file.name)}\.[0-9a-f]{{8}}\.part")
    with suppress(OSError):  # the folder is not there: whoever writes says so
        for one in file.parent.iterdir():
            if left_behind.fullmatch(one.name) and time.time() - one.stat().st_mtime > MAX_IDLE:
                one.unlink()


def _nameless(folder: Path) -> int | None:
    """A new file without a name; None where there is no such thing, or where the folder refuses any."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not _OWN_FILES.is_dir():
        return None
    try:
        return os.open(folder, flag | os.O_RDWR, 0o666)
    except OSError:
        return None


def _give_name(descriptor: int, file: Path) -> None:
    with suppress(FileExistsError):
        _link(descriptor, file)
        return
    # A link never replaces: it takes another name, for a moment.
    name = name_aside(file)
    _link(descriptor, name)
    try:
        name.replace(file)
    except BaseException:
        name.unlink()
        raise


def _link(descriptor: int, name: Path) -> None:
    own_files = os.open(_OWN_FILES, os.O_RDONLY)
    try:
        # With a folder to begin from, Python asks the system to follow the link to the file without a name.
        os.link(str(descriptor), name, src_dir_fd=own_files, follow_symlinks=True)
    finally:
        os.close(own_files)


@contextmanager
def _named(file: Path) -> Iterator[Path]:
    aside = name_aside(file)
    os.close(os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        yield aside
        aside.replace(file)
    finally:
        aside.unlink(missing_ok=True)
