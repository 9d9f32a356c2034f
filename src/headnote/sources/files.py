"""Paths → files → text."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from headnote.errors import MissingSource, NotAFile, SourceError, UnreadableSource
from headnote.sources.decode import decode

SUFFIXES = (".markdown", ".md", ".mdx", ".txt")
"""Names of files that are taken for documents where nobody names them one by one."""

# Folders that hold what tools made or fetched, never what people wrote. Hidden ones are passed over anyway.
GENERATED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


def has_known_suffix(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def read_source(path: str | os.PathLike[str]) -> str:
    """The text of a file, with its own line ends and byte order mark."""
    name = os.fspath(path)
    try:
        # Pipes are welcome (`<(command)` in a shell); a device may never end.
        mode = Path(name).stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            what = "a folder" if stat.S_ISDIR(mode) else "a device or socket"
            raise NotAFile(f"{what}, not a file", path=name, remedy="name a file")
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise source_error(name, error) from None
    return decode(data, name)


def expand(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Every file meant by the paths, once each, in a fixed order.

    A file stands for itself, whatever its name; a folder for all Markdown and plain text below it, hidden names and
    generated folders left out.
    """
    files: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if _is_folder(path):
            files.update(dict.fromkeys(_markdown_below(path)))
        else:
            files[path] = None
    return list(files)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # Not even its kind may be asked for. Taken for a file, it gets its error when it is read.
        return False


def _markdown_below(folder: Path) -> list[Path]:
    found = sorted(_walk(folder), key=lambda path: path.parts)
    if not found:
        remedy = f"looked for {' '.join(SUFFIXES)}; name a file to read it whatever it is called"
        raise MissingSource("no Markdown in this folder", path=str(folder), remedy=remedy)
    return found


def _walk(folder: Path) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            entries = list(os.scandir(here))
        except OSError as error:
            raise source_error(str(here), error) from None
        for entry in entries:
            if entry.name.startswith("."):
                continue
            # A link to a folder is not followed: it may lead back up, and then the walk would never end.
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in GENERATED_FOLDERS:
                    waiting.append(here / entry.name)
            elif has_known_suffix(entry.name) and entry.is_file():
                yield here / entry.name


def source_error(path: str, error: OSError | ValueError) -> SourceError:
    # A ValueError is a NUL in the name: no such file can exist.
    if isinstance(error, (FileNotFoundError, NotADirectoryError, ValueError)):
        return MissingSource("no such file or folder", path=path, remedy="check the path")
    reason = (error.strerror or str(error)).lower()
    return UnreadableSource(f"cannot be read: {reason}", path=path, remedy="check its permissions")
