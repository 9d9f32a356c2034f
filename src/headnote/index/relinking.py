"""Resolve again the links that may lead elsewhere after an update."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from headnote.formats.kinds import open_document
from headnote.index.plan import Plan
from headnote.links.anchors import Anchors, anchors_of, block_ids
from headnote.links.resolving import SitesOfRoots, TreeResolver, is_partial, stored_bases
from headnote.links.sites.detection import sites_without_files
from headnote.links.sites.site import Naming, naming_of
from headnote.sources.tree import NO_FILES, Tree
from headnote.store.interface import Reader, Writer
from headnote.store.rows import DocumentRow, LinkRow


class LinkContext(NamedTuple):
    """What the links of an index are resolved with, besides the documents."""

    sites: SitesOfRoots
    tree: Tree = NO_FILES
    changed: bool = False
    """Whether the sites differ from those the stored links were resolved with."""


class LinkNames(NamedTuple):
    """The names that links may use for documents. If they change, any link may lead elsewhere."""

    naming: dict[str, tuple[Naming, list[str]]]
    """Document → its names, and the ids of its blocks."""
    bases: dict[str, str]
    """Name of a root → the prefix of links from its top, see `common_base`."""


def names(reader: Reader, paths: Iterable[str], tree: Tree) -> LinkNames:
    documents = (reader.document(path) for path in paths)
    naming = {one.path: (naming_of(one), block_ids(one.text)) for one in documents if one}
    return LinkNames(naming, stored_bases(reader, tree))


class WrittenDocuments(NamedTuple):
    """Anchors, names and links of the documents that an update has written."""

    anchors: dict[str, Anchors]
    naming: dict[str, Naming]
    links: dict[str, Sequence[LinkRow]]
    """As written; not resolved yet."""

    def all_links(self, reader: Reader) -> Iterable[LinkRow]:
        """Of all documents, by place; those of a folder that was read as a whole need not be read again."""
        if self.links.keys() >= set(reader.document_paths()):
            return chain.from_iterable(self.links.values())
        return reader.links()


def relink(
    writer: Writer, plan: Plan, written: WrittenDocuments, everything: bool, before: LinkNames, context: LinkContext
) -> None:
    """Resolve all links if names came or went, else the links from and to the changed documents."""
    changed_paths = written.anchors
    links: Iterable[LinkRow]
    if everything or context.changed or _may_change_all(writer, plan, changed_paths, before, context.tree):
        links = written.all_links(writer)
    elif changed_paths:
        affected = {link.path for path in changed_paths for link in (*writer.links_from(path), *writer.links_to(path))}
        links = [link for path in sorted(affected) for link in writer.links_from(path)]
    else:
        return
    contents = StoredContents(writer, written)
    paths = frozenset(writer.document_paths())
    resolver = TreeResolver(context.tree, paths, contents, context.sites, stored_bases(writer, context.tree))
    by_document: dict[str, list[LinkRow]] = {}
    changed: dict[str, None] = {}
    for link in links:
        resolved = resolver.resolve(link)
        by_document.setdefault(link.path, []).append(resolved)
        if resolved != link:
            changed[link.path] = None
    if changed:
        writer.set_links({path: by_document[path] for path in changed})


def _may_change_all(writer: Writer, plan: Plan, changed: Iterable[str], before: LinkNames, tree: Tree) -> bool:
    if plan.added or plan.removed or plan.renamed or any(map(is_partial, changed)):
        return True
    return names(writer, before.naming, tree) != before


def link_all(writer: Writer) -> None:
    """Resolve every link, for documents that were stored without an update."""
    context = LinkContext({"": sites_without_files(writer.document_paths())})
    relink(writer, Plan([], [], [], [], [], 0), WrittenDocuments({}, {}, {}), True, LinkNames({}, {}), context)


class StoredContents:
    """Anchors and names of documents: known for those just written, computed from the store for the others."""

    def __init__(self, reader: Reader, written: WrittenDocuments) -> None:
        self._reader = reader
        self._anchors = dict(written.anchors)
        self._written = written.naming

    def anchors(self, path: str) -> Anchors:
        if path not in self._anchors:
            self._anchors[path] = self._read(path)
        return self._anchors[path]

    def naming(self) -> Mapping[str, Naming]:
        return self._naming

    def block(self, identifier: str) -> str | None:
        return self._blocks.get(identifier)

    @cached_property
    def _naming(self) -> dict[str, Naming]:
        paths = self._reader.document_paths()
        if self._written.keys() >= set(paths):
            return {path: self._written[path] for path in paths}
        return {head.path: naming_of(head) for head in self._reader.heads()}

    @cached_property
    def _blocks(self) -> dict[str, str]:
        """Block id → document. Reads every text, so it is built only when a link to a block needs it."""
        documents: dict[str, str] = {}
        for path in self._reader.document_paths():
            document = self._reader.document(path)
            for identifier in block_ids(document.text) if document else ():
                documents.setdefault(identifier, path)
        return documents

    def _read(self, path: str) -> Anchors:
        document = self._reader.document(path)
        return Anchors() if document is None else self._anchors_in(document)

    def _anchors_in(self, document: DocumentRow) -> Anchors:
        rows = [chunk.row for chunk in self._reader.chunks_of(document.path)]
        return anchors_of(open_document(document.text, document.path, document.mdx), rows)
