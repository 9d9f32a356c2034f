"""The output of `headnote links --check`: for people, for the annotations of GitHub, as JSON and as SARIF."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from headnote import __version__
from headnote.cli.access import file_from_here, path_from_here
from headnote.cli.formatting import counted
from headnote.cli.terminal import (
    StyledLine,
    StyledText,
    write_command,
    write_json,
    write_lines,
    write_message,
    write_note,
)
from headnote.links.checking.report import ABOUT, KINDS, Finding, LinkReport

CLEAN, FOUND, UNCHECKED = 0, 1, 2
"""Exit codes."""

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write_report(report: LinkReport, root: Path, form: str) -> int:
    """Write what was found in this form, and return the exit code."""
    FORMATS[form](report, root)
    for file in report.skipped:
        write_note(f"not checked: {path_from_here(root, file.path)}: {file.reason}")
    for file in report.unread:
        write_message(f"error: could not be checked: {path_from_here(root, file.path)}: {file.reason}")
    if report.unread:
        return UNCHECKED
    return FOUND if report.findings else CLEAN


def _place(root: Path, finding: Finding) -> str:
    """As people see it, and as other commands take it."""
    return finding.path if _is_in_settings(finding) else path_from_here(root, finding.path)


def _file(root: Path, finding: Finding) -> str:
    """As the platform knows it, which has files and no names of folders."""
    return _from_workspace(finding.path if _is_in_settings(finding) else file_from_here(root, finding.path))


def _is_in_settings(finding: Finding) -> bool:
    """Whether it is about the settings file, which has its path already."""
    return finding.kind == "unused-ignore" and finding.path.endswith(".toml")


def _said(finding: Finding) -> str:
    return f"{finding.message} (nearest: {finding.suggestion})" if finding.suggestion else finding.message


def _summary(report: LinkReport) -> str:
    kinds = Counter(finding.kind for finding in report.findings)
    found = ", ".join(f"{kinds[kind]:,} {kind}" for kind in KINDS if kinds[kind])
    ignored = f", {len(report.ignored):,} ignored" if report.ignored else ""
    head = f"{counted(len(report.findings), 'finding')} ({found})" if found else "no findings"
    checked = f"{counted(report.links, 'link')} checked in {counted(report.documents, 'document')}"
    external = f"; {counted(report.external, 'link')} to other sites not opened" if report.external else ""
    return f"{head}{ignored}: {checked}{external}"


# For people


def _write_text(report: LinkReport, root: Path) -> None:
    write_lines(_text_lines(report, root))


def _text_lines(report: LinkReport, root: Path) -> Iterator[StyledLine]:
    for finding in report.findings:
        place = f"{_place(root, finding)}:{finding.at.line}:{finding.at.column}"
        near = [StyledText(f" (nearest: {finding.suggestion})", "dim")] if finding.suggestion else []
        yield [
            StyledText(place, "cyan"),
            StyledText(f"  {finding.kind}", "red"),
            StyledText(f"  {finding.message}"),
            *near,
        ]
    yield [StyledText(_summary(report), "bold" if report.findings else "green")]


# For GitHub


def _write_github(report: LinkReport, root: Path) -> None:
    """Workflow commands, which a run shows beside the lines of a pull request."""
    for finding in report.findings:
        properties = {
            "file": _file(root, finding),
            "line": str(finding.at.line),
            "col": str(finding.at.column),
            "endLine": str(finding.at.end_line),
            **({"endColumn": str(finding.at.end_column)} if finding.at.end_line == finding.at.line else {}),
            "title": f"headnote {finding.kind}",
        }
        said = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
        write_command(_level(finding.kind), f"{said}::{_escaped(_said(finding))}")
    write_lines([[StyledText(_summary(report))]])


def _escaped(text: str, separators: str = "") -> str:
    """As the runner reads it back: it takes `%25` for `%`, and a line end would end the command."""
    for character in ("%", "\r", "\n", *separators):
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _from_workspace(path: str) -> str:
    """GitHub counts paths from the top of the checkout, wherever the command was started."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    real = os.path.realpath(path)
    if workspace and Path(real).is_relative_to(os.path.realpath(workspace)):
        path = os.path.relpath(real, os.path.realpath(workspace))
    return path.replace(os.sep, "/")


# For programs


def _write_json(report: LinkReport, root: Path) -> None:
    write_json(
        {
            "root": str(root),
            "documents": report.documents,
            "links": report.links,
            "external": report.external,
            "findings": [_record(finding) for finding in report.findings],
            "ignored": [_record(one.finding) | {"reason": one.reason} for one in report.ignored],
            "unread": [file._asdict() for file in report.unread],
            "skipped": [file._asdict() for file in report.skipped],
        }
    )


def _record(finding: Finding) -> dict[str, Any]:
    fields = finding._asdict()
    return {name: value for name, value in fields.items() if name != "at"} | finding.at._asdict()


def _write_sarif(report: LinkReport, root: Path) -> None:
    """SARIF 2.1.0, which code scanning takes."""
    notifications = [
        {"level": "error", "message": {"text": f"could not be checked: {file.path}: {file.reason}"}}
        for file in report.unread
    ]
    run = {
        "tool": {"driver": {"name": "headnote", "version": __version__, "rules": list(_rules())}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": not report.unread, "toolExecutionNotifications": notifications},
        ],
        "results": list(_results(report.findings, root)),
    }
    write_json({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules() -> Iterator[dict[str, Any]]:
    for kind in KINDS:
        yield {"id": kind, "shortDescription": {"text": ABOUT[kind]}, "defaultConfiguration": {"level": _level(kind)}}


def _level(kind: str) -> str:
    return "warning" if kind == "unused-ignore" else "error"


def _results(findings: Iterable[Finding], root: Path) -> Iterator[dict[str, Any]]:
    occurrences: Counter[tuple[str, str, str]] = Counter()
    for finding in findings:
        place = _file(root, finding)
        identity = (place, finding.kind, finding.target)
        occurrences[identity] += 1
        at = finding.at
        yield {
            "ruleId": finding.kind,
            "ruleIndex": KINDS.index(finding.kind),
            "level": _level(finding.kind),
            "message": {"text": _said(finding)},
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


FORMATS: dict[str, Callable[[LinkReport, Path], None]] = {
    "text": _write_text,
    "github": _write_github,
    "json": _write_json,
    "sarif": _write_sarif,
}
