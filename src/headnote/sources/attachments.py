"""Files below a root that are no documents but belong to them, such as pictures: one at a time, by path.

The same holds for them as for documents: what is ignored is not there, and no link leads out of the root.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from headnote.sources.ignore import PRIVATE_FOLDERS, Rules, Scope, parse_globs
from headnote.sources.repository import GIT_RULES, OWN_RULES, UnusableRules, read_ignore_file, surroundings

LARGEST = 32 * 1024 * 1024
"""Bytes; a larger file is not read."""


def read_attachment(root: str | os.PathLike[str], path: str, exclude: Iterable[str] = ()) -> bytes | None:
    """The content of a file; None if there is none that may be read."""
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
    # Both are asked, the name it was asked for and the place it really has: a link must not lead around a rule.
    for inside in {tuple(parts), real.relative_to(top).parts}:
        if PRIVATE_FOLDERS.intersection(map(os.fsencode, inside)) or _is_ignored(top, inside, tuple(exclude)):
            return None
    return _content(real)


def _is_plain(path: str, parts: list[str]) -> bool:
    return "\\" not in path and "\0" not in path and ":" not in path and not {"", ".", ".."}.intersection(parts)


def _is_ignored(root: Path, parts: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    around = surroundings(root)
    scope, place, folder = around.scope, around.place, root
    excluded = Rules(parse_globs(exclude), place)
    for depth, part in enumerate(parts, 1):
        scope = _with_rules(scope, folder, place)
        name = os.fsencode(part)
        place += name
        is_folder = depth < len(parts)
        if scope.verdict(name, place, is_folder) or excluded.verdict(name, place, is_folder):
            return True
        folder /= part
        place += b"/"
    return False


def _with_rules(scope: Scope, folder: Path, place: bytes) -> Scope:
    found: list[Rules | None] = []
    for name in (OWN_RULES, GIT_RULES):
        try:
            found.append(read_ignore_file(folder / name, place))
        except UnusableRules:
            found.append(None)
    return scope.with_rules(*found)


def _content(file: Path) -> bytes | None:
    """Nothing for what is not a file: opening a pipe would wait for whoever writes into it."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(file, flags), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
                return None
            return opened.read(LARGEST + 1)[:LARGEST]
    except OSError:
        return None
