"""Where a link leads: from its text to a document, and to the place in it.

A link is a file path first, as editors and GitHub read it, then an address on the site of the folder. A wikilink is the
name of a note. Each reading is tried in turn, the most literal first; if none succeeds, the link leads nowhere.
"""

from __future__ import annotations

import datetime
import os
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

from headnote.links.anchors import Anchors, find_anchor, means_the_top
from headnote.links.sites.addresses import (
    Addresses,
    Translations,
    learnt_mount,
)
from headnote.links.sites.site import (
    INDEX_NAMES,
    Mount,
    Naming,
    Site,
    folded,
    is_page,
    joined,
    page_of,
    site_of,
    without_suffix,
)
from headnote.links.sites.site_files import (
    Endings,
    Neighbours,
    SiteFiles,
    names_a_file,
    nearest,
)
from headnote.model import Link
from headnote.sources.files import SUFFIXES
from headnote.sources.tree import Root, RootPlace, Tree
from headnote.store.interface import Reader
from headnote.store.rows import DocumentHead, LinkRow

if TYPE_CHECKING:
    from headnote.markdown.document import Document

SHORTCODE = re.compile(r"""\{\{[<%]\s*+(?:rel)?ref\s++(?:path\s*+=\s*+)?["'`]?([^"'`\s]++)["'`]?[^{}]*[>%]\}\}""")
"""A link in Hugo."""
BLOCK = re.compile(r"\(\(([0-9a-fA-F\-]{36})\)\)")
"""A link to a block in Logseq."""
_LEAVES_THE_FOLDER = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:|//")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+://")
"""A wikilink is the name of a note, and `Plan: next year` is one."""
_TEMPLATE = re.compile(r"\{\{|\{%|\$\{|<%|^[A-Z]+(?:_[A-Z]+)+$")
"""A template, or a word that a program replaces, stands for an address that only it knows."""
PLAIN_SITES: tuple[Site, ...] = (Site("plain", "", (Mount(""),), ("",)),)


def link_row(link: Link, path: str, chunk: int, line: int) -> LinkRow:
    """A link as written; it is not resolved yet."""
    return LinkRow(path, chunk, line, link.kind, link.target, link.fragment, link.text, _is_external(link))


def _is_external(link: Link) -> bool:
    target = link.target
    if target.startswith(("{{", "((")) and (SHORTCODE.fullmatch(target) or BLOCK.fullmatch(target)):
        return False
    scheme = _ADDRESS if link.kind in ("wikilink", "embed") else _LEAVES_THE_FOLDER
    return bool(scheme.match(target) or _TEMPLATE.search(target))


class Contents(Protocol):
    """What links need to know about documents, read on demand."""

    def anchors(self, path: str) -> Anchors:
        """The places of a document."""

    def naming(self) -> Mapping[str, Naming]:
        """Document → its names and addresses, of all documents."""

    def block(self, identifier: str) -> str | None:
        """The document that has the block with this id."""


