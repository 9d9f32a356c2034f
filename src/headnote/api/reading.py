"""Read documents, chunks and links from a store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headnote.api.reports import DocumentView
from headnote.errors import MissingSource, SettingsError, UnreadIndex, shown
from headnote.index.manifest import files_read, unfinished_reads
from headnote.lines import whole_lines
from headnote.links.graph import Graph, Neighbourhood, graph_of, neighbourhood_of
from headnote.links.sites.site import read_sites
from headnote.model import Passage
from headnote.sources.files import nearest_paths
from headnote.sources.repository import SkippedFile
from headnote.sources.tree import Tree, meant_path, spellings, why_left_out
from headnote.store.integrity import BROKEN, unsigned
from headnote.store.interface import Reader, Store
from headnote.store.rows import DocumentHead, DocumentRow, LinkRow, StoredChunk

if TYPE_CHECKING:
    from headnote.markdown.outline import OutlineEntry
    from headnote.search.related import RelatedSource


class Library(NamedTuple):
    """What an index is made of, for those who read from it."""

    home: Path
    """The folder that the index belongs to."""
    tree: Tree
    """The folders of its documents."""
    max_bytes: int
    """Larger files are left out."""


_MOST_CALLED = 5
"""Documents of one name that an error lists."""

# Imports inside functions load the Markdown scanner: a program that only searches must not wait for it.


def document_row(reader: Reader, library: Library, name: str) -> DocumentRow:
    """The document that a path or a name means, or an error that names those it may mean. Whoever takes a document
    from a user asks here: a command, a program, a request or a tool."""
    from headnote.links.resolving import documents_called

    if document := reader.document(name):
        return document
    meant = meant_path(name, library.tree, reader.document_paths())
    if meant and (document := reader.document(meant)):
        return document
    # Of a file that is there and left out, that is said, before a document is guessed.
    if left_out := _left_out(reader, library, name):
        about = "" if left_out.path == name else f"{left_out.path}: "
        raise MissingSource("exists, and is left out", path=name, remedy=f"{about}{left_out.reason}")
    heads = reader.heads()
    called = documents_called(name, heads)
    if len(called) == 1 and (document := reader.document(called[0])):
        return document
    if called:
        remedy = f"name one by its path: {_some(called)}"
        raise MissingSource("means several documents", path=name, remedy=remedy)
    raise _unknown(name, _nearest(name, heads), _see_status(library))


def unknown_document(path: str, documents: Sequence[str]) -> MissingSource:
    """The error for a path that means none of these, with the nearest of them."""
    return _unknown(path, nearest_paths(path, documents), "see all documents")


def _unknown(name: str, near: Sequence[str], remedy: str) -> MissingSource:
    return MissingSource("not in the index", path=name, remedy=f"nearest: {', '.join(near)}" if near else remedy)


def _see_status(library: Library) -> str:
    return f"see headnote status {library.home}"


def _nearest(name: str, heads: Sequence[DocumentHead]) -> list[str]:
    """The documents whose path, or else whose title or alias, is most like a wrong name."""
    near = nearest_paths(name, [head.path for head in heads])
    if near:
        return near
    names = {one: head.path for head in reversed(heads) for one in (head.title, *head.aliases)}
    return list(dict.fromkeys(f"{names[one]} ({one})" for one in nearest_paths(name, list(names))))


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - _MOST_CALLED
    return ", ".join(paths[:_MOST_CALLED]) + (f" and {more:,} more" if more > 0 else "")


def _left_out(reader: Reader, library: Library, path: str) -> SkippedFile | None:
    """Why a file that exists is not in the index; None if it does not exist."""
    non_texts = reader.non_texts()
    for spelling in spellings(path, library.tree):
        if non_text := non_texts.get(spelling):
            return SkippedFile(spelling, non_text.reason)
        if left_out := why_left_out(library.tree, spelling, library.max_bytes):
            return left_out
    return None


def document_view(store: Store, library: Library, path: str) -> DocumentView:
    """A document with everything known about it, read at one moment."""
    with store.reading() as reader:
        document = document_row(reader, library, path)
        path = document.path
        chunks, links, backlinks = reader.chunks_of(path), reader.links_from(path), reader.links_to(path)
        is_broken = _link_check(reader, library)
    return DocumentView(
        document=document,
        headings=document_outline(document),
        chunks=chunks,
        links=links,
        backlinks=backlinks,
        broken=frozenset(filter(is_broken, {*links, *backlinks})),
        root=library.tree.root_of(path),
    )


def document_outline(document: DocumentRow) -> list[OutlineEntry]:
    from headnote.formats.kinds import open_document

    return open_document(document.text, document.path, document.mdx).outline


def find_section(document: DocumentRow, heading: str) -> OutlineEntry:
    """The section under a heading, by its text or anchor."""
    from headnote.markdown.outline import find_heading

    entries = document_outline(document)
    entry = find_heading(entries, heading)
    if entry is None:
        headings = ", ".join(entry.heading.text for entry in entries[:8]) or "none"
        raise MissingSource(f"no heading {shown(heading)}", path=document.path, remedy=f"it has: {headings}")
    return entry


_LINE = re.compile(r"(.+):([0-9]{1,9})")


def read_place(reader: Reader, library: Library, place: str, line: int | None) -> RelatedSource:
    """A document, or the part of it that `path:line` or `path#heading` names."""
    from headnote.search.related import RelatedSource

    heading = ""
    if reader.document(place) is None:
        if line is None and (match := _LINE.fullmatch(place)):
            place, line = match[1], int(match[2])
        elif "#" in place:
            place, _, heading = place.partition("#")
    document = document_row(reader, library, place)
    chunks = reader.chunks_of(document.path)
    if heading:
        entry = find_section(document, heading)
        first, last = entry.start_line, entry.end_line
    elif line is not None:
        first = last = passage(document, line, line).start_line
    else:
        return RelatedSource(document, chunks)
    inside = [chunk for chunk in chunks if chunk.row.start_line <= last and first <= chunk.row.end_line]
    nearest = sorted(chunks, key=lambda chunk: abs(chunk.row.start_line - first))[:1]
    return RelatedSource(document, inside or nearest)


def passage(document: DocumentRow, start_line: int, end_line: int | None) -> Passage:
    """Lines of a document, both ends included."""
    if start_line < 1 or (end_line is not None and end_line < start_line):
        what = f"lines {start_line} to {end_line} are not a range"
        raise SettingsError(what, path=document.path, remedy="count from 1, first line first")
    lines = whole_lines(document.text)
    if start_line > max(len(lines), 1):
        raise SettingsError(
            f"line {start_line} is past the end", path=document.path, remedy=f"the document has {len(lines)} lines"
        )
    selection = lines[start_line - 1 : end_line]
    return Passage(
        path=document.path,
        start_line=start_line,
        end_line=start_line + max(len(selection) - 1, 0),
        text="".join(selection),
    )


def find_chunk(store: Store, key: str) -> StoredChunk:
    """A chunk by its key or id."""
    from headnote.chunking.records import paths_in_id

    with store.reading() as reader:
        for path in paths_in_id(key):
            for chunk in reader.chunks_of(path):
                if key in (chunk.key, chunk.chunk_id):
                    return chunk
    raise MissingSource("no such chunk in the index", path=key, remedy="search again: its text has changed")


def broken_links(store: Store, library: Library) -> list[LinkRow]:
    with store.reading() as reader:
        _check_links_are_resolved(reader, library)
        links, is_broken = reader.links(), _link_check(reader, library)
    return _broken_of(links, is_broken)


def orphans(store: Store, library: Library) -> list[str]:
    with store.reading() as reader:
        _check_links_are_resolved(reader, library)
        return reader.orphans()


def graph(store: Store, library: Library) -> Graph:
    with store.reading() as reader:
        documents, connections = reader.summaries(), reader.connections()
        links, is_broken = reader.links(), _link_check(reader, library)
    return graph_of(documents, connections, _broken_of(links, is_broken))


def neighbourhood(store: Store, library: Library, path: str, depth: int, limit: int) -> Neighbourhood:
    with store.reading() as reader:
        path = document_row(reader, library, path).path
        documents, connections = reader.summaries(), reader.connections()
    return neighbourhood_of(documents, connections, path, depth, limit)


def _broken_of(links: Iterable[LinkRow], is_broken: Callable[[LinkRow], bool]) -> list[LinkRow]:
    return sorted(filter(is_broken, links), key=lambda link: (link.path, link.line))


def _check_links_are_resolved(reader: Reader, library: Library) -> None:
    """Raise if nobody can tell where all links lead: they are resolved when all files are read."""
    manifest = reader.manifest()
    if manifest and not unfinished_reads(manifest):
        return
    read = files_read(manifest)
    if read:
        message = f"{read}: links are resolved when all are"
    elif manifest:
        message = "an update was interrupted or is under way: links are resolved at its end"
    else:
        message = "nothing has been read yet"
    raise UnreadIndex(message, path=str(library.home), remedy=f"run headnote index {library.home}")


def _link_check(reader: Reader, library: Library) -> Callable[[LinkRow], bool]:
    """Whether a link is broken. Until all files are read once, no link is resolved, and none is called broken. A pack
    has no folder to look into; it knows which links were broken there."""
    from headnote.links.resolving import TreeLinkCheck, stored_bases

    manifest = reader.manifest()
    if files_read(manifest):
        return lambda _: False
    if BROKEN in manifest:
        broken = {tuple(place) for place in unsigned(manifest[BROKEN])}
        return lambda link: _place_of(link) in broken
    bases = stored_bases(reader, library.tree)
    return TreeLinkCheck(library.tree, set(reader.document_paths()), read_sites(manifest), bases).is_broken


def broken_places(reader: Reader, library: Library) -> list[tuple[str, int, str]]:
    """Where the broken links of a folder are, for those who have no folder."""
    return sorted(set(map(_place_of, filter(_link_check(reader, library), reader.links()))))


def _place_of(link: LinkRow) -> tuple[str, int, str]:
    return link.path, link.line, link.written
