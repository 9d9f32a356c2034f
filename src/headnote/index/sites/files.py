"""Files of a site that are not documents: pictures, downloads, pages that are programs, ignored files.

They are looked up when needed and never stored: they come and go without any document changing.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from headnote.index.sites.model import Site, below, is_page, joined, without_suffix
from headnote.sources.ignore import FETCHED_FOLDERS

_PAGE_ENDINGS = tuple(f".{end}" for end in "md mdx markdown html js jsx ts tsx vue astro ipynb rst adoc".split())
_HAS_SUFFIX = re.compile(r".*\.[A-Za-z0-9]{1,8}", re.DOTALL)
"""`v1.29 notes` and `Dr. No` name notes, `plan.pdf` names a file."""


def names_a_file(name: str) -> bool:
    """Whether the target of a wikilink is a file that is not a page."""
    return _HAS_SUFFIX.fullmatch(name) is not None and not is_page(name)


class SiteFiles:
    """The files below a root. Each folder is listed once, on first use."""

    def __init__(self, root: str | os.PathLike[str] | None, documents: Collection[str] = ()) -> None:
        """Without a root there are no files: the documents may come from elsewhere. Documents do not count as files,
        because a site may show them at another path."""
        self._root = None if root is None else os.fspath(root)
        self._documents = documents
        self._names: dict[str, frozenset[str]] = {}

    def has(self, path: str) -> bool:
        """Whether there is a file or a folder at this path."""
        if not path:
            return self._root is not None
        folder, _, name = path.rpartition("/")
        return name in self._in(folder)

    def at(self, site: Site, target: str, source: str) -> str | None:
        """The file that a link written as a path leads to."""
        places = _from_top(site, target) if target.startswith("/") else _from_page(target, source)
        candidates = (path for place in places for path in self._with_endings(place, is_page(target)))
        files = (path for path in candidates if path not in self._documents)
        return next((path for path in files if not self._is_folder(path) or _shows_folder(site, target, source)), None)

    def _with_endings(self, path: str, is_page: bool) -> Iterator[str]:
        """What is there at this path. A page may be a file with a suffix that the link leaves out, or the index of a
        folder; most of these folders do not exist, so no name in them is tried."""
        if self.has(path):
            yield path
        page = without_suffix(path)
        for stem in (page, f"{page}/index") if is_page else ():
            folder, _, name = stem.rpartition("/")
            if names := self._in(folder):
                yield from (stem + ending for ending in _PAGE_ENDINGS if name + ending in names)

    def named(self, name: str, source: str) -> str | None:
        """The file that a wikilink names: from this page, from the root, or wherever one of that name lies."""
        beside = joined(posixpath.dirname(source), name)
        for path in (beside, joined("", name)):
            if path and self.has(path):
                return path
        if name.startswith(("./", "../")):
            return None
        lowered = name.strip("/").lower()
        candidates = self._by_name.get(lowered.rpartition("/")[2], [])
        return nearest([path for path in candidates if f"/{path.lower()}".endswith(f"/{lowered}")], source)

    def like(self, target: str, source: str) -> str | None:
        """A file for a target that is not there: of the same name elsewhere, else of a similar one beside it."""
        name = target.rstrip("/").rpartition("/")[2]
        elsewhere = nearest(self._by_name.get(name.lower(), ()), source)
        if elsewhere is not None or not name:
            return elsewhere
        folder = joined("" if target.startswith("/") else posixpath.dirname(source), posixpath.dirname(target))
        if folder is None:
            return None
        similar = get_close_matches(name, self._in(folder), 1, 0.7)
        return joined(folder, similar[0]) if similar else None

    def _is_folder(self, path: str) -> bool:
        return self._root is not None and Path(self._root, path).is_dir()

    def _in(self, folder: str) -> frozenset[str]:
        if folder not in self._names:
            self._names[folder] = self._listed(folder)
        return self._names[folder]

    def _listed(self, folder: str) -> frozenset[str]:
        if self._root is None:
            return frozenset()
        try:
            with os.scandir(f"{self._root}/{folder}") as entries:
                return frozenset(entry.name for entry in entries)
        except (OSError, ValueError):
            return frozenset()  # no such folder: nothing is in it

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = defaultdict(list)
        for path in _below(self._root) if self._root is not None else ():
            table[path.rpartition("/")[2].lower()].append(path)
        return table


def _from_top(site: Site, target: str) -> Iterator[str]:
    """Where a site takes `/img/x.png` from: its static folders, the folders of its pages, or the top of the project."""
    for folder in (*site.files, *(mount.folder for mount in site.mounts if mount.address == "/"), site.folder, ""):
        if (path := joined(folder, target)) is not None:
            yield path
    for mount in site.mounts:
        inside = below(mount.address.strip("/"), target.strip("/"))
        if mount.address != "/" and inside is not None and (path := joined(mount.folder, inside)) is not None:
            yield path


def _shows_folder(site: Site, target: str, source: str) -> bool:
    """Whether a link to a folder leads to its content: GitHub shows it, and Hugo makes a page of it."""
    is_page_of_site = any(below(mount.folder, source) is not None for mount in site.mounts)
    return site.generator == "hugo" or (
        not target.startswith("/") and (site.generator == "plain" or not is_page_of_site)
    )


def _from_page(target: str, source: str) -> Iterator[str]:
    """Beside the page, or beside what is shown of it where pages are shown as folders."""
    for folder in (posixpath.dirname(source), without_suffix(source)):
        if (path := joined(folder, target)) is not None:
            yield path


def nearest(candidates: Iterable[str], source: str) -> str | None:
    """Of several paths the one that shares most folders with the source, then the least deep."""
    folder = posixpath.dirname(source).split("/")

    def distance(path: str) -> tuple[int, int, str]:
        shared = 0
        for mine, theirs in zip(folder, posixpath.dirname(path).split("/"), strict=False):
            if mine != theirs:
                break
            shared += 1
        return -shared, path.count("/"), path

    return min(candidates, key=distance, default=None)


def _below(root: str) -> Iterator[str]:
    """Every file below a folder; hidden folders and fetched packages are left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name[0] != "." and os.fsencode(name) not in FETCHED_FOLDERS)
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        start = "" if inside == "." else f"{inside}/"
        yield from (start + name for name in names)
