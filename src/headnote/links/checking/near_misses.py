"""A target that does not exist → what exists and is most like it, written as the link would write it."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property
from urllib.parse import quote, unquote

from headnote.links.resolving import PLAIN_SITES, Contents, RootContents, SiteAddresses, SitesOfRoots, path_of
from headnote.links.sites.addresses import Addresses
from headnote.links.sites.site import folded, page_of, without_suffix
from headnote.links.sites.site_files import Neighbours, SiteFiles
from headnote.sources.files import SimilarNames
from headnote.sources.tree import RootPlace, Tree
from headnote.store.rows import LinkRow

ALIKE = 0.75
"""How alike two names must be, of 1. A wrong suggestion is worse than none."""
_MIN_CHARS = 3
"""Letters of a name that may be the beginning of another one."""
MAX_NAMES = 2000
"""Names that are compared letter by letter. A document with more is a table of data."""


class Suggestions:
    """The nearest existing targets among these documents and the files beside them."""

    def __init__(
        self,
        tree: Tree,
        documents: Collection[str],
        contents: Contents,
        sites: SitesOfRoots,
        bases: Mapping[str, str],
    ) -> None:
        self._tree = tree
        self._documents = documents
        self._contents = contents
        self._sites = sites
        self._bases = bases
        self._known_anchors: dict[str, SimilarNames] = {}

    def anchor(self, link: LinkRow) -> str:
        """The link with an anchor that its document has."""
        name = self._anchor_like(link.fragment, link.resolved or "")
        return f"{link.target}#{name}" if name else ""

    def _anchor_like(self, fragment: str, path: str) -> str:
        anchors = self._contents.anchors(path)
        names = [*anchors.headings, *anchors.ids][:MAX_NAMES]
        wanted = unquote(fragment).lower()
        if path not in self._known_anchors:
            self._known_anchors[path] = SimilarNames(names, ALIKE)
        return self._known_anchors[path].like(wanted) or next((one for one in names if _continues(wanted, one)), "")

    def page(self, link: LinkRow) -> str:
        """The link with a document that exists."""
        path = self._document_like(path_of(link), link.path)
        if not path:
            return ""
        anchor = self._anchor_like(link.fragment, path) if link.fragment else ""
        return self._written(path, link) + (f"#{anchor}" if anchor else "")

    def file(self, link: LinkRow) -> str:
        """The link with a file that exists: of the same name elsewhere, or of a similar one in the same folder."""
        root, source = self._place(link.path)
        path = self._files[root.name].like(path_of(link), source)
        if not path:
            return ""
        return path if link.kind in ("wikilink", "embed") else _from(source, path)

    def _written(self, path: str, link: LinkRow) -> str:
        """A document as a link of this form names it."""
        if link.kind in ("wikilink", "embed"):
            return without_suffix(path).rpartition("/")[2]
        here, there = self._place(link.path), self._place(path)
        if not link.target.startswith("/"):
            return _from(self._file(here), self._file(there))
        own = self._addresses(here).of(there.path) if here.root is there.root else ()
        return min(own, key=len, default=f"/{path}")

    def _place(self, path: str) -> RootPlace:
        place = self._tree.place(path)
        assert place is not None, "every document that was read has a root"
        return place

    def _file(self, place: RootPlace) -> str:
        """Where a document lies on this machine."""
        return f"{self._tops[place.root.name]}/{place.path}"

    @cached_property
    def _tops(self) -> dict[str, str]:
        return {root.name: root.real.as_posix() for root in self._tree.roots}

    @cached_property
    def _files(self) -> dict[str, SiteFiles]:
        return {root.name: SiteFiles(root.folder) for root in self._tree.roots}

    def _addresses(self, place: RootPlace) -> Addresses:
        return self._addresses_of_roots[place.root.name].of(place.path)

    @cached_property
    def _addresses_of_roots(self) -> dict[str, SiteAddresses]:
        return {
            root.name: SiteAddresses(
                self._sites.get(root.name) or PLAIN_SITES,
                RootContents(self._contents, root).naming,
                self._bases.get(root.name, ""),
            )
            for root in self._tree.roots
        }

    def _document_like(self, target: str, source: str) -> str | None:
        """A document of the same name in another folder, else one of a similar name."""
        name = folded(page_of(target)).rpartition("/")[2]
        named = self._by_name.get(name) or self._by_name.get(self._names.like(name))
        return named.nearest(source, but=source) if name and named else None

    @cached_property
    def _by_name(self) -> Mapping[str, Neighbours]:
        table: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._documents):
            table[folded(page_of(path)).rpartition("/")[2]].append(path)
        return {name: Neighbours(paths) for name, paths in table.items()}

    @cached_property
    def _names(self) -> SimilarNames:
        return SimilarNames(self._by_name, ALIKE)


def _continues(one: str, other: str) -> bool:
    """Whether one name is the other with something more at its end."""
    short, long = sorted((one, other.lower()), key=len)
    return len(short) >= _MIN_CHARS and long.startswith(f"{short}-")


def _from(source: str, path: str) -> str:
    return quote(posixpath.relpath(path, posixpath.dirname(source) or "."), safe="/:@!$&'*+,;=~()-._")
