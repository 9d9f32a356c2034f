"""What the commands that ask an index have in common: opening it, and keeping it true."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headnote.cli.terminal import counted, remark

if TYPE_CHECKING:
    from headnote.api import Index
    from headnote.config import Choice
    from headnote.index.task import Report

FIRST_WAIT = 10.0
"""Seconds to wait for another writer where there is nothing to ask yet."""
A_MOMENT = 200
"""Vectors that may be made while somebody waits for an answer."""
PATIENCE = 2.0
"""Seconds to wait for another writer before the index is asked as it is."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An index for those who make no vectors."""

    index: Index
    missing: str
    """Why its embedder cannot be had; empty if it can."""


def open_index(root: Path, *, create: bool = True, **options: Any) -> Opened:
    """An index whose embedder may be missing: words, links and numbers are there without it."""
    from headnote.api import Index
    from headnote.errors import EmbeddingError, MissingExtra

    try:
        opened = Opened(Index.open(root, create=create, **options), "")
    except (EmbeddingError, MissingExtra) as error:
        opened = Opened(Index.open(root, create=create, words_only=True, **options), str(error))
    tell_differences(opened.index.choice)
    return opened


def tell_differences(choice: Choice) -> None:
    """The file may say by now what the index was not made with."""
    if choice.differing:
        remark(f"the index stays as it was made: {'; '.join(choice.differing)} (headnote index applies it)")


def answer_on_one_core() -> None:
    """For servers, before numpy is loaded: there, questions are what runs side by side. Sharing the arithmetic of each
    among all cores costs as much processor time again, for nothing while others wait."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def refresh(index: Index) -> None:
    """Bring the documents up to date, without vectors. An index that cannot be written now is asked as it is, and from
    one that others use, too, nothing is taken away: what is not here may be elsewhere."""
    from headnote.cli.index_progress import Bars
    from headnote.errors import LockedIndex, UnwritableIndex

    is_new = index.generation == 0
    try:
        with Bars() as bars:
            wait = FIRST_WAIT if is_new else PATIENCE
            report = index.update(vectors=False, wait=wait, remove=not index.is_shared, on_progress=bars)
    except (LockedIndex, UnwritableIndex) as error:
        if is_new:
            raise
        remark(f"answered from the index as it was: {error}")
    else:
        if report.rebuilt and not is_new:
            remark(f"everything was read again: {report.rebuilt}", only_on_a_terminal=True)
        if report.stayed:
            files = counted(report.stayed, "document")
            remark(f"{files} of the shared index without a file here: headnote index takes them out")


def fill_vectors(index: Index) -> None:
    """Make the vectors that are missing, if that takes a moment only; else say what does."""
    from headnote.cli.index_progress import Bars
    from headnote.errors import LockedIndex, UnwritableIndex

    pending = index.status().pending
    if pending > A_MOMENT:
        remark(f"{pending:,} vectors are missing: until headnote index makes them, words alone find some passages")
        return
    if pending:
        try:
            with Bars() as bars:
                report = index.update(wait=PATIENCE, remove=not index.is_shared, on_progress=bars)
            tell_others(report)
        except (LockedIndex, UnwritableIndex) as error:
            remark(f"some passages are found by their words only: {error}")


def tell_others(report: Report) -> None:
    """Vectors that somebody else is making are not there yet."""
    if report.others:
        remark(f"the other vectors are being made by {' and '.join(report.others)}")


def from_here(root: Path, path: str) -> str:
    """A path of the index as one writes it from where one stands."""
    return str(root / path)
