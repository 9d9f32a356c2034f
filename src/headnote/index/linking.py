"""Where a link leads: from what somebody wrote to a document, and to the section it names.

People write links for whatever shows their pages: a file beside this one, an address below the root of a site, the
name of a note. Each reading is tried in turn, the most literal first.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from urllib.parse import unquote

from headnote.index.entries import Anchors
from headnote.index.store.rows import LinkRow
from headnote.markdown.slugs import github_slug
from headnote.sources.files import SUFFIXES

_INDEX_NAMES = frozenset({"index", "_index", "readme"})
_PAGE_SUFFIXES = (*SUFFIXES, ".html", ".htm")
_SUFFIX_OF_A_FILE = re.compile(r"\.[A-Za-z0-9]{1,8}")
"""`v1.29 notes` and `Dr. No` are names of notes, `plan.pdf` is one of a file."""


class Resolver:
    """Resolves links among these documents."""

    def __init__(
        self,
        paths: Iterable[str],
        anchors: Callable[[str], Anchors],
        aliases: Callable[[], Mapping[str, str]],
    ) -> None:
        """`anchors` says which headings a document has, in their order, `aliases` which document has another name (see
        `folded`); both are asked only where a link needs it."""
        self._paths = frozenset(paths)
        self._anchors = anchors
        self._aliases = aliases

    def resolve(self, link: LinkRow) -> LinkRow:
        """The same link, with the place it leads to now."""
        if link.external:
            return link
        path = self._document_of(link)
        if path is None or path not in self._paths or not link.fragment:
            return link._replace(resolved=path, section=None, resolved_chunk=None)
        anchors = self._anchors(path)
        section = _section_of(anchors, link.fragment)
        chunk = None if section is None else anchors[section]
        return link._replace(resolved=path, section=section, resolved_chunk=chunk)

    def _document_of(self, link: LinkRow) -> str | None:
        if link.kind in ("wikilink", "embed"):
            return self._by_name(link.target.strip(), link.path)
        target = unquote(link.target.partition("?")[0]).strip()
        return self._by_path(target, link.path) if target else link.path

    # -- by path

    def _by_path(self, target: str, source: str) -> str | None:
        from_root = target.startswith("/")
        beside = _joined("" if from_root else posixpath.dirname(source), target)
        # Where pages are shown as folders, `../b/` in `docs/a.md` means `docs/b`.
        below = beside if from_root else _joined(_page(source), target)
        found = self._exact(beside) or self._exact(below)
        if found is None and from_root:
            # The root of a site may lie anywhere below ours.
            found = self._nearest(_ending_in(_page(target.strip("/")), self._by_last_part), source)
        if found is None and not _is_page(target):
            return beside
        return found

    def _exact(self, path: str | None) -> str | None:
        """The document at this path, with or without its suffix, or the first page of this folder."""
        if path is None or path in self._paths:
            return path
        page = _page(path)
        candidates: Collection[str] = self._pages.get(folded(page), ())
        if path.lower().endswith(".txt"):  # plain text is never shown as a page, so the name says what it is
            candidates = [candidate for candidate in candidates if candidate.lower().endswith(".txt")]
        return min(candidates, key=lambda candidate: (_page(candidate) != page, candidate), default=None)

    # -- by name

    def _by_name(self, name: str, source: str) -> str | None:
        """A note by its name, wherever it lies; with folders in the name, by the end of its path."""
        if not name:
            return source
        if name.startswith(("./", "../")):
            return self._by_path(name, source)
        for spelling in dict.fromkeys((name, unquote(name))):
            found = self._named(spelling.strip("/"), source)
            if found is not None:
                return found
        is_file = _SUFFIX_OF_A_FILE.fullmatch(posixpath.splitext(name)[1]) and not _is_page(name)
        return _joined(posixpath.dirname(source), name) if is_file else None

    def _named(self, name: str, source: str) -> str | None:
        candidates = _ending_in(_without_suffix(name), self._by_name_alone)
        literal = [path for path in candidates if f"/{folded(path)}".endswith(f"/{folded(name)}")]
        found = self._nearest(literal or candidates, source)
        if found is None:
            found = self._nearest(_ending_in(_page(name), self._by_last_part), source)
        return found or self._aliases().get(folded(name))

    def _nearest(self, candidates: Iterable[str], source: str) -> str | None:
        """Of several documents the one that shares most folders with the source, then the least deep."""
        folder = posixpath.dirname(source).split("/")

        def distance(path: str) -> tuple[int, int, str]:
            shared = 0
            for mine, theirs in zip(folder, posixpath.dirname(path).split("/"), strict=False):
                if mine != theirs:
                    break
                shared += 1
            return -shared, path.count("/"), path

        return min(candidates, key=distance, default=None)

    # -- tables, made when first needed

    @cached_property
    def _pages(self) -> dict[str, list[str]]:
        """Path without suffix and index name → documents."""
        return _grouped(self._paths, lambda path: folded(_page(path)))

    @cached_property
    def _by_last_part(self) -> dict[str, dict[str, str]]:
        return _by_last_part(self._paths, _page)

    @cached_property
    def _by_name_alone(self) -> dict[str, dict[str, str]]:
        return _by_last_part(self._paths, _without_suffix)


def folded(name: str) -> str:
    """A name as it is compared: whatever its case, and however its accents are composed."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def _section_of(anchors: Anchors, fragment: str) -> str | None:
    """The heading that a fragment names: by its anchor, by its text, or as `A#B`, by those it stands under."""
    wanted = unquote(fragment)
    if "#" in wanted:
        return _nested_section(list(anchors), [github_slug(part.strip()) for part in wanted.split("#") if part.strip()])
    spellings = (fragment, wanted, wanted.lower(), github_slug(wanted.strip()))
    found = next((anchor for anchor in spellings if anchor in anchors), None)
    return found or next((anchor for anchor in anchors if anchor.lower() == wanted.lower()), None)


