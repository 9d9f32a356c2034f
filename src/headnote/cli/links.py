"""`headnote links`: the links and backlinks of a document, broken links, orphans, and a check of all links."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from headnote import __version__
from headnote.api import Index
from headnote.api.checking import check_links
from headnote.cli import choices, options, output
from headnote.cli.access import IndexCommand, NamedIndex, document_from_here, file_from_here, path_from_here
from headnote.cli.command import Argument, Option
from headnote.cli.formatting import counted
from headnote.cli.output import Output, OutputRow, Shape, write_output
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
from headnote.errors import SettingsError
from headnote.index.plan import ignore_progress
from headnote.links.checking.link_report import KINDS, Finding, LinkReport
from headnote.links.checking.sarif import level_of, said, sarif_log
from headnote.store.rows import LinkRow

# -- What `--check` found: for people, for the annotations of GitHub, as JSON and as SARIF.


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
    return f"{head}{ignored}: {checked}{external}"


# For people


def _write_text(report: LinkReport, root: Path) -> None:
    write_lines(_text_lines(report, root))


def _text_lines(report: LinkReport, root: Path) -> Iterator[StyledLine]:
    for finding in report.findings:
        place = f"{_finding_place(root, finding)}:{finding.at.line}:{finding.at.column}"
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
        listed = ",".join(f"{name}={escaped_for_github(value, ':,')}" for name, value in properties.items())
        write_command(level_of(finding.kind), f"{listed}::{escaped_for_github(said(finding))}")
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


# -- `headnote links`


EXIT_BROKEN = 1
CHECKING = "Checking"


COLUMNS = ("what", "path", "line", "target", "resolved", "section", "kind", "external", "broken", "text")


class LinkView(NamedTuple):
    """A link and its target."""

    link: LinkRow
    is_broken: bool
    line: int | None
    """Line of the section it leads to."""


@click.command(
    "links",
    cls=IndexCommand,
    examples=[
        ("what a document links to, and what links to it", "headnote links docs/calibration.md --root docs"),
        ("check all links, without an index", "headnote links --check docs --only page"),
        ("the same as annotations of a pull request", "headnote links --check docs --only page --format github"),
        ("what nobody links to", "headnote links --orphans --root docs"),
    ],
)
@click.argument(
    "path",
    cls=Argument,
    required=False,
    shell_complete=choices.documents,
    about="A document: its path, or its title, alias or file name. With --check: the folder.",
)
@options.root_option
@options.pack
@click.option("--broken", is_flag=True, help="Show links to missing documents, sections and files.")
@click.option("--orphans", is_flag=True, help="Show documents that no other document links to or from.")
@click.option(
    "--check",
    is_flag=True,
    help="Check the links of all files, for CI: no index, nothing is written, no address on the web is opened.",
)
@click.option(
    "--format",
    "link_form",
    cls=Option,
    section=CHECKING,
    metavar="FORMAT",
    shell_complete=choices.words(*dict.fromkeys((*FORMATS, *output.NAMES))),
    help=f"With --check: {', '.join(FORMATS)}. Else: {', '.join(output.NAMES)}.",
)
@output.null
@click.option(
    "--only",
    cls=Option,
    section=CHECKING,
    metavar="KIND",
    multiple=True,
    shell_complete=choices.words(*KINDS),
    help=f"Only findings of this kind; repeatable: {', '.join(KINDS)}.",
)
@click.option(
    "--ignore",
    cls=Option,
    section=CHECKING,
    metavar="GLOB",
    multiple=True,
    help="Pass over links with this target, as written; repeatable. The list that stays is in headnote.toml.",
)
@options.no_update
@options.place
@options.as_json
def links_command(
    named: NamedIndex,
    path: str | None,
    broken: bool,
    orphans: bool,
    check: bool,
    link_form: str | None,
    null: bool,
    only: tuple[str, ...],
    ignore: tuple[str, ...],
) -> int:
    """Show where links lead, and which are broken.

    With --check: all that is wrong with the links of a folder, from its files alone. The exit code is 0 if nothing is,
    1 if something is, and 2 if files could not be read.

    With PATH: the links and backlinks of this document, or with --broken its broken links. Without PATH: all broken
    links and orphans. With --broken the exit code is 1 if there are broken links.
    """
    root = named.root
    if check:
        _refuse("--check", **{"--broken": broken, "--orphans": orphans, "--no-update": not named.updates})
        shape = output.chosen(link_form, named.as_json, null, list(FORMATS))
        return _check(root if path is None else Path(path), shape, only, ignore)
    _refuse("without --check", **{"--only": bool(only), "--ignore": bool(ignore)})
    shape = output.chosen(link_form, named.as_json, null)
    if path is not None and orphans:
        raise SettingsError("--orphans takes no path", remedy="leave out the path")
    count = 0
    with named.updated() as index:
        name = None if path is None else document_from_here(index, path)
        if name is None or broken:
            count = _write_all(index, root, broken or not orphans, orphans or not broken, shape, only=name)
        else:
            _write_document(index, root, name, shape)
    return EXIT_BROKEN if broken and count else 0


def _check(folder: Path, shape: Shape, only: Collection[str], ignore: Collection[str]) -> int:
    with UpdateBars() as bars:
        # In a log, the report alone counts.
        on_progress = bars if sys.stderr.isatty() else ignore_progress
        report = check_links(folder, only=only, ignore=ignore, on_progress=on_progress)
    return write_report(report, folder, shape.name)


def _refuse(beside: str, **flags: bool) -> None:
    """Raise for flags that make no sense beside another one."""
    for flag, given in flags.items():
        if given:
            raise SettingsError(
                f"{flag} does not go {beside if ' ' in beside else f'with {beside}'}", remedy="leave one out"
            )


# One document


def _write_document(index: Index, root: Path, name: str, shape: Shape) -> None:
    view = index.document(name)
    section_line = _SectionLines(index)
    outgoing = [LinkView(link, link in view.broken, section_line(link)) for link in view.links]
    incoming = [LinkView(link, link in view.broken, section_line(link)) for link in view.backlinks if link.path != name]
    if shape.name == "text":
        write_lines(_document_lines(root, name, outgoing, incoming))
        return
    links, backlinks = _records(outgoing), _records(incoming)
    record = {"root": str(root), "path": name, "links": links, "backlinks": backlinks}
    rows = [_row(root, "link", one) for one in links] + [_row(root, "backlink", one) for one in backlinks]
    write_output(Output("links", "link", record, rows, COLUMNS), shape)


def _row(root: Path, what: str, record: dict[str, Any]) -> OutputRow:
    """A link as a row; `what` says in which list it is."""
    fragment = f"#{record['fragment']}" if record["fragment"] else ""
    target = f"{record['target']}{fragment}"
    return OutputRow(
        fields={"what": what, **record},
        file=path_from_here(root, record["path"]),
        line=record["line"],
        about=target,
        text=record["text"],
        cells={"target": target},
    )


class _SectionLines:
    """Link → line of the section it leads to. Each document is outlined once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lines: dict[str, dict[str, int]] = {}

    def __call__(self, link: LinkRow) -> int | None:
        if link.resolved is None or link.section is None:
            return None
        if link.resolved not in self._lines:
            entries = self._index.outline(link.resolved)
            self._lines[link.resolved] = {entry.heading.slug: entry.start_line for entry in entries}
        return self._lines[link.resolved].get(link.section)


