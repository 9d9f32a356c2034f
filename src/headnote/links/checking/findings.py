"""Documents as read → what is wrong with their links and their ids, and what each target that does not exist may have
meant."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote, unquote

from headnote.links.anchors import Anchors, is_guessed
from headnote.links.checking.checked_files import LinkedDocument
from headnote.links.checking.link_report import TOP, Finding, FindingKind
from headnote.links.judging import TreeLinkCheck
from headnote.links.resolving import (
    PLAIN_SITES,
    Contents,
    RootContents,
    SiteAddresses,
    SitesOfRoots,
    TreeResolver,
    is_partial,
    learnt_mounts,
    path_of,
)
from headnote.links.sites.addresses import Addresses
from headnote.links.sites.site import Mount, Naming, Site, folded, is_page, page_of, site_of, without_suffix
from headnote.links.sites.site_files import Neighbours, SiteFiles, names_a_file
from headnote.model.results import Progress, Watcher
from headnote.sources.files import SimilarNames
from headnote.sources.tree import RootPlace, Tree
from headnote.store.rows import LinkRow

ALIKE = 0.75
"""Minimum similarity of two names, from 0 to 1. A wrong suggestion is worse than none."""
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
        learnt: Mapping[str, Mount],
    ) -> None:
        self._tree = tree
        self._documents = documents
        self._contents = contents
        self._sites = sites
        self._learnt = learnt
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
                self._learnt.get(root.name),
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


# -- Documents as read → what is wrong with their links and their ids.


class CheckedContents:
    """Anchors and names of documents that were just read."""

    def __init__(self, documents: Iterable[LinkedDocument]) -> None:
        self._documents = {document.path: document for document in documents}

    def anchors(self, path: str) -> Anchors:
        document = self._documents.get(path)
        return document.anchors if document else Anchors()

    def naming(self) -> Mapping[str, Naming]:
        return self._naming

    def block(self, identifier: str) -> str | None:
        return self._blocks.get(identifier)

    @cached_property
    def _naming(self) -> dict[str, Naming]:
        return {path: document.naming for path, document in sorted(self._documents.items())}

    @cached_property
    def _blocks(self) -> dict[str, str]:
        blocks: dict[str, str] = {}
        for path, document in sorted(self._documents.items()):
            for identifier in document.blocks:
                blocks.setdefault(identifier, path)
        return blocks


class CheckedLinks(NamedTuple):
    """The links of all documents, and what is wrong with them."""

    findings: list[Finding]
    """By path and place."""
    resolved: list[LinkRow]
    """Where each leads."""
    unjudged: int
    """How many lead to what only the program of a site knows."""


def check_of_links(
    documents: Sequence[LinkedDocument], tree: Tree, sites: SitesOfRoots, on_progress: Watcher
) -> CheckedLinks:
    checked = _broken(documents, tree, sites, on_progress)
    others = (*_repeated(documents), *_at_one_address(documents, tree, sites))
    return checked._replace(findings=in_order([*checked.findings, *others]))


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (finding.path, finding.at, finding.kind))


# -- links


def _broken(documents: Sequence[LinkedDocument], tree: Tree, sites: SitesOfRoots, on_progress: Watcher) -> CheckedLinks:
    paths = frozenset(document.path for document in documents)
    links = [link for document in documents for link in document.links]
    contents = CheckedContents(documents)
    learnt = learnt_mounts(tree, (link.row for link in links), paths)
    resolver = TreeResolver(tree, paths, contents, sites, learnt)
    resolved = list[LinkRow]()
    for done, link in enumerate(links):
        on_progress(Progress("check", done, len(links)))
        resolved.append(resolver.resolve(link.row))
    check = TreeLinkCheck(tree, paths, sites, learnt, lambda: resolved)
    suggestions = Suggestions(tree, paths, contents, sites, learnt)
    broken, unjudged = [], 0
    for link, row in zip(links, resolved, strict=True):
        if check.is_broken(row):
            kind = _kind(row, paths)
            broken.append(
                Finding(
                    kind=kind,
                    path=row.path,
                    at=link.at,
                    target=row.written,
                    message=_message(kind, row),
                    suggestion=_suggestion(kind, row, suggestions),
                )
            )
        elif check.is_unjudged(row) or _is_guessed(row, contents):
            unjudged += 1
    return CheckedLinks(broken, resolved, unjudged)


def _is_guessed(link: LinkRow, contents: Contents) -> bool:
    is_named = link.fragment and link.section is not None and link.resolved is not None
    return bool(is_named) and is_guessed(contents.anchors(str(link.resolved)), link.fragment, "plain")


def _kind(link: LinkRow, paths: frozenset[str]) -> FindingKind:
    if link.resolved in paths:
        return "anchor"
    if link.kind == "image":
        return "file"
    if link.kind in ("wikilink", "embed"):
        return "file" if names_a_file(link.target) else "page"
    return "page" if is_page(path_of(link)) else "file"


def _message(kind: FindingKind, link: LinkRow) -> str:
    if kind == "anchor":
        where = "this document" if link.resolved == link.path else str(link.resolved)
        return f"{where} has no heading or id #{link.fragment}"
    what = "document" if kind == "page" else "picture" if link.kind == "image" else "file"
    return f"no {what} {link.target}"


def _suggestion(kind: FindingKind, link: LinkRow, suggestions: Suggestions) -> str:
    if kind == "anchor":
        return suggestions.anchor(link)
    return suggestions.page(link) if kind == "page" else suggestions.file(link)


# -- duplicates


def _repeated(documents: Iterable[LinkedDocument]) -> Iterator[Finding]:
    for document in documents:
        for name, at in document.repeated:
            message = f"the id #{name} is given twice in this document, and links lead to the first"
            yield Finding("duplicate-anchor", document.path, at, f"#{name}", message)


def _at_one_address(documents: Iterable[LinkedDocument], tree: Tree, sites: SitesOfRoots) -> Iterator[Finding]:
    """Documents of one site with the same address. In a plain folder nobody shows them under addresses, and Sphinx has
    an address for each file."""
    contents = CheckedContents(documents)
    for root in tree.roots:
        naming = RootContents(contents, root).naming
        for site in (site for site in sites.get(root.name, ()) if site.generator not in ("plain", "sphinx")):
            shown = (path for path in naming() if site_of(path, sites[root.name]) == site)
            for path, other, address in _sharing_an_address(shown, site, naming):
                message = f"{root.prefix}{other} has the same address, {address}"
                yield Finding("duplicate-address", root.prefix + path, TOP, address, message)


def _sharing_an_address(
    paths: Iterable[str], site: Site, naming: Callable[[], Mapping[str, Naming]]
) -> Iterator[tuple[str, str, str]]:
    """A document, the first one that is shown where it is, and the address."""
    addresses = Addresses(site, naming)
    first: dict[frozenset[str], str] = {}
    for path in sorted(paths):
        if not _is_no_page(path, site) and (own := addresses.own(path)) and first.setdefault(own, path) != path:
            yield path, first[own], min(own)


def _is_no_page(path: str, site: Site) -> bool:
    """Whether a site shows a document only as a part of others, or not as a page."""
    name = path.rpartition("/")[2]
    return path.lower().endswith(".txt") or (is_partial(path) and not (site.generator == "hugo" and name[0] == "_"))
