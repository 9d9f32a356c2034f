"""Files below a root that belong to documents, such as pictures: one at a time, by path.

The rules of documents apply: ignored files are not served, and no link leads out of the root.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from headnote.sources.ignore import PRIVATE_FOLDERS
from headnote.sources.repository import rule_against

LARGEST = 32 * 1024 * 1024
"""In bytes; larger files are not read."""


def read_attachment(root: str | os.PathLike[str], path: str, exclude: Sequence[str] = ()) -> bytes | None:
    """The content of a file; None if it does not exist or must not be read."""
    parts = path.split("/")
    if not _is_plain(path, parts):
        return None
    try:
        top = Path(os.path.realpath(root, strict=True))
        real = Path(os.path.realpath(top.joinpath(*parts), strict=True))
    except (OSError, ValueError):
        return None
    if not real.is_relative_to(top):
        return None
    # Check both the requested path and the real one: a link must not lead around a rule.
    for inside in {tuple(parts), real.relative_to(top).parts}:
        if PRIVATE_FOLDERS.intersection(map(os.fsencode, inside)) or rule_against(top, inside, exclude=exclude):
            return None
    return _content(real)


def _is_plain(path: str, parts: list[str]) -> bool:
    return "\\" not in path and "\0" not in path and ":" not in path and not {"", ".", ".."}.intersection(parts)


def _content(file: Path) -> bytes | None:
    """None for anything but a regular file: opening a pipe would wait for its writer."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(file, flags), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
                return None
            return opened.read(LARGEST + 1)[:LARGEST]
    except OSError:
        return None