class Resolver:
    """Resolves links among these documents."""

    def __init__(
        self,
        paths: Iterable[str],
        contents: Contents,
        sites: Sequence[Site] = PLAIN_SITES,
        files: SiteFiles | None = None,
        learnt: Mount | None = None,
    ) -> None:
        """`learnt` is how a folder without a configuration stands on its site, see `learnt_mount`."""
        self._paths = frozenset(paths)
        self._contents = contents
        self._sites = SiteAddresses(sites, contents.naming, learnt)
        self._files = files or SiteFiles(None)
        self._known_names: dict[str, Neighbours] = {}
        self._translations = Translations(self._paths)

    def resolve(self, link: LinkRow) -> LinkRow:
        """The same link, with the place it leads to now."""
        if link.external:
            return link
        path = self._document_of(link)
        is_page = path is not None and self.has(path)
        row = self.placed(link, path) if path is not None and is_page else LinkRow(*link[:8], path, None, None)
        is_there = (row.section or not link.fragment) if is_page else path is not None and self._files.has(path)
        if is_there:
            return row
        if (labelled := self._by_label(link)) is not None:
            return self.placed(link, labelled)
        original = None if link.target.startswith("/") else self._translations.original(link.path)
        return row if original is None else self.resolve(link._replace(path=original))._replace(path=link.path)

    def has(self, path: str) -> bool:
        """Whether there is a document at exactly this path."""
        return path in self._paths

    def document_at(self, path: str) -> str | None:
        """The document at this path, with or without its suffix, or the first page of this folder."""
        return self._exact(path)

    def placed(self, link: LinkRow, path: str) -> LinkRow:
        """The link as one that leads to this document, and to the place in it that its fragment names."""
        section, chunk = self._place_in(path, link.fragment) if link.fragment else (None, None)
        return LinkRow(*link[:8], path, section, chunk)

    def _document_of(self, link: LinkRow) -> str | None:
        if block := BLOCK.fullmatch(link.target):
            return self._contents.block(block[1].lower())
        if link.kind in ("wikilink", "embed"):
            return self._by_name(link.target.strip(), link.path)
        if shortcode := SHORTCODE.fullmatch(link.target):
            return self._by_reference(shortcode[1], link.path)
        target = path_of(link)
        return self._by_path(target, link.path) if target else link.path

    def _by_label(self, link: LinkRow) -> str | None:
        """The document with this label: on a site of Sphinx, `[text](label)` and `[text](#label)` find it anywhere."""
        names_one = not link.fragment and link.kind == "link" if link.target else link.kind in ("link", "image")
        # A copy of the pages alone has no configuration that says what they are made with.
        has_labels = self._sites.are_unknown or self._sites.of(link.path).site.generator == "sphinx"
        if not names_one or not has_labels:
            return None
        return self._contents.block(unquote(link.target or link.fragment).lower())

    # -- to a place in a document

    def _place_in(self, path: str, fragment: str) -> tuple[str | None, int | None]:
        anchors = self._contents.anchors(path)
        generator = self._sites.of(path).site.generator
        anchor = find_anchor(anchors, fragment, generator)
        if anchor is not None:
            return anchor, anchors.chunk(anchor)
        for included in anchors.includes:
            part = self._included(included, path)
            anchor = find_anchor(self._contents.anchors(part), fragment, generator) if part else None
            if anchor is not None:
                return anchor, None
        is_top = means_the_top(fragment) or self._lists(path, fragment)
        return ("top", None) if is_top else (None, None)

    def _lists(self, path: str, fragment: str) -> bool:
        """Whether an index may list a page of its folder under the name of that page."""
        folder, _, name = path.rpartition("/")
        is_index = without_suffix(name).lower() in INDEX_NAMES
        return is_index and self._exact(joined(folder, unquote(fragment))) not in (None, path)

    def _included(self, written: str, path: str) -> str | None:
        """A document that another one includes; only partials count, see `is_partial`."""
        site = self._sites.of(path).site
        tops = ("", site.folder, *(mount.folder for mount in site.mounts))
        folders = tops if written.startswith("/") else (posixpath.dirname(path), *tops)
        candidates = (joined(folder, written.removeprefix("@site/")) for folder in folders)
        by_path = next((one for one in candidates if one in self._paths and is_partial(one)), None)
        if by_path is not None or not is_page(written):
            return by_path
        folder, slash, name = written.strip("/").rpartition("/")
        return self._by_page.ending_in(f"{folder}{slash}_{name.removeprefix('_')}").nearest(path)

    # -- by path

    def _by_path(self, target: str, source: str) -> str | None:
        addresses = self._sites.of(source)
        if target.startswith("@site/"):
            return self._of_project(joined(addresses.site.folder, target.removeprefix("@site/")))
        if target.startswith("/"):
            path = self._from_top(target, source, addresses)
        else:
            path = self._from_page(target, source, addresses)
        if path is None:
            path = self._files.at(addresses.site, target, source)
        if path is None and target.startswith("/"):
            path = addresses.made_at(target)
        if path is None and not is_page(target):
            return joined("" if target.startswith("/") else posixpath.dirname(source), target)
        return path

    def _of_project(self, path: str | None) -> str | None:
        return self._exact(path) or (path if path and self._files.has(path) else None)

    def _from_top(self, target: str, source: str, addresses: Addresses) -> str | None:
        path = target.lstrip("/")
        if path in self._paths:  # `/docs/a.md` is a file of the repository
            return path
        return nearest(addresses.at(target), source) or self._in_folders(target, addresses.site)

    def _in_folders(self, target: str, site: Site) -> str | None:
        """The document with this path in one of the folders of a site."""
        candidates = (joined(folder, target) for folder in (site.folder, *(mount.folder for mount in site.mounts)))
        return next((one for one in candidates if one in self._paths), None)

    def _from_page(self, target: str, source: str, addresses: Addresses) -> str | None:
        exact = self._exact(joined(posixpath.dirname(source), target))
        if exact is not None or not is_page(target):
            return exact
        if target.lower().endswith(SUFFIXES):  # a file, which Docusaurus looks for in all of its folders
            is_free = addresses.site.generator == "docusaurus" and not target.startswith(".")
            return self._in_folders(target, addresses.site) if is_free else None
        for own in addresses.of(source):
            # A page is shown as a folder, `/docs/a/`, or as a file, `/docs/a`, and links count from there.
            for folder in (own, posixpath.dirname(own)):
                address = joined(folder.strip("/"), target)
                path = None if address is None else nearest(addresses.at(f"/{address}"), source)
                if path is not None:
                    return path
        return None

    def _exact(self, path: str | None) -> str | None:
        """The document at this path, with or without its suffix, or the first page of this folder."""
        if path is None or path in self._paths:
            return path
        page = page_of(path)
        candidates: Collection[str] = self._pages.get(folded(page), ())
        if path.lower().endswith(".txt"):  # plain text is never shown as a page, so the name says what it is
            candidates = [candidate for candidate in candidates if candidate.lower().endswith(".txt")]
        return min(candidates, key=lambda candidate: (page_of(candidate) != page, candidate), default=None)

    def _by_reference(self, reference: str, source: str) -> str | None:
        """`ref` of Hugo: a path from the page or from the content, else the name of the only page that has it."""
        path = self._by_path(reference, source)
        if path is not None or reference.startswith(("/", ".")):
            return path
        path = self._by_path(f"/{reference}", source)
        if path is None:
            candidates = self._by_page.ending_in(page_of(reference)).paths
            return candidates[0] if len(candidates) == 1 else None
        return path

    # -- by name

    def _by_name(self, name: str, source: str) -> str | None:
        """A note by its name, wherever it lies; with folders in the name, by the end of its path."""
        if not name:
            return source
        if name.startswith(("./", "../")):
            return self._by_path(name, source)
        for spelling in dict.fromkeys((name, unquote(name))):
            path = self._named(spelling.strip("/"), source)
            if path is not None:
                return path
        if not names_a_file(name):
            return None
        return self._files.named(name, source) or joined(posixpath.dirname(source), name)

    def _named(self, name: str, source: str) -> str | None:
        return self._neighbours_named(name).nearest(source)

    def documents_named(self, name: str) -> list[str]:
        """The documents that a name may mean, whatever links to it."""
        return self._neighbours_named(name).paths

    def _neighbours_named(self, name: str) -> Neighbours:
        if name not in self._known_names:
            self._known_names[name] = Neighbours(self._find_named(name))
        return self._known_names[name]

    def _find_named(self, name: str) -> list[str]:
        found = _by_file_name(name, self._by_name_alone, self._by_page)
        other = None if found else self._other_names.get(folded(name))
        return [other] if other else found

    # -- tables, made when first needed

    @cached_property
    def _pages(self) -> dict[str, list[str]]:
        """Path without suffix and index name → documents."""
        return _grouped(self._paths, lambda path: folded(page_of(path)))

    @cached_property
    def _by_page(self) -> Endings:
        return Endings(self._paths, page_of, folded)

    @cached_property
    def _by_name_alone(self) -> Endings:
        return Endings(self._paths, without_suffix, folded)

    @cached_property
    def _other_names(self) -> dict[str, str]:
        """Other name → document; the first by path if several claim it."""
        table: dict[str, str] = {}
        for path, naming in sorted(self._contents.naming().items()):
            for name in (*naming.aliases, *other_names(path)):
                table.setdefault(folded(name), path)
        return table


