"""The folders of an index as one tree of paths: which file a path means, and which path a file has.

An index of one folder has that folder as its only root, without a name, and paths count from there. With several, every
path begins with the name of its root. Nothing else joins a folder and a path.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePath
from typing import NamedTuple

from headnote.errors import SettingsError, SourceError, nearest, shown
from headnote.formats.kinds import format_of
from headnote.model import folder_glob
from headnote.sources.discover import MAX_BYTES, discover
from headnote.sources.files import FileSnapshot, read_snapshot, source_error, suffixes_with, without_suffix
from headnote.sources.ignore import PRIVATE_FOLDERS
from headnote.sources.repository import NOT_A_FILE, Listing, SkippedFile, rule_against, too_large

# -- Files below a root that belong to documents, such as pictures: one at a time, by path.
#
# The rules of documents apply: ignored files are not served, and no link leads out of the root.


MAX_ATTACHMENT_BYTES = 32 * 1024 * 1024
"""In bytes; larger files are not read."""


def read_attachment(root: str | os.PathLike[str], path: str, exclude: Sequence[str] = ()) -> bytes | None:
    """The content of a file; None if it does not exist or must not be read."""
    parts = path.split("/")
    if not _is_plain(path, parts):
        return None
    try:
        top = Path(os.path.realpath(root, strict=True))
        real = Path(os.path.realpath(top.joinpath(*parts), strict=True))
    except (OSError, ValueError):
        return None
    if not real.is_relative_to(top):
        return None
    # Check both the requested path and the real one: a link must not lead around a rule.
    for inside in {tuple(parts), real.relative_to(top).parts}:
        if PRIVATE_FOLDERS.intersection(map(os.fsencode, inside)) or rule_against(top, inside, exclude=exclude):
            return None
    return _content(real)


def _is_plain(path: str, parts: list[str]) -> bool:
    return "\\" not in path and "\0" not in path and ":" not in path and not {"", ".", ".."}.intersection(parts)


def _content(file: Path) -> bytes | None:
    """The content of a regular file, None for anything else: opening a pipe would wait for its writer."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(file, flags), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_ATTACHMENT_BYTES:
                return None
            return opened.read(MAX_ATTACHMENT_BYTES + 1)[:MAX_ATTACHMENT_BYTES]
    except OSError:
        return None


# -- The folders of an index as one tree of paths


AnyPath = str | os.PathLike[str]

