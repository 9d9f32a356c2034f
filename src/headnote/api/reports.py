"""What an `Index` tells about itself and its documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from headnote.chunking.settings import Settings
from headnote.config import IndexSettings, OutwardSetting
from headnote.embedding.registry import short_name
from headnote.errors import HeadnoteError
from headnote.index.plan import FilesRead
from headnote.model import Passage
from headnote.sources.repository import SkippedFile
from headnote.store.rows import DocumentRow, LinkRow, StoredChunk

if TYPE_CHECKING:
    from headnote.markdown.headings import OutlineEntry


_FOLDERS = re.compile(r"(?:[^\s(/\\]*[/\\])+(?=(?:headnote|pyproject)\.toml\b)")
"""What stands before the name of a settings file."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One of the models of an index."""

    role: Literal["instant", "deep"]
    """Whether its vectors are made at once, or take their time."""
    name: str
    """The model and whatever else changes vectors."""
    pending: int
    """Vectors of it that are missing."""


@dataclass(frozen=True, slots=True)
class RootStatus:
    """One of the folders of an index that has several."""

    name: str
    """With which its paths begin."""
    folder: str
    """Where it is."""
    documents: int
    """How many of it are in the index."""
    problem: str = ""
    """Why it cannot be read now; its documents stay as they are."""


class Status(NamedTuple):
    """The size and the settings of an index."""

    root: str
    """The folder."""
    documents: int
    """How many there are."""
    chunks: int
    """How many there are."""
    links: int
    """How many there are, to anything."""
    pending: int
    """Vectors that are missing of the model that searches prefer: one for each different text of a chunk and one for
    each different name. Everything that tells what is missing tells this number."""
    model: str
    """Name of that model; `none` without vectors."""
    settings: Settings
    """How its documents are cut into chunks."""
    index_settings: IndexSettings
    """Its other settings."""
    bytes_on_disk: int
    """Size of the file, or of the tables in the database."""
    updated: float | None
    """When the last update ended, in seconds since 1970."""
    generation: int
    """A number that every update raises."""
    roots: tuple[str, ...] = ()
    """Folders and addresses that the index belongs to."""
    schema: str = ""
    """Database schema; empty for a file."""
    models: tuple[ModelStatus, ...] = ()
    """The instant and the deep model, as far as the index has them."""
    answering: str = ""
    """The model that answers a search of everything now; empty if words alone do."""
    files_read: FilesRead | None = None
    """How far an unfinished first read has come; None if all files were read once."""
    folders: tuple[RootStatus, ...] = ()
    """The folders of an index of several; empty for a single one."""
    contexts: Mapping[str, str] = MappingProxyType({})
    """Path of a folder or document → what the settings file, or the pack, says about it; empty for the whole index."""
    withheld: tuple[OutwardSetting, ...] = ()
    """Settings of its file, or kept in it, that are not used before `headnote trust`: they lead out of the folder."""
    origins: Mapping[str, str] = MappingProxyType({})
    """Setting → where it comes from: `headnote.toml:3`, `HEADNOTE_SIZE`, `kept in the index (--size)`; those that have
    their default are left out."""
    differing: tuple[str, ...] = ()
    """Where the settings file says something else than the index has, in one line each."""

    def without_folders(self) -> Status:
        """The same for those who need not know where files are: of each, its name is left."""
        origins = {name: _FOLDERS.sub("", origin) for name, origin in self.origins.items()}
        return self._replace(origins=origins, differing=tuple(_FOLDERS.sub("", line) for line in self.differing))

    @property
    def vectors_to_come(self) -> str:
        """`8,391 vectors of deep to come`; empty if none are."""
        number = f"{self.pending:,} vector{'' if self.pending == 1 else 's'}"
        return f"{number} of {short_name(self.model)} to come" if self.pending else ""


class Drift(NamedTuple):
    """Files that have changed since they were indexed."""

    new: list[str]
    """Files that are not in the index."""
    changed: list[str]
    """Files with another size or time."""
    gone: list[str]
    """Documents without a file."""
    rebuild: str
    """Why the next update reads all files; empty if it does not."""
    absent: Sequence[SkippedFile] = ()
    """Of several roots, those that cannot be read now; their documents are not `gone`."""
    left_out: Sequence[SkippedFile] = ()
    """Files and folders that one might miss, and why they are not in the index."""

    @property
    def is_empty(self) -> bool:
        """Whether the index is up to date."""
        return not (self.new or self.changed or self.gone or self.rebuild)


class DocumentView(NamedTuple):
    """A document with everything the index knows about it."""

    document: DocumentRow
    """Its row, with text and frontmatter."""
    headings: list[OutlineEntry]
    """All headings, each with the lines of everything below it."""
    chunks: list[StoredChunk]
    """In the order of the text."""
    links: list[LinkRow]
    """The links in it."""
    backlinks: list[LinkRow]
    """The links that lead to it."""
    broken: frozenset[LinkRow]
    """The links and backlinks that lead nowhere."""
    root: str = ""
    """Of several folders, the name of the one that has it."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Those of its frontmatter, then those in its text."""
        return tuple(dict.fromkeys([*self.document.tags, *(tag for chunk in self.chunks for tag in chunk.row.tags)]))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A passage, or the rest of one, that a budget had no room for."""

    path: str
    """Of the document, relative to the root."""
    start_line: int
    """From 1."""
    end_line: int
    """Inclusive."""
    tokens: int
    """How large it is."""

    @property
    def place(self) -> str:
        """What to read to get it: `path:first-last`."""
        return f"{self.path}:{self.start_line}-{self.end_line}"


class Passages(NamedTuple):
    """What `Index.read_many` has read."""

    passages: list[Passage]
    """In the order of the places; the last may be cut after a line."""
    left_out: list[LeftOut]
    """What the budget had no room for."""
    tokens: int
    """Of all passages together, in cl100k."""
    problems: list[HeadnoteError]
    """Of the places that name nothing."""