class SiteAddresses:
    """Document → the addresses of the site it belongs to. Each table is made once, and each folder looked at once."""

    def __init__(self, sites: Sequence[Site], naming: Callable[[], Mapping[str, Naming]], learnt: Mount | None) -> None:
        self._sites = sites
        self._addresses = {
            site: Addresses(site, naming, learnt if site.generator == "plain" else None) for site in sites
        }
        self._known: dict[str, Addresses] = {}
        self.are_unknown = all(site.generator == "plain" for site in sites)
        """Whether nothing says with which generator the pages are shown."""

    def of(self, path: str) -> Addresses:
        folder = posixpath.dirname(path)
        if folder not in self._known:
            self._known[folder] = self._addresses[site_of(path, self._sites)]
        return self._known[folder]


def path_of(link: LinkRow) -> str:
    """The path in a target: without a query, and decoded."""
    return unquote(link.target.partition("?")[0]).strip()


def is_partial(path: str) -> bool:
    """Whether a document is made to be included in others: its name, or that of a folder around it, says so."""
    parts = path.split("/")
    return (
        parts[-1].startswith("_") or ".inc." in parts[-1] or any(part.lstrip("_") in _PARTIALS for part in parts[:-1])
    )


_PARTIALS = frozenset({"snippets", "includes", "partials", "parts", "shared"})


