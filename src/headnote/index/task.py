"""What an update is told to do, what it says meanwhile, and what it has done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from headnote.chunking.settings import Settings
from headnote.index.plan import Plan
from headnote.sources.discover import MAX_BYTES
from headnote.sources.listing import SkippedFile
from headnote.store.rows import NonText


@dataclass(frozen=True, slots=True)
class Task:
    """Which folder is to be indexed, and how."""

    root: str
    settings: Settings
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = MAX_BYTES
    workers: int | None = None
    rebuild: bool = False
    """Read everything again, whatever is stored."""
    wait: float = 10.0
    """Seconds to wait for another writer."""
    removes: bool = True
    """Whether documents go whose files are gone."""
    made_with: str = ""
    """What settings were said to be, to be written down in the index; see `config.stored`."""
    adopts: bool = False
    """Whether an index of another folder is taken over."""


class Progress(NamedTuple):
    """How far a stage is."""

    stage: str
    """`read` or `embed`."""
    done: int
    total: int


Watcher = Callable[[Progress], None]


@dataclass(slots=True)
class Report:
    """What an update did."""

    plan: Plan
    skipped: list[SkippedFile] = field(default_factory=list)
    """Files that could not be taken, and why."""
    warnings: list[tuple[str, str]] = field(default_factory=list)
    """(path, what had to be guessed)"""
    rebuilt: str = ""
    """Why everything was read again; empty if it was not."""
    chunks: int = 0
    """Chunks that were written."""
    stayed: int = 0
    """Documents that were left although their files are gone."""
    embedded: int = 0
    """Texts that were made into vectors."""
    others: list[str] = field(default_factory=list)
    """Who else is making vectors, and was not waited for any longer."""
    non_texts: list[NonText] = field(default_factory=list)
    """Those of the skipped that were read and are no text; they are not read again until they change."""


def ignore_progress(_: Progress) -> None:
    """Watches nothing."""
