"""A target that does not exist → what exists and is most like it, written as the link would write it."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import cached_property
from heapq import nlargest
from urllib.parse import quote, unquote

from headnote.index.crossing import RootContents, SitesOfRoots
from headnote.index.linking import Contents, path_of
from headnote.index.sites.addresses import Addresses
from headnote.index.sites.files import SiteFiles, nearest
from headnote.index.sites.model import folded, page_of, site_of, without_suffix
from headnote.sources.tree import Place, Tree
from headnote.store.rows import LinkRow

ALIKE = 0.75
"""How alike two names must be, of 1. A wrong suggestion is worse than none."""
_CANDIDATES = 8
_SHORTEST = 3
"""Letters of a name that may be the beginning of another one."""
MOST_NAMES = 2000
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

    def anchor(self, link: LinkRow) -> str:
        """The link with an anchor that its document has."""
        name = self._anchor_like(link.fragment, link.resolved or "")
        return f"{link.target}#{name}" if name else ""

    def _anchor_like(self, fragment: str, path: str) -> str:
        anchors = self._contents.anchors(path)
        names = [*anchors.headings, *anchors.ids][:MOST_NAMES]
        wanted = unquote(fragment).lower()
        found = get_close_matches(wanted, names, 1, ALIKE) or [name for name in names if _continues(wanted, name)]
        return found[0] if found else ""

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

    def _place(self, path: str) -> Place:
        place = self._tree.place(path)
        assert place is not None, "every document that was read has a root"
        return place

    def _file(self, place: Place) -> str:
        """Where a document lies on this machine."""
        return f"{self._tops[place.root.name]}/{place.path}"

    @cached_property
    def _tops(self) -> dict[str, str]:
        return {root.name: root.real.as_posix() for root in self._tree.roots}

    @cached_property
    def _files(self) -> dict[str, SiteFiles]:
        return {root.name: SiteFiles(root.folder) for root in self._tree.roots}

    def _addresses(self, place: Place) -> Addresses:
        root = place.root
        site = site_of(place.path, self._sites[root.name])
        base = self._bases.get(root.name, "") if site.generator == "plain" else ""
        return Addresses(site, RootContents(self._contents, root).naming, base)

    def _document_like(self, target: str, source: str) -> str | None:
        """A document of the same name in another folder, else one of a similar name."""
        name = folded(page_of(target)).rpartition("/")[2]
        candidates = self._by_name.get(name) or [path for like in self._names(name) for path in self._by_name[like]]
        return nearest([path for path in candidates if path != source], source) if name else None

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        table: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._documents):
            table[folded(page_of(path)).rpartition("/")[2]].append(path)
        return table

    @cached_property
    def _names(self) -> _SimilarNames:
        return _SimilarNames(self._by_name)


class _SimilarNames:
    """A name → the one that is most like it. Comparing letter by letter takes long, so only names that share most
    pairs of letters are compared."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known: dict[str, list[str]] = {}
        self._with: dict[str, list[str]] = defaultdict(list)
        for name in names:
            for pair in _pairs(name):
                self._with[pair].append(name)

    def __call__(self, name: str) -> list[str]:
        if name not in self._known:
            shared = Counter(other for pair in _pairs(name) for other in self._with.get(pair, ()))
            rough = nlargest(_CANDIDATES, shared, lambda other: (shared[other] / (len(other) + len(name)), other))
            self._known[name] = get_close_matches(name, rough, 1, ALIKE)
        return self._known[name]


def _pairs(name: str) -> set[str]:
    return set(map(str.__add__, name, name[1:]))


def _continues(one: str, other: str) -> bool:
    """Whether one name is the other with something more at its end."""
    short, long = sorted((one, other.lower()), key=len)
    return len(short) >= _SHORTEST and long.startswith(f"{short}-")


def _from(source: str, path: str) -> str:
    return quote(posixpath.relpath(path, posixpath.dirname(source) or "."), safe="/:@!$&'*+,;=~()-._")
