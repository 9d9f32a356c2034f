"""Open an index and bring it up to date, for the commands that query one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from headnote.api import Index, Status
from headnote.cli.first_read import ask_before_first_read
from headnote.cli.formatting import counted, missing_vectors
from headnote.cli.progress_bar import UpdateBars
from headnote.cli.terminal import write_message, write_note
from headnote.config import Choice, read_roots, trust_note
from headnote.errors import EmbeddingError, LockedIndex, MissingExtra, UnwritableIndex
from headnote.index.plan import Report
from headnote.sources.tree import Tree, left_out_hint

FIRST_WAIT = 10.0
"""Seconds to wait for another writer if the index is still empty."""
A_MOMENT = 200
"""Missing vectors that are made before a query is answered; more than that takes too long."""
PATIENCE = 2.0
"""Seconds to wait for another writer before the index is used as it is."""


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """An index, with its embedder or the reason there is none."""

    index: Index
    missing_embedder: str
    """Why the embedder cannot be loaded; empty if it can."""

    @property
    def note(self) -> str:
        """What that means for a search, for people; empty if nothing is missing."""
        by = "the instant model answers" if self.index.models.instant else "keyword search only"
        return f"{by}: {self.missing_embedder}" if self.missing_embedder else ""


def open_index(root: Path, *, create: bool = True, **options: Any) -> OpenedIndex:
    """Open an index even if its embedder is missing: words, the instant model, links and statistics work without. One
    that may be created is updated, too, and follows its settings file. A large folder that nobody named is not read
    unasked."""
    if create and not options.get("read_only"):
        ask_before_first_read(root, options)
    options = {"configure": "follow" if create else "keep"} | options
    try:
        opened = OpenedIndex(Index.open(root, create=create, **options), "")
    except (EmbeddingError, MissingExtra) as error:
        opened = OpenedIndex(Index.open(root, create=create, without_deep=True, **options), str(error))
    note_differences(opened.index.choice)
    note_withheld(opened.index.choice, root)
    return opened


def open_for_server(root: Path, embedder: str | None, read_only: bool, place: Mapping[str, Any]) -> Index:
    """Open an index that a server keeps, and note what it does without."""
    opened = open_index(root, embedder=embedder, read_only=read_only, **place)
    try:
        for note in filter(None, (opened.note, opened.index.why_no_documents())):
            write_note(note)
    except BaseException:
        # The server tries again every few seconds.
        opened.index.close()
        raise
    return opened.index


def open_again(root: Path, embedder: str | None, read_only: bool, place: Mapping[str, Any]) -> Index:
    """Open an index as `open_for_server` did, in another process of the same server. All was noted there."""
    options = {"embedder": embedder, "read_only": read_only, **place}
    try:
        return Index.open(root, **options)
    except (EmbeddingError, MissingExtra):
        return Index.open(root, without_deep=True, **options)


def note_differences(choice: Choice) -> None:
    """Say where the settings file no longer agrees with the index, and where flags outlive it."""
    if choice.differing:
        write_note(f"the index keeps its settings: {'; '.join(choice.differing)} (headnote index applies the change)")
    if choice.outlived:
        write_note(
            f"the index keeps its flags: {'; '.join(choice.outlived)} (headnote index --forget-flags drops them)"
        )


def note_withheld(choice: Choice, root: Path) -> None:
    """Say which settings need the user's trust."""
    if note := trust_note(choice.withheld, root):
        write_note(note)


