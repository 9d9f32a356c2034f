"""Files of a site that are not documents: pictures, downloads, pages that are programs, ignored files. Addresses that
its host sends elsewhere, by `_redirects` (Netlify, Cloudflare), `netlify.toml` or `vercel.json`.

Files are looked up when needed and never stored: they come and go without any document changing.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from headnote.links.sites.site import Site, below, folded, is_page, joined, without_suffix
from headnote.markdown.untrusted import load_data
from headnote.sources.files import SimilarNames
from headnote.sources.ignore import FETCHED_FOLDERS

_PAGE_ENDINGS = tuple(f".{end}" for end in "md mdx markdown html js jsx ts tsx vue astro ipynb rst adoc".split())
_HAS_SUFFIX = re.compile(r".*\.[A-Za-z0-9]{1,8}", re.DOTALL)
"""`v1.29 notes` and `Dr. No` name notes, `plan.pdf` names a file."""
ALIKE = 0.7
"""Minimum similarity of the names of two files or folders of which one may be a mistake, from 0 to 1."""


def names_a_file(name: str) -> bool:
    """Whether the target of a wikilink is a file that is not a page."""
    return _HAS_SUFFIX.fullmatch(name) is not None and not is_page(name)


class SiteFiles:
    """The files below a root. Each folder is listed once, on first use."""

    def __init__(self, root: str | os.PathLike[str] | None, documents: Collection[str] = ()) -> None:
        """Without a root there are no files: the documents may come from elsewhere. Documents do not count as files,
        because a site may show them at another path."""
        self._root = None if root is None else os.fspath(root)
        self._documents = documents
        self._names: dict[str, frozenset[str]] = {}
        self._similar: dict[str, SimilarNames] = {}

    def has(self, path: str) -> bool:
        """Whether there is a file or a folder at this path."""
        if not path:
            return self._root is not None
        folder, _, name = path.rpartition("/")
        return name in self._in(folder)

    def at(self, site: Site, target: str, source: str) -> str | None:
        """The file that a link written as a path leads to."""
        places = _from_top(site, target) if target.startswith("/") else _from_page(target, source)
        candidates = (path for place in places for path in self._with_endings(place, is_page(target)))
        files = (path for path in candidates if path not in self._documents)
        return next(
            (path for path in files if not self.is_folder(path) or _shows_folder(site, target, source, path)), None
        )

    def _with_endings(self, path: str, is_page: bool) -> Iterator[str]:
        """What is there at this path. A page may be a file with a suffix that the link leaves out, or the index of a
        folder; most of these folders do not exist, so no name in them is tried."""
        if self.has(path):
            yield path
        page = without_suffix(path)
        for stem in (page, f"{page}/index") if is_page else ():
            folder, _, name = stem.rpartition("/")
            if names := self._in(folder):
                yield from (stem + ending for ending in _PAGE_ENDINGS if name + ending in names)

    def named(self, name: str, source: str) -> str | None:
        """The file that a wikilink names: from this page, from the root, or wherever one of that name lies."""
        beside = joined(posixpath.dirname(source), name)
        for path in (beside, joined("", name)):
            if path and self.has(path):
                return path
        if name.startswith(("./", "../")):
            return None
        return self._by_name.ending_in(name.strip("/")).nearest(source)

    def like(self, target: str, source: str) -> str | None:
        """A file for a target that is not there: of the same name elsewhere, else of a similar one beside it."""
        name = target.rstrip("/").rpartition("/")[2]
        elsewhere = self._by_name.ending_in(name).nearest(source)
        if elsewhere is not None or not name:
            return elsewhere
        folder = joined("" if target.startswith("/") else posixpath.dirname(source), posixpath.dirname(target))
        if folder is None:
            return None
        if folder not in self._similar:
            self._similar[folder] = SimilarNames(sorted(self._in(folder)), ALIKE)
        similar = self._similar[folder].like(name)
        return joined(folder, similar) if similar else None

    def data(self, path: str) -> dict[str, Any]:
        """What a file of YAML, TOML or JSON says; nothing if it is not there."""
        folder, _, name = path.rpartition("/")
        if self._root is None or name not in self._in(folder):
            return {}
        try:
            with Path(self._root, path).open(encoding="utf-8", errors="replace") as file:
                return data_of(file.read(MAX_CONFIGURATION_BYTES), name)
        except OSError:
            return {}  # it cannot be read, or is a folder

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder at this path."""
        if not path:
            return self._root is not None
        folder, _, name = path.rpartition("/")  # one that no file can have is in no list
        return self._root is not None and name in self._in(folder) and Path(self._root, path).is_dir()

    def _in(self, folder: str) -> frozenset[str]:
        if folder not in self._names:
            self._names[folder] = self._listed(folder)
        return self._names[folder]

    def _listed(self, folder: str) -> frozenset[str]:
        if self._root is None:
            return frozenset()
        try:
            with os.scandir(f"{self._root}/{folder}") as entries:
                return frozenset(entry.name for entry in entries)
        except (OSError, ValueError):
            return frozenset()  # no such folder: nothing is in it

    @cached_property
    def _by_name(self) -> Endings:
        return Endings(self.below_root(), str, str.lower)

    def below_root(self) -> Iterable[str]:
        """Every file, without hidden folders and fetched packages."""
        return _below(self._root) if self._root is not None else ()


