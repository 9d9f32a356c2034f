"""Where links lead in an index of several roots.

A link leads inside its own root exactly as it does where that root is indexed alone. If it finds no document there, it
may lead into another root: by the path of the file on this machine, by the name of the other root, or by the name of a
note.
"""

from __future__ import annotations

import os
import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from headnote.index.anchors import Anchors
from headnote.index.linking import BLOCK, PLAIN_SITES, Contents, LinkCheck, Resolver, path_of
from headnote.index.sites.addresses import common_base
from headnote.index.sites.files import Neighbours, SiteFiles
from headnote.index.sites.model import Naming, Site
from headnote.sources.tree import Place, Root, Tree
from headnote.store.base import Reader
from headnote.store.rows import LinkRow

SitesOfRoots = Mapping[str, Sequence[Site]]
"""Name of a root → its sites, with paths as the root sees them."""


class Resolves(Protocol):
    def resolve(self, link: LinkRow) -> LinkRow:
        """The same link, with the place it leads to now."""


class Checks(Protocol):
    def is_broken(self, link: LinkRow) -> bool:
        """Whether a link should lead somewhere below a root, and does not."""


def resolver_of(
    tree: Tree | None, paths: Collection[str], contents: Contents, sites: SitesOfRoots, bases: Mapping[str, str]
) -> Resolves:
    """What resolves the links of an index. Without a tree, its files are not available."""
    if tree is not None and tree.is_named:
        return TreeResolver(tree, paths, contents, sites, bases)
    folder = tree.roots[0].folder if tree else None
    return Resolver(paths, contents, sites[""], SiteFiles(folder, paths), bases.get("", ""))


def link_check_of(tree: Tree, documents: Collection[str], sites: SitesOfRoots, bases: Mapping[str, str]) -> Checks:
    """What tells which links of an index are broken."""
    if tree.is_named:
        return TreeLinkCheck(tree, documents, sites, bases)
    return LinkCheck(tree.roots[0].folder, documents, sites.get("", ()), bases.get("", ""))


class TreeResolver:
    """Resolves links among the documents of several roots."""

    def __init__(
        self, tree: Tree, paths: Collection[str], contents: Contents, sites: SitesOfRoots, bases: Mapping[str, str]
    ) -> None:
        self._tree = tree
        self._contents = contents
        inside = paths_by_root(tree, paths)
        self._files = {root.name: SiteFiles(root.folder, inside[root.name]) for root in tree.roots}
        self._resolvers = {
            root.name: Resolver(
                inside[root.name],
                RootContents(contents, root),
                sites.get(root.name) or PLAIN_SITES,
                self._files[root.name],
                bases.get(root.name, ""),
            )
            for root in tree.roots
        }
        self._known_names: dict[str, Neighbours] = {}

    def resolve(self, link: LinkRow) -> LinkRow:
        place = self._tree.place(link.path)
        if link.external or place is None:
            return link
        name, own = place.root.name, self._resolvers[place.root.name]
        inside = own.resolve(link._replace(path=place.path))
        resolved = inside._replace(path=link.path)
        if inside.resolved is not None:
            resolved = resolved._replace(resolved=place.root.prefix + inside.resolved)
            if own.has(inside.resolved):
                return resolved
        if document := self._document_elsewhere(link, place):
            return (
                self._resolvers[document.root.name]
                .placed(link, document.path)
                ._replace(resolved=document.root.prefix + document.path)
            )
        if inside.resolved is not None and self._files[name].has(inside.resolved):
            return resolved
        file = self._file_elsewhere(link, place)
        return resolved._replace(resolved=file, section=None, resolved_chunk=None) if file else resolved

    # -- into another root

    def _document_elsewhere(self, link: LinkRow, place: Place) -> Place | None:
        if block := BLOCK.fullmatch(link.target):
            path = self._contents.block(block[1].lower())
            return self._tree.place(path) if path else None
        if _is_name(link):
            return self._named_elsewhere(link.target.strip(), link.path)
        for there in self._places_elsewhere(link, place):
            document = self._resolvers[there.root.name].document_at(there.path)
            if document is not None:
                return Place(there.root, document)
        return None

    def _named_elsewhere(self, name: str, source: str) -> Place | None:
        """The note of this name, of several the least deep. A name may begin with that of a root."""
        for spelling in dict.fromkeys((name, unquote(name))):
            if spelling not in self._known_names:
                self._known_names[spelling] = Neighbours(self._find_named(spelling))
            path = self._known_names[spelling].nearest(source)
            if path is not None:
                return self._tree.place(path)
        return None

    def _find_named(self, name: str) -> list[str]:
        first, _, rest = name.strip("/").partition("/")
        return [first + "/" + path for path in self._named_in(first, rest)] or [
            f"{root.prefix}{path}" for root in self._tree.roots for path in self._named_in(root.name, name)
        ]

    def _named_in(self, root: str, name: str) -> list[str]:
        resolver = self._resolvers.get(root)
        return resolver.documents_named(name.strip("/")) if resolver and name.strip("/") else []

    def _file_elsewhere(self, link: LinkRow, place: Place) -> str | None:
        """A file that is no document, such as a picture."""
        if _is_name(link):
            name = link.target.strip()
            found = ((root, self._files[root.name].named(name, "")) for root in self._tree.roots if "." in name)
            return next((root.prefix + path for root, path in found if path), None)
        for there in self._places_elsewhere(link, place):
            if there.path and self._files[there.root.name].has(there.path):
                return there.root.prefix + there.path
        return None

    def _places_elsewhere(self, link: LinkRow, place: Place) -> Iterator[Place]:
        """Where a path may lead outside its root: by files on this machine; from the top, by the name of a root."""
        target = path_of(link)
        if target.startswith("/"):
            there = self._tree.place(posixpath.normpath(target).lstrip("/"))
        elif target:
            folder = self._tops[place.root.name] / posixpath.dirname(place.path)
            there = self._place_of(Path(os.path.normpath(folder / target)))
        else:
            return
        if there is not None and there.root is not place.root:
            yield there

    def _place_of(self, file: Path) -> Place | None:
        """Of nested roots, the inner one has the file."""
        around = [root for root in self._tree.roots if file.is_relative_to(self._tops[root.name])]
        if not around:
            return None
        root = max(around, key=lambda root: len(self._tops[root.name].parts))
        inside = file.relative_to(self._tops[root.name]).as_posix()
        return Place(root, "" if inside == "." else inside)

    @cached_property
    def _tops(self) -> dict[str, Path]:
        return {root.name: root.real for root in self._tree.roots}


