"""`headnote lint`, and what `links --check` shares with it: flags, and findings for people, for GitHub, as JSON and as
SARIF."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from headnote import __version__
from headnote.api.checking import lint
from headnote.cli import choices, options, output
from headnote.cli.access import file_from_here, path_from_here
from headnote.cli.command import Argument, Command, Option
from headnote.cli.formatting import counted
from headnote.cli.output import Shape
from headnote.cli.progress_bar import UpdateBars
from headnote.cli.terminal import (
    StyledLine,
    StyledText,
    write_command,
    write_json,
    write_lines,
    write_message,
    write_note,
)
from headnote.index.plan import ignore_progress
from headnote.links.checking.link_report import KINDS, Finding, LinkReport, said, sarif_log

CLEAN, FOUND, UNCHECKED = 0, 1, 2
"""Exit codes."""


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


def _finding_place(root: Path, finding: Finding) -> str:
    """As people see it, and as other commands take it."""
    return finding.path if _is_in_settings(finding) else path_from_here(root, finding.path)


def _file(root: Path, finding: Finding) -> str:
    """As the platform knows it, which has files and no names of folders."""
    return _from_workspace(finding.path if _is_in_settings(finding) else file_from_here(root, finding.path))


def _is_in_settings(finding: Finding) -> bool:
    """Whether it is about the settings file, which has its path already."""
    return finding.kind == "unused-ignore" and finding.path.endswith(".toml")


def _summary(report: LinkReport) -> str:
    kinds = Counter(finding.kind for finding in report.findings)
    found = ", ".join(f"{kinds[kind]:,} {kind}" for kind in KINDS if kinds[kind])
    ignored = f", {len(report.ignored):,} ignored" if report.ignored else ""
    head = f"{counted(len(report.findings), 'finding')} ({found})" if found else "no findings"
    checked = f"{counted(report.links, 'link')} checked in {counted(report.documents, 'document')}"
    external = f"; {counted(report.external, 'link')} to other sites not opened" if report.external else ""
    unjudged = f"; {report.unjudged:,} not judged" if report.unjudged else ""
    return f"{head}{ignored}: {checked}{external}{unjudged}"


# For people


def _write_text(report: LinkReport, root: Path) -> None:
    write_lines(_text_lines(report, root))


OFTEN = 3
"""Findings with one target from which on the target is named first: one cause, and one remedy."""
_MAX_TARGETS = 10


def _totals(report: LinkReport) -> Iterator[StyledLine]:
    """The targets of many findings, with how many they are."""
    counts = Counter((finding.kind, finding.target) for finding in report.findings if finding.target)
    frequent = [(kind, target, count) for (kind, target), count in counts.most_common(_MAX_TARGETS) if count >= OFTEN]
    if frequent:
        yield [StyledText("most often:", "bold")]
        for kind, target, count in frequent:
            yield [StyledText(f"{count:6,} "), StyledText(f" {kind}", "red"), StyledText(f"  {target}")]
        yield []


def _text_lines(report: LinkReport, root: Path) -> Iterator[StyledLine]:
    yield from _totals(report)
    for finding in report.findings:
        place = f"{_finding_place(root, finding)}:{finding.at.line}:{finding.at.column}"
        near = [StyledText(f" (nearest: {finding.suggestion})", "dim")] if finding.suggestion else []
        yield [
            StyledText(place, "cyan"),
            StyledText(f"  {finding.kind}", "red" if KINDS[finding.kind].level == "error" else "yellow"),
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
        listed = ",".join(f"{name}={escaped_for_github(value, ':,')}" for name, value in properties.items())
        write_command(KINDS[finding.kind].level, f"{listed}::{escaped_for_github(said(finding))}")
    write_lines([[StyledText(_summary(report))]])


def escaped_for_github(text: str, separators: str = "") -> str:
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
            "unjudged": report.unjudged,
            "findings": [_finding_record(finding) for finding in report.findings],
            "ignored": [_finding_record(one.finding) | {"reason": one.reason} for one in report.ignored],
            "unread": [file._asdict() for file in report.unread],
            "skipped": [file._asdict() for file in report.skipped],
        }
    )


def _finding_record(finding: Finding) -> dict[str, Any]:
    fields = finding._asdict()
    return {name: value for name, value in fields.items() if name != "at"} | finding.at._asdict()


def _write_sarif(report: LinkReport, root: Path) -> None:
    write_json(sarif_log(report, partial(_file, root), __version__))


FORMATS: dict[str, Callable[[LinkReport, Path], None]] = {
    "text": _write_text,
    "github": _write_github,
    "json": _write_json,
    "sarif": _write_sarif,
}


# -- The options of a check, and the check itself


CHECKING = "Checking"
Check = Callable[..., LinkReport]


def check_flags(kinds: Collection[str]) -> Callable[[Any], Any]:
    """`--only`, `--ignore` and `--baseline`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for flag, metavar, about, words in (
            ("--baseline", "FILE", "Ignore the findings of an earlier report, written with --format json.", ()),
            (
                "--ignore",
                "GLOB",
                "Ignore findings with this target, as written; repeatable. headnote.toml has the permanent list.",
                (),
            ),
            ("--only", "KIND", f"Only findings of this kind; repeatable: {', '.join(kinds)}.", kinds),
        ):
            command = click.option(
                flag,
                cls=Option,
                section=CHECKING,
                metavar=metavar,
                multiple=flag != "--baseline",
                shell_complete=choices.words(*words),
                help=about,
            )(command)
        return command

    return decorate


def run_check(check: Check, folder: Path, shape: Shape, **options: Any) -> int:
    """Check a folder, write the report, and return the exit code."""
    with UpdateBars() as bars:
        # In a log, the report alone counts.
        on_progress = bars if sys.stderr.isatty() else ignore_progress
        report = check(folder, on_progress=on_progress, **options)
    return write_report(report, folder, shape.name)


# -- The command.


@click.command(
    "lint",
    cls=Command,
    examples=[
        ("the pages that are wanted, and those that nobody reaches", "headnote lint docs --only wanted --only orphan"),
        ("the same as annotations of a pull request", "headnote lint docs --only wanted --format github"),
    ],
)
@click.argument(
    "folder", cls=Argument, default=".", shell_complete=choices.folders, about="The folder; the current one by default."
)
@click.option(
    "--format",
    "form",
    cls=Option,
    section=CHECKING,
    metavar="FORMAT",
    shell_complete=choices.words(*FORMATS),
    help=f"How to print: {', '.join(FORMATS)}.",
)
@check_flags(tuple(KINDS))
@options.as_json
def lint_command(
    folder: str, form: str | None, only: tuple[str, ...], ignore: tuple[str, ...], baseline: str | None, as_json: bool
) -> int:
    """Show what is wrong with the pages of a folder.

    It checks links, footnotes and frontmatter, and finds pages that are wanted, that no page links to, or that their
    index leaves out, copies, stubs, pages older than their sources, and, with --only numbers, sentences that say the
    same with other numbers. It only reads files, and writes nothing. The exit code is 0 if nothing is found, 1 if
    something is, and 2 if files could not be read.
    """
    shape = output.chosen(form, as_json, False, list(FORMATS))
    return run_check(lint, Path(folder), shape, only=only, ignore=ignore, baseline=baseline)
