"""A finding, and the report that has all of them, also as SARIF 2.1.0, which code scanning takes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from headnote.sources.repository import SkippedFile

FindingKind = Literal[
    "page",
    "anchor",
    "file",
    "duplicate-anchor",
    "duplicate-address",
    "unused-ignore",
    "wanted",
    "orphan",
    "unlisted",
    "stub",
    "near-duplicate",
    "footnote",
    "schema",
    "outdated",
    "numbers",
]


class KindRow(NamedTuple):
    """A kind of finding."""

    about: str
    """What it means, in a sentence."""
    level: Literal["error", "warning"] = "warning"
    """An error is wrong in any case; a warning is worth a look."""
    is_of_links: bool = False
    """Whether the check of links reports it, as lint does."""
    is_only_asked: bool = False
    """Whether it is reported only if it is asked for by its name: most of its findings are right on both pages."""


KINDS: dict[FindingKind, KindRow] = {
    "page": KindRow("A link leads to a document that does not exist.", "error", True),
    "anchor": KindRow("A link leads to a heading or id that its document does not have.", "error", True),
    "file": KindRow("A link or picture leads to a file that does not exist.", "error", True),
    "duplicate-anchor": KindRow(
        "A document gives the same id twice, so links lead to the first one only.", "error", True
    ),
    "duplicate-address": KindRow(
        "Two documents have the same address on the site, so one of them cannot be reached.", "error", True
    ),
    "unused-ignore": KindRow("An entry of the ignore list matches nothing.", is_of_links=True),
    "wanted": KindRow("Several documents link to a page that does not exist."),
    "orphan": KindRow("A document that no other links to, and that links to none."),
    "unlisted": KindRow("The index page of its folder links to most pages, but not to this one."),
    "stub": KindRow("A page that has little or no text."),
    "near-duplicate": KindRow("Most of a page also appears in another."),
    "footnote": KindRow("A footnote without a definition, or a definition without a footnote.", "error"),
    "schema": KindRow("The frontmatter breaks a rule of [[schema]].", "error"),
    "outdated": KindRow("A page is older than what it names as its source."),
    "numbers": KindRow("Two pages say the same with different numbers: one of them may be wrong.", is_only_asked=True),
}
"""In the order in which they are counted."""
LINK_KINDS: tuple[FindingKind, ...] = tuple(kind for kind, row in KINDS.items() if row.is_of_links)


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


TOP = Position(1, 1, 1, 1)
"""The place of a finding about a whole document."""


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
    unjudged: int = 0
    """Links that lead nowhere here and are no findings: those of documents that programs have written, and those to
    what only the program of a site knows."""
    findings: list[Finding] = field(default_factory=list)
    """By path and line."""
    ignored: list[IgnoredFinding] = field(default_factory=list)
    """Findings that the ignore list or a comment takes out."""
    unread: list[SkippedFile] = field(default_factory=list)
    """Files that could not be read, so nobody knows what is in them."""
    skipped: list[SkippedFile] = field(default_factory=list)
    """Files that were left out on purpose: too large, or not text."""


# -- What a check of links found, as SARIF 2.1.0, which code scanning takes.

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


_NUMBERS: dict[FindingKind, int] = {kind: number for number, kind in enumerate(KINDS)}


def sarif_log(report: LinkReport, file_of: Callable[[Finding], str], version: str) -> dict[str, Any]:
    """The report as one run. `file_of` is the file of a finding as the platform knows it."""
    notifications = [
        {"level": "error", "message": {"text": f"could not be checked: {file.path}: {file.reason}"}}
        for file in report.unread
    ]
    run = {
        "tool": {"driver": {"name": "headnote", "version": version, "rules": list(_rules())}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not report.unread, "toolExecutionNotifications": notifications}],
        "results": list(_results(report.findings, file_of)),
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules() -> Iterator[dict[str, Any]]:
    for kind, row in KINDS.items():
        yield {"id": kind, "shortDescription": {"text": row.about}, "defaultConfiguration": {"level": row.level}}


def said(finding: Finding) -> str:
    """A finding in a sentence, with what it may have meant."""
    return f"{finding.message} (nearest: {finding.suggestion})" if finding.suggestion else finding.message


def _results(findings: Iterable[Finding], file_of: Callable[[Finding], str]) -> Iterator[dict[str, Any]]:
    occurrences: Counter[tuple[str, str, str]] = Counter()
    for finding in findings:
        place = file_of(finding)
        identity = (place, finding.kind, finding.target)
        occurrences[identity] += 1
        at = finding.at
        yield {
            "ruleId": finding.kind,
            "ruleIndex": _NUMBERS[finding.kind],
            "level": KINDS[finding.kind].level,
            "message": {"text": said(finding)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(place, safe="/"), "uriBaseId": "%SRCROOT%"},
                        "region": {
                            "startLine": at.line,
                            "startColumn": at.column,
                            "endLine": at.end_line,
                            "endColumn": at.end_column,
                        },
                    }
                }
            ],
            # The same finding on another line is still the same one.
            "partialFingerprints": {"headnoteLink/v1": _digest(*identity, str(occurrences[identity]))},
        }


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
