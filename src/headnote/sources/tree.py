"""The folders of an index as one tree of paths: which file a path means, and which path a file has.

An index of one folder has that folder as its only root, without a name, and paths count from there. With several, every
path begins with the name of its root. Nothing else joins a folder and a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from headnote.chunking.settings import nearest, shown
from headnote.errors import SettingsError, SourceError
from headnote.model import folder_glob
from headnote.sources.attachments import read_attachment
from headnote.sources.discover import MAX_BYTES, discover
from headnote.sources.files import source_error
from headnote.sources.listing import Listing, SkippedFile
from headnote.sources.snapshot import FileSnapshot, read_snapshot

AnyPath = str | os.PathLike[str]

_NAME = re.compile(r"\w[\w .+@-]*")


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of documents."""

    name: str
    """With which its paths begin; empty if it is the only folder."""
    folder: str
    """Where it is."""
    include: tuple[str, ...] = ()
    """Globs from this folder; if there are any, a file must match one of them."""
    exclude: tuple[str, ...] = ()
    """Globs of files to leave out."""
    formats: tuple[str, ...] = ()
    """What is read besides Markdown."""
    barred: str = ""
    """Where it would be if the user agreed to read there; empty if it may be read. `folder` leads nowhere, then."""

    @property
    def prefix(self) -> str:
        """What the paths of its documents begin with."""
        return f"{self.name}/" if self.name else ""

    @property
    def real(self) -> Path:
        """Where it is, whatever links lead there."""
        return Path(os.path.realpath(self.folder))

    @property
    def problem(self) -> str:
        """Why it cannot be read now; empty if it can."""
        if self.barred:
            return "it is outside the folder, and not read before headnote trust"
        try:
            with os.scandir(self.folder) as entries:
                is_empty = next(entries, None) is None
        except (OSError, ValueError) as error:
            return source_error(self.folder, error).message
        return "the folder is empty, as it is when a disk is not mounted" if is_empty else ""


class Place(NamedTuple):
    """A path as its root sees it."""

    root: Root
    path: str


def check_name(name: str) -> None:
    """Raise unless a root may have this name: it is the first part of paths, in globs and on the command line."""
    if not _NAME.fullmatch(name) or name.endswith((" ", ".")):
        raise SettingsError(
            f"{shown(name)} is not the name of a root",
            remedy="begin with a letter or digit; letters, digits, blanks and _ - . + @ may follow",
        )


@dataclass(frozen=True)
class Tree:
    """The folders of an index. One is made with `of_folder` or `of_roots`."""

    roots: tuple[Root, ...]

    @classmethod
    def of_folder(
        cls, folder: AnyPath, include: Iterable[str] = (), exclude: Iterable[str] = (), formats: Iterable[str] = ()
    ) -> Tree:
        """A single folder, whose paths have no name in front."""
        return cls((Root("", os.fspath(folder), tuple(include), tuple(exclude), tuple(formats)),))

    @classmethod
    def of_roots(cls, roots: Iterable[Root]) -> Tree:
        """Several folders. Raises if a name is bad or taken, or a folder comes twice. A root inside another one keeps
        its documents for itself."""
        ordered = sorted(roots, key=lambda root: root.name)
        _check_names(ordered)
        _check_folders(ordered)
        return cls(tuple(replace(root, exclude=(*root.exclude, *_inner(root, ordered))) for root in ordered))

    @property
    def is_named(self) -> bool:
        """Whether paths begin with the name of a root."""
        return bool(self.roots[0].name)

    @property
    def names(self) -> list[str]:
        """Of the roots; none for a single folder."""
        return [root.name for root in self.roots if root.name]

    @cached_property
    def _by_name(self) -> dict[str, Root]:
        return {root.name: root for root in self.roots}

    # Paths

    def place(self, path: str) -> Place | None:
        """The root of a path, and the path from there; None if no root has that name."""
        if not self.is_named:
            return Place(self.roots[0], path)
        name, _, inside = path.partition("/")
        root = self._by_name.get(name)
        return Place(root, inside) if root else None

    def root_of(self, path: str) -> str:
        """The name of the root of a path; empty for a single folder."""
        place = self.place(path)
        return place.root.name if place else ""

    def file(self, path: str) -> Path:
        """The file or folder that a path means, whether it exists or not."""
        place = self.place(path)
        if place is None:
            raise SettingsError(f"no root {shown(path.partition('/')[0])}", remedy=nearest(path, self.names))
        return Path(place.root.folder, place.path)

    def path_of(self, file: AnyPath) -> str | None:
        """The path of a file, however it is written; None if no root has it. Of nested roots, the inner one has it."""
        real, plain = Path(os.path.realpath(file)), Path(os.path.abspath(file))  # noqa: PTH100  keeps links
        found = [
            root.prefix + one.relative_to(top).as_posix()
            for root in sorted(self.roots, key=lambda root: -len(root.real.parts))
            for one, top in ((real, root.real), (plain, Path(os.path.abspath(root.folder))))  # noqa: PTH100
            if one.is_relative_to(top)
        ]
        return found[0].removesuffix("/.") if found else None

    def globs(self, names: Iterable[str], globs: Iterable[str]) -> list[str]:
        """Globs for what these globs match inside these roots, from there or with the name of the root in front. None
        of either stand for all."""
        within = list(globs)
        names = list(names)
        for name in names:
            if name not in self.names:
                remedy = nearest(name, self.names) if self.is_named else "it is an index of one folder: leave it out"
                raise SettingsError(f"no root {shown(name)}", remedy=remedy)
        if not names or not within:
            return [folder_glob(f"{name}/") for name in names] or within
        return [one for name in names for glob in within for one in _globs_inside(name, glob)]

    # Files

    def discover(self, max_bytes: int = MAX_BYTES) -> Listing:
        """The files of all roots, in the order of their paths. Of several roots, one that cannot be read is in `absent`
        and in `skipped`; a single folder raises then."""
        if not self.is_named:
            (root,) = self.roots
            return _listing(root, max_bytes)
        whole = Listing()
        for root in self.roots:
            _add(whole, root, max_bytes)
        return whole

    def read(self, path: str) -> FileSnapshot:
        """The text of a listed file, see `read_snapshot`."""
        place = self.place(path)
        if place is None:
            raise SettingsError(f"no root {shown(path.partition('/')[0])}", remedy=nearest(path, self.names))
        snapshot = read_snapshot(place.root.folder, place.path)
        return snapshot._replace(path=path) if place.root.name else snapshot

    def attachment(self, path: str) -> bytes | None:
        """The content of a file that is no document, see `read_attachment`."""
        place = self.place(path)
        return read_attachment(place.root.folder, place.path, place.root.exclude) if place else None


