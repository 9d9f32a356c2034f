"""Documents as read → what is wrong with their links and their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from headnote.links.anchors import Anchors
from headnote.links.checking.checked_files import LinkedDocument
from headnote.links.checking.link_report import Finding, FindingKind, Position
from headnote.links.checking.near_misses import Suggestions
from headnote.links.resolving import (
    RootContents,
    SitesOfRoots,
    TreeLinkCheck,
    TreeResolver,
    bases_of,
    is_partial,
    path_of,
)
from headnote.links.sites.addresses import Addresses
from headnote.links.sites.site import Naming, Site, is_page, site_of
from headnote.links.sites.site_files import names_a_file
from headnote.model.progress import Progress, Watcher
from headnote.sources.tree import Tree
from headnote.store.rows import LinkRow

_TOP = Position(1, 1, 1, 1)


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


def findings_in(
    documents: Sequence[LinkedDocument], tree: Tree, sites: SitesOfRoots, on_progress: Watcher
) -> list[Finding]:
    """All that is wrong, by path and place."""
    found = [
        *_broken(documents, tree, sites, on_progress),
        *_repeated(documents),
        *_at_one_address(documents, tree, sites),
    ]
    return sorted(found, key=lambda finding: (finding.path, finding.at, finding.kind))


# -- links


def _broken(
    documents: Sequence[LinkedDocument], tree: Tree, sites: SitesOfRoots, on_progress: Watcher
) -> Iterator[Finding]:
    paths = frozenset(document.path for document in documents)
    links = [link for document in documents for link in document.links]
    contents = CheckedContents(documents)
    bases = bases_of(tree, (link.row for link in links), paths)
    resolver = TreeResolver(tree, paths, contents, sites, bases)
    check = TreeLinkCheck(tree, paths, sites, bases)
    suggestions = Suggestions(tree, paths, contents, sites, bases)
    for done, link in enumerate(links):
        on_progress(Progress("check", done, len(links)))
        row = resolver.resolve(link.row)
        if check.is_broken(row):
            kind = _kind(row, paths)
            yield Finding(
                kind=kind,
                path=row.path,
                at=link.at,
                target=row.written,
                message=_message(kind, row),
                suggestion=_suggestion(kind, row, suggestions),
            )


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
    """Documents of one site with the same address. In a plain folder nobody shows them under addresses."""
    contents = CheckedContents(documents)
    for root in tree.roots:
        naming = RootContents(contents, root).naming
        for site in (site for site in sites.get(root.name, ()) if site.generator != "plain"):
            shown = (path for path in naming() if site_of(path, sites[root.name]) == site)
            for path, other, address in _sharing_an_address(shown, site, naming):
                message = f"{root.prefix}{other} has the same address, {address}"
                yield Finding("duplicate-address", root.prefix + path, _TOP, address, message)


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