def _records(views: Iterable[LinkView]) -> list[dict[str, Any]]:
    return [{**view.link._asdict(), "section_line": view.line, "broken": view.is_broken} for view in views]


def _document_lines(root: Path, name: str, outgoing: list[LinkView], incoming: list[LinkView]) -> list[StyledLine]:
    numbers = f"  {counted(len(outgoing), 'link')}, {counted(len(incoming), 'backlink')}"
    lines: list[StyledLine] = [[StyledText(path_from_here(root, name), "bold"), StyledText(numbers, "dim")]]
    if outgoing:
        width = max(len(str(view.link.line)) for view in outgoing)
        lines += [[], [StyledText("links", "bold")]]
        for view in outgoing:
            lines.append(
                [StyledText(f"  {view.link.line:>{width}}  ", "dim"), *_target(root, view), *_label(view.link)]
            )
    if incoming:
        lines += [[], [StyledText("backlinks", "bold")]]
        for link in (view.link for view in incoming):
            place = f"{path_from_here(root, link.path)}:{link.line}"
            section = f" → #{link.section}" if link.section else ""
            lines.append([StyledText(f"  {place}", "cyan"), StyledText(section), *_label(link)])
    return lines


def _target(root: Path, view: LinkView) -> StyledLine:
    """Where a link leads; for a broken one, its target as written."""
    link = view.link
    if view.is_broken:
        return [StyledText(link.written), StyledText("  broken", "red")]
    if link.external or link.resolved is None:
        return [StyledText(link.written, "blue")]
    line = f":{view.line}" if view.line else ""
    section = f" #{link.section}" if link.section else ""
    return [StyledText(f"{path_from_here(root, link.resolved)}{line}", "cyan"), StyledText(section)]


def _label(link: LinkRow) -> StyledLine:
    return [StyledText(f"  {link.text}", "dim")] if link.text and link.text != link.target else []


# All documents


def _write_all(
    index: Index, root: Path, with_broken: bool, with_orphans: bool, shape: Shape, only: str | None = None
) -> int:
    """Write broken links and orphans, and return the number of broken links."""
    broken = [link for link in index.broken_links() if only in (None, link.path)] if with_broken else []
    orphans = index.orphans() if with_orphans else []
    if shape.name != "text":
        record: dict[str, Any] = {"root": str(root)}
        record |= {"broken": [link._asdict() for link in broken]} if with_broken else {}
        record |= {"orphans": orphans} if with_orphans else {}
        rows = [_row(root, "broken", link._asdict() | {"broken": True}) for link in broken]
        rows += [OutputRow({"what": "orphan", "path": path}, path_from_here(root, path)) for path in orphans]
        write_output(Output("links", "link", record, rows, COLUMNS), shape)
        return len(broken)
    lines: list[StyledLine] = []
    if with_broken:
        lines += _title("broken link", broken, with_orphans)
        lines += [_broken_line(root, link) for link in broken]
    if with_orphans:
        lines += _title("orphan", orphans, with_broken)
        lines += [[StyledText(path_from_here(root, path), "cyan")] for path in orphans]
    write_lines(lines)
    return len(broken)


def _title(what: str, items: Collection[object], with_others: bool) -> list[StyledLine]:
    if not items:
        return [[StyledText(f"no {what}s", "green")]]
    # A single list needs no title, and is easier to parse without one.
    return [[StyledText(counted(len(items), what), "bold")]] if with_others else []


def _broken_line(root: Path, link: LinkRow) -> StyledLine:
    return [StyledText(f"{path_from_here(root, link.path)}:{link.line}", "cyan"), StyledText(f" → {link.written}")]