class TreeLinkCheck:
    """Which links are broken. A root that is away has no broken links to files: nobody can tell."""

    def __init__(self, tree: Tree, documents: Collection[str], sites: SitesOfRoots, bases: Mapping[str, str]) -> None:
        self._tree = tree
        self._documents = documents
        inside = paths_by_root(tree, documents)
        self._files = {root.name: SiteFiles(root.folder) for root in tree.roots}
        self._checks = {
            root.name: LinkCheck(root.folder, inside[root.name], sites.get(root.name, ()), bases.get(root.name, ""))
            for root in tree.roots
        }
        self._away = {root.name for root in tree.roots if not Path(root.folder).is_dir()}

    def is_broken(self, link: LinkRow) -> bool:
        place = self._tree.place(link.path)
        if link.external or place is None:
            return False
        if link.resolved in self._documents:
            is_missing = bool(link.fragment) and link.section is None
            return is_missing and not self._checks[place.root.name].leaves(link._replace(path=place.path))
        there = self._tree.place(link.resolved) if link.resolved is not None else None
        if place.root.name in self._away or (there and there.root.name in self._away):
            return False
        if there and self._files[there.root.name].has(there.path):
            return False
        inside = there.path if there and there.root is place.root else None
        return self._checks[place.root.name].is_broken(link._replace(path=place.path, resolved=inside))


class RootContents:
    """What the links of one root need to know about its documents."""

    def __init__(self, contents: Contents, root: Root) -> None:
        self._contents = contents
        self._prefix = root.prefix

    def anchors(self, path: str) -> Anchors:
        return self._contents.anchors(self._prefix + path)

    def naming(self) -> Mapping[str, Naming]:
        return self._naming

    def block(self, identifier: str) -> str | None:
        path = self._contents.block(identifier)
        return path.removeprefix(self._prefix) if path and path.startswith(self._prefix) else None

    @cached_property
    def _naming(self) -> dict[str, Naming]:
        whole = self._contents.naming().items()
        return {path.removeprefix(self._prefix): one for path, one in whole if path.startswith(self._prefix)}


def stored_bases(reader: Reader, tree: Tree | None) -> dict[str, str]:
    """The same as `bases_of`, of the links of an index."""
    targets = reader.targets_from_top()
    if not targets:
        return {}
    if tree is None or not tree.is_named:
        return {"": common_base(targets, reader.document_paths())}
    return bases_of(tree, reader.links(), reader.document_paths())


def bases_of(tree: Tree, links: Iterable[LinkRow], paths: Iterable[str]) -> dict[str, str]:
    """Name of a root → the prefix of links from its top, see `common_base`; only of roots with such links."""
    by_root: dict[str, Counter[str]] = defaultdict(Counter)
    for link in links:
        if link.target.startswith("/") and not link.external and (place := tree.place(link.path)):
            by_root[place.root.name][link.target] += 1
    inside = paths_by_root(tree, paths) if by_root else {}
    return {name: common_base(targets, inside[name]) for name, targets in by_root.items()}


def paths_by_root(tree: Tree, paths: Iterable[str]) -> dict[str, set[str]]:
    """Name of a root → paths, as it sees them."""
    inside: dict[str, set[str]] = {root.name: set() for root in tree.roots}
    for path in paths:
        if place := tree.place(path):
            inside[place.root.name].add(place.path)
    return inside


def _is_name(link: LinkRow) -> bool:
    return link.kind in ("wikilink", "embed") and not link.target.strip().startswith(("./", "../"))
