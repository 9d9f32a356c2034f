"""When documents were changed: as each says itself, in its frontmatter or in its name if it is a daily note, and at the
end of an update by their commits and by what the settings trust most. A clone has new files, but the same of all else.

A day without a time counts as its noon in UTC: so it is that day in nearly every zone of those who ask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from datetime import UTC, date, datetime
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from headnote.index.plan import Plan
from headnote.sources.commits import NoHistory, commit_times, files_in, head_of, is_before
from headnote.sources.tree import Tree
from headnote.store.integrity import COMMITS, signed, unsigned
from headnote.store.interface import Writer
from headnote.store.rows import DateOrigin, Dates

_FIELDS = (
    *("updated", "updatedat", "modified", "modifiedat", "lastmod", "lastmodified", "lastmodifiedat", "lastupdated"),
    *("lastupdate", "datemodified", "dateupdated", "reviewed", "lastreviewed", "date", "published", "publishedat"),
    *("publishdate", "pubdate", "datepublished"),
)
"""Fields that say when a document was changed, then those that say of when it is; without hyphens, and in lower case.
When it was created says nothing of that."""
_NOON = 12
_YEARS = range(1900, 2200)
"""Digits that would be another year are a number."""
_DAY = re.compile(
    r"(?<![0-9A-Za-z])([12][0-9]{3})(?:([-_.])(0[1-9]|1[0-2])\2(0[1-9]|[12][0-9]|3[01])"
    r"|(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(?:[0-9]{4}|[0-9]{6})?)(?![0-9])"
)
"""`2026-03-01`, `2026_03_01`, `2026.03.01`, `20260301`, the latter also with a time behind it."""
_FOLDERS = re.compile(r"(?:^|/)([12][0-9]{3})/(?:[12][0-9]{3}-)?(0[1-9]|1[0-2])/(0[1-9]|[12][0-9]|3[01])$")
"""`2026/03/01`"""
_WEEK = re.compile(r"([12][0-9]{3})-?W(0[1-9]|[1-4][0-9]|5[0-3])")
_MONTH = re.compile(r"([12][0-9]{3})-(0[1-9]|1[0-2])")


def dates_of(path: str, metadata: Mapping[str, Any]) -> Dates:
    """What a document itself says."""
    return Dates(frontmatter=_said_in(metadata), name=date_in_name(path))


def date_in_name(path: str) -> int | None:
    """The day of a daily note, the first one of a weekly or monthly note; None for other names."""
    stem = path.rpartition(".")[0] or path
    name = stem.rpartition("/")[2]
    try:
        if found := _FOLDERS.search(stem):
            return _noon_of(date(*map(int, found.groups())))
        if found := _DAY.search(name):
            year, _, month, day, month_, day_ = found.groups()
            return _noon_of(date(int(year), int(month or month_), int(day or day_)))
        if found := _WEEK.fullmatch(name):
            return _noon_of(date.fromisocalendar(int(found[1]), int(found[2]), 1))
        if found := _MONTH.fullmatch(name):
            return _noon_of(date(int(found[1]), int(found[2]), 1))
    except ValueError:  # the 31st of February
        return None
    return None


def _noon_of(day: date) -> int | None:
    return _nanoseconds(datetime(day.year, day.month, day.day, _NOON, tzinfo=UTC)) if day.year in _YEARS else None


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp()) * 1_000_000_000


def _said_in(metadata: Mapping[str, Any]) -> int | None:
    said = {re.sub(r"[-_ ]", "", name).lower(): value for name, value in metadata.items()}
    return next((found for name in _FIELDS if (found := _moment(said.get(name))) is not None), None)


def _moment(value: Any) -> int | None:
    if isinstance(value, Mapping):  # `last_update: {date: …, author: …}` of Docusaurus
        value = value.get("date")
    if isinstance(value, str):
        value = _read(value.strip())
    try:
        if isinstance(value, datetime):
            moment = value if value.tzinfo else value.replace(tzinfo=UTC)
            return _nanoseconds(moment) if moment.year in _YEARS else None
        return _noon_of(value) if isinstance(value, date) else None
    except (ValueError, OverflowError):
        return None


def _read(text: str) -> date | datetime | None:
    if not 8 <= len(text) <= 40:
        return None
    try:
        return date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)
    except ValueError:
        return None


# -- When documents were changed, at the end of an update: by their commits, and by what the settings trust most.
#
# A clone has new files, but the same of all else.


class KnownCommits(NamedTuple):
    """How far the commits of a root are known."""

    head: str
    """The commit that was checked out."""
    read: str
    """The commit up to which its history was read; empty if git could not read it."""


def commits_entry(commits: Mapping[str, KnownCommits]) -> dict[str, str]:
    """The entry of the manifest, by root; none without a repository."""
    return {COMMITS: signed(commits)} if commits else {}


def _commits_in_manifest(manifest: Mapping[str, str]) -> dict[str, KnownCommits]:
    stored = unsigned(manifest[COMMITS]) if COMMITS in manifest else {}
    return {name: KnownCommits(*fields) for name, fields in stored.items()}


def heads_entry(tree: Tree, order: Sequence[DateOrigin], manifest: Mapping[str, str]) -> dict[str, str]:
    """The entry for what is checked out now. It is the stored one as long as that stays the same."""
    if "git" not in order:
        return {}
    known = _commits_in_manifest(manifest)
    heads = {root.name: head_of(root.folder) for root in tree.roots if not root.barred}
    is_known = {name: name in known and known[name].head == head for name, head in heads.items()}
    return commits_entry(
        {name: known[name] if is_known[name] else KnownCommits(head, "") for name, head in heads.items() if head}
    )


def unread_commits(manifest: Mapping[str, str]) -> dict[str, str]:
    """The entry while documents are being read: should that be interrupted, nothing is known of those."""
    return commits_entry({name: KnownCommits(one.head, "") for name, one in _commits_in_manifest(manifest).items()})


class Dating(NamedTuple):
    """How documents get their dates at the end of an update."""

    writer: Writer
    tree: Tree
    before: Mapping[str, str]
    """The manifest before."""
    now: Mapping[str, str]
    """That of now, with the commits that are checked out."""

    def finish(self, plan: Plan, order: Sequence[DateOrigin]) -> tuple[dict[str, str], list[tuple[str, str]]]:
        """Store when each document was changed; the entry of the manifest, and what git could not do."""
        fresh = {*plan.added, *plan.changed, *(new for _, new in plan.renamed)}
        known, commits = _commits_in_manifest(self.before), _commits_in_manifest(self.now)
        warnings = []
        for root in self.tree.roots:
            if root.name in commits:
                head = commits[root.name].head
                own = {path.removeprefix(root.prefix) for path in fresh if path.startswith(root.prefix)}
                try:
                    times = _committed(root.real, head, known.get(root.name), own)
                except NoHistory as error:
                    warnings.append((root.prefix or ".", f"its commits do not count for dates: {error}"))
                else:
                    self.writer.set_committed({root.prefix + path: time for path, time in times.items()})
                    commits[root.name] = KnownCommits(head, head)
        self.writer.choose_dates(order)
        return commits_entry(commits), warnings


def _committed(folder: Path, head: str, known: KnownCommits | None, fresh: Set[str]) -> dict[str, int | None]:
    """File → when it was last committed, for all that may not be stored so. None for what has changed since, and for
    what git does not know. `fresh` are those that were just read: nothing is stored of their commits."""
    files = files_in(folder)
    since = known.read if known and known.read and is_before(folder, known.read) else ""
    times = commit_times(folder, since) if since != head else {}
    if since and not (fresh & files.tracked) - files.changed <= times.keys():
        # A change was taken back, so the last commit is an old one.
        times = commit_times(folder)
    committed = {path: time for path, time in times.items() if path in files.tracked}
    return committed | dict.fromkeys(files.changed | (fresh - files.tracked))


# -- Which of them counts


def order_of_dates(chosen: Sequence[DateOrigin]) -> tuple[DateOrigin, ...]:
    """Those that may count: a file has a time in any case, so none counts after that."""
    return (*takewhile(lambda origin: origin != "mtime", chosen), "mtime")
