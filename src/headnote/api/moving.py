"""Move a file or a folder, and keep every link: a target changes only where it would lead elsewhere afterwards.

Nothing is trusted. The folder is read as it would be after the move, all its links are followed, and unless each leads
where it led before, nothing is written.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from headnote.api.folders import AnyPath, check_folder
from headnote.config import choose
from headnote.errors import MissingSource, NotText, SettingsError, SourceError
from headnote.formats.kinds import format_of, open_document
from headnote.links.checking.checked_files import LinkedDocument, linked_document, links_in_tags
from headnote.links.checking.findings import CheckedContents
from headnote.links.resolving import (
    SHORTCODE,
    LinkCheck,
    Resolver,
    bases_of,
    link_row,
    path_of,
)
from headnote.links.sites.detection import find_sites
from headnote.links.sites.site import PAGE_SUFFIXES, Site, below, page_of, without_suffix
from headnote.links.sites.site_files import Endings, SiteFiles
from headnote.markdown.inline import destination_at, normal_label, unescape
from headnote.model import Link
from headnote.signals import signals_later
from headnote.sources.files import FileSnapshot, content_hash
from headnote.sources.repository import rule_against
from headnote.store.rows import LinkRow
from headnote.whole_files import written_whole


class PathChange(NamedTuple):
    """A file or folder before and after it is moved, from the root."""

    old: str
    new: str

    def after(self, path: str) -> str:
        inside = below(self.old, path)
        return self.new if path == self.old else path if inside is None else f"{self.new}/{inside}"

    def before(self, path: str) -> str | None:
        """Where a path of afterwards is now; None where nothing will be."""
        if path == self.new or below(self.new, path) is not None:
            return PathChange(self.new, self.old).after(path)
        return None if path == self.old or below(self.old, path) is not None else path


class ChangedLine(NamedTuple):
    """A line with a link whose target changes."""

    line: int
    before: str
    after: str


class RetargetedFile(NamedTuple):
    """A file whose links change, where it is before the move."""

    path: str
    hash: str
    before: str
    after: str
    links: int
    """How many targets change."""

    @property
    def lines(self) -> list[ChangedLine]:
        pairs = zip(self.before.splitlines(), self.after.splitlines(), strict=True)
        return [ChangedLine(line, *pair) for line, pair in enumerate(pairs, 1) if pair[0] != pair[1]]


class Move(NamedTuple):
    """What a move does."""

    old: str
    new: str
    changed: list[RetargetedFile]
    """By path."""


def move(root: AnyPath, old: AnyPath, new: AnyPath, *, dry_run: bool = False) -> Move:
    """Move a file or folder below `root`, and change the targets of links that would lead elsewhere.

    Raises, and leaves everything as it was, if something is in the way, or if a link could not be kept.
    """
    folder = Path(root)
    check_folder(folder)
    paths = _path_change(folder, Path(old), Path(new))
    changed = _MovedLinks(folder, paths).changed()
    if not dry_run:
        _carry_out(folder, paths, changed)
    return Move(paths.old, paths.new, changed)


def _path_change(root: Path, old: Path, new: Path) -> PathChange:
    top = Path(os.path.realpath(root))
    if not os.path.lexists(old):
        raise MissingSource("no such file or folder", path=str(old), remedy="check the path")
    if new.is_dir():
        new /= old.resolve().name
    if os.path.lexists(new):
        raise SettingsError("already exists", path=str(new), remedy="choose another name, or move it away")
    if old.is_symlink():
        raise SettingsError("a link to another place, not a file or folder", path=str(old), remedy="move what it names")
    places = [Path(os.path.realpath(one)) for one in (old, new)]
    for place, written in zip(places, (old, new), strict=True):
        if place == top or not place.is_relative_to(top):
            raise SettingsError(f"not below {root}", path=str(written), remedy="name the folder around both by --root")
    if places[1].is_relative_to(places[0]):
        raise SettingsError(f"inside {old} itself", path=str(new), remedy="choose a place outside of it")
    return PathChange(*(place.relative_to(top).as_posix() for place in places))


# -- The folder as it will be


class _FilesAfter(SiteFiles):
    """The files below a root, as they will be."""

    def __init__(self, root: str, documents: frozenset[str], paths: PathChange) -> None:
        super().__init__(root, documents)
        self._folder = root
        self._paths = paths

    def _listed(self, folder: str) -> frozenset[str]:
        now = self._paths.before(folder)
        names = set(super()._listed(now)) if now is not None else set()
        parent, _, name = self._paths.old.rpartition("/")
        if now == folder == parent:
            names.discard(name)
        if inside := below(folder, self._paths.new):
            names.add(inside.partition("/")[0])
        return frozenset(names)

    def _is_folder(self, path: str) -> bool:
        now = self._paths.before(path)
        is_now = now is not None and Path(self._folder, now).is_dir()
        return is_now or below(path, self._paths.new) is not None

    @cached_property
    def _by_name(self) -> Endings:
        return Endings(map(self._paths.after, self.below_root()), str, str.lower)


class _MovedLinks:
    """The links of a folder, where they lead, and how they have to be written to lead there after a move."""

    def __init__(self, root: Path, paths: PathChange) -> None:
        self._paths = paths
        choice = choose({}, root)
        self._tree = tree = choice.tree(root)
        if tree.is_named:
            raise SettingsError("has several folders", path=str(root), remedy="name one of them by --root")
        listing = tree.discover(choice.of_index.settings.max_file_bytes)
        mdx = choice.settings_of.get("", choice.chunking.settings).mdx
        self._snapshots: dict[str, FileSnapshot] = {}
        self._documents: dict[str, LinkedDocument] = {}
        for file in listing.files:
            try:
                snapshot = tree.read(file.path)
            except NotText:
                continue  # it has no links, and none to it is followed further than to the file
            self._snapshots[file.path] = snapshot
            self._documents[file.path] = linked_document(snapshot, mdx)
        self._mdx = mdx
        now = frozenset(self._documents)
        later = frozenset(map(paths.after, now))
        real = str(tree.roots[0].real)
        sites, self._sites = (find_sites(real, listing.site_marks, sorted(some)) for some in (now, later))
        self._check_sites(sites, listing.site_marks)
        self._check_places()
        self._top = Path(real).as_posix()
        self._files_now, self._files_later = SiteFiles(real, now), _FilesAfter(real, later, paths)
        bases = bases_of(tree, (link.row for one in self._documents.values() for link in one.links), now)
        base = bases.get("", "")
        self._now = Resolver(now, CheckedContents(self._documents.values()), sites, self._files_now, base)
        self._check = LinkCheck(real, now, sites, base)
        moved = [one._replace(path=paths.after(path)) for path, one in self._documents.items()]
        self._later = Resolver(later, CheckedContents(moved), self._sites, self._files_later, base)

    def _check_sites(self, sites: Iterable[Site], marks: Iterable[str]) -> None:
        """Raise if the move takes away what a site is known by, or made of."""
        old = self._paths.old
        made = [site for site in sites if site.generator != "plain"]
        folders = [folder for site in made for folder in (site.folder, *site.files)]
        folders += [mount.folder for site in made for mount in site.mounts]
        known = {(site.generator, site.folder) for site in self._sites}
        is_lost = any((site.generator, site.folder) not in known for site in made)
        if is_lost or any(self._paths.after(path) != path for path in (*marks, *folders) if path):
            raise SettingsError("a site is made of this", path=old, remedy="move it by hand, with its configuration")

    def _check_places(self) -> None:
        """Raise if a document would no longer be read."""
        new = self._paths.new
        root = self._tree.roots[0]
        for path in self._documents:
            later = self._paths.after(path)
            if later == path:
                continue
            if posixpath.splitext(later)[1].lower() != posixpath.splitext(path)[1].lower():
                raise SettingsError("another kind of file", path=new, remedy="keep the suffix")
            if against := rule_against(root.real, later.split("/"), root.include, root.exclude):
                raise SettingsError(f"would be left out: {against.reason}", path=later, remedy="choose another place")

    def changed(self) -> list[RetargetedFile]:
        files = []
        rows: list[tuple[LinkRow, LinkRow]] = []
        for path, document in sorted(self._documents.items()):
            written = [(link.row, self._kept(link.row)) for link in document.links]
            if any(new.target != old.target for old, new in written):
                file = self._rewritten(path, [new for _, new in written])
                files.append(file)
                later = self._read_again(path, file.after)
                if len(later) != len(written):
                    raise _unkept(written[0][0], "the links of the file would be read otherwise")
                written = [(old, new) for (old, _), new in zip(written, later, strict=True)]
            rows += written
        self._verify(rows)
        return files

    def _lead(self, resolver: Resolver, files: SiteFiles, row: LinkRow) -> tuple[str, str | None] | None:
        """The document or file, and the place in it, that a link leads to."""
        resolved = resolver.resolve(row)
        path = resolved.resolved
        return None if path is None or not (resolver.has(path) or files.has(path)) else (path, resolved.section)

    def _wanted(self, row: LinkRow) -> tuple[str, str | None] | None:
        lead = self._lead(self._now, self._files_now, row)
        return None if lead is None else (self._paths.after(lead[0]), lead[1])

    def _kept(self, row: LinkRow) -> LinkRow:
        """The link as it has to be written."""
        source = self._paths.after(row.path)
        here = row._replace(path=source)
        wanted = self._wanted(row)
        if wanted is None:
            # A link to nowhere stays as it is. One to what lies beside the root follows its page.
            return here if source == row.path or self._check.is_broken(row) else self._from_new_place(row, source)
        if self._lead(self._later, self._files_later, here) == wanted:
            return here
        for target in _spellings(row, source, self._paths, wanted[0]):
            candidate = here._replace(target=_with_path(row, target))
            if self._lead(self._later, self._files_later, candidate) == wanted:
                return candidate
        raise _unkept(row, f"nothing that could be written there leads to {wanted[0]}")

    def _from_new_place(self, row: LinkRow, source: str) -> LinkRow:
        target = path_of(row)
        if target.startswith(("/", "@")) or not target or row.kind in ("wikilink", "embed"):
            return row._replace(path=source)
        place = posixpath.normpath(f"{self._top}/{posixpath.dirname(row.path)}/{target}")
        shifted = posixpath.relpath(place, f"{self._top}/{posixpath.dirname(source)}")
        shifted += "/" * target.endswith("/")
        same = posixpath.dirname(source) == posixpath.dirname(row.path)
        here = row._replace(path=source, target=row.target if same else _with_path(row, shifted))
        if self._check.is_broken(here._replace(resolved=None, section=None)):
            raise _unkept(row, "it leads out of the folder")
        return here

    def _rewritten(self, path: str, rows: Sequence[LinkRow]) -> RetargetedFile:
        snapshot = self._snapshots[path]
        document = open_document(snapshot.text, path, self._mdx)
        if format_of(path) or document.text != snapshot.text:
            raise SettingsError("its links cannot be changed", path=path, remedy="only those of Markdown can")
        if content_hash(_bytes(snapshot.text)) != snapshot.hash:
            raise SettingsError("not UTF-8, so its links cannot be changed", path=path, remedy="convert it first")
        if os.path.realpath(f"{self._top}/{path}") != f"{self._top}/{path}":
            raise SettingsError("lies elsewhere, and its links would change", path=path, remedy="move it where it lies")
        text = snapshot.text
        code = [(block.start, block.end) for block in document.blocks if block.kind == "code"]
        links = sorted((*document.links, *links_in_tags(document)), key=attrgetter("start"))
        inside = [link for link in links if not link_row(link, path, 0, 0).external]
        edits: dict[tuple[int, int], str] = {}
        for link, row in zip(inside, rows, strict=True):
            if link.target != row.target:
                place = _target_place(text, link, code)
                if place is None:
                    raise _unkept(row._replace(path=path, target=link.target), "its target was not found in the file")
                edits[place] = _as_written(text, place, link, row.target)
        for (start, end), new in sorted(edits.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return RetargetedFile(path, snapshot.hash, snapshot.text, text, len(edits))

    def _read_again(self, path: str, text: str) -> list[LinkRow]:
        later = self._snapshots[path]._replace(path=self._paths.after(path), text=text)
        return [link.row for link in linked_document(later, self._mdx).links]

    def _verify(self, rows: Sequence[tuple[LinkRow, LinkRow]]) -> None:
        """Raise unless each link leads where it led before."""
        later = [new for _, new in rows]
        paths = frozenset(map(self._paths.after, self._documents))
        base = bases_of(self._tree, later, paths).get("", "")
        moved = [one._replace(path=self._paths.after(path)) for path, one in self._documents.items()]
        resolver = Resolver(paths, CheckedContents(moved), self._sites, self._files_later, base)
        for old, new in rows:
            wanted = self._wanted(old)
            if wanted is not None and self._lead(resolver, self._files_later, new) != wanted:
                raise _unkept(old, f"it would no longer lead to {wanted[0]}")


def _unkept(row: LinkRow, why: str) -> SettingsError:
    message = f"the link {row.written} cannot be kept: {why}; nothing was moved"
    return SettingsError(message, path=row.path, line=row.line, remedy="change it by hand, then move again")


# -- How a target may be written


def _spellings(row: LinkRow, source: str, paths: PathChange, wanted: str) -> Iterator[str]:
    """Paths and names that may lead to a file, those that are most like the written one first."""
    shortcode = SHORTCODE.fullmatch(row.target)
    written = unquote(shortcode[1]) if shortcode else path_of(row)
    old = paths.old if paths.after(paths.old) == wanted else paths.before(wanted) or wanted
    is_relative = written.startswith(("./", "../"))
    if row.kind in ("wikilink", "embed") and not is_relative:
        yield from _names(row.target.strip(), wanted)
        return
    if not is_relative:
        yield from _from_top(written, old, wanted)
    if not written.startswith(("/", "@")):
        yield from _relative(written, row.path, source, old, wanted)
    yield from (f"/{form}" for form in _forms(written, wanted))
    yield posixpath.relpath(wanted, posixpath.dirname(source) or ".")


def _names(written: str, wanted: str) -> Iterator[str]:
    """The name of a note, with more and more of its folders."""
    whole = wanted if written.lower().endswith(PAGE_SUFFIXES) else without_suffix(wanted)
    parts = whole.split("/")
    for count in range(min(written.count("/") + 1, len(parts)), len(parts) + 1):
        yield "/".join(parts[-count:])


def _forms(written: str, path: str) -> list[str]:
    """A path with what the written one leaves out left out."""
    suffix = posixpath.splitext(written.rstrip("/"))[1]
    if suffix.lower() in (".html", ".htm") and not path.lower().endswith(suffix.lower()):
        forms = [without_suffix(path) + suffix]
    elif suffix:
        forms = [path]
    else:
        forms = [page_of(path), without_suffix(path), path]
    end = "/" * written.endswith("/")
    return [form + end for form in dict.fromkeys(forms)]


def _from_top(written: str, old: str, wanted: str) -> Iterator[str]:
    """What leads from a top, wherever that is: the same beginning, with another end."""
    for form, new in zip(_forms(written, old), _forms(written, wanted), strict=False):
        mine, theirs = form.split("/"), new.split("/")
        for depth in range(len(mine)):
            tail = "/".join(mine[depth:])
            if tail and mine[:depth] == theirs[:depth] and f"/{written}".endswith(f"/{tail}"):
                yield written[: len(written) - len(tail)] + "/".join(theirs[depth:])


def _relative(written: str, page: str, source: str, old: str, wanted: str) -> Iterator[str]:
    """From the folder of the page, or from the page where it is shown as a folder."""

    def starts(of: str) -> tuple[str, ...]:
        return posixpath.dirname(of), page_of(of), without_suffix(of)

    forms = [form.rstrip("/") for form in _forms(written, old)]
    pairs = list(zip(starts(page), starts(source), strict=True))
    led = [pair for pair in pairs if posixpath.normpath(posixpath.join(pair[0], written)) in forms]
    dots = "./" if written.startswith("./") else ""
    for _, start in dict.fromkeys((*led, *pairs)):
        for form in _forms(written, wanted):
            path = posixpath.relpath(form or ".", start or ".") + "/" * form.endswith("/")
            yield path if path.startswith("..") or (not dots and ":" not in path) else f"./{path}"


_UNSAFE = re.compile(r"[\x00-\x20\x7f()<>\\%#?&\"'`{}|\[\]]")


def _with_path(row: LinkRow, path: str) -> str:
    """The target with another path, in the writing of the old one where parts are the same."""
    if shortcode := SHORTCODE.fullmatch(row.target):
        start, end = shortcode.span(1)
        return row.target[:start] + path + row.target[end:]
    if row.kind in ("wikilink", "embed"):
        return path
    written, mark, query = row.target.partition("?")
    known = {unquote(part): part for part in written.split("/")}
    parts = (known.get(part) or _UNSAFE.sub(lambda one: quote(one[0], safe=""), part) for part in path.split("/"))
    return "/".join(parts) + mark + query


# -- Where a target stands in its file

_WIKI_TARGET = re.compile(r"!?\[\[\s*([^\[\]\r\n|]+?)\s*\\?(?:\||\]\])")
_ATTRIBUTE = re.compile(r"""(?<![\w:.@-])(?:src|href)\s*=\s*(?:"\s*([^"<>]*?)\s*"|'\s*([^'<>]*?)\s*')""")
_DEFINITION = re.compile(
    r"^[ \t>]*(?:[-+*][ \t]+|[0-9]{1,9}[.)][ \t]+)*\[((?:[^\[\]\\\r\n]|\\.){1,999})\]:[ \t]*"
    r"(?:\r?\n[ \t>]*)?(?:<([^<>\r\n]*)>|([^\s<]\S*))",
    re.MULTILINE,
)