def _from_top(site: Site, target: str) -> Iterator[str]:
    """Where a site takes `/img/x.png` from: its static folders, the folders of its pages, or the top of the project."""
    for folder in (*site.files, *(mount.folder for mount in site.mounts if mount.address == "/"), site.folder, ""):
        if (path := joined(folder, target)) is not None:
            yield path
    for mount in site.mounts:
        inside = below(mount.address.strip("/"), target.strip("/"))
        if mount.address != "/" and inside is not None and (path := joined(mount.folder, inside)) is not None:
            yield path


def _shows_folder(site: Site, target: str, source: str, path: str) -> bool:
    """Whether a link to a folder leads to its content: GitHub shows it, and Hugo makes a page of it. No site shows a
    folder of its own pages; of the code around them, it links to the repository."""
    if site.generator in ("hugo", "plain") or target.startswith("/"):
        return site.generator == "hugo" or not target.startswith("/")
    return not all(any(below(mount.folder, end) is not None for mount in site.mounts) for end in (source, f"{path}/"))


def _from_page(target: str, source: str) -> Iterator[str]:
    """Beside the page, or beside what is shown of it where pages are shown as folders."""
    for folder in (posixpath.dirname(source), without_suffix(source)):
        if (path := joined(folder, target)) is not None:
            yield path


def nearest(candidates: Iterable[str], source: str) -> str | None:
    """The path that shares the most folders with the source; of several, the least deep."""
    folder = posixpath.dirname(source).split("/")

    def distance(path: str) -> tuple[int, int, str]:
        shared = 0
        for mine, theirs in zip(folder, posixpath.dirname(path).split("/"), strict=False):
            if mine != theirs:
                break
            shared += 1
        return -shared, path.count("/"), path

    return min(candidates, key=distance, default=None)


class Neighbours:
    """Paths that a name may mean. To find the nearest of many takes a look at each folder around the source."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = list(paths)

    def nearest(self, source: str, *, but: str = "") -> str | None:
        """The nearest path, see `nearest`, other than this one."""
        if len(self.paths) <= _FEW:
            return nearest((path for path in self.paths if path != but), source)
        folder = posixpath.dirname(source).split("/")
        around = (self._best.get(tuple(folder[:depth]), ()) for depth in range(len(folder), -1, -1))
        return next((path for paths in around for path in paths if path != but), None)

    @cached_property
    def _best(self) -> dict[tuple[str, ...], list[str]]:
        """Folder → the two least deep paths below it."""
        best: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for path in sorted(self.paths, key=lambda path: (path.count("/"), path)):
            folder = posixpath.dirname(path).split("/")
            for depth in range(len(folder) + 1):
                paths = best[tuple(folder[:depth])]
                if len(paths) < 2:
                    paths.append(path)
        return best


_FEW = 4
"""In paths: fewer are compared directly."""


class Endings:
    """The end of a name → the paths with such a name. What ends in several parts, `a/b`, is looked for in a table of
    its own, so that many of them take no look at all names that end in `b`."""

    def __init__(self, paths: Iterable[str], name_of: Callable[[str], str], folded: Callable[[str], str]) -> None:
        self._folded = folded
        self._groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for path in paths:
            whole = folded(name_of(path))
            self._groups[whole.rpartition("/")[2]].append((path, whole))
        self._tables: dict[str, dict[str, list[str]]] = {}
        self._known: dict[str, Neighbours] = {}

    def ending_in(self, name: str) -> Neighbours:
        ending = self._folded(name)
        if ending not in self._known:
            self._known[ending] = Neighbours(self._find(ending))
        return self._known[ending]

    def _find(self, ending: str) -> Iterable[str]:
        last = ending.rpartition("/")[2]
        group = self._groups.get(last, ())
        if last == ending:
            return (path for path, _ in group)
        if last not in self._tables:
            table = self._tables[last] = defaultdict(list)
            for path, whole in group:
                parts = whole.split("/")
                for start in range(len(parts)):
                    table["/".join(parts[start:])].append(path)
        return self._tables[last].get(ending, ())


def _below(root: str) -> Iterator[str]:
    """Every file below a folder; hidden folders and fetched packages are left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name[0] != "." and os.fsencode(name) not in FETCHED_FOLDERS)
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        start = "" if inside == "." else f"{inside}/"
        yield from (start + name for name in names)