def answer_on_one_core() -> None:
    """Call this in servers before numpy is loaded. They answer queries in parallel; spreading the arithmetic of each
    query over all cores doubles the processor time and makes the others wait."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def refresh(index: Index) -> None:
    """Bring the documents up to date, without vectors. An index that is locked or read-only is used as it is, and so is
    a pack. From a shared index nothing is removed: a document without a file here may have one elsewhere."""
    if index.pack_info is not None:
        return  # it never changes
    is_new = index.generation == 0
    try:
        with noted_interruption(index), UpdateBars(at_once=is_new or index.files_read is not None) as bars:
            wait = FIRST_WAIT if is_new else PATIENCE
            report = index.update(vectors=False, wait=wait, remove=not index.is_shared, on_progress=bars)
    except (LockedIndex, UnwritableIndex) as error:
        if index.generation == 0:
            raise
        if not note_files_read(index, error.message):
            write_note(f"the index was not updated: {error}")
    else:
        note_followed(report)
        if report.rebuilt and not is_new and not report.followed:
            write_note(f"all files were read again: {report.rebuilt}", only_on_a_terminal=True)
        note_roots(report, index)
        if report.is_first_read and (hint := left_out_hint(index.left_out())):
            write_note(hint)
        if report.stayed:
            documents = counted(report.stayed, "document")
            write_note(f"{documents} of the shared index have no file here (headnote index removes them)")
        if report.warnings:
            path, warning = report.warnings[0]
            others = f", and {len(report.warnings) - 1:,} more (headnote doctor lists them)"
            write_note(f"{path_from_here(index.root, path)}: {warning}{others if len(report.warnings) > 1 else ''}")


def note_followed(report: Report) -> None:
    """Say what has changed in the settings file that the index follows."""
    if report.followed:
        how = ", all files were read again" if report.rebuilt else ""
        write_note(f"the index follows its settings file{how}: {'; '.join(report.followed)}")


def note_roots(report: Report, index: Index) -> None:
    """Say which of several folders could not be read, and which are elsewhere by now."""
    barred = {root.name for root in index.tree.roots if root.barred}  # said already, with what else needs trust
    for absent in (one for one in report.absent if one.path not in barred):
        write_note(f"{absent.path} could not be read, and what is known of it stays: {absent.reason}")
    for line in report.moved:
        write_note(line)


def note_files_read(index: Index, why: str = "headnote index goes on") -> bool:
    """Say so if not all files are read yet, and return whether that is so."""
    read = index.files_read
    if read:
        write_note(f"{read} so far, some hits may be missing: {why}")
    return read is not None


@contextmanager
def noted_interruption(index: Index) -> Iterator[None]:
    """Say what was done before Ctrl-C, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        note_interruption(index)
        raise


def note_interruption(index: Index) -> None:
    write_message(f"interrupted: {_after_interruption(index.status())}")


def _after_interruption(status: Status) -> str:
    if status.files_read:
        return f"{status.files_read} and searchable; run the same command to go on"
    if not status.documents:
        return "no file was read yet; run the same command to begin again"
    if status.pending:
        return f"{missing_vectors(status)}; headnote index goes on where it stopped"
    return "the index is as it was"


def fill_vectors(index: Index) -> None:
    """Make the missing vectors if that takes only a moment; otherwise say how to make them."""
    if index.pack_info is not None:
        return
    status = index.status()
    if status.pending > A_MOMENT:
        write_note(f"{missing_vectors(status)} (headnote index makes them)")
        return
    if status.pending:
        try:
            with noted_interruption(index), UpdateBars() as bars:
                report = index.update(wait=PATIENCE, remove=not index.is_shared, on_progress=bars)
            note_other_workers(report)
        except (LockedIndex, UnwritableIndex) as error:
            write_note(f"{missing_vectors(status)}: {error}")


def note_other_workers(report: Report) -> None:
    """Say who is making the vectors that are still missing."""
    if report.others:
        write_note(f"the other vectors are being made by {' and '.join(report.others)}")


def path_from_here(root: Path, path: str) -> str:
    """A path of the index as seen from the current folder. Of several roots it begins with the name of one: that is
    what commands take, and the file may be anywhere."""
    return path if roots_of(root.absolute()) else str(root / path)


def file_from_here(root: Path, path: str) -> str:
    """The file that a path of the index means, as seen from the current folder."""
    roots = roots_of(root.absolute())
    file = roots.file(path) if roots else root / path
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


@lru_cache(maxsize=8)
def roots_of(home: Path) -> Tree | None:
    """The folders of a home; None for a single folder."""
    roots = [entry.root for entry in read_roots(home)]
    return Tree.of_roots(roots) if roots else None
