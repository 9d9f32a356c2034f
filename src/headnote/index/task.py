"""An update: its task, its progress and its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from headnote.chunking.settings import Settings
from headnote.embedding.embedder import Embedder
from headnote.index.plan import Kind, Plan, suffix_of
from headnote.model.progress import Progress
from headnote.sources.discover import MAX_BYTES
from headnote.sources.repository import SkippedFile
from headnote.sources.tree import Tree
from headnote.store.rows import NonText


@dataclass(frozen=True, slots=True)
class Task:
    """Which folder is to be indexed, and how."""

    root: str
    """The folder that the index belongs to."""
    tree: Tree
    """The folders of the documents."""
    settings: Settings
    settings_of: Mapping[str, Settings] = field(default_factory=dict)
    """Name of a root → its settings, where they are not `settings`."""
    include: tuple[str, ...] = ()
    """Globs that say which files of a shared index the task is responsible for."""
    max_bytes: int = MAX_BYTES
    workers: int | None = None
    rebuild: bool = False
    """Read everything again, whatever is stored."""
    wait: float = 10.0
    """Seconds to wait for another writer."""
    removes: bool = True
    """Whether documents are removed when their files are gone."""
    made_with: str = ""
    """The settings the user chose, to be stored in the index; see `config.stored`."""
    adopts: bool = False
    """Whether to take over an index of another folder."""
    instant: Embedder | None = None
    """Makes the vectors that are written with the words, if there is one."""

    def kind_of(self, path: str) -> Kind:
        """Files of one kind with the same content have the same chunks."""
        root = self.tree.root_of(path)
        return suffix_of(path), root if root in self.settings_of else ""


class FilesRead(NamedTuple):
    """How much of the folder an unfinished read has stored. All of that can be searched."""

    done: int
    """Files that are read and stored."""
    total: int
    """Files that the read is about."""

    def __str__(self) -> str:
        return f"{self.done:,} of {self.total:,} files read"


@dataclass(slots=True)
class Report:
    """What an update did."""

    plan: Plan
    """What happened to each document."""
    skipped: list[SkippedFile] = field(default_factory=list)
    """Files that were left out, and why."""
    warnings: list[tuple[str, str]] = field(default_factory=list)
    """(path, what had to be guessed)"""
    rebuilt: str = ""
    """Why everything was read again; empty if it was not."""
    chunks: int = 0
    """Chunks that were written."""
    stayed: int = 0
    """Documents that stay although their files are gone."""
    embedded: int = 0
    """Texts that were embedded."""
    vectors: int = 0
    """Vectors of the deep model that were made: of texts and of names."""
    others: list[str] = field(default_factory=list)
    """Who else is still making vectors after the wait."""
    is_first_read: bool = False
    """Whether the folder has been read to the end for the first time, at once or after an interruption."""
    absent: list[SkippedFile] = field(default_factory=list)
    """Of several roots, those that could not be read: their documents stay as they are. They are in `skipped`, too."""
    moved: list[str] = field(default_factory=list)
    """Which roots are in another folder than before, in one line each."""
    followed: tuple[str, ...] = ()
    """Where the settings file has changed since the update before, in one line each."""
    non_texts: list[NonText] = field(default_factory=list)
    """Skipped files that are not text; they are not read again until they change."""

    def __repr__(self) -> str:
        # The paths of a whole folder would fill screens.
        counts = {name: len(getattr(self.plan, name)) for name in ("added", "changed", "renamed", "removed")}
        counts |= {"skipped": len(self.skipped), "chunks written": self.chunks}
        return f"<Report {', '.join(f'{count} {name}' for name, count in counts.items() if count) or 'no changes'}>"


def ignore_progress(_: Progress) -> None:
    """Watches nothing."""


def never() -> bool:
    """Gives way to nothing."""
    return False
