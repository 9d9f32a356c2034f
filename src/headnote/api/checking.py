"""Check the links of a folder, or of several. Only files are read: no index is needed, and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from contextlib import closing
from pathlib import Path

from headnote.api.folders import AnyPath, check_folder
from headnote.arguments import check_types
from headnote.config import choose
from headnote.config.link_settings import load_ignore_list
from headnote.errors import NotText, SettingsError
from headnote.index.plan import ignore_progress
from headnote.links.checking.checked_files import LinkedDocument, LinkReader, UnreadFile
from headnote.links.checking.findings import findings_in
from headnote.links.checking.ignoring import IgnoreEntry, sift
from headnote.links.checking.link_report import KINDS, LinkReport
from headnote.links.sites.detection import find_sites_of
from headnote.model.progress import Progress, Watcher
from headnote.processes import batches_on_all_cores
from headnote.sources.repository import SkippedFile


def check_links(
    root: AnyPath,
    *,
    only: Collection[str] = (),
    ignore: Iterable[str] = (),
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
        workers: How many processes read files; one per core by default.
        on_progress: Receives a `Progress` now and then.
    """
    check_types(root=(root, str | os.PathLike), on_progress=(on_progress, Callable))
    for kind in only:
        if kind not in KINDS:
            raise SettingsError(f"unknown kind {kind!r}", path="only", remedy=f"use {', '.join(KINDS)}")
    folder = Path(root)
    check_folder(folder)
    entries = [*load_ignore_list(folder), *(IgnoreEntry("as asked", target=glob) for glob in ignore)]
    choice = choose({}, folder)
    tree = choice.tree(folder)
    listing = tree.discover(choice.of_index.settings.max_file_bytes)
    mdx = {root.name: choice.settings_of.get(root.name, choice.chunking.settings).mdx for root in tree.roots}
    documents, failed = _read(LinkReader(tree, mdx), [file.path for file in listing.files], workers, on_progress)
    found, ignored = sift(
        findings_in(documents, tree, find_sites_of(tree, listing), on_progress),
        entries,
        {one.path: one.comments for one in documents if one.comments},
    )
    skipped = [*listing.skipped, *failed]
    return LinkReport(
        documents=len(documents),
        links=sum(len(document.links) for document in documents),
        external=sum(document.external for document in documents),
        findings=[finding for finding in found if not only or finding.kind in only],
        ignored=[one for one in ignored if not only or one.finding.kind in only],
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