def _nested_section(anchors: list[str], slugs: list[str]) -> str | None:
    """Each heading behind the one before: the first that has this slug, or had it but for a number."""
    at, found = 0, None
    for slug in slugs:
        numbered = re.compile(rf"{re.escape(slug)}(?:-[0-9]+)?")
        found = next((anchor for anchor in anchors[at:] if numbered.fullmatch(anchor)), None)
        if found is None:
            return None
        at = anchors.index(found) + 1
    return found


def _ending_in(name: str, table: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Documents whose path ends in these parts."""
    wanted = folded(name)
    candidates = table.get(wanted.rpartition("/")[2], {})
    return [path for path, whole in candidates.items() if f"/{whole}".endswith(f"/{wanted}")]


def _by_last_part(paths: Iterable[str], name_of: Callable[[str], str]) -> dict[str, dict[str, str]]:
    """Last part of a name → document → its whole name."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path in paths:
        whole = folded(name_of(path))
        found[whole.rpartition("/")[2]][path] = whole
    return found


def _grouped(paths: Iterable[str], name_of: Callable[[str], str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        found[name_of(path)].append(path)
    return found


def _joined(folder: str, target: str) -> str | None:
    """The path below the root, or None if it leaves the root."""
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path


def _is_page(target: str) -> bool:
    return not posixpath.splitext(target.rstrip("/"))[1] or target.lower().endswith(_PAGE_SUFFIXES)


def _without_suffix(path: str) -> str:
    path = path.rstrip("/")
    stem, suffix = posixpath.splitext(path)
    return stem if suffix.lower() in _PAGE_SUFFIXES else path


def _page(path: str) -> str:
    """A path as an address of a page: without its suffix, and the folder in place of its index."""
    path = _without_suffix(path)
    folder, _, name = path.rpartition("/")
    return folder if name.lower() in _INDEX_NAMES else path
