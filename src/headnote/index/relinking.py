"""Links that may lead elsewhere after an update, resolved anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headnote.index.entries import Anchors, anchors_of
from headnote.index.linking import Resolver, folded
from headnote.index.plan import Plan
from headnote.index.store.base import Reader, Writer
from headnote.index.store.rows import LinkRow
from headnote.markdown.headings import headings
from headnote.markdown.scanner import scan


def aliases(reader: Reader, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    documents = (reader.document(path) for path in paths)
    return {document.path: document.aliases for document in documents if document}


def relink(
    writer: Writer,
    plan: Plan,
    put: Mapping[str, Anchors],
    everything: bool,
    before: Mapping[str, tuple[str, ...]],
) -> None:
    """Resolve what may lead elsewhere now: all links if names came or went, else those from and to what changed."""
    names_changed = bool(plan.added or plan.removed or plan.renamed) or aliases(writer, before) != before
    if everything or names_changed:
        links = writer.links()
    elif put:
        affected = {link.path for path in put for link in (*writer.links_from(path), *writer.links_to(path))}
        links = [link for path in sorted(affected) for link in writer.links_from(path)]
    else:
        return
    resolver = Resolver(writer.document_paths(), _AnchorsOf(writer, put), _AliasesOf(writer))
    by_document: dict[str, list[LinkRow]] = {}
    changed: dict[str, None] = {}
    for link in links:
        resolved = resolver.resolve(link)
        by_document.setdefault(link.path, []).append(resolved)
        if resolved != link:
            changed[link.path] = None
    for path in changed:
        writer.set_links(path, by_document[path])


def link_all(writer: Writer) -> None:
    """Resolve every link anew, for whoever has put documents in other ways than by an update."""
    relink(writer, Plan([], [], [], [], [], 0), {}, True, {})


class _AnchorsOf:
    """Path → its anchors: known for what was just read, worked out from the stored text for others."""

    def __init__(self, reader: Reader, known: Mapping[str, Anchors]) -> None:
        self._reader = reader
        self._known = dict(known)

    def __call__(self, path: str) -> Anchors:
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: str) -> Anchors:
        document = self._reader.document(path)
        if document is None:
            return {}
        blocks = scan(document.text, document.mdx)
        rows = [chunk.row for chunk in self._reader.chunks_of(path)]
        return anchors_of(headings(document.text, blocks), blocks, rows)


class _AliasesOf:
    """Other name → path, of all documents; the first by path if several claim it. Read only if a link asks."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._found: dict[str, str] | None = None

    def __call__(self) -> dict[str, str]:
        if self._found is None:
            self._found = {}
            for path, names in aliases(self._reader, self._reader.document_paths()).items():
                for name in names:
                    self._found.setdefault(folded(name), path)
        return self._found
