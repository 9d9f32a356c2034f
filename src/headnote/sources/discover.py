"""Root → the files to read below it, without opening any of them. Every command lists files this way.

A file is listed if its name ends in `.md`, `.markdown`, `.mdx` or `.txt`, or as files of the `formats` do that one asks
for, in any case, unless a rule ignores it. Rules, from the weakest to the strongest:

1. `.gitignore` in every folder, also above the root as far as the repository goes, and the repository's `info/exclude`;
2. names that are usually ignored: hidden ones, fetched packages, caches, and build output, which is a folder such as
   `build` or `target` beside a file whose tool makes it, see `OUTPUT_FOLDERS`;
3. `.headnoteignore`, in the same places and with the same syntax; a line with `!` brings back what 1 and 2 ignore;
4. `include`: if there are any globs, one must match the file or a folder above it; it brings nothing back;
5. `exclude`: what a glob matches is out.

As in git, an ignored folder is not entered, so only the folder itself can be brought back, and a glob without a slash
matches at any depth. `.git` and `.headnote` are never entered.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from headnote.arguments import check_types
from headnote.errors import MissingSource, SkippedSource, SourceError, UnreadableSource
from headnote.sources.files import SUFFIXES, source_error, suffixes_with
from headnote.sources.ignore import PRIVATE_FOLDERS, IgnoreScope, Rules, outputs_beside, parse_globs
from headnote.sources.repository import (
    GIT_RULES,
    IGNORE_FILES,
    NOT_A_FILE,
    OWN_RULES,
    ListedFile,
    Listing,
    SkippedFile,
    UnusableRules,
    by_parts,
    read_ignore_file,
    rules_above,
    too_large,
    why_ignored,
)

SITE_MARKS = frozenset(
    {
        *(f"docusaurus.config.{suffix}" for suffix in ("js", "ts", "mjs", "cjs", "mts", "cts")),
        *(f"astro.config.{suffix}" for suffix in ("js", "ts", "mjs", "cjs", "mts")),
        *(f"{name}.{suffix}" for name in ("hugo", "config") for suffix in ("toml", "yaml", "yml", "json")),
        *(f"{name}.{suffix}" for name in ("mkdocs", "properdocs") for suffix in ("yml", "yaml")),
        *(
            "zensical.toml",
            "conf.py",
            "myst.yml",
            "config",
            ".vitepress",
            ".vuepress",
            "_config.yml",
            "_config.yaml",
            "book.toml",
        ),
    }
)
"""Names of the configurations of site generators; Hugo uses names that others use, too."""

MAX_BYTES = 10 * 1024 * 1024
"""Larger files are reported and not read: the longest pages people write are a tenth of this, dumps are larger."""

AnyPath = str | os.PathLike[str]
Entry = os.DirEntry[str]


def discover(
    root: AnyPath,
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    max_bytes: int = MAX_BYTES,
    formats: Iterable[str] = (),
) -> Listing:
    """The files below a root, in a fixed order. `formats` are read besides Markdown.

    Raises `MissingSource` or `UnreadableSource` for the root only. Problems further down are in `skipped`.
    """
    walk = _Walk(_real_folder(root), tuple(include), tuple(exclude), max_bytes, suffixes_with(formats))
    walk.run()
    return walk.listing()


def has_more_files(root: AnyPath, most: int) -> bool:
    """Whether a walk finds more than this many files, or looks at ten times as many names. It stops there."""
    walk = _Walk(_real_folder(root), (), (), MAX_BYTES, suffixes_with(()), most)
    walk.run()
    return walk.is_over


def expand(paths: Iterable[AnyPath]) -> Iterator[str | SourceError]:
    """The files that paths stand for, once each, in a fixed order.

    A file stands for itself, whatever its name and whatever ignores it; a folder for what `discover` lists below it.
    Between the files are errors: what cannot be read, and as `SkippedSource` what one might miss.
    """
    seen: set[Path | SourceError] = set()
    for path in paths:
        check_types(path=(path, str | os.PathLike))
        name = os.fspath(path)
        for file in _files_below(Path(name)) if _is_folder(Path(name)) else [name]:
            # `./a.md` and `a.md` are one file.
            key = file if isinstance(file, SourceError) else Path(file)
            if key not in seen:
                seen.add(key)
                yield file


def _files_below(folder: Path) -> Iterator[str | SourceError]:
    try:
        listing = discover(folder)
    except SourceError as error:
        yield error
        return
    for skipped in listing.skipped:
        yield _left_out(folder, skipped)
    if not listing.files:
        remedy = f"looked for {' '.join(SUFFIXES)}; name a file to read it whatever it is called"
        yield MissingSource("no Markdown in this folder", path=str(folder), remedy=remedy)
    for file in listing.files:
        yield str(folder / file.path)


def _left_out(folder: Path, skipped: SkippedFile) -> SourceError:
    path = str(folder / skipped.path)
    if skipped.unreadable:
        return UnreadableSource(skipped.reason, path=path, remedy="check its permissions")
    return SkippedSource(skipped.reason, path=path)


class _Folder(NamedTuple):
    """A folder to look into."""

    path: str
    """From the root, with a slash at the end; empty for the root."""
    place: bytes
    """The same from the top of the repository, as rules count it."""
    real: str
    """The real path from the root: differs only if a link led here."""
    scope: IgnoreScope
    included: bool
    """Whether `include` takes its files, unless a glob says something about them."""


class _Link(NamedTuple):
    """A symbolic link, followed after everything that has a place of its own."""

    folder: _Folder
    """The folder that contains the link."""
    entry: Entry

    @property
    def path(self) -> str:
        return self.folder.path + self.entry.name


class _Walk:
    """One pass over a root."""

    def __init__(
        self,
        root: Path,
        include: Sequence[str],
        exclude: Sequence[str],
        max_bytes: int,
        suffixes: tuple[str, ...],
        most: int | None = None,
    ) -> None:
        """The walk ends after `most` files."""
        self._most = most
        self._names = 0
        self._root = root
        self._suffixes = suffixes
        above = rules_above(root)
        self._above = above
        self._include = Rules(parse_globs(include), above.place) if include else None
        self._exclude = Rules(parse_globs(exclude), above.place) if exclude else None
        self._has_no_globs = not (self._include or self._exclude)
        self._max_bytes = max_bytes
        self._files: dict[str, ListedFile] = {}
        """Real path → the file: each is listed once, whatever links lead to it."""
        self._skipped = list(above.skipped)
        self._folders: dict[str, str] = {}
        """Real path → the path under which the folder was read."""
        self._links: list[_Link] = []
        self._site_marks: list[str] = []

    def listing(self) -> Listing:
        return Listing(
            sorted(self._files.values(), key=lambda file: by_parts(file.path)),
            sorted(self._skipped, key=lambda skipped: by_parts(skipped.path)),
            sorted((path.rstrip("/") or "." for path in self._folders.values()), key=by_parts),
            self._above.folders,
            sorted(self._site_marks, key=by_parts),
        )

    @property
    def is_over(self) -> bool:
        """Whether it has found more files than it may."""
        return self._most is not None and (len(self._files) > self._most or self._names > 10 * self._most)

    def run(self) -> None:
        """Read what has a place of its own, then folders behind links, then files behind links."""
        self._walk(_Folder("", self._above.place, "", self._above.scope, self._include is None))
        to_files: list[_Link] = []
        while self._links:
            links = sorted(self._links, key=lambda link: by_parts(link.path))
            self._links = []
            for link in links:
                if _is_folder(link.entry):
                    self._follow_to_folder(link)
                else:
                    to_files.append(link)
        for link in sorted(to_files, key=lambda link: by_parts(link.path)):
            self._follow_to_file(link)

    def _walk(self, start: _Folder) -> None:
        pending = [start]
        while pending and not self.is_over:
            folder = pending.pop()
            # Behind a link may lie a folder that another link led to before.
            if folder.real not in self._folders:
                pending += self._read(folder)

    def _read(self, folder: _Folder) -> list[_Folder]:
        """List the files of one folder, put its links aside, and return the folders to enter."""
        try:
            with os.scandir(f"{self._root}/{folder.path}") as scan:
                entries = list(scan)
        except OSError as error:
            if not folder.path:
                raise source_error(str(self._root), error) from None
            self._skip(folder.path.rstrip("/"), source_error("", error).message, unreadable=True)
            return []
        self._folders[folder.real] = folder.path
        names = {entry.name for entry in entries}
        self._names += len(names)
        self._site_marks += [folder.path + name for name in SITE_MARKS & names]
        folder = self._with_own_rules(folder, names)
        return [subfolder for entry in entries if (subfolder := self._visit(folder, entry))]

    def _visit(self, folder: _Folder, entry: Entry) -> _Folder | None:
        """List a file or put a link aside; a folder to enter is returned."""
        name = entry.name
        try:
            if _is_link(entry):
                if _is_folder(entry) or self._is_document(name):
                    self._links.append(_Link(folder, entry))
            elif entry.is_dir(follow_symlinks=False):
                return self._enter(folder, entry)
            elif self._is_document(name) and self._is_selected(folder, entry):
                self._list(folder.path + name, folder.real + name, entry)
        except FileNotFoundError:
            pass  # gone since the folder was read: as if it had never been there
        except OSError as error:
            self._skip(folder.path + name, source_error("", error).message, unreadable=True)
        return None

    def _is_document(self, name: str) -> bool:
        return name.lower().endswith(self._suffixes)

    def _with_own_rules(self, folder: _Folder, names: set[str]) -> _Folder:
        present, outputs, scope = IGNORE_FILES & names, outputs_beside(names), folder.scope
        if not present and not outputs and not scope.outputs:
            return folder
        rules: dict[str, Rules | None] = {}
        for name in present:
            try:
                rules[name] = read_ignore_file(self._root / folder.path / name, folder.place)
            except UnusableRules as reason:
                self._skip(folder.path + name, str(reason))
        scope = scope.with_rules(rules.get(OWN_RULES), rules.get(GIT_RULES))
        return folder._replace(scope=scope._replace(outputs=outputs))

    def _enter(self, folder: _Folder, entry: Entry) -> _Folder | None:
        """The folder behind an entry, unless a rule ignores it."""
        path = folder.path + entry.name
        name = os.fsencode(entry.name)
        place = folder.place + name
        verdict = folder.scope.verdict(name, place, is_folder=True)
        if verdict == "output":
            self._skip(path, why_ignored(verdict, entry.name, folder.scope.outputs[name]))
        if verdict or self._excluded(name, place, is_folder=True):
            return None
        if not _is_unicode(entry.name):
            self._skip(path, _BAD_NAME)
            return None
        included = self._included(folder, name, place, is_folder=True)
        return _Folder(f"{path}/", place + b"/", f"{folder.real}{entry.name}/", folder.scope, included)

    def _is_selected(self, folder: _Folder, entry: Entry) -> bool:
        if self._has_no_globs and not folder.scope.has_rules:
            return not entry.name.startswith(".")  # what is left of the rules below
        name = os.fsencode(entry.name)
        place = folder.place + name
        return (
            not folder.scope.verdict(name, place, is_folder=False)
            and self._included(folder, name, place, is_folder=False)
            and not self._excluded(name, place, is_folder=False)
        )

    def _included(self, folder: _Folder, name: bytes, place: bytes, is_folder: bool) -> bool:
        """What a glob says about a folder holds for everything in it, until a nearer match says otherwise."""
        verdict = self._include.verdict(name, place, is_folder) if self._include else None
        return folder.included if verdict is None else verdict

    def _excluded(self, name: bytes, place: bytes, is_folder: bool) -> bool:
        return self._exclude is not None and self._exclude.verdict(name, place, is_folder) is True

    def _list(self, path: str, real: str, entry: Entry) -> None:
        """Add a file. Size and time are those of the target where the entry is a link."""
        status = entry.stat()
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, NOT_A_FILE)
        elif not _is_unicode(entry.name):
            self._skip(path, _BAD_NAME)
        elif status.st_size > self._max_bytes:
            self._skip(path, too_large(status.st_size, self._max_bytes))
        else:
            self._files[real] = ListedFile(path, status.st_size, status.st_mtime_ns)

    def _follow_to_folder(self, link: _Link) -> None:
        # An ignored link is not worth a word, wherever it leads.
        entered = self._enter(link.folder, link.entry)
        real = self._target(link) if entered else None
        if entered is None or real is None:
            return
        real = f"{real}/" if real else ""
        if real in self._folders:
            self._skip_copy(link.path, self._folders[real].rstrip("/") or "the root")
        else:
            self._walk(entered._replace(real=real))

    def _follow_to_file(self, link: _Link) -> None:
        real = self._target(link) if self._is_selected(link.folder, link.entry) else None
        if real is None:
            return
        if real in self._files:
            self._skip_copy(link.path, self._files[real].path)
        else:
            with suppress(FileNotFoundError):
                self._list(link.path, real, link.entry)

    def _target(self, link: _Link) -> str | None:
        """The real path of a link's target, from the root; None if it must not be followed."""
        try:
            target = Path(os.path.realpath(link.entry.path, strict=True))
        except OSError:  # nothing there, or a loop of links
            self._skip(link.path, "a broken symlink")
            return None
        if not target.is_relative_to(self._root):
            self._skip(link.path, "a symlink out of the folder")
            return None
        inside = target.relative_to(self._root)
        if PRIVATE_FOLDERS.intersection(map(os.fsencode, inside.parts)):
            self._skip(link.path, "a symlink into .git or .headnote")
            return None
        return "" if target == self._root else inside.as_posix()

    def _skip_copy(self, path: str, of: str) -> None:
        self._skip(path, f"a symlink to {of}, already indexed")
        self._skipped[-1] = self._skipped[-1]._replace(is_missing=False)

    def _skip(self, path: str, reason: str, unreadable: bool = False) -> None:
        self._skipped.append(SkippedFile(_printable(path), _printable(reason), unreadable))


_BAD_NAME = "its name is not valid UTF-8: rename it"


def _real_folder(root: AnyPath) -> Path:
    name = os.fspath(root)
    try:
        real = Path(os.path.realpath(name, strict=True))
        if not real.is_dir():
            raise MissingSource("a file, not a folder", path=name, remedy="name the folder that contains it")
    except (OSError, ValueError) as error:
        raise source_error(name, error) from None
    return real


if sys.platform == "win32":

    def _is_link(entry: Entry) -> bool:
        # A junction is a link that Windows has for folders; Python 3.11 cannot tell.
        return entry.is_symlink() or (hasattr(entry, "is_junction") and bool(entry.is_junction()))

else:
    _is_link = os.DirEntry.is_symlink


def _is_folder(entry: Entry | Path) -> bool:
    """One that cannot even be examined counts as a file, and gets its error when it is read."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_unicode(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
