"""Check a folder, or several: its links, or all that can be told of its health. Only files are read: no index is
needed, and nothing is written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from headnote.api.folders import AnyPath, check_folder
from headnote.arguments import check_types
from headnote.config import choose
from headnote.config.checking_settings import load_ignore_list, load_schema
from headnote.errors import NotText, SettingsError
from headnote.index.dating import dates_of
from headnote.index.plan import ignore_progress
from headnote.links.checking.checked_files import LinkedDocument, LinkReader, UnreadFile
from headnote.links.checking.findings import check_of_links, in_order
from headnote.links.checking.health import CheckedPages, health_findings, wanted
from headnote.links.checking.link_report import KINDS, LINK_KINDS, TOP, Finding, FindingKind, LinkReport
from headnote.links.checking.policy import IgnoreEntry, known_before, sift
from headnote.links.resolving import PLAIN_SITES, SitesOfRoots
from headnote.links.sites.detection import find_sites_of
from headnote.links.sites.site import site_of
from headnote.model.results import Progress, Watcher
from headnote.processes import batches_on_all_cores
from headnote.sources.commits import NoHistory, commit_times, files_in, head_of
from headnote.sources.repository import Listing, SkippedFile
from headnote.sources.tree import Root, Tree
from headnote.store.rows import DateOrigin


def check_links(
    root: AnyPath,
    *,
    only: Collection[str] = (),
    ignore: Iterable[str] = (),
    baseline: AnyPath | None = None,
    workers: int | None = None,
    on_progress: Watcher = ignore_progress,
) -> LinkReport:
    """What is wrong with the links of a folder: missing pages, anchors and files, and ids and addresses given twice.

    Links are followed as `Index.broken_links` follows them, but no index is needed, and nothing is written. Links and
    pictures in HTML, which an index does not have, are checked as well. Addresses outside the folder are never opened.

    Args:
        root: The folder, or the home of several: they are checked as one tree, and paths begin with the name of theirs.
        only: Kinds of findings: `page`, `anchor`, `file`, `duplicate-anchor`, `duplicate-address`, `unused-ignore`.
        ignore: Targets to pass over, besides the ignore list of `headnote.toml`; `*` stands for any text.
        baseline: A report as JSON, made before: what it has is known, and counts as ignored.
        workers: How many processes read files; one per core by default.
        on_progress: Receives a `Progress` now and then.
    """
    return _checked(root, LINK_KINDS, only, ignore, baseline, workers, on_progress)


def lint(
    root: AnyPath,
    *,
    only: Collection[str] = (),
    ignore: Iterable[str] = (),
    baseline: AnyPath | None = None,
    workers: int | None = None,
    on_progress: Watcher = ignore_progress,
) -> LinkReport:
    """What can be told of the health of a folder: its links, as `check_links` has them, and its pages.

    Pages that several others want and nobody wrote, that stand alone, that the index of their folder leaves out, that
    say nothing or the same as another, or the same with other numbers; footnotes; frontmatter that is not as
    `[[schema]]` wants it; and pages that are older than the `sources` they name.

    Args:
        root: The folder, or the home of several.
        only: Kinds of findings; by default all but `numbers`, which most often are right on both pages.
        ignore: Targets to pass over, besides the ignore list of `headnote.toml`.
        baseline: A report as JSON, made before: what it has is known, and counts as ignored.
        workers: How many processes read files; one per core by default.
        on_progress: Receives a `Progress` now and then.
    """
    return _checked(root, tuple(KINDS), only, ignore, baseline, workers, on_progress)


def _checked(
    root: AnyPath,
    kinds: Sequence[FindingKind],
    only: Collection[str],
    ignore: Iterable[str],
    baseline: AnyPath | None,
    workers: int | None,
    on_progress: Watcher,
) -> LinkReport:
    check_types(root=(root, str | os.PathLike), on_progress=(on_progress, Callable))
    check_types(baseline=(baseline, str | os.PathLike | None))
    for kind in only:
        if kind not in kinds:
            raise SettingsError(f"unknown kind {kind!r}", path="only", remedy=f"use {', '.join(kinds)}")
    folder = Path(root)
    check_folder(folder)
    ignored_here = [entry for entry in load_ignore_list(folder) if entry.kind is None or entry.kind in kinds]
    entries = [*ignored_here, *(IgnoreEntry("as asked", target=glob) for glob in ignore)]
    choice = choose({}, folder)
    tree = choice.tree(folder)
    listing = tree.discover(choice.of_index.settings.max_file_bytes)
    mdx = {root.name: choice.settings_of.get(root.name, choice.chunking.settings).mdx for root in tree.roots}
    is_lint = set(kinds) > set(LINK_KINDS)
    reader = LinkReader(tree, mdx, is_lint)
    documents, failed = _read(reader, [file.path for file in listing.files], workers, on_progress)
    sites = find_sites_of(tree, listing)
    links = check_of_links(documents, tree, sites, on_progress)
    by_programs = {document.path for document in documents if document.is_generated}
    findings = [finding for finding in links.findings if finding.path not in by_programs]
    if is_lint:
        dates = _Dates(tree, listing, documents, choice.of_index.settings.dates)
        pages = CheckedPages(documents, links.resolved, _is_site(tree, sites), cache(dates.of))
        health = health_findings(pages, load_schema(folder))
        findings = in_order([*wanted(findings, pages.is_site), *health])
    asked = set(only) or {kind for kind, row in KINDS.items() if not row.is_only_asked}
    found, ignored = sift(findings, entries, {one.path: one.comments for one in documents if one.comments})
    if baseline is not None:
        found, known = known_before(found, _stored_findings(Path(baseline)))
        ignored += known
    skipped = [*listing.skipped, *failed]
    return LinkReport(
        documents=len(documents),
        links=sum(len(document.links) for document in documents),
        external=sum(document.external for document in documents),
        unjudged=links.unjudged + sum(finding.path in by_programs for finding in links.findings),
        findings=[finding for finding in found if finding.kind in asked],
        ignored=[one for one in ignored if one.finding.kind in asked],
        unread=[file for file in skipped if file.unreadable],
        skipped=[file for file in skipped if not file.unreadable],
    )


def _read(
    reader: LinkReader, paths: list[str], workers: int | None, on_progress: Watcher
) -> tuple[list[LinkedDocument], list[SkippedFile]]:
    documents: list[LinkedDocument] = []
    failed: list[SkippedFile] = []
    with closing(batches_on_all_cores(reader, paths, workers)) as results:
        for done, result in enumerate(results):
            on_progress(Progress("read", done, len(paths)))
            if isinstance(result, UnreadFile):
                is_text = not isinstance(result.error, NotText)
                failed.append(SkippedFile(result.path, result.error.message, unreadable=is_text))
            else:
                documents.append(result)
    return documents, failed


def _is_site(tree: Tree, sites: SitesOfRoots) -> Callable[[str], bool]:
    def is_site(path: str) -> bool:
        place = tree.place(path)
        return place is not None and site_of(place.path, sites.get(place.root.name) or PLAIN_SITES).generator != "plain"

    return is_site


def _stored_findings(file: Path) -> list[Finding]:
    """What an earlier report has. Only kind, path and target count: lines move."""
    remedy = "write it with --format json"
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        rows = [*stored["findings"], *stored["ignored"]]
        return [Finding(row["kind"], row["path"], TOP, row["target"], "") for row in rows]
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror}", path=str(file), remedy=remedy) from None
    except (ValueError, KeyError, TypeError):
        raise SettingsError("is not the report of a check", path=str(file), remedy=remedy) from None


class _Dates:
    """When documents were changed, as an index would say. Git is asked only for those that are compared."""

    def __init__(
        self, tree: Tree, listing: Listing, documents: Sequence[LinkedDocument], order: Sequence[DateOrigin]
    ) -> None:
        self._tree = tree
        self._order = order
        self._times = {file.path: file.mtime_ns for file in listing.files}
        self._metadata = {document.path: document.facts.metadata for document in documents}
        self._committed: dict[str, Mapping[str, int]] = {}

    def of(self, path: str) -> int | None:
        """In nanoseconds since 1970."""
        if path not in self._metadata:
            return None
        own = dates_of(path, self._metadata[path])
        for origin in self._order:
            known = {"frontmatter": own.frontmatter, "name": own.name, "mtime": self._times.get(path)}
            time_ns = self._commit_of(path) if origin == "git" else known[origin]
            if time_ns is not None:
                return time_ns
        return self._times.get(path)

    def _commit_of(self, path: str) -> int | None:
        place = self._tree.place(path)
        if place is None:
            return None
        if place.root.name not in self._committed:
            self._committed[place.root.name] = _commits_of(place.root)
        return self._committed[place.root.name].get(place.path)


def _commits_of(root: Root) -> Mapping[str, int]:
    """File → when it was last committed, of those that have not changed since."""
    if not head_of(root.folder):
        return {}
    try:
        changed = files_in(root.real).changed
        return {path: time for path, time in commit_times(root.real).items() if path not in changed}
    except NoHistory:
        return {}