UNREAD = "it has not been read yet: run headnote index"
"""Why a file that may be read is not in the index."""
_NAME = re.compile(r"\w[\w .+@-]*")


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of documents."""

    name: str
    """The first part of its paths; empty if it is the only folder."""
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
        """Its real path, with all links resolved."""
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


class RootPlace(NamedTuple):
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
        """Names of the roots; none for a single folder."""
        return [root.name for root in self.roots if root.name]

    @cached_property
    def _by_name(self) -> dict[str, Root]:
        return {root.name: root for root in self.roots}

    # Paths

    def place(self, path: str) -> RootPlace | None:
        """The root of a path, and the path from there; None if no root has that name."""
        if not self.is_named:
            return RootPlace(self.roots[0], path)
        name, _, inside = path.partition("/")
        root = self._by_name.get(name)
        return RootPlace(root, inside) if root else None

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
        """Return globs for what these globs match inside these roots, counted from a root or with its name in front.
        Without globs, or without roots, all count."""
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


NO_FILES = Tree.of_folder("")
"""Where documents come from elsewhere: their files are not available."""


# -- rules


def _check_names(roots: list[Root]) -> None:
    seen: dict[str, str] = {}
    for root in roots:
        check_name(root.name)
        other = seen.setdefault(root.name.casefold(), root.name)
        if other is not root.name:
            raise SettingsError(f"the roots {other} and {root.name} have the same name", remedy="rename one of them")


def _check_folders(roots: list[Root]) -> None:
    seen: dict[Path, str] = {}
    for root in roots:
        other = seen.setdefault(root.real, root.name)
        if other is not root.name:
            raise SettingsError(
                f"the roots {other} and {root.name} are the same folder, {root.folder}", remedy="remove one of them"
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


# -- A path as people write it → the document that it means.


def meant_path(written: str, tree: Tree, documents: Sequence[str]) -> str | None:
    """The one document that a path means: from the root or from above it, absolute, with or without its suffix, in any
    case. None if there is none, or more than one."""
    written_as = set(spellings(written, tree))
    for fold in (str, str.casefold):
        wanted = set(map(fold, written_as))
        for cut in (str, without_suffix):  # every document has a suffix
            matches = {document for document in documents if fold(cut(document)) in wanted}
            if matches:
                return matches.pop() if len(matches) == 1 else None
    return None


def spellings(written: str, tree: Tree) -> Iterator[str]:
    """A path as the index may name it."""
    path = written.replace("\\", "/")
    if not path.strip("/"):
        return
    for root in tree.roots:
        for folder in (os.path.realpath(root.folder), os.path.abspath(root.folder)):  # noqa: PTH100  keeps links
            if path.startswith(start := f"{folder}/".replace("\\", "/")):
                path = root.prefix + path.removeprefix(start)
    path = posixpath.normpath(path.lstrip("/"))
    yield path
    if not tree.is_named:
        yield path.removeprefix(f"{tree.roots[0].real.name}/")


# -- Why something is not among the documents: a folder that has none, or one file that exists.


MAX_FILES = 20_000
"""Files that are looked at: whoever names the wrong folder may have named a whole disk."""
MAX_NAMED = 3


def why_no_documents(tree: Tree, listing: Listing) -> str:
    """Why these folders have no documents: `listing` found no file in them."""
    away = {one.path: one.reason for one in listing.absent}
    return "; ".join(
        f"{root.name}: {away[root.name]}" if root.name in away else _why_none_in(root, listing) for root in tree.roots
    )


def _why_none_in(folder: Root, listing: Listing) -> str:
    root = Path(folder.folder)
    own = (one for one in listing.skipped if one.path.startswith(folder.prefix))
    left_out = [one._replace(path=one.path.removeprefix(folder.prefix)) for one in own]
    suffixes = suffixes_with(folder.formats)
    facts = [f"no Markdown in {root}: looked for {', '.join(suffixes)}"]
    files = list(islice(_files_below(root), MAX_FILES))
    skipped = [f"{file.path} ({file.reason})" for file in left_out]
    known = {file.path for file in left_out}
    excluded = [path for path in files if path.lower().endswith(suffixes) and path not in known]
    if skipped:
        facts.append(f"left out {_some(skipped)}")
    if excluded:
        facts.append(f"ignore files or settings exclude {_some(excluded)}")
    others = Counter(PurePath(path).suffix.lower() for path in files if not path.lower().endswith(suffixes))
    others.pop("", None)
    if others:
        kinds = [f"{count:,} {suffix}" for suffix, count in others.most_common(MAX_NAMED)]
        facts.append(f"other files there: {', '.join(kinds)}")
    formats = sorted({format_of(path) for path in files} - {"", *folder.formats})
    if formats:
        facts.append(f"to read them: headnote index --formats {','.join(formats)}")
    return "; ".join(facts)


def left_out_hint(left_out: Sequence[SkippedFile]) -> str:
    """A hint after a search in vain: what is left out, and where to read why; empty if nothing is."""
    return f"left out of the index: {_some([one.path for one in left_out])} (status says why)" if left_out else ""


def why_left_out(tree: Tree, path: str, max_bytes: int) -> SkippedFile | None:
    """Why a file that exists is no document, and the file or folder that is the cause; None if it cannot be missed:
    there is no such file, or nobody looks for files of its kind."""
    place = tree.place(path)
    parts = place.path.split("/") if place else [""]
    hidden = {"", ".", "..", *map(os.fsdecode, PRIVATE_FOLDERS)}
    if place is None or hidden.intersection(parts):
        return None
    root, top = place.root, place.root.real
    if not path.lower().endswith(suffixes_with(root.formats)):
        return None
    try:
        real = Path(os.path.realpath(top.joinpath(*parts), strict=True))
        status = real.stat()
    except (OSError, ValueError):
        return None
    if not real.is_relative_to(top):
        return SkippedFile(path, "a symlink out of the folder")
    if rule := rule_against(top, parts, root.include, root.exclude):
        return rule._replace(path=root.prefix + rule.path)
    if real != top.joinpath(*parts):
        return SkippedFile(path, f"a symlink to {root.prefix}{real.relative_to(top).as_posix()}")
    if not stat.S_ISREG(status.st_mode):
        return SkippedFile(path, NOT_A_FILE)
    if status.st_size > max_bytes:
        return SkippedFile(path, too_large(status.st_size, max_bytes))
    return SkippedFile(path, UNREAD)


def _files_below(root: Path) -> Iterator[str]:
    """Paths from the root, hidden folders and what is in them left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = PurePath(folder).relative_to(root)
        yield from ((inside / name).as_posix() for name in sorted(names) if not name.startswith("."))


def _some(names: list[str]) -> str:
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")