def documents_called(name: str, heads: Sequence[DocumentHead]) -> list[str]:
    """The documents that a reader may mean by a name, in the order of `heads`: by file name or the end of the path, as
    a wikilink takes it, else by another name, else by title."""
    name = name.strip().removeprefix("[[").removesuffix("]]").strip().strip("/")
    if not name:
        return []
    paths = [head.path for head in heads]
    files = _by_file_name(name, Endings(paths, without_suffix, folded), Endings(paths, page_of, folded))
    if files:
        return [path for path in paths if path in files]
    wanted = folded(name)
    others = [head.path for head in heads if wanted in map(folded, (*head.aliases, *other_names(head.path)))]
    return others or [head.path for head in heads if folded(head.title) == wanted]


def _by_file_name(name: str, by_name: Endings, by_page: Endings) -> list[str]:
    """Documents whose path ends in this name; without its suffix if none has it, or the folder of an index."""
    candidates = by_name.ending_in(without_suffix(name)).paths
    literal = [path for path in candidates if f"/{folded(path)}".endswith(f"/{folded(name)}")]
    return literal or candidates or by_page.ending_in(page_of(name)).paths


def _grouped(paths: Iterable[str], name_of: Callable[[str], str]) -> dict[str, list[str]]:
    table: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        table[name_of(path)].append(path)
    return table


# -- names of notes in Logseq, which are not the names of their files: journals by date, pages in namespaces

