"""Where a link leads: from what somebody wrote to a document, and to the section it names.

People write links for whatever shows their pages: a file beside this one, an address below the root of a site, the
name of a note. Each reading is tried in turn, the most literal first.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from urllib.parse import unquote

from headnote.index.entries import Anchors
from headnote.index.store.rows import LinkRow
from headnote.markdown.slugs import github_slug
from headnote.sources.discover import SUFFIXES

_INDEX_NAMES = frozenset({"index", "_index", "readme"})
_PAGE_SUFFIXES = (*SUFFIXES, ".html", ".htm")


class Resolver:
    """Resolves links among these documents."""

    def __init__(
        self,
        paths: Iterable[str],
        anchors: Callable[[str], Anchors],
        aliases: Callable[[], Mapping[str, str]],
    ) -> None:
        """`anchors` says which headings a document has, `aliases` which document has another name; both are asked only
        where a link needs it."""
        self._paths = frozenset(paths)
        self._anchors = anchors
        self._aliases = aliases

    def resolve(self, link: LinkRow) -> LinkRow:
        """The same link, with the place it leads to now."""
        if link.external:
            return link
        path = self._document_of(link)
        section = self._section_of(path, link.fragment) if path in self._paths and link.fragment else None
        chunk = self._anchors(path)[section] if path and section is not None else None
        return link._replace(resolved=path, section=section, resolved_chunk=chunk)

    def _document_of(self, link: LinkRow) -> str | None:
        target = unquote(link.target.partition("?")[0]).strip()
        if not target:
            return link.path
        if link.kind in ("wikilink", "embed"):
            return self._by_name(target, link.path)
        return self._by_path(target, link.path)

    def _by_path(self, target: str, source: str) -> str | None:
        folder = posixpath.dirname(source)
        beside = _joined("" if target.startswith("/") else folder, target)
        # Where pages are shown as folders, `../b/` in `docs/a.md` means `docs/b`.
        below = _joined("" if target.startswith("/") else _page(source), target)
        for path in (beside, below):
            found = self._exact(path)
            if found:
                return found
        if target.startswith("/"):
            found = self._nearest(self._ending_in(_page(target.strip("/"))), source)
            if found:
                return found
        is_page = not posixpath.splitext(target.rstrip("/"))[1] or target.lower().endswith(_PAGE_SUFFIXES)
        return None if is_page else beside

    def _exact(self, path: str | None) -> str | None:
        """The document at this path, with or without its suffix, or the first page of this folder."""
        if path is None or path in self._paths:
            return path
        candidates = self._pages.get(_page(path).casefold(), ())
        return candidates[0] if candidates else None

    def _by_name(self, name: str, source: str) -> str | None:
        """A note by its name, wherever it lies; with folders in the name, by the end of its path."""
        page = _page(name.strip("/"))
        found = self._nearest(self._ending_in(page), source)
        if found is None and posixpath.splitext(name)[1].lower() not in ("", *SUFFIXES):
            return _joined(posixpath.dirname(source), name)  # a picture or another file
        return found or self._aliases().get(name.casefold())

    def _ending_in(self, page: str) -> list[str]:
        wanted = page.casefold()
        candidates = self._by_last_part.get(wanted.rpartition("/")[2], [])
        return [path for path in candidates if f"/{_page(path).casefold()}".endswith(f"/{wanted}")]

    def _nearest(self, candidates: list[str], source: str) -> str | None:
        """Of several documents the one that shares most folders with the source, then the least deep."""
        folder = posixpath.dirname(source).split("/")

        def distance(path: str) -> tuple[int, int, str]:
            shared = 0
            for mine, theirs in zip(folder, posixpath.dirname(path).split("/"), strict=False):
                if mine != theirs:
                    break
                shared += 1
            return -shared, path.count("/"), path

        return min(candidates, key=distance, default=None)

    def _section_of(self, path: str | None, fragment: str) -> str | None:
        anchors = self._anchors(path) if path else {}
        wanted = unquote(fragment)
        innermost = wanted.rpartition("#")[2]
        spellings = (wanted, wanted.lower(), github_slug(wanted), github_slug(innermost))
        return next((anchor for anchor in spellings if anchor in anchors), None)

    @cached_property
    def _pages(self) -> dict[str, list[str]]:
        """Path without suffix and index name → documents."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            found[_page(path).casefold()].append(path)
        return found

    @cached_property
    def _by_last_part(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            found[_page(path).casefold().rpartition("/")[2]].append(path)
        return found


def _joined(folder: str, target: str) -> str | None:
    """The path below the root, or None if it leaves the root."""
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if path.startswith("..") else "" if path == "." else path


def _page(path: str) -> str:
    """A path as an address of a page: without its suffix, and the folder in place of its index."""
    path = path.rstrip("/")
    stem, suffix = posixpath.splitext(path)
    if suffix.lower() in _PAGE_SUFFIXES:
        path = stem
    folder, _, name = path.rpartition("/")
    return folder if name.casefold() in _INDEX_NAMES else path
