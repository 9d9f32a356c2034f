"""What a check of links found, as SARIF 2.1.0, which code scanning takes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote

from headnote.links.checking.link_report import ABOUT, KINDS, Finding, LinkReport

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(report: LinkReport, file_of: Callable[[Finding], str], version: str) -> dict[str, Any]:
    """The report as one run. `file_of` is the file of a finding as the platform knows it."""
    notifications = [
        {"level": "error", "message": {"text": f"could not be checked: {file.path}: {file.reason}"}}
        for file in report.unread
    ]
    run = {
        "tool": {"driver": {"name": "headnote", "version": version, "rules": list(_rules())}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": not report.unread, "toolExecutionNotifications": notifications},
        ],
        "results": list(_results(report.findings, file_of)),
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules() -> Iterator[dict[str, Any]]:
    for kind in KINDS:
        yield {"id": kind, "shortDescription": {"text": ABOUT[kind]}, "defaultConfiguration": {"level": level_of(kind)}}


def level_of(kind: str) -> str:
    """How bad a finding of this kind is."""
    return "warning" if kind == "unused-ignore" else "error"


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
            "ruleIndex": KINDS.index(finding.kind),
            "level": level_of(finding.kind),
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
