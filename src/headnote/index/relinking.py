"""The links of an update: resolved when all documents are known, and written then, each once if possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain

from headnote.formats.kinds import open_document
from headnote.index.plan import Plan
from headnote.links.anchors import Anchors, anchors_of, block_ids
from headnote.links.resolving import SitesOfRoots, TreeResolver, is_partial, learnt_mounts, stored_mounts
from headnote.links.sites.detection import sites_without_files
from headnote.links.sites.site import Mount, Naming, naming_of
from headnote.sources.tree import NO_FILES, Tree
from headnote.store.interface import Writer
from headnote.store.rows import LinkRow

_NameTable = dict[str, tuple[Naming, list[str]]]
"""Document → its names, and the ids of its blocks. If they change, any link may lead elsewhere."""


class Relinking:
    """The links that may lead elsewhere after an update. It is the `Contents` that resolving needs: anchors and names
    are known for documents just written, and computed from the store for the others."""

    def __init__(self, writer: Writer, tree: Tree, sites: SitesOfRoots, everything: bool) -> None:
        """`everything` resolves all links: they were resolved with other sites, or with other documents."""
        self._writer = writer
        self._tree = tree
        self._sites = sites
        self._everything = everything
        self._names: _NameTable = {}
        self._learnt: dict[str, Mount] = {}
        self._anchors: dict[str, Anchors] = {}
        self._written: dict[str, Naming] = {}
        self._links: dict[str, Sequence[LinkRow]] = {}
        """Of documents just written; not resolved yet."""
        self._unwritten: set[str] = set()

    def remember(self, paths: Iterable[str]) -> None:
        """The names of documents that may change, before they do."""
        self._names, self._learnt = self._names_of(paths), stored_mounts(self._writer, self._tree)

    def add(self, path: str, anchors: Anchors, naming: Naming, links: Sequence[LinkRow]) -> None:
        """A document that was written without its links."""
        self._anchors[path], self._written[path], self._links[path] = anchors, naming, links
        self._unwritten.add(path)

    def has(self, path: str) -> bool:
        """Whether this document was added."""
        return path in self._links

    def write(self) -> None:
        """Write links that are not resolved yet: a commit stores all of a document."""
        if self._unwritten:
            self._writer.set_links({path: self._links[path] for path in self._links if path in self._unwritten})
            self._unwritten.clear()

    def finish(self, plan: Plan) -> None:
        """Resolve all links if names came or went, else the links from and to the changed documents."""
        paths = frozenset(self._writer.document_paths())
        links: Iterable[LinkRow]
        if self._links.keys() >= paths:  # all of them were read now: nothing stored is read back
            links = chain.from_iterable(self._links.values())
            learnt = learnt_mounts(self._tree, chain.from_iterable(self._links.values()), paths)
        else:
            self.write()
            links = self._affected_links(plan)
            if not links:
                return
            learnt = stored_mounts(self._writer, self._tree)
        resolver = TreeResolver(self._tree, paths, self, self._sites, learnt)
        by_document: dict[str, list[LinkRow]] = {}
        changed = dict.fromkeys(path for path in self._links if path in self._unwritten)
        for link in links:
            resolved = resolver.resolve(link)
            by_document.setdefault(link.path, []).append(resolved)
            if resolved != link:
                changed[link.path] = None
        if rows := {path: by_document[path] for path in changed if path in by_document}:
            self._writer.set_links(rows)

    def _affected_links(self, plan: Plan) -> list[LinkRow]:
        writer = self._writer
        if self._everything or self._may_change_all(plan):
            return writer.links()
        around = ((*writer.links_from(path), *writer.links_to(path)) for path in self._links)
        affected = {link.path for link in chain.from_iterable(around)}
        return [link for path in sorted(affected) for link in writer.links_from(path)]

    def _may_change_all(self, plan: Plan) -> bool:
        if plan.added or plan.removed or plan.renamed or any(map(is_partial, self._links)):
            return True
        return self._names_of(self._names) != self._names or stored_mounts(self._writer, self._tree) != self._learnt

    def _names_of(self, paths: Iterable[str]) -> _NameTable:
        documents = (self._writer.document(path) for path in paths)
        return {one.path: (naming_of(one), block_ids(one.text)) for one in documents if one}

    # -- what resolving needs to know about documents

    def anchors(self, path: str) -> Anchors:
        if path not in self._anchors:
            self._anchors[path] = self._read_anchors(path)
        return self._anchors[path]

    def naming(self) -> Mapping[str, Naming]:
        return self._naming

    def block(self, identifier: str) -> str | None:
        return self._blocks.get(identifier)

    @cached_property
    def _naming(self) -> dict[str, Naming]:
        paths = self._writer.document_paths()
        if self._written.keys() >= set(paths):
            return {path: self._written[path] for path in paths}
        return {head.path: naming_of(head) for head in self._writer.heads()}

    @cached_property
    def _blocks(self) -> dict[str, str]:
        """Block id → document. Reads every text, so it is built only when a link to a block needs it."""
        documents: dict[str, str] = {}
        for path in self._writer.document_paths():
            document = self._writer.document(path)
            for identifier in block_ids(document.text) if document else ():
                documents.setdefault(identifier, path)
        return documents

    def _read_anchors(self, path: str) -> Anchors:
        document = self._writer.document(path)
        if document is None:
            return Anchors()
        rows = [chunk.row for chunk in self._writer.chunks_of(path)]
        return anchors_of(open_document(document.text, path, document.mdx), rows)


def link_all(writer: Writer) -> None:
    """Resolve every link, for documents that were stored without an update."""
    sites = {"": sites_without_files(writer.document_paths())}
    Relinking(writer, NO_FILES, sites, everything=True).finish(Plan([], [], [], [], [], 0))
