"""Move a file or a folder, or rename a heading, and keep every link: a target changes only where it would lead
elsewhere afterwards.

Nothing is trusted. The folder is read as it would be afterwards, all its links are followed, and unless each leads
where it led before, nothing is written.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from headnote.api.folders import AnyPath, check_folder
from headnote.api.redirects import Redirect, RedirectWays, field_edit
from headnote.config import choose
from headnote.errors import MissingSource, NotText, SettingsError, SourceError
from headnote.formats.kinds import format_of, open_document
from headnote.links.anchors import names_of_heading
from headnote.links.checking.checked_files import LinkedDocument, linked_document, links_in_tags
from headnote.links.checking.findings import CheckedContents
from headnote.links.judging import LinkCheck
from headnote.links.resolving import Resolver, learnt_mounts, link_row, path_of
from headnote.links.rewriting import (
    HeadingNames,
    PathChange,
    as_written,
    fragment_place,
    path_spellings,
    target_place,
    with_path,
)
from headnote.links.sites.detection import find_sites
from headnote.links.sites.site import Mount, Site, below, site_of
from headnote.links.sites.site_files import Endings, SiteFiles
from headnote.markdown.document import Document
from headnote.markdown.headings import heading_place
from headnote.model import Heading
from headnote.processes import signals_later
from headnote.sources.files import FileSnapshot, content_hash
from headnote.sources.repository import rule_against
from headnote.store.rows import LinkRow
from headnote.whole_files import written_whole

Edits = dict[tuple[int, int], str]
"""Range of a text → what it becomes."""


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
        before, after = self.before.splitlines(), self.after.splitlines()
        if len(before) == len(after):
            pairs: Iterable[tuple[str, str]] = zip(before, after, strict=True)
            return [ChangedLine(line, *pair) for line, pair in enumerate(pairs, 1) if pair[0] != pair[1]]
        changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        return [
            ChangedLine(line + 1, old, new)
            for kind, start, end, first, last in changes
            if kind != "equal"
            for line, (old, new) in enumerate(zip_longest(before[start:end], after[first:last], fillvalue=""), start)
        ]


class Move(NamedTuple):
    """What a move does."""

    old: str
    new: str
    changed: list[RetargetedFile]
    """By path."""
    redirects: list[Redirect] = []  # noqa: RUF012  a default of a tuple, never changed
    """What leads from old addresses to new ones."""


def move(root: AnyPath, old: AnyPath, new: AnyPath, *, dry_run: bool = False, redirect: bool = False) -> Move:
    """Move a file or folder below `root`, and change the targets of links that would lead elsewhere. With `redirect`,
    old addresses lead to the new ones, if the site of the folder has a way.

    Raises, and leaves everything as it was, if something is in the way, or if a link could not be kept.
    """
    folder = Path(root)
    check_folder(folder)
    paths = _path_change(folder, Path(old), Path(new))
    links = _MovedLinks(folder, paths)
    redirects = links.leave_redirects() if redirect else []
    changed = links.changed()
    if not dry_run:
        _carry_out(folder, paths, changed)
    return Move(paths.old, paths.new, changed, redirects)


def rename_heading(root: AnyPath, file: AnyPath, heading: str, new: str, *, dry_run: bool = False) -> Move:
    """Give a heading of a file below `root` another text, and change the fragments of links that lead to it.

    It is named by its text or its anchor. An id that its author gave it stays.

    Raises, and leaves everything as it was, if the file would be parsed differently, or if a link could not be kept.
    """
    folder = Path(root)
    check_folder(folder)
    path = _path_below(folder, Path(file))
    links = _MovedLinks(folder, PathChange(path, path))
    old = links.rename(path, heading, new)
    changed = links.changed()
    if not dry_run:
        _carry_out(folder, PathChange(path, path), changed)
    return Move(f"{path}#{old}", f"{path}#{new.strip()}", changed)


def _path_below(root: Path, file: Path) -> str:
    top, real = Path(os.path.realpath(root)), Path(os.path.realpath(file))
    if not os.path.isfile(file):
        raise MissingSource("no such file", path=str(file), remedy="check the path")
    if not real.is_relative_to(top):
        raise SettingsError(f"not inside {root}", path=str(file), remedy="use --root with a folder that contains it")
    return real.relative_to(top).as_posix()


def _path_change(root: Path, old: Path, new: Path) -> PathChange:
    top = Path(os.path.realpath(root))
    if not os.path.lexists(old):
        raise MissingSource("no such file or folder", path=str(old), remedy="check the path")
    if os.path.isdir(new):
        new /= old.resolve().name
    if os.path.lexists(new):
        raise SettingsError("already exists", path=str(new), remedy="choose another name, or move it away")
    if old.is_symlink():
        raise SettingsError("a symlink", path=str(old), remedy="move its target")
    places = [Path(os.path.realpath(one)) for one in (old, new)]
    for place, written in zip(places, (old, new), strict=True):
        if place == top or not place.is_relative_to(top):
            raise SettingsError(
                f"not inside {root}", path=str(written), remedy="use --root with a folder that contains both"
            )
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

    def is_folder(self, path: str) -> bool:
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
        rows = (link.row for one in self._documents.values() for link in one.links)
        self._learnt = learnt_mounts(tree, rows, now).get("")
        self._sites_now = sites
        self._now = Resolver(now, CheckedContents(self._documents.values()), sites, self._files_now, self._learnt)
        self._check = LinkCheck(real, now, sites, self._learnt)
        self._edits: dict[str, Edits] = {}
        """Of documents, besides those of links."""
        self._renamed = ""
        self._settings: list[RetargetedFile] = []

    @cached_property
    def _later(self) -> Resolver:
        """Without redirects: no link should need one."""
        renamed = {self._renamed: self._edited(self._renamed)} if self._renamed else {}
        return self._resolver_of(renamed, self._learnt)

    def _edited(self, path: str) -> LinkedDocument:
        return self._read_again(path, applied(self._snapshots[path].text, self._edits[path]))

    def _resolver_of(self, changed: Mapping[str, LinkedDocument], learnt: Mount | None) -> Resolver:
        """Of the folder as it will be, with these documents by their path of now."""
        documents = [
            changed.get(path) or one._replace(path=self._paths.after(path)) for path, one in self._documents.items()
        ]
        paths = frozenset(one.path for one in documents)
        return Resolver(paths, CheckedContents(documents), self._sites, self._files_later, learnt)

    def _check_sites(self, sites: Iterable[Site], marks: Iterable[str]) -> None:
        """Raise if the move takes away what a site is known by, or made of."""
        old = self._paths.old
        made = [site for site in sites if site.generator != "plain"]
        folders = [folder for site in made for folder in (site.folder, *site.files)]
        folders += [mount.folder for site in made for mount in site.mounts]
        known = {(site.generator, site.folder) for site in self._sites}
        is_lost = any((site.generator, site.folder) not in known for site in made)
        if is_lost or any(self._paths.after(path) != path for path in (*marks, *folders) if path):
            raise SettingsError(
                "a site generator reads this file", path=old, remedy="move it by hand, with its configuration"
            )

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

    # -- headings

    def rename(self, path: str, name: str, new: str) -> str:
        """Give a heading another text, and return the old one."""
        if path not in self._snapshots:
            raise SettingsError("is not a document of the folder", path=path, remedy="name a file that is indexed")
        text = self._snapshots[path].text
        document = open_document(text, path, self._mdx)
        heading = _named_heading(document.headings, name, path)
        place = heading_place(document.text, document.blocks[heading.block])
        self._edits[path] = {place: new.strip()}
        self._renamed = path
        after = open_document(applied(text, self._edits[path]), path, self._mdx)
        if not _is_only_renamed(document, after, heading):
            raise SettingsError(
                "would change how the file is parsed; nothing was renamed", path=path, remedy="use another text"
            )
        return heading.text

    @cached_property
    def _anchors_later(self) -> dict[str, str]:
        """Anchor of a heading → the one it has afterwards: numbers of others may change as well."""
        before, after = self._documents[self._renamed].anchors, self._edited(self._renamed).anchors
        return dict(zip(before.headings, after.headings, strict=True))

    def _section_later(self, path: str, section: str | None) -> str | None:
        if section is None or not self._renamed:
            return section
        own = self._documents[path].anchors if path in self._documents else None
        # What a page does not have itself comes from one that it includes.
        is_renamed = path == self._renamed or (own is not None and own.chunk(section) is None)
        return self._anchors_later.get(section, section) if is_renamed else section

    def _fragments(self, row: LinkRow, path: str, section: str) -> Iterator[str]:
        generator = site_of(path, self._sites).generator
        before, after = self._documents[self._renamed].anchors, self._edited(self._renamed).anchors
        later = self._anchors_later.get(section, section)
        names = HeadingNames(
            names_of_heading(before, section, generator),
            names_of_heading(after, later, generator),
            dict(before.texts).get(section, ""),
            dict(after.texts).get(later, ""),
        )
        return names.spellings(row)

    # -- redirects

    def leave_redirects(self) -> list[Redirect]:
        """Let old addresses lead to the new ones."""
        naming = {path: one.naming for path, one in self._documents.items()}
        is_of_names = any(link.row.kind == "wikilink" for one in self._documents.values() for link in one.links)
        ways = RedirectWays(self._top, self._sites_now, naming, is_of_names)
        moved = [path for path in sorted(self._documents) if self._paths.after(path) != path]
        redirects = [one for path in moved if (one := ways.redirect(path, self._paths.after(path)))]
        for one in redirects:
            if one.field:
                document = open_document(self._snapshots[one.old_path].text, one.old_path, self._mdx)
                self._edits[one.old_path] = dict([field_edit(document, one.field, one.old)])
        for path, (before, after) in ways.changed_settings(redirects).items():
            self._settings.append(RetargetedFile(path, content_hash(_bytes(before)), before, after, 0))
        return redirects

    # -- links

    def changed(self) -> list[RetargetedFile]:
        files = list(self._settings)
        read_again: dict[str, LinkedDocument] = {}
        rows: list[tuple[LinkRow, LinkRow]] = []
        for path, document in sorted(self._documents.items()):
            written = [(link.row, self._kept(link.row)) for link in document.links]
            if path in self._edits or any(new.written != old.written for old, new in written):
                file = self._rewritten(path, [new for _, new in written])
                files.append(file)
                later = read_again[path] = self._read_again(path, file.after)
                if len(later.links) != len(written):
                    raise SettingsError(
                        "would change how its links are parsed; nothing was changed",
                        path=path,
                        remedy="change it by hand, then try again",
                    )
                written = [(old, link.row) for (old, _), link in zip(written, later.links, strict=True)]
            rows += written
        self._verify(rows, read_again)
        return sorted(files)

    def _lead(self, resolver: Resolver, files: SiteFiles, row: LinkRow) -> _Lead | None:
        """The document or file, and the place in it, that a link leads to."""
        resolved = resolver.resolve(row)
        path = resolved.resolved
        return None if path is None or not (resolver.has(path) or files.has(path)) else _Lead(path, resolved.section)

    def _wanted(self, row: LinkRow) -> _Lead | None:
        lead = self._lead(self._now, self._files_now, row)
        return None if lead is None else _Lead(self._paths.after(lead.path), self._section_later(*lead))

    def _leads_there(self, resolver: Resolver, row: LinkRow, wanted: _Lead) -> bool:
        lead = self._lead(resolver, self._files_later, row)
        if self._renamed and lead and not wanted.section:  # a link to no heading may have found one: that mends it
            return lead.path == wanted.path
        return lead == wanted

    def _kept(self, row: LinkRow) -> LinkRow:
        """The link as it has to be written."""
        source = self._paths.after(row.path)
        here = row._replace(path=source)
        wanted = self._wanted(row)
        if wanted is None:
            # A link to nowhere stays as it is. One to what lies beside the root follows its page.
            return here if source == row.path or self._check.is_broken(row) else self._from_new_place(row, source)
        for candidate in (here, *self._candidates(row, here, wanted)):
            if self._leads_there(self._later, candidate, wanted):
                return candidate
        raise _unkept(row, f"nothing that could be written there leads to {wanted.path}")

    def _candidates(self, row: LinkRow, here: LinkRow, wanted: _Lead) -> Iterator[LinkRow]:
        lead = self._lead(self._now, self._files_now, row)
        if self._renamed and lead and lead.section:
            yield from (here._replace(fragment=one) for one in self._fragments(row, lead.path, lead.section))
        for target in path_spellings(row, here.path, self._paths, wanted.path):
            yield here._replace(target=with_path(row, target))

    def _from_new_place(self, row: LinkRow, source: str) -> LinkRow:
        target = path_of(row)
        if target.startswith(("/", "@")) or not target or row.kind in ("wikilink", "embed"):
            return row._replace(path=source)
        place = posixpath.normpath(f"{self._top}/{posixpath.dirname(row.path)}/{target}")
        shifted = posixpath.relpath(place, f"{self._top}/{posixpath.dirname(source)}")
        shifted += "/" * target.endswith("/")
        same = posixpath.dirname(source) == posixpath.dirname(row.path)
        here = row._replace(path=source, target=row.target if same else with_path(row, shifted))
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
        edits = dict(self._edits.get(path, {}))
        changed: set[tuple[int, int]] = set()
        for link, row in zip(inside, rows, strict=True):
            for is_changed, place_of, new in (
                (link.target != row.target, target_place, row.target),
                (link.fragment != row.fragment, fragment_place, row.fragment),
            ):
                place = place_of(text, link, code) if is_changed else None
                if place is not None:
                    edits[place] = as_written(text, place, link, new)
                    changed.add(place)
                elif is_changed:
                    written = row._replace(path=path, target=link.target, fragment=link.fragment)
                    raise _unkept(written, "its target was not found in the file")
        if any(one[1] > other[0] for one, other in pairwise(sorted(edits))):
            raise SettingsError("a link in the heading would change, too", path=path, remedy="change it by hand")
        return RetargetedFile(path, snapshot.hash, snapshot.text, applied(text, edits), len(changed))

    def _read_again(self, path: str, text: str) -> LinkedDocument:
        return linked_document(self._snapshots[path]._replace(path=self._paths.after(path), text=text), self._mdx)

    def _verify(self, rows: Sequence[tuple[LinkRow, LinkRow]], read_again: Mapping[str, LinkedDocument]) -> None:
        """Raise unless each link leads where it led before."""
        paths = frozenset(map(self._paths.after, self._documents))
        learnt = learnt_mounts(self._tree, (new for _, new in rows), paths).get("")
        resolver = self._resolver_of(read_again, learnt)
        for old, new in rows:
            wanted = self._wanted(old)
            if wanted is not None and not self._leads_there(resolver, new, wanted):
                raise _unkept(old, f"it would no longer lead to {wanted.path}")


class _Lead(NamedTuple):
    """Where a link leads."""

    path: str
    section: str | None


def applied(text: str, edits: Edits) -> str:
    for (start, end), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _named_heading(headings: Sequence[Heading], name: str, path: str) -> Heading:
    """The heading with this anchor or text."""
    wanted = name.strip()
    anchored = [heading for heading in headings if heading.slug == wanted]
    named = anchored or [heading for heading in headings if heading.text.casefold() == wanted.casefold()]
    if not named:
        raise MissingSource(f"no heading {wanted!r}", path=path, remedy=f"look at them: headnote outline {path}")
    if len(named) > 1:
        anchors = ", ".join(f"#{heading.slug}" for heading in named)
        raise SettingsError(f"{len(named)} headings are {wanted!r}", path=path, remedy=f"name one of {anchors}")
    return named[0]


def _is_only_renamed(before: Document, after: Document, renamed: Heading) -> bool:
    """Whether nothing but the text of one heading changes, and that is not empty."""

    def shape(document: Document) -> list[tuple[str, int]]:
        return [(block.kind, block.level) for block in document.blocks]

    same = [one.text == other.text for one, other in zip(before.headings, after.headings, strict=False)]
    at = before.headings.index(renamed)
    return shape(before) == shape(after) and bool(after.headings[at].text) and all(same[:at] + same[at + 1 :])


def _unkept(row: LinkRow, why: str) -> SettingsError:
    message = f"the link {row.written} cannot be kept: {why}; nothing was changed"
    return SettingsError(message, path=row.path, line=row.line, remedy="change it by hand, then try again")


# -- Carrying it out


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _carry_out(root: Path, paths: PathChange, changed: Iterable[RetargetedFile]) -> None:
    """Write and move, all or nothing: what was done is undone if something fails, and Ctrl-C waits for the end."""
    files = list(changed)
    for file in files:
        if content_hash((root / file.path).read_bytes()) != file.hash:
            raise SourceError("it was changed in the meantime; nothing was moved", path=file.path, remedy="move again")
    old, new = root / paths.old, root / paths.new
    with signals_later():
        try:
            with ExitStack() as undo:
                for file in files:
                    undo.callback(_replace, root / file.path, file.before)
                    _replace(root / file.path, file.after)
                if old != new:
                    _make_folders(new.parent, undo)
                    if os.path.lexists(new):
                        raise SourceError("it was created in the meantime; nothing was moved", path=paths.new)
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
