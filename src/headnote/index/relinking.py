"""Links that may lead elsewhere after an update, resolved anew."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from headnote.index.anchors import Anchors, anchors_of, block_ids
from headnote.index.linking import Resolver, is_partial
from headnote.index.plan import Plan
from headnote.index.sites.addresses import common_base
from headnote.index.sites.files import SiteFiles
from headnote.index.sites.finding import sites_without_files
from headnote.index.sites.model import Naming, Site, naming_of
from headnote.markdown.document import Document
from headnote.store.base import Reader, Writer
from headnote.store.rows import DocumentRow, LinkRow


class Surroundings(NamedTuple):
    """Where the documents of an index lie."""

    sites: Sequence[Site]
    root: str | os.PathLike[str] | None = None
    """None if the files are not at hand."""
    changed: bool = False
    """Whether the sites are others than those that links were resolved with."""


class Names(NamedTuple):
    """What links may call some documents, and all documents together: if it changes, any link may lead elsewhere."""

    naming: dict[str, tuple[Naming, list[str]]]
    """Document → what it says about itself, and the ids of its blocks."""
    base: str


def names(reader: Reader, paths: Iterable[str]) -> Names:
    documents = (reader.document(path) for path in paths)
    naming = {one.path: (naming_of(one), block_ids(one.text)) for one in documents if one}
    return Names(naming, _base(reader))


def _base(reader: Reader) -> str:
    targets = reader.targets_from_top()
    return common_base(targets, reader.document_paths()) if targets else ""


class Put(NamedTuple):
    """What is known of the documents that an update has put."""

    anchors: dict[str, Anchors]
    naming: dict[str, Naming]


def relink(writer: Writer, plan: Plan, put: Put, everything: bool, before: Names, around: Surroundings) -> None:
    """Resolve what may lead elsewhere now: all links if names came or went, else those from and to what changed."""
    changed_paths = put.anchors
    if everything or around.changed or _may_change_all(writer, plan, changed_paths, before):
        links = writer.links()
    elif changed_paths:
        affected = {link.path for path in changed_paths for link in (*writer.links_from(path), *writer.links_to(path))}
        links = [link for path in sorted(affected) for link in writer.links_from(path)]
    else:
        return
    contents = StoredContents(writer, put)
    paths = frozenset(writer.document_paths())
    resolver = Resolver(paths, contents, around.sites, SiteFiles(around.root, paths), _base(writer))
    by_document: dict[str, list[LinkRow]] = {}
    changed: dict[str, None] = {}
    for link in links:
        resolved = resolver.resolve(link)
        by_document.setdefault(link.path, []).append(resolved)
        if resolved != link:
            changed[link.path] = None
    for path in changed:
        writer.set_links(path, by_document[path])


def _may_change_all(writer: Writer, plan: Plan, changed: Iterable[str], before: Names) -> bool:
    if plan.added or plan.removed or plan.renamed or any(map(is_partial, changed)):
        return True
    return names(writer, before.naming) != before


def link_all(writer: Writer) -> None:
    """Resolve every link anew, for whoever has put documents in other ways than by an update."""
    around = Surroundings(sites_without_files(writer.document_paths()))
    relink(writer, Plan([], [], [], [], [], 0), Put({}, {}), True, Names({}, ""), around)


class StoredContents:
    """What documents say: known for those just put, worked out from what is stored for others."""

    def __init__(self, reader: Reader, put: Put) -> None:
        self._reader = reader
        self._anchors = dict(put.anchors)
        self._put = put.naming

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
        if self._put.keys() >= set(paths):
            return {path: self._put[path] for path in paths}
        return {head.path: naming_of(head) for head in self._reader.heads()}

    @cached_property
    def _blocks(self) -> dict[str, str]:
        """Every text is read, but only where a link to a block asks for it."""
        found: dict[str, str] = {}
        for path in self._reader.document_paths():
            document = self._reader.document(path)
            for identifier in block_ids(document.text) if document else ():
                found.setdefault(identifier, path)
        return found

    def _read(self, path: str) -> Anchors:
        document = self._reader.document(path)
        return Anchors() if document is None else self._anchors_in(document)

    def _anchors_in(self, document: DocumentRow) -> Anchors:
        rows = [chunk.row for chunk in self._reader.chunks_of(document.path)]
        return anchors_of(Document(document.text, document.path, document.mdx), rows)
