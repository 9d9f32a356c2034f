"""Paths on the command line → the files they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from headnote.cli.terminal import write_error, write_note
from headnote.errors import SkippedSource, SourceError
from headnote.sources.discover import expand

STDIN = "-"


def expand_paths(paths: Sequence[Path]) -> list[str | SourceError]:
    """Every file once; in its place, what cannot be read or is left out."""
    files = (file for path in paths for file in ([STDIN] if str(path) == STDIN else expand([path])))
    return list(dict.fromkeys(files))


def report(error: SourceError) -> bool:
    """Write a line about a file on standard error, and return whether the command has failed."""
    if isinstance(error, SkippedSource):
        write_note(f"skipped {error}")
        return False
    write_error(str(error))
    return True
