"""`headnote links`: the links and backlinks of a document, broken links, and orphans."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click

from headnote.api import Index
from headnote.api.checking import check_links
from headnote.cli import choices, options, output
from headnote.cli.access import open_index, path_from_here, refresh
from headnote.cli.command import Argument, Command, Option
from headnote.cli.formatting import counted
from headnote.cli.links_check import FORMATS, write_report
from headnote.cli.output import Output, OutputRow, Shape, write_output
from headnote.cli.progress_bar import UpdateBars
from headnote.cli.terminal import StyledLine, StyledText, write_lines
from headnote.errors import SettingsError
from headnote.index.plan import ignore_progress
from headnote.links.checking.report import KINDS
from headnote.store.rows import LinkRow

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
    cls=Command,
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
    "form",
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
    path: str | None,
    root: Path,
    broken: bool,
    orphans: bool,
    check: bool,
    form: str | None,
    null: bool,
    only: tuple[str, ...],
    ignore: tuple[str, ...],
    no_update: bool,
    place: dict[str, Any],
    as_json: bool,
) -> int:
    """Show where links lead, and which are broken.

    With --check: all that is wrong with the links of a folder, from its files alone. The exit code is 0 if nothing is,
    1 if something is, and 2 if files could not be read.

    With PATH: the links and backlinks of this document, or with --broken its broken links. Without PATH: all broken
    links and orphans. With --broken the exit code is 1 if there are broken links.
    """
    count = 0
    if check:
        _refuse("--check", **{"--broken": broken, "--orphans": orphans, "--no-update": no_update})
        folder = root if path is None else Path(path)
        shape = output.chosen(form, as_json, null, list(FORMATS))
        with UpdateBars() as bars:
            # In a log, the report alone counts.
            on_progress = bars if sys.stderr.isatty() else ignore_progress
            report = check_links(folder, only=only, ignore=ignore, on_progress=on_progress)
        return write_report(report, folder, shape.name)
    _refuse("without --check", **{"--only": bool(only), "--ignore": bool(ignore)})
    shape = output.chosen(form, as_json, null)
    if path is not None and orphans:
        raise SettingsError("--orphans takes no path", remedy="leave out the path")
    with open_index(root, read_only=no_update, **place).index as index:
        if not no_update:
            refresh(index)
        if path is None:
            count = _write_all(index, root, broken or not orphans, orphans or not broken, shape)
        elif broken:
            name = find_document(index, root, path)
            count = _write_all(index, root, True, False, shape, only=name)
        else:
            _write_document(index, root, find_document(index, root, path), shape)
    return EXIT_BROKEN if broken and count else 0


def _refuse(beside: str, **flags: bool) -> None:
    """Raise for flags that make no sense beside another one."""
    for flag, given in flags.items():
        if given:
            raise SettingsError(
                f"{flag} does not go {beside if ' ' in beside else f'with {beside}'}", remedy="leave one out"
            )


def find_document(index: Index, root: Path, path: str) -> str:
    """The document at a path relative to the root, or to the current folder. An unknown one is an error."""
    documents = set(index.documents())
    from_root = Path(os.path.normpath(path)).as_posix()
    if from_root in documents:
        return from_root
    real = Path(os.path.realpath(path))
    folder = Path(os.path.realpath(root))
    inside = real.relative_to(folder).as_posix() if real.is_relative_to(folder) else path
    return inside if inside in documents else index.document(path).document.path


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
    cells = {**record, "what": what, "target": f"{record['target']}{fragment}"}
    return OutputRow(
        fields={"what": what, **record},
        cells=cells,
        file=path_from_here(root, record["path"]),
        line=record["line"],
        about=str(cells["target"]),
        text=record["text"],
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
        rows += [
            OutputRow({"what": "orphan", "path": path}, {"what": "orphan", "path": path}, path_from_here(root, path))
            for path in orphans
        ]
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
