"""Paths on the command line → the files they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from headnote.cli.terminal import complain, remark
from headnote.errors import SourceError

if TYPE_CHECKING:
    from headnote.sources.listing import SkippedFile

STDIN = Path("-")


def expand_paths(paths: Sequence[Path]) -> tuple[list[Path], bool]:
    """Every file once, and whether some paths could not be read. What is skipped is said on standard error."""
    from headnote.sources.discover import expand

    files: dict[Path, None] = {}
    failed = False

    def report(skipped: SkippedFile) -> None:
        nonlocal failed
        if skipped.unreadable:
            complain(f"{skipped.path}: {skipped.reason}")
            failed = True
        else:
            remark(f"skipped {skipped.path}: {skipped.reason}")

    for path in paths:
        try:
            files.update(dict.fromkeys([path] if path == STDIN else expand([path], report)))
        except SourceError as error:
            complain(str(error))
            failed = True
    return list(files), failed