_JOURNAL = re.compile(r"(?:.*/)?journals/(\d{4})[_-](\d{2})[_-](\d{2})\.[A-Za-z]+")
_PAGE = re.compile(r"(?:.*/)?pages/([^/]+)\.[A-Za-z]+")
_PROPERTIES = re.compile(r"\ufeff?(?:- )?((?:[ \t]*[\w\-]+::[^\r\n]*(?:\r?\n|\Z))+)")
_ALIAS = re.compile(r"^[ \t]*alias::[ \t]*([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()


def other_names(path: str) -> Iterator[str]:
    """What a note may be called, by where it lies."""
    if journal := _JOURNAL.fullmatch(path):
        yield from _dates(*map(int, journal.groups()))
    elif (page := _PAGE.fullmatch(path)) and ("___" in page[1] or "%" in page[1]):
        yield unquote(page[1]).replace("___", "/")


def aliases_of(document: Document) -> tuple[str, ...]:
    """The other names that a document gives itself."""
    return tuple(dict.fromkeys((*document.aliases, *_property_aliases(document.text))))


def _property_aliases(text: str) -> list[str]:
    """The names in the property `alias::` with which a page of Logseq begins."""
    if "alias::" not in text[:10_000]:
        return []
    properties = _PROPERTIES.match(text)
    aliases = _ALIAS.search(properties[1]) if properties else None
    return [name.strip(" []") for name in aliases[1].split(",") if name.strip(" []")] if aliases else []


def _dates(year: int, month: int, day: int) -> Iterator[str]:
    try:
        date = datetime.date(year, month, day)
    except ValueError:
        return
    name = _MONTHS[month - 1]
    ordinal = f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
    yield f"{name[:3]} {ordinal}, {year}"
    yield f"{name} {ordinal}, {year}"
    yield date.isoformat()
    yield date.strftime("%Y/%m/%d")
    yield date.strftime("%Y_%m_%d")


# -- Where links lead in a whole index. A folder that is indexed alone is its only root, without a name.
#
# A link leads inside its own root exactly as it does where that root is indexed alone. If it finds no document there,
# it may lead into another root: by the path of the file on this machine, by the name of the other root, or by the name
# of a note.


SitesOfRoots = Mapping[str, Sequence[Site]]
"""Name of a root → its sites, with paths as the root sees them."""


class TreeResolver:
    """Resolves links among the documents of all roots."""

    def __init__(
        self, tree: Tree, paths: Collection[str], contents: Contents, sites: SitesOfRoots, learnt: Mapping[str, Mount]
    ) -> None:
        self._tree = tree
        self._contents = contents
        inside = paths_by_root(tree, paths)
        self._files = {root.name: SiteFiles(root.folder or None, inside[root.name]) for root in tree.roots}
        self._resolvers = {
            root.name: Resolver(
                inside[root.name],
                RootContents(contents, root),
                sites.get(root.name) or PLAIN_SITES,
                self._files[root.name],
                learnt.get(root.name),
            )
            for root in tree.roots
        }
        self._others = OtherRoots(tree)
        self._known_names: dict[str, Neighbours] = {}

    def resolve(self, link: LinkRow) -> LinkRow:
        """The same link, with the place it leads to now."""
        if not self._tree.is_named:  # nothing lies elsewhere
            return self._resolvers[""].resolve(link)
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

    def _document_elsewhere(self, link: LinkRow, place: RootPlace) -> RootPlace | None:
        if block := BLOCK.fullmatch(link.target):
            path = self._contents.block(block[1].lower())
            return self._tree.place(path) if path else None
        if _is_name(link):
            return self._named_elsewhere(link.target.strip(), link.path)
        there = self._others.place_of(link, place)
        document = self._resolvers[there.root.name].document_at(there.path) if there else None
        return RootPlace(there.root, document) if there and document is not None else None

    def _named_elsewhere(self, name: str, source: str) -> RootPlace | None:
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

    def _file_elsewhere(self, link: LinkRow, place: RootPlace) -> str | None:
        """A file that is no document, such as a picture."""
        if _is_name(link):
            name = link.target.strip()
            found = ((root, self._files[root.name].named(name, "")) for root in self._tree.roots if "." in name)
            return next((root.prefix + path for root, path in found if path), None)
        there = self._others.place_of(link, place)
        is_there = there and there.path and self._files[there.root.name].has(there.path)
        return there.root.prefix + there.path if there and is_there else None


class OtherRoots:
    """Where paths lead outside their own root: by files on this machine; from the top, by the name of a root."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def place_of(self, link: LinkRow, place: RootPlace) -> RootPlace | None:
        """Where in another root the path of a link leads, whatever there is. `place` is that of the link."""
        target = path_of(link)
        if not target:
            return None
        if target.startswith("/"):
            there = self._tree.place(posixpath.normpath(target).lstrip("/"))
        else:
            folder = self._tops[place.root.name] / posixpath.dirname(place.path)
            there = self._root_around(Path(os.path.normpath(folder / target)))
        return there if there is not None and there.root is not place.root else None

    def _root_around(self, file: Path) -> RootPlace | None:
        """The root and path of a file; of nested roots, the inner one has it."""
        around = [root for root in self._tree.roots if file.is_relative_to(self._tops[root.name])]
        if not around:
            return None
        root = max(around, key=lambda root: len(self._tops[root.name].parts))
        inside = file.relative_to(self._tops[root.name]).as_posix()
        return RootPlace(root, "" if inside == "." else inside)

    @cached_property
    def _tops(self) -> dict[str, Path]:
        return {root.name: root.real for root in self._tree.roots}


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


def stored_mounts(reader: Reader, tree: Tree) -> dict[str, Mount]:
    """The same as `learnt_mounts`, of the links of an index."""
    targets = reader.targets_from_top()
    if not targets:
        return {}
    if not tree.is_named:  # the targets of its only root, without reading a link
        return _learnt({"": targets}, {"": reader.document_paths()})
    return learnt_mounts(tree, reader.links(), reader.document_paths())


def learnt_mounts(tree: Tree, links: Iterable[LinkRow], paths: Iterable[str]) -> dict[str, Mount]:
    """Name of a root → how it stands on its site, see `learnt_mount`; only of roots whose links tell it."""
    by_root: dict[str, Counter[str]] = defaultdict(Counter)
    for link in links:
        if link.target.startswith("/") and not link.external and (place := tree.place(link.path)):
            by_root[place.root.name][link.target] += 1
    return _learnt(by_root, paths_by_root(tree, paths)) if by_root else {}


def _learnt(targets: Mapping[str, Mapping[str, int]], paths: Mapping[str, Collection[str]]) -> dict[str, Mount]:
    by_root = ((name, learnt_mount(counted, paths[name])) for name, counted in targets.items())
    return {name: mount for name, mount in by_root if mount is not None}


def paths_by_root(tree: Tree, paths: Iterable[str]) -> dict[str, set[str]]:
    """Name of a root → paths, as it sees them."""
    inside: dict[str, set[str]] = {root.name: set() for root in tree.roots}
    for path in paths:
        if place := tree.place(path):
            inside[place.root.name].add(place.path)
    return inside


def _is_name(link: LinkRow) -> bool:
    return link.kind in ("wikilink", "embed") and not link.target.strip().startswith(("./", "../"))
