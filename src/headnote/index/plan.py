"""What brings an index up to date with its folder: the task, its plan, and the report of what was done.

A plan is a pure comparison, in two steps. Size and time tell which files must be read. Reading gives a hash, and the
hash tells whether a file is new, changed, only touched, or renamed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from headnote.chunking.settings import Settings
from headnote.embedding.embedder import Embedder
from headnote.model.results import Progress
from headnote.sources.discover import MAX_BYTES
from headnote.sources.repository import ListedFile, SkippedFile
from headnote.sources.tree import Tree
from headnote.store.rows import DATE_ORIGINS, DateOrigin, NonText

_NOTHING: Mapping[str, NonText] = MappingProxyType({})

Kind = Hashable
"""Two files of one kind with the same content are cut alike."""


def suffix_of(path: str) -> str:
    return path.rpartition(".")[2].lower()


class FilesToRead(NamedTuple):
    """The first step: which files must be read."""

    unchanged: int
    """Files with the same size and time as before: their content is not read."""
    read: list[ListedFile]
    gone: list[str]
    """Stored, and no longer there."""
    passed: tuple[NonText, ...] = ()
    """Known not to be text, and unchanged: their content is not read either."""
    stayed: int = 0
    """Stored and gone, but not to be removed."""

    @property
    def is_empty(self) -> bool:
        return not self.read and not self.gone

    def without_removals(self) -> FilesToRead:
        """The same for a task that adds documents and removes none."""
        return self._replace(gone=[], stayed=len(self.gone))


class Plan(NamedTuple):
    """The second step: what happens to each document. Every list is in the order of paths."""

    added: list[str]
    """New documents."""
    changed: list[str]
    """Documents with new content."""
    touched: list[str]
    """A new time, the same content."""
    renamed: list[tuple[str, str]]
    """(old, new)"""
    removed: list[str]
    """Documents whose files are gone."""
    unchanged: int
    """How many documents stay as they are."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.added or self.changed or self.touched or self.renamed or self.removed)


def plan_reading(
    listed: Sequence[ListedFile],
    skipped: Sequence[SkippedFile],
    stored: Mapping[str, ListedFile],
    everything: bool = False,
    non_texts: Mapping[str, NonText] = _NOTHING,
) -> FilesToRead:
    """Compare a listing with the stored files. `everything` reads all of them, whatever their size and time."""
    read: list[ListedFile] = []
    passed: list[NonText] = []
    unchanged = 0
    for file in listed:
        known = stored.get(file.path)
        if everything:
            read.append(file)
        elif known and _looks_like(known, file):
            unchanged += 1
        elif (non_text := non_texts.get(file.path)) and _looks_like(non_text, file):
            passed.append(non_text)
        else:
            read.append(file)
    missing = stored.keys() - {file.path for file in listed}
    unreadable = {path for path in missing if _may_still_be_there(path, skipped)}
    return FilesToRead(unchanged + len(unreadable), read, sorted(missing - unreadable), tuple(passed))


def nothing_to_read(listed: Sequence[ListedFile], non_texts: Mapping[str, NonText]) -> FilesToRead:
    """What `plan_reading` says of files that are all stored as they are."""
    passed = [non_texts[file.path] for file in listed if file.path in non_texts] if non_texts else ()
    return FilesToRead(len(listed) - len(passed), [], [], tuple(passed))


def _looks_like(known: ListedFile | NonText, file: ListedFile) -> bool:
    return known.size == file.size and known.mtime_ns == file.mtime_ns


def _may_still_be_there(path: str, skipped: Sequence[SkippedFile]) -> bool:
    """An unreadable file or folder may still exist; one that is left out on purpose is gone."""
    return any(one.unreadable and f"{path}/".startswith(f"{one.path.rstrip('/')}/") for one in skipped)


def plan_changes(
    reading: FilesToRead,
    hashes: Mapping[str, str],
    stored: Mapping[str, ListedFile],
    everything: bool = False,
    kind_of: Callable[[str], Kind] = suffix_of,
) -> Plan:
    """Decide by hashes. A file without one could not be read and stays as it is stored."""
    touched = set() if everything else {path for path, digest in hashes.items() if _is_same(stored, path, digest)}
    changed = [path for path in hashes if path in stored and path not in touched]
    new = [path for path in hashes if path not in stored]
    renamed = [] if everything else _renames(new, reading.gone, hashes, stored, kind_of)
    from_, to = {old for old, _ in renamed}, {new for _, new in renamed}
    return Plan(
        added=sorted(set(new) - to),
        changed=sorted(changed),
        touched=sorted(touched),
        renamed=sorted(renamed),
        removed=[path for path in reading.gone if path not in from_],
        unchanged=reading.unchanged,
    )


def candidates_for_renames(
    reading: FilesToRead, stored: Mapping[str, ListedFile], kind_of: Callable[[str], Kind] = suffix_of
) -> dict[str, frozenset[str]]:
    """Path of a new file → hashes of missing files that it may be: those of its size and kind."""
    gone: dict[tuple[int, Kind], set[str]] = {}
    for path in reading.gone:
        gone.setdefault((stored[path].size, kind_of(path)), set()).add(stored[path].hash)
    return {
        file.path: frozenset(gone.get((file.size, kind_of(file.path)), ()))
        for file in reading.read
        if file.path not in stored
    }


def _is_same(stored: Mapping[str, ListedFile], path: str, digest: str) -> bool:
    return path in stored and stored[path].hash == digest


def _renames(
    new: Iterable[str],
    gone: Iterable[str],
    hashes: Mapping[str, str],
    stored: Mapping[str, ListedFile],
    kind_of: Callable[[str], Kind],
) -> list[tuple[str, str]]:
    """A new file with the content of a missing one is that file under a new name; of several, the first by path. The
    kind must stay the same: MDX is parsed differently, and a root may have settings of its own."""
    by_content: dict[tuple[str, Kind], list[str]] = {}
    for path in sorted(gone, reverse=True):
        by_content.setdefault((stored[path].hash, kind_of(path)), []).append(path)
    renames = []
    for path in sorted(new):
        candidates = by_content.get((hashes[path], kind_of(path)))
        if candidates:
            renames.append((candidates.pop(), path))
    return renames


# -- The task and the report


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
    remove_missing: bool = True
    """Whether documents are removed when their files are gone."""
    stored_settings: str = ""
    """The settings the user chose, to be stored in the index; see `config.stored`."""
    adopt: bool = False
    """Whether to take over an index of another folder."""
    instant: Embedder | None = None
    """Makes the vectors that are written with the words, if there is one."""
    dates: tuple[DateOrigin, ...] = DATE_ORIGINS
    """What says when a document was changed: the first that knows."""

    def kind_of(self, path: str) -> Kind:
        """Files of one kind with the same content have the same chunks."""
        root = self.tree.root_of(path)
        return suffix_of(path), root if root in self.settings_of else ""


@dataclass(frozen=True, slots=True)
class FilesRead:
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