def _target_place(text: str, link: Link, code: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Where the path of a link stands, without query and fragment."""
    whole = _whole_place(text, link, code)
    if whole is None:
        return None
    start, end = whole
    if shortcode := SHORTCODE.fullmatch(link.target):
        at = text.find(shortcode[1], start, end)
        return (at, at + len(shortcode[1])) if at >= 0 else None
    for at in range(end, start - 1, -1):  # the longest beginning that stands for the path: an entity has a # as well
        if _read_target(text[start:at], link, text[link.start]) == link.target:
            return start, at
    return None


def _read_target(written: str, link: Link, first: str) -> str:
    if link.kind in ("wikilink", "embed"):
        return written
    return html.unescape(written).strip() if first == "<" else unescape(written)


def _whole_place(text: str, link: Link, code: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    if link.kind in ("wikilink", "embed"):
        match = _WIKI_TARGET.match(text, link.start, link.end)
        return match.span(1) if match else None
    if text[link.start] == "<":
        match = _ATTRIBUTE.search(text, link.start, link.end)
        return match.span(1 if match[1] is not None else 2) if match else None
    at = text.rfind("](", link.start, link.end)
    while at >= 0:
        place = destination_at(text, at + 1, link.end)
        if place is not None and place[2] == link.end:
            return place[:2]
        at = text.rfind("](", link.start, at)
    return _definition_place(text, link, code)


def _definition_place(text: str, link: Link, code: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    written = normal_label(text[link.start : link.end])
    whole = f"{link.target}#{link.fragment}" if link.fragment else link.target
    for match in _DEFINITION.finditer(text):
        group = 3 if match[2] is None else 2
        is_code = any(start <= match.start() < end for start, end in code)
        if not is_code and f"[{normal_label(match[1])}]" in written and unescape(match[group]) == whole:
            return match.span(group)
    return None


def _as_written(text: str, place: tuple[int, int], link: Link, target: str) -> str:
    if shortcode := SHORTCODE.fullmatch(target):
        return shortcode[1]
    if link.kind not in ("wikilink", "embed") and unescape(target) != target:
        target = target.replace("&", "&amp;")
    written = text[place[0] : place[1]]
    # Parts that stay keep their escapes.
    known = {_read_target(part, link, text[link.start]): part for part in written.split("/")}
    return "/".join(known.get(part, part) for part in target.split("/"))


# -- Carrying it out


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _carry_out(root: Path, paths: PathChange, changed: Iterable[RetargetedFile]) -> None:
    """Write and move, all or nothing: what was done is undone if something fails, and Ctrl-C waits for the end."""
    files = list(changed)
    for file in files:
        if content_hash((root / file.path).read_bytes()) != file.hash:
            raise SourceError("changed meanwhile; nothing was moved", path=file.path, remedy="move again")
    old, new = root / paths.old, root / paths.new
    with signals_later():
        try:
            with ExitStack() as undo:
                for file in files:
                    undo.callback(_replace, root / file.path, file.before)
                    _replace(root / file.path, file.after)
                _make_folders(new.parent, undo)
                if os.path.lexists(new):
                    raise SourceError("somebody has made it meanwhile; nothing was moved", path=paths.new)
                old.rename(new)
                undo.pop_all()
        except OSError as error:
            message = f"{error.strerror}; nothing was moved"
            raise SourceError(message, path=str(error.filename or paths.old), remedy="check permissions") from error


def _make_folders(folder: Path, undo: ExitStack) -> None:
    if not folder.is_dir():
        _make_folders(folder.parent, undo)
        folder.mkdir()
        undo.callback(folder.rmdir)


def _replace(file: Path, text: str) -> None:
    with written_whole(file) as aside:
        aside.write_bytes(_bytes(text))
        shutil.copymode(file, aside)
