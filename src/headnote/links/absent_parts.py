"""Parts of a site or a package that are not in the folder: nobody can judge links to these.

The links of the folder tell them, all together: three pages that are missing from one folder are no three mistakes.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from headnote.links.resolving import path_of
from headnote.links.sites.addresses import path_in, without_numbers
from headnote.links.sites.site import (
    INDEX_NAMES,
    Mount,
    Site,
    below,
    folded,
    is_page,
    joined,
    page_of,
    without_suffix,
)
from headnote.links.sites.site_files import ALIKE, Redirects, SiteFiles, names_a_file
from headnote.sources.files import SUFFIXES, SimilarNames
from headnote.store.rows import LinkRow

_MIN_TARGETS = 3
"""Different targets in a folder that is not here: fewer are mistakes."""
_MANY_TEXTS = 10
"""Documents: of fewer, nobody can tell whether they are a copy or have no pictures yet."""
_MIN_NAMES = 5
"""Different names that a program replaces."""
_MIN_PLACES = 5
"""Different places of one page that is not here: so many are no mistakes, whatever page has its name elsewhere."""
_MISSPELT = 0.9
"""Minimum similarity of an address to the name of a page that is meant. Pages that get another name are less alike."""
_MIN_OLD = 10
"""Different addresses that the site may send elsewhere one by one."""
_MOST = 0.75
"""Share of the targets that nothing here is named like, or of the names that lead nowhere."""
MADE = "//"
"""Stands for all folders that a plugin makes."""
_FILES = "//files"
"""Stands for all files of kinds that are not here: pictures, data, programs."""
_OLD = "//old"
"""Stands for all addresses of pages that may be known only to the redirects of a site, which are not here."""
_BESIDE = "//beside"
"""Stands for all addresses beside the one folder of a site that is here."""
_NO_TOP = "//no-top"
"""Stands for all addresses from the top in packages, where none of them leads to a page here."""
_MOVED = "//moved"
"""Behind a folder that is not here: its pages may have moved, and only the site knows where they are now."""
_DATE = re.compile(r"(?:^|/)\d{4}[-/]\d{2}[-/]\d{2}[-/]")
_NAME = re.compile(r"[A-Za-z][\w-]*")
_ON_THE_WEB = re.compile(r"://|^[\w-]+(?:\.[\w-]+)*\.(?:com|dev|io|net|org)/")
"""An address of another site, written so that it leads to a file here."""
_OF_PROJECTS = frozenset(
    "authors changelog changes code_of_conduct contributing governance history licence license maintainers notice "
    "roadmap security support".split()
)
"""Files at the top of a repository that a package or a part of it may lack."""
_IN_PACKAGES = ("PKG-INFO", ".cargo_vcs_info.json")
"""Files that only a packed package has."""
_IN_PROJECTS = (
    ".gitignore .github .npmignore package-lock.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb"
).split()
"""What lies beside a `package.json` of somebody who works on it, and in no package."""


class UnpackedPackages:
    """The packages around documents, as npm, PyPI and Cargo have them: they lack parts of the repository that they are
    made of."""

    def __init__(self, files: SiteFiles, documents: Collection[str]) -> None:
        self._files = files
        self._documents = documents
        self._tops: dict[str, str | None] = {}
        """Folder → the top of its package, if it is in one."""
        self._similar: dict[str, SimilarNames] = {}
        """Folder → the names of the pages right in it."""

    def leave_out(self, link: LinkRow, site: Site) -> bool:
        """Whether it leads to what an unpacked package may leave out: a file without one of this or a similar name, and
        a page at its top or in a folder without pages, unless a page has its name nearby."""
        target = path_of(link)
        if link.kind not in ("link", "image") or not target:
            return False
        package = self.top_of(link.path)
        if package is None or (target.startswith("/") and site.generator != "plain") or _ON_THE_WEB.search(target):
            return False
        start = package if target.startswith("/") else posixpath.dirname(link.path)
        path = joined(start, target.strip("/") if target.startswith("/") else target)
        inside = below(package, path) if path else None
        if not path or not inside:
            return path is not None
        if not is_page(target):
            found = self._files.like(target, link.path)
            # Programs have files of one name in many folders.
            return found is None or (link.kind != "image" and posixpath.dirname(found) != posixpath.dirname(path))
        if _is_of_a_project(posixpath.basename(path)):
            return True
        around = posixpath.dirname(path)
        is_code = target.endswith("/") and site.generator == "plain"
        if around != package and not is_code and self._pages_in(around):
            return False
        return not self._is_named_near(path, package)

    def _is_named_near(self, path: str, package: str) -> bool:
        """Whether a page of this name is in the innermost folder around a path that is here, or below it, or one of a
        similar name beside it. What lies below a folder of the package that is not here has left with it."""
        first = joined(package, str(below(package, path)).partition("/")[0]) or ""
        if first != path and not self._files.is_folder(first):
            return False
        # By their files: the index of any folder called `docs` is no page that was `docs/` before.
        name = folded(posixpath.basename(without_suffix(path)))
        if name in INDEX_NAMES:
            return False
        around = posixpath.dirname(path)
        beside = self._similar_in(around).like(name)
        if beside and not name.startswith(beside) and not beside.startswith(name):
            return True
        while around and not self._files.is_folder(around):
            around = posixpath.dirname(around)
        return any(below(around, page) is not None for page in self._pages_named.get(name, ()))

    def _pages_in(self, folder: str) -> Sequence[str]:
        """The names of the pages right in a folder."""
        return self._pages.get(folded(folder), ())

    @cached_property
    def _pages(self) -> Mapping[str, Sequence[str]]:
        pages: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._documents):
            pages[folded(posixpath.dirname(path))].append(folded(posixpath.basename(without_suffix(path))))
        return pages

    @cached_property
    def _pages_named(self) -> Mapping[str, Sequence[str]]:
        """By the name of their files."""
        pages: dict[str, list[str]] = defaultdict(list)
        for path in self._documents:
            pages[folded(posixpath.basename(without_suffix(path)))].append(path)
        return pages

    def _similar_in(self, folder: str) -> SimilarNames:
        if folder not in self._similar:
            self._similar[folder] = SimilarNames(self._pages_in(folder), ALIKE)
        return self._similar[folder]

    def top_of(self, path: str) -> str | None:
        """The top of the unpacked package that has a document. The outermost folder with signs of a project decides."""
        folder = posixpath.dirname(path)
        if folder not in self._tops:
            known = (one for one in ("", *reversed([folder, *_folders_around(folder)])) if self._has_signs(one))
            outermost = next(known, None)
            is_package = outermost is not None and self._is_package(outermost)
            self._tops[folder] = outermost if is_package else None
        return self._tops[folder]

    def _has_signs(self, folder: str) -> bool:
        names = (*_IN_PACKAGES, *_IN_PROJECTS, "package.json", "pyproject.toml", "Cargo.toml")
        return any(self._files.has(_in(folder, name)) for name in names)

    def _is_package(self, folder: str) -> bool:
        if any(self._files.has(_in(folder, name)) for name in _IN_PACKAGES):
            return True
        if any(self._files.has(_in(folder, name)) for name in _IN_PROJECTS):
            return False
        said = self._files.data(_in(folder, "package.json"))
        return bool(said.get("name") and said.get("version")) and not said.get("private")


class AbsentParts:
    """Which links lead to a part that is not here."""

    def __init__(
        self,
        files: SiteFiles,
        documents: Collection[str],
        learnt: Mount,
        redirects_of: Callable[[Site], Redirects],
        is_whole: bool,
    ) -> None:
        """`learnt` is how a folder without a configuration stands on its site; `is_whole`, whether a repository around
        the folder has all that there is."""
        self._files = files
        self._documents = documents
        self._learnt = learnt
        self._redirects_of = redirects_of
        self._is_whole = is_whole
        self._tops: dict[int, SimilarNames] = {}
        """By the identity of a site, which may be large."""
        self._packages = UnpackedPackages(files, documents)

    def told_by(
        self, links: Iterable[LinkRow], site_of: Callable[[str], Site], leads_nowhere: Callable[[LinkRow], bool]
    ) -> frozenset[str]:
        """The parts that are not here, as `parts_of` names them, by all links of a folder. `leads_nowhere` is asked
        only of links that tell something."""
        told: dict[str, _Told] = defaultdict(_Told)
        to_files: list[tuple[LinkRow, str]] = []
        shown: dict[str, set[str]] = defaultdict(set)
        has_names = False
        for link in links:
            has_names = has_names or link.kind == "wikilink"
            if link.external:
                continue
            if link.target.startswith("/") and link.resolved in self._documents:
                shown[folded(link.target.strip("/")).partition("/")[0]].add(link.target)
            for place in self.parts_of(link, site_of(link.path)):
                if place in (_BESIDE, _NO_TOP):
                    continue  # links that lead somewhere tell of these: see `shown`
                if _names_a_document(link.target) and not place.endswith(("/", "#")) and place != MADE:
                    to_files.append((link, place))
                else:
                    told[place].add(link, place, leads_nowhere(link))
        # Notes that link by name link to pages that are to be written, too, and name their files.
        for link, place in () if has_names else to_files:
            told[place].add(link, place, leads_nowhere(link))
        absent = {place for place, one in told.items() if one.is_absent(place, self._min_files, self._names)}
        is_one_folder = len(shown) == 1 and all(len(pages) >= _MIN_TARGETS for pages in shown.values())
        known = {_BESIDE} if is_one_folder else {_NO_TOP} if not shown else set()
        return frozenset(absent | known)

    def is_elsewhere(self, link: LinkRow, site: Site) -> bool:
        """Whether a link that leads nowhere says by itself that it leads to a part that is not here."""
        is_post_of_others = _is_post(link.target) and not self._has_posts
        has_moved = self._is_old(link, site) and self._name(link) in self._names
        return (
            is_post_of_others
            or has_moved
            or self._is_of_the_whole(link)
            or (not self._is_whole and self._packages.leave_out(link, site))
            or self._is_beside(link, site)
        )

    def has_none_of_its_kind(self, target: str) -> bool:
        """Whether a copy of a site has no file with the suffix of a target."""
        return not self._is_whole and _suffix(target) not in self._suffixes

    @cached_property
    def _min_files(self) -> int:
        """How many links to files of kinds that are not here say that all are left out: in a copy of many texts and
        nothing else, any."""
        has_only_texts = len(self._documents) >= _MANY_TEXTS and not self._suffixes - {"", *SUFFIXES}
        return 1 if has_only_texts else _MIN_TARGETS

    def parts_of(self, link: LinkRow, site: Site) -> Iterator[str]:
        """What is not here if this link and others like it lead nowhere: the outermost folder of the target that is not
        here, with `_MOVED` behind it where its pages may have moved; with `#` at the end, the page; with a slash at
        the end, the folder of the names that a program may replace; or all files of kinds that are not here."""
        target = link.target.partition("?")[0]
        if target and names_a_file(target) and link.kind in ("link", "image"):
            if not self._is_whole and link.resolved not in self._documents:
                kinds = _FILES if self.has_none_of_its_kind(target) else ""
                folder = self._absent_folder(joined(posixpath.dirname(link.path), target))
                yield from filter(None, (kinds, folder))
        elif target and link.kind == "link" and site.generator != "sphinx":
            yield from filter(None, (self._part_with_pages(link, target, site),))
            if not self._is_whole and (page := joined(posixpath.dirname(link.path), target)):
                yield f"{folded(page_of(page))}#"
            if self._is_old(link, site):
                inside = path_in(self._learnt, target)
                if inside and (folder := self._absent_folder(f"{inside}/")):
                    yield f"{folder}{_MOVED}"
                if (name := self._name(link)) in self._names or not self._similar_names.like(name):
                    yield _OLD
            if self._may_be_beside(link, site):
                yield _BESIDE
            if self._is_an_address_in_a_package(link, site):
                yield _NO_TOP

    def _part_with_pages(self, link: LinkRow, target: str, site: Site) -> str:
        if _NAME.fullmatch(target):
            return f"{posixpath.dirname(link.path)}/"
        is_file = target.lower().endswith(SUFFIXES) and page_of(target) == without_suffix(target)
        if site.makes_pages and is_page(target) and not target.startswith("/"):
            return self._made_in(posixpath.dirname(joined(posixpath.dirname(link.path), target) or ""))
        if self._is_whole or (is_file and target.startswith("/")):
            return ""
        if not target.startswith("/"):
            return self._absent_folder(joined(posixpath.dirname(link.path), target))
        if self._learnt.folder or self._learnt.address != "/":
            return ""  # what is learnt tells which part it is
        mounts = [(mount.folder, below(mount.address.strip("/"), target.strip("/"))) for mount in site.mounts]
        folders = [self._absent_folder(joined(folder, rest)) for folder, rest in mounts if rest is not None]
        return max(folders, key=lambda folder: folder.count("/"), default="") if all(folders) else ""

    def _is_old(self, link: LinkRow, site: Site) -> bool:
        """Whether a link that leads nowhere may be an address from which its site sends readers on: nothing here says
        where it does."""
        is_address = link.target.startswith("/") and not _suffix(path_of(link).rstrip("/"))
        is_unchecked = site.generator in ("plain", "hugo") and not self._is_whole and not self._redirects_of(site)
        return is_address and is_unchecked

    def _made_in(self, folder: str) -> str:
        """The folder in which a plugin may make a page: one that is not here is made by it, with all that is in it."""
        return folder if self._files.is_folder(folder) else MADE

    def _absent_folder(self, path: str | None) -> str:
        *folders, _ = (path or "").split("/")
        arounds = ("/".join(folders[: count + 1]) for count in range(len(folders)))
        return next((one for one in arounds if folded(one) not in self.folders and not self._files.is_folder(one)), "")

    def _is_of_the_whole(self, link: LinkRow) -> bool:
        """Whether it leads out of a folder without a repository, or to a file that is at the top of one, or in a hidden
        folder that is not here."""
        target = path_of(link)
        if self._is_whole or target.startswith("/") or link.kind not in ("link", "image") or not target:
            return False
        path = joined(posixpath.dirname(link.path), target)
        if path is None:
            return target.startswith("../")
        hidden = next((at for at in _folders_around(path) if posixpath.basename(at)[:1] == "."), "")
        if hidden and not self._files.is_folder(hidden):
            return True
        is_kind_left_out = self._min_files == 1 and _suffix(path) == ".txt" and self.has_none_of_its_kind(path)
        return is_kind_left_out or _is_of_a_project(path)

    # -- what is beside the pages of a site

    def _is_beside(self, link: LinkRow, site: Site) -> bool:
        """Whether it is the address of a page below a top that a configured site does not have here, or anything like
        it: another program may serve it. Where a folder is the top as its links tell, so may one beside that folder."""
        first, slash, _ = folded(link.target.strip("/")).partition("/")
        is_below = bool(self._learnt.folder if site.generator == "plain" else slash)
        return is_below and bool(first) and self._has_another_top(link, site)

    def _may_be_beside(self, link: LinkRow, site: Site) -> bool:
        """The same where all pages that links from the top lead to are in one folder: then that is a part of a site."""
        is_a_part = not self._is_whole and site.generator == "plain" and link.resolved not in self._documents
        return is_a_part and self._has_another_top(link, site)

    def _is_an_address_in_a_package(self, link: LinkRow, site: Site) -> bool:
        is_address = link.target.startswith("/") and not _suffix(path_of(link).rstrip("/"))
        is_open = is_address and site.generator == "plain" and not self._is_whole
        return is_open and self._packages.top_of(link.path) is not None

    def _has_another_top(self, link: LinkRow, site: Site) -> bool:
        first = folded(link.target.strip("/")).partition("/")[0]
        if not link.target.startswith("/") or not first or not is_page(link.target):
            return False
        if id(site) not in self._tops:
            self._tops[id(site)] = SimilarNames(sorted(self._named_at_the_top(site)), ALIKE)
        return not self._tops[id(site)].like(first)

    @cached_property
    def _similar_names(self) -> SimilarNames:
        return SimilarNames(sorted(self._names), _MISSPELT)

    @staticmethod
    def _name(link: LinkRow) -> str:
        return folded(posixpath.basename(page_of(path_of(link))))

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder with documents below it, as an address."""
        folders = {folder for path in self._documents for folder in _folders_around(without_numbers(path))}
        return frozenset(map(folded, folders))

    @cached_property
    def _names(self) -> frozenset[str]:
        """Of all pages, without their folders."""
        return frozenset(folded(posixpath.basename(page_of(path))) for path in self._documents)

    @cached_property
    def _suffixes(self) -> frozenset[str]:
        """Of all files that are here."""
        return frozenset(map(_suffix, self._files.below_root()))

    @cached_property
    def _has_posts(self) -> bool:
        return any(_DATE.search(path) for path in self._documents)

    def _named_at_the_top(self, site: Site) -> set[str]:
        """What the first part of an address on a site may be, even by mistake."""
        shown = {folded(mount.address.strip("/").partition("/")[0]) for mount in site.mounts}
        inside = (below(mount.folder, path) for mount in site.mounts for path in self._documents)
        tops = {page_of(without_numbers(folded(page))).partition("/")[0] for page in inside if page}
        return (shown | tops | {part for folder in self.folders for part in folder.split("/")}) - {""}


