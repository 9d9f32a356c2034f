"""Read documents, chunks and links from a store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headnote.api.reports import DocumentView, LeftOut, Passages
from headnote.errors import HeadnoteError, MissingSource, SettingsError, UnreadIndex, shown
from headnote.index.manifest import files_read, unfinished_reads
from headnote.lines import whole_lines
from headnote.model import FoundWord, Passage
from headnote.sources.files import nearest_paths
from headnote.sources.repository import SkippedFile
from headnote.sources.tree import UNREAD, Tree, meant_path, spellings, why_left_out
from headnote.store.filters import path_matcher
from headnote.store.integrity import BROKEN, unsigned
from headnote.store.interface import Reader, Store
from headnote.store.rows import DocumentHead, DocumentRow, LinkRow, StoredChunk

if TYPE_CHECKING:
    from headnote.links.graph import Graph, Neighbourhood
    from headnote.markdown.headings import OutlineEntry
    from headnote.search.related import RelatedSource

_MAX_NAMESAKES = 5
"""Documents of one name that an error lists."""
_MAX_SIGNS = 8
"""Signs `#` in a place of which any may begin the heading."""
_LINES = re.compile(r"(.+?):([0-9]{1,9})(?:-([0-9]{1,9}))?")
_GLOB = re.compile(r"[*?\[]")

# Imports inside functions load the Markdown scanner, a token counter or what only links need: a program that only
# searches must not wait.


@dataclass(frozen=True, slots=True)
class Library:
    """The documents of an index, for those who read them."""

    store: Store
    home: Path
    """The folder that the index belongs to."""
    tree: Tree
    """The folders of its documents."""
    max_bytes: int
    """Larger files are left out."""

    # One document

    def find(self, reader: Reader, name: str) -> DocumentRow:
        """The document that a path or a name means, or an error that names those it may mean. Whoever takes a document
        from a user asks here: a command, a program, a request or a tool."""
        from headnote.links.resolving import documents_called

        if document := self._of_path(reader, name):
            return document
        # Of a file that is there and left out, that is said, before a document is guessed.
        if left_out := self._left_out(reader, name):
            if left_out.reason == UNREAD and (read := files_read(reader.manifest())):
                raise MissingSource("exists, and has not been read yet", path=name, remedy=f"{read}: ask again")
            about = "" if left_out.path == name else f"{left_out.path}: "
            raise MissingSource("exists, and is left out", path=name, remedy=f"{about}{left_out.reason}")
        heads = reader.heads()
        called = documents_called(name, heads)
        if len(called) == 1 and (document := reader.document(called[0])):
            return document
        if called:
            remedy = f"name one by its path: {_some(called)}"
            raise MissingSource("means several documents", path=name, remedy=remedy)
        raise _unknown(name, _nearest(name, heads), f"see headnote status {self.home}")

    def _of_path(self, reader: Reader, path: str) -> DocumentRow | None:
        if document := reader.document(path):
            return document
        meant = meant_path(path, self.tree, reader.document_paths())
        return reader.document(meant) if meant else None

    def part(self, place: str) -> tuple[DocumentRow, int, int | None]:
        """A document and the lines of it that `path`, `path:first-last` or `path#heading` names, first and last."""
        with self.store.reading() as reader:
            return self._part(reader, place)

    def _part(self, reader: Reader, place: str) -> tuple[DocumentRow, int, int | None]:
        """Names have these signs, too: what names a document as a whole is one, and `C#.md#a` is a part of `C#.md`."""
        from headnote.links.resolving import documents_called

        parts = _parts_of(place)
        if not parts:
            return self.find(reader, place), 1, None
        if document := self._of_path(reader, place):
            return document, 1, None
        named = next(((document, part) for part in parts if (document := self._of_path(reader, part.path))), None)
        if named is None:
            called = documents_called(place, reader.heads())
            if len(called) == 1 and (document := reader.document(called[0])):
                return document, 1, None
            named = self.find(reader, parts[-1].path), parts[-1]
        document, part = named
        if part.heading is None:
            return document, part.first, part.last
        entry = find_section(document, part.heading)
        return document, entry.start_line, entry.end_line

    def _left_out(self, reader: Reader, path: str) -> SkippedFile | None:
        """Why a file that exists is not in the index; None if it does not exist."""
        non_texts = reader.non_texts()
        for spelling in spellings(path, self.tree):
            if non_text := non_texts.get(spelling):
                return SkippedFile(spelling, non_text.reason)
            if left_out := why_left_out(self.tree, spelling, self.max_bytes):
                return left_out
        return None

    def row(self, name: str) -> DocumentRow:
        with self.store.reading() as reader:
            return self.find(reader, name)

    def view(self, name: str) -> DocumentView:
        """A document with everything known about it, read at one moment."""
        with self.store.reading() as reader:
            document = self.find(reader, name)
            path = document.path
            chunks, links, backlinks = reader.chunks_of(path), reader.links_from(path), reader.links_to(path)
            broken = frozenset(filter(self._link_check(reader), {*links, *backlinks}))
        return DocumentView(
            document=document,
            headings=document_outline(document),
            chunks=chunks,
            links=links,
            backlinks=backlinks,
            broken=broken,
            root=self.tree.root_of(path),
        )

    def web_address(self, name: str) -> str:
        """Where a document is on the web; empty if no configuration of a site says it."""
        from headnote.links.sites.addresses import Addresses
        from headnote.links.sites.site import naming_of, read_sites, site_of

        with self.store.reading() as reader:
            document, by_root = self.find(reader, name), read_sites(reader.manifest())
        place = self.tree.place(document.path)
        sites = by_root.get(place.root.name) if place else None
        if place is None or not sites:
            return ""
        own = {place.path: naming_of(document)}
        return Addresses(site_of(place.path, sites), lambda: own).on_the_web(place.path)

    def chunk(self, key: str) -> StoredChunk:
        """A chunk by its key or id."""
        from headnote.chunking.records import paths_in_id

        with self.store.reading() as reader:
            for path in paths_in_id(key):
                for chunk in reader.chunks_of(path):
                    if key in (chunk.key, chunk.chunk_id):
                        return chunk
        raise MissingSource("no such chunk in the index", path=key, remedy="search again: its text has changed")

    def found_words(self, name: str, query: str) -> list[FoundWord]:
        from headnote.search.snippets import found_words

        with self.store.reading() as reader:
            return found_words(reader, self.find(reader, name), query)

    def source(self, reader: Reader, place: str, line: int | None) -> RelatedSource:
        """A document, or the part of it that `path:line` or `path#heading` names."""
        from headnote.search.related import RelatedSource

        document, first, last = self._part(reader, place)
        chunks = reader.chunks_of(document.path)
        if line is not None:
            first = last = line
        if last is None:
            return RelatedSource(document, chunks)
        last = min(last, passage(document, first, last).end_line)
        inside = [chunk for chunk in chunks if chunk.row.start_line <= last and first <= chunk.row.end_line]
        nearest = sorted(chunks, key=lambda chunk: abs(chunk.row.start_line - first))[:1]
        return RelatedSource(document, inside or nearest)

    # Several documents

    def read_many(self, places: Sequence[str], budget: int | None) -> Passages:
        """What the places name, each passage once, in this order, until the budget is spent."""
        found: dict[tuple[str, int, int], Passage] = {}
        problems: list[HeadnoteError] = []
        with self.store.reading() as reader:
            for place in places:
                try:
                    for one in self._passages(reader, place):
                        found.setdefault((one.path, one.start_line, one.end_line), one)
                except HeadnoteError as error:
                    problems.append(error)
        if problems and not found:
            raise problems[0]
        return _within(list(found.values()), problems, budget)

    def _passages(self, reader: Reader, place: str) -> Iterator[Passage]:
        """A document by path or name, a glob of documents, `path:first-last`, or `path#heading`. A path that exists is
        taken literally."""
        if not _parts_of(place) and _GLOB.search(place) and reader.document(place) is None:
            yield from self._of_glob(reader, place)
        else:
            yield passage(*self._part(reader, place))

    def _of_glob(self, reader: Reader, glob: str) -> Iterator[Passage]:
        matches = path_matcher((glob,))
        paths = [path for path in reader.document_paths() if matches(path)]
        if not paths:
            with suppress(MissingSource):  # a title may be a question
                paths = [self.find(reader, glob).path]
        if not paths:
            remedy = 'in quotes, as in "guide/**"; without a slash, a glob is a name at any depth'
            raise MissingSource("no document matches", path=glob, remedy=remedy)
        for path in paths:
            if (document := reader.document(path)) is not None:
                yield passage(document)

    # Links

    def links(self, name: str) -> list[LinkRow]:
        with self.store.reading() as reader:
            return reader.links_from(self.find(reader, name).path)

    def backlinks(self, name: str) -> list[LinkRow]:
        with self.store.reading() as reader:
            return reader.links_to(self.find(reader, name).path)

    def broken_links(self) -> list[LinkRow]:
        with self.store.reading() as reader:
            self._check_links_are_resolved(reader)
            return self._broken_links(reader)

    def broken_places(self, reader: Reader) -> list[tuple[str, int, str]]:
        """Where the broken links of a folder are, for those who have no folder."""
        return sorted(set(map(_place_of, self._broken_links(reader))))

    def orphans(self) -> list[str]:
        with self.store.reading() as reader:
            self._check_links_are_resolved(reader)
            return reader.orphans()

    def graph(self) -> Graph:
        from headnote.links.graph import graph_of

        with self.store.reading() as reader:
            documents, connections = reader.connected()
            return graph_of(documents, connections, self._broken_links(reader))

    def neighbourhood(self, name: str, depth: int, limit: int) -> Neighbourhood:
        from headnote.links.graph import neighbourhood_of

        with self.store.reading() as reader:
            path = self.find(reader, name).path
            documents, connections = reader.connected()
        return neighbourhood_of(documents, connections, path, depth, limit)

    def _check_links_are_resolved(self, reader: Reader) -> None:
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
        raise UnreadIndex(message, path=str(self.home), remedy=f"run headnote index {self.home}")

    def _broken_links(self, reader: Reader) -> list[LinkRow]:
        return sorted(filter(self._link_check(reader), reader.loose_links()), key=lambda link: (link.path, link.line))

    def _link_check(self, reader: Reader) -> Callable[[LinkRow], bool]:
        """Whether a link is broken, asked while the reading lasts. Until all files are read once, no link is resolved,
        and none is called broken. A pack has no folder to look into; it knows which links were broken there."""
        from headnote.links.judging import TreeLinkCheck
        from headnote.links.resolving import stored_mounts
        from headnote.links.sites.site import read_sites

        manifest = reader.manifest()
        if files_read(manifest):
            return lambda _: False
        if BROKEN in manifest:
            broken = {tuple(place) for place in unsigned(manifest[BROKEN])}
            return lambda link: _place_of(link) in broken
        learnt = stored_mounts(reader, self.tree)
        documents = set(reader.document_paths())
        return TreeLinkCheck(self.tree, documents, read_sites(manifest), learnt, reader.links).is_broken


# -- Names that mean no document.


def unknown_document(path: str, documents: Sequence[str]) -> MissingSource:
    """The error for a path that means none of these, with the nearest of them."""
    return _unknown(path, nearest_paths(path, documents), "see all documents")


def _unknown(name: str, near: Sequence[str], remedy: str) -> MissingSource:
    return MissingSource("not in the index", path=name, remedy=f"nearest: {', '.join(near)}" if near else remedy)


def _nearest(name: str, heads: Sequence[DocumentHead]) -> list[str]:
    """The documents whose path, or else whose title or alias, is most like a wrong name."""
    near = nearest_paths(name, [head.path for head in heads])
    if near:
        return near
    names = {one: head.path for head in reversed(heads) for one in (head.title, *head.aliases)}
    return list(dict.fromkeys(f"{names[one]} ({one})" for one in nearest_paths(name, list(names))))


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - _MAX_NAMESAKES
    return ", ".join(paths[:_MAX_NAMESAKES]) + (f" and {more:,} more" if more > 0 else "")


# -- Parts of a document.


def document_outline(document: DocumentRow) -> list[OutlineEntry]:
    from headnote.formats.kinds import open_document

    return open_document(document.text, document.path, document.mdx).outline


class _DocumentPart(NamedTuple):
    """A path, and the lines of it or the heading that follow in a place."""

    path: str
    first: int = 1
    last: int | None = None
    heading: str | None = None


def _parts_of(place: str) -> list[_DocumentPart]:
    """How a place can be read as a part of a document, that with the longest path first."""
    lines = _LINES.fullmatch(place)
    parts = [_DocumentPart(lines[1], int(lines[2]), int(lines[3] or lines[2]))] if lines else []
    signs = [sign.start() for sign in re.finditer("#", place[:-1]) if sign.start()][:_MAX_SIGNS]
    return parts + [_DocumentPart(place[:sign], heading=place[sign + 1 :]) for sign in reversed(signs)]


def find_section(document: DocumentRow, heading: str) -> OutlineEntry:
    """The section under a heading, by its text or anchor."""
    from headnote.markdown.headings import find_heading

    entries = document_outline(document)
    entry = find_heading(entries, heading)
    if entry is None:
        headings = ", ".join(entry.heading.text for entry in entries[:8]) or "none"
        raise MissingSource(f"no heading {shown(heading)}", path=document.path, remedy=f"it has: {headings}")
    return entry


def section(document: DocumentRow, heading: str) -> Passage:
    """The lines under a heading."""
    entry = find_section(document, heading)
    return passage(document, entry.start_line, entry.end_line)


def passage(document: DocumentRow, start_line: int = 1, end_line: int | None = None) -> Passage:
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


def _within(found: Sequence[Passage], problems: list[HeadnoteError], budget: int | None) -> Passages:
    from headnote.tokens import get_counter

    count = get_counter().count
    shown: list[Passage] = []
    left_out: list[LeftOut] = []
    spent = 0
    for one in found:
        size = count(one.text)
        rest = 0 if left_out else None if budget is None else budget - spent
        if rest is None or size <= rest:
            shown.append(one)
            spent += size
            continue
        kept = _beginning(one, rest, count) if rest else None
        if kept:
            shown.append(kept)
            spent += count(kept.text)
        first = kept.end_line + 1 if kept else one.start_line
        left_out.append(LeftOut(one.path, first, one.end_line, size - (count(kept.text) if kept else 0)))
    return Passages(shown, left_out, spent, problems)


def _beginning(one: Passage, rest: int, count: Callable[[str], int]) -> Passage | None:
    """The first lines of a passage, as many as fit; None if not even one does."""
    lines = whole_lines(one.text)
    low, high = 0, len(lines)
    while low < high:  # how many lines fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count("".join(lines[:middle])) <= rest else (low, middle - 1)
    if not low:
        return None
    return replace(one, end_line=one.start_line + low - 1, text="".join(lines[:low]))


# -- Links.


def _place_of(link: LinkRow) -> tuple[str, int, str]:
    return link.path, link.line, link.written
