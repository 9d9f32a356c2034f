"""A finding, and the report that has all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from headnote.sources.repository import SkippedFile

FindingKind = Literal["page", "anchor", "file", "duplicate-anchor", "duplicate-address", "unused-ignore"]


KINDS: tuple[FindingKind, ...] = get_args(FindingKind)


ABOUT: dict[FindingKind, str] = {
    "page": "A link leads to a document that does not exist.",
    "anchor": "A link leads to a heading or id that its document does not have.",
    "file": "A link or picture leads to a file that does not exist.",
    "duplicate-anchor": "A document gives the same id twice, so links lead to the first one only.",
    "duplicate-address": "Two documents have the same address on the site, so one of them cannot be reached.",
    "unused-ignore": "An entry of the ignore list matches nothing.",
}


class Position(NamedTuple):
    """A range of a file. Lines and columns count from 1; columns are characters, and the last is exclusive."""

    line: int
    """First line."""
    column: int
    """First character of it."""
    end_line: int
    """Last line."""
    end_column: int
    """Just past its last character."""


class Finding(NamedTuple):
    """Something that is wrong."""

    kind: FindingKind
    """Which rule it breaks."""
    path: str
    """File that has it: a document, from the root, or the settings file, as people see it."""
    at: Position
    """Of the link, of the second id, or of the entry of the settings file."""
    target: str
    """The target as written; the id; the address."""
    message: str
    """What is wrong, in words."""
    suggestion: str = ""
    """What exists and is most like the target, as it would be written here; empty if nothing is like it."""


class IgnoredFinding(NamedTuple):
    """A finding that is known and stays."""

    finding: Finding
    """What would be reported."""
    reason: str
    """Why it stays."""


@dataclass(frozen=True, slots=True)
class LinkReport:
    """The result of checking the links of a folder."""

    documents: int
    """Documents that were read."""
    links: int
    """Links that were checked: those that lead to something below the root."""
    external: int
    """Links that leave the folder. They are never opened."""
    findings: list[Finding] = field(default_factory=list)
    """By path and line."""
    ignored: list[IgnoredFinding] = field(default_factory=list)
    """Findings that the ignore list or a comment takes out."""
    unread: list[SkippedFile] = field(default_factory=list)
    """Files that could not be read, so nobody knows what is in them."""
    skipped: list[SkippedFile] = field(default_factory=list)
    """Files that were left out on purpose: too large, or not text."""
