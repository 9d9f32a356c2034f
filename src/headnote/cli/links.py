"""`headnote links`: the links and backlinks of a document, broken links, orphans, and a check of all links."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click

from headnote.api import Index
from headnote.api.checking import check_links
from headnote.cli import choices, options, output
from headnote.cli.access import IndexCommand, NamedIndex, document_from_here, path_from_here
from headnote.cli.command import Argument, Option
from headnote.cli.formatting import counted
from headnote.cli.lint import CHECKING, FORMATS, check_flags, run_check
from headnote.cli.output import Output, OutputRow, Shape, write_output
from headnote.cli.terminal import StyledLine, StyledText, write_lines
from headnote.errors import SettingsError
from headnote.links.checking.link_report import LINK_KINDS
from headnote.store.rows import LinkRow

EXIT_BROKEN = 1

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
@check_flags(LINK_KINDS)
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
    baseline: str | None,
) -> int:
    """Show where links lead, and which are broken.

    With PATH, show the links and backlinks of this document, or with --broken its broken links. Without PATH, show all
    broken links and orphans. With --broken, the exit code is 1 if there are broken links.

    With --check, show everything that is wrong with the links of a folder, from its files alone. The exit code is 0 if
    nothing is wrong, 1 if something is, and 2 if files could not be read.
    """
    root = named.root
    if check:
        _refuse("--check", **{"--broken": broken, "--orphans": orphans, "--no-update": not named.updates})
        shape = output.chosen(link_form, named.as_json, null, list(FORMATS))
        folder = root if path is None else Path(path)
        return run_check(check_links, folder, shape, only=only, ignore=ignore, baseline=baseline)
    _refuse("without --check", **{"--only": bool(only), "--ignore": bool(ignore), "--baseline": baseline is not None})
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


def _refuse(beside: str, **flags: bool) -> None:
    """Raise for flags that make no sense beside another one."""
    for flag, given in flags.items():
        if given:
            raise SettingsError(
                f"{flag} cannot be used {beside if ' ' in beside else f'with {beside}'}", remedy="leave one out"
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
