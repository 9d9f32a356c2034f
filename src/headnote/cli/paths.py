"""Paths on the command line → the files they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from headnote.cli.terminal import write_error, write_note
from headnote.errors import SourceError
from headnote.sources.discover import expand
from headnote.sources.listing import SkippedFile

STDIN = Path("-")


def expand_paths(paths: Sequence[Path]) -> tuple[list[Path], bool]:
    """Every file once, and whether a path could not be read. Skipped files are reported on standard error."""
    files: dict[Path, None] = {}
    has_failed = False

    def report(skipped: SkippedFile) -> None:
        nonlocal has_failed
        if skipped.unreadable:
            write_error(f"{skipped.path}: {skipped.reason}")
            has_failed = True
        else:
            write_note(f"skipped {skipped.path}: {skipped.reason}")

    for path in paths:
        try:
            files.update(dict.fromkeys([path] if path == STDIN else expand([path], report)))
        except SourceError as error:
            write_error(str(error))
            has_failed = True
    return list(files), has_failed