# -- What the configuration of a site says, as far as it can be read without running it.
#
# YAML, TOML and JSON are parsed. In a configuration that is a program, only literals count: `path: "docs"` says
# something, `path: somewhere()` does not.


# A comment that is not closed reaches to the end: looking for its end again and again would take quadratic time.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|(?<![:\"'\w])//[^\n]*", re.DOTALL)
_STRING = r"""["'`]([^"'`\n]*)["'`]"""
_BRACE = re.compile(r"[{}]")
_PAIR = re.compile(rf"{_STRING}\s*:\s*{_STRING}")
# MkDocs names Python functions in its YAML; they are dropped.
_YAML_TAG = re.compile(r"(?<=[:\-] )!+[\w.:/\-]+(?=\s|$)", re.MULTILINE)
MAX_CONFIGURATION_BYTES = 1_000_000
"""In characters: nobody writes a longer configuration by hand."""
MAX_OBJECTS = 100
"""Maximum objects of one name in one program: each is searched to its end."""


class Program:
    """A configuration written in JavaScript or TypeScript."""

    def __init__(self, text: str, has_comments: bool = True) -> None:
        self._text = _COMMENT.sub("", text[:MAX_CONFIGURATION_BYTES]) if has_comments else text

    def _part(self, start: int, end: int) -> Program:
        return Program(self._text[start:end], has_comments=False)

    def string(self, name: str) -> str | None:
        """The first literal string with this name."""
        match = re.search(rf"\b{name}[\"']?\s*:\s*{_STRING}", self._text)
        return match[1] if match else None

    def is_false(self, name: str) -> bool:
        return re.search(rf"\b{name}\s*:\s*false\b", self._text) is not None

    def objects(self, opening: str) -> Iterator[Program]:
        """Each object that begins behind this pattern."""
        for match in islice(re.finditer(rf"{opening}\s*{{", self._text), MAX_OBJECTS):
            yield self._part(match.end(), self._end(match.end()))

    def without(self, name: str) -> Program:
        """The same without the object of this name."""
        match = re.search(rf"\b{name}\s*:\s*{{", self._text)
        if match is None:
            return self
        return Program(self._text[: match.start()] + self._text[self._end(match.end()) + 1 :])

    def pairs(self, name: str) -> list[tuple[str, str]]:
        """The literal strings in the object with this name: `name: {'a': 'b'}`."""
        mapping = next(self.objects(rf"\b{name}\s*:"), None)
        return [] if mapping is None else [(pair[1], pair[2]) for pair in _PAIR.finditer(mapping._text)]

    def strings_in(self, name: str) -> list[str]:
        """The literal strings in the list with this name: `name: ['a', 'b']`."""
        match = re.search(rf"\b{name}\s*:\s*\[", self._text)
        end = self._text.find("]", match.end()) if match else -1
        return (
            [string[1] for string in re.finditer(_STRING, self._text[match.end() : end])] if match and end > 0 else []
        )

    def _end(self, position: int) -> int:
        """Where the object ends that begins there, behind its brace."""
        return self._ends.get(position, len(self._text))

    @cached_property
    def _ends(self) -> dict[int, int]:
        ends, open_braces = {}, []
        for brace in _BRACE.finditer(self._text):
            if brace[0] == "{":
                open_braces.append(brace.end())
            elif open_braces:
                ends[open_braces.pop()] = brace.start()
        return ends