def _folders_around(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


def _is_post(target: str) -> bool:
    return target.startswith("/") and _DATE.match(target) is not None


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_of_a_project(path: str) -> bool:
    return posixpath.splitext(path)[0].lower().replace("-", "_") in _OF_PROJECTS


def _names_a_document(target: str) -> bool:
    """Whether a target is a file with a page, by its suffix, rather than an address."""
    return target.lower().endswith(SUFFIXES)


class _Told:
    """What links tell of a part: whether they lead somewhere."""

    def __init__(self) -> None:
        self._lost: set[str] = set()
        self._there: set[str] = set()
        self._links: set[tuple[str, str]] = set()
        """The documents with links that lead nowhere, and their targets."""

    def add(self, link: LinkRow, place: str, is_lost: bool) -> None:
        target = link.fragment if place.endswith("#") else folded(page_of(link.target))
        (self._lost if is_lost else self._there).add(target)
        if is_lost:
            self._links.add((link.path, target))

    def is_absent(self, place: str, min_files: int, names: Collection[str]) -> bool:
        """Whether these targets, of which some are there, say that a part is not here."""
        lost, there = self._lost, self._there
        if place == _FILES:
            return len(lost) >= min_files
        if place == _OLD:
            return _MIN_OLD <= len(lost) <= len(there)
        if place.endswith(_MOVED):
            return len(lost) >= _MIN_TARGETS
        if place.endswith("#"):
            is_named = posixpath.basename(place[:-1]) in names
            return len(lost) >= (_MIN_PLACES if is_named else _MIN_TARGETS) and not there
        if place.endswith("/"):
            return len(lost) >= max(_MIN_NAMES, _MOST * len({*lost, *there}))
        unlike = [target for target in lost if posixpath.basename(target) not in names]
        is_enough = len(lost) >= _MIN_TARGETS or (len(lost) > 1 and len(self._links) >= _MIN_TARGETS)
        return is_enough and len(unlike) >= _MOST * len(lost)