# -- rules


def _check_names(roots: list[Root]) -> None:
    seen: dict[str, str] = {}
    for root in roots:
        check_name(root.name)
        other = seen.setdefault(root.name.casefold(), root.name)
        if other is not root.name:
            raise SettingsError(f"the roots {other} and {root.name} have one name", remedy="rename one of them")


def _check_folders(roots: list[Root]) -> None:
    seen: dict[Path, str] = {}
    for root in roots:
        other = seen.setdefault(root.real, root.name)
        if other is not root.name:
            raise SettingsError(
                f"the roots {other} and {root.name} are one folder, {root.folder}", remedy="remove one of them"
            )


def _inner(root: Root, roots: list[Root]) -> Iterator[str]:
    """Globs for the folders of other roots inside this one."""
    for other in roots:
        if other is not root and other.real.is_relative_to(root.real):
            yield folder_glob(f"{other.real.relative_to(root.real).as_posix()}/")


def _globs_inside(name: str, glob: str) -> Iterator[str]:
    inside = glob.removeprefix("./").lstrip("/")
    is_anywhere = "/" not in glob.removeprefix("./").rstrip("/")
    yield f"/{name}/**/{inside}" if is_anywhere else f"/{name}/{inside}"
    if inside.startswith(f"{name}/"):
        yield f"/{inside}"


# -- listings


def _listing(root: Root, max_bytes: int) -> Listing:
    return discover(root.folder, include=root.include, exclude=root.exclude, max_bytes=max_bytes, formats=root.formats)


def _add(whole: Listing, root: Root, max_bytes: int) -> None:
    """Add the files of a named root to the listing of all."""
    problem, listing = root.problem, Listing()
    if not problem:
        try:
            listing = _listing(root, max_bytes)
        except SourceError as error:  # it went away a moment ago
            problem = error.message
    if problem:
        absent = SkippedFile(root.name, f"{root.barred or root.folder}: {problem}", unreadable=True)
        whole.absent.append(absent)
        whole.skipped.append(absent)
        return
    named: Callable[[str], str] = root.prefix.__add__
    whole.files.extend(file._replace(path=named(file.path)) for file in listing.files)
    whole.skipped.extend(one._replace(path=named(one.path)) for one in listing.skipped)
    whole.folders.extend(root.name if folder == "." else named(folder) for folder in listing.folders)
    whole.rules_from.extend(one for one in listing.rules_from if one not in whole.rules_from)
    whole.site_marks.extend(map(named, listing.site_marks))