def data_of(text: str, name: str) -> dict[str, Any]:
    """The data of a configuration in YAML, TOML or JSON; empty if it cannot be parsed or is no mapping."""
    try:
        value = _loaded(text[:MAX_CONFIGURATION_BYTES], name.lower())
    except Exception:  # noqa: BLE001  parsers fail in many ways, and the generator reports its own errors
        return {}
    return value if isinstance(value, dict) else {}


def _loaded(text: str, name: str) -> Any:
    if name.endswith(".toml"):
        return load_data(text, "toml", MAX_CONFIGURATION_BYTES)
    if name.endswith(".json"):
        return load_data(text, "json", MAX_CONFIGURATION_BYTES)
    return load_data(_YAML_TAG.sub("", text), "yaml")


# -- Addresses that the host of a site sends elsewhere: a link to one of them is no broken link.

_RULE = re.compile(r"[ \t]*+(/[^\s#]*+)[ \t]++(?!#)\S++")
_PLACEHOLDER = re.compile(r":\w++\*|:\w++|\([^()]*+\)|\*++")
_MAX_PLACEHOLDERS = 4
"""Maximum placeholders of one rule: with more, an address could match in too many ways."""
MAX_RULES = 20_000
"""Maximum rules that are read of one site."""


class Redirects:
    """The redirects of one site."""

    def __init__(self, root: str, site: Site) -> None:
        sources = [source for _, source in zip(range(MAX_RULES), _sources(Path(root), site), strict=False)]
        self._plain = frozenset(_normal(source) for source in sources if not _PLACEHOLDER.search(source))
        # One pattern per rule: few rules have one, and those that fit everything say nothing.
        self._patterns = [pattern for source in sources if (pattern := _pattern(source))]

    def __bool__(self) -> bool:
        return bool(self._plain or self._patterns)

    def has(self, address: str) -> bool:
        plain = _normal(address)
        return plain in self._plain or any(pattern.fullmatch(plain) for pattern in self._patterns)


def _normal(address: str) -> str:
    return folded(address.partition("?")[0].partition("#")[0].rstrip("/"))


def _pattern(source: str) -> re.Pattern[str] | None:
    if not _PLACEHOLDER.search(source):
        return None
    literals = _PLACEHOLDER.split(_normal(source))
    if not any(literal.strip("/") for literal in literals):
        return None  # it fits everything: a site that moved, or a program that shows its own error page
    kinds = _PLACEHOLDER.findall(source)
    if len(kinds) > _MAX_PLACEHOLDERS:
        return re.compile(f"{re.escape(literals[0])}.*")
    parts = (_part(literal, kind) for literal, kind in zip(literals, [*kinds, ""], strict=True))
    return re.compile("".join(parts))


def _part(literal: str, placeholder: str) -> str:
    """The regex of a literal and of the placeholder after it. A rule `/old/*` is also about `/old`."""
    if not placeholder:
        return re.escape(literal)
    if re.fullmatch(r":\w+", placeholder):
        return f"{re.escape(literal)}[^/]++"
    return f"{re.escape(literal[:-1])}(?:/.*)?" if literal.endswith("/") else f"{re.escape(literal)}.*"


def _sources(root: Path, site: Site) -> Iterator[str]:
    folders = dict.fromkeys(("", site.folder, *site.files))
    for folder in folders:
        for name, read in _READERS.items():
            try:
                with (root / folder / name).open(encoding="utf-8", errors="replace") as file:
                    text = file.read(MAX_CONFIGURATION_BYTES)
            except (OSError, ValueError):
                continue  # most sites have none
            yield from read(text)


def _of_lines(text: str) -> Iterable[str]:
    return (match[1] for line in text.splitlines() if (match := _RULE.match(line)))


def _of_netlify(text: str) -> Iterator[str]:
    yield from _values(data_of(text, "netlify.toml").get("redirects"), "from")


def _of_vercel(text: str) -> Iterator[str]:
    data = data_of(text, "vercel.json")
    for table in ("redirects", "rewrites"):
        yield from _values(data.get(table), "source")


def _values(rules: Any, key: str) -> Iterator[str]:
    for rule in rules if isinstance(rules, list) else ():
        source = rule.get(key) if isinstance(rule, dict) else None
        if isinstance(source, str) and source.startswith("/"):
            yield source


_READERS: dict[str, Callable[[str], Iterable[str]]] = {
    "_redirects": _of_lines,
    "netlify.toml": _of_netlify,
    "vercel.json": _of_vercel,
}
