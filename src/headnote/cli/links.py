"""`headnote links`: where the links of a document lead, what leads to it, and what leads nowhere."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from headnote.cli import options
from headnote.cli.command import Argument, Command
from headnote.cli.opening import from_here, open_index, refresh
from headnote.cli.terminal import Line, Span, counted, write_json, write_lines
from headnote.errors import SettingsError

if TYPE_CHECKING:
    from headnote.api import Index
    from headnote.store.rows import LinkRow


EXIT_BROKEN = 1


class Shown(NamedTuple):
    """A link and what is known about where it leads."""

    link: LinkRow
    is_broken: bool
    line: int | None
    """Of the section it leads to."""


@click.command("links", cls=Command)
@click.argument("path", cls=Argument, required=False, about="A document, as seen from the root or from here.")
@click.option("--root", type=options.PATH, default=".", metavar="ROOT", help=options.ROOT_HELP, show_default=False)
@click.option("--broken", is_flag=True, help="Links that should lead somewhere below the root, and do not.")
@click.option("--orphans", is_flag=True, help="Documents that no link leads to or from.")
@options.no_update
@options.place
@options.as_json
def links_command(
    path: str | None,
    root: Path,
    broken: bool,
    orphans: bool,
    no_update: bool,
    place: dict[str, Any],
    as_json: bool,
) -> int:
    """Show where links lead, and which lead nowhere.

    With PATH: the links of this document, and those of others that lead to it; with --broken its broken ones. Without
    PATH: the broken links of all documents, and the orphans. With --broken the exit code is 1 if there are any, and 0
    if there are none.
    """
    count = 0
    if path is not None and orphans:
        raise SettingsError("--orphans is about all documents", remedy="leave out the path")
    with open_index(root, read_only=no_update, **place).index as index:
        if not no_update:
            refresh(index)
        if path is None:
            count = _write_all(index, root, broken or not orphans, orphans or not broken, as_json)
        elif broken:
            name = find_document(index, root, path)
            count = _write_all(index, root, True, False, as_json, only=name)
        else:
            _write_document(index, root, find_document(index, root, path), as_json)
    return EXIT_BROKEN if broken and count else 0


def find_document(index: Index, root: Path, path: str) -> str:
    """The document that is meant: by its path from the root, or by its path from here."""
    known = set(index.documents())
    from_root = Path(os.path.normpath(path)).as_posix()
    if from_root in known:
        return from_root
    real = Path(os.path.realpath(path))
    folder = Path(os.path.realpath(root))
    # A name that nothing has goes on as it is: the index knows what to say about it.
    inside = real.relative_to(folder).as_posix() if real.is_relative_to(folder) else path
    return inside if inside in known else path


# One document


def _write_document(index: Index, root: Path, name: str, as_json: bool) -> None:
    view = index.document(name)
    lines_of = _Sections(index)
    going = [Shown(link, link in view.broken, lines_of(link)) for link in view.links]
    coming = [Shown(link, link in view.broken, lines_of(link)) for link in view.backlinks if link.path != name]
    if as_json:
        record = {"path": name, "links": _records(going), "backlinks": _records(coming)}
        write_json({"root": str(root), **record})
    else:
        write_lines(_document_lines(root, name, going, coming))


class _Sections:
    """Link → the line of the section it leads to. Each document is outlined once."""

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


def _records(shown: Iterable[Shown]) -> list[dict[str, Any]]:
    return [{**one.link._asdict(), "section_line": one.line, "broken": one.is_broken} for one in shown]


def _document_lines(root: Path, name: str, going: list[Shown], coming: list[Shown]) -> list[Line]:
    numbers = f"  {counted(len(going), 'link')}, {counted(len(coming), 'backlink')}"
    lines: list[Line] = [[Span(from_here(root, name), "bold"), Span(numbers, "dim")]]
    if going:
        width = max(len(str(one.link.line)) for one in going)
        lines += [[], [Span("links", "bold")]]
        for one in going:
            lines.append([Span(f"  {one.link.line:>{width}}  ", "dim"), *_target(root, one), *_said(one.link)])
    if coming:
        lines += [[], [Span("backlinks", "bold")]]
        for one in coming:
            place = f"{from_here(root, one.link.path)}:{one.link.line}"
            section = f" → #{one.link.section}" if one.link.section else ""
            lines.append([Span(f"  {place}", "cyan"), Span(section), *_said(one.link)])
    return lines


def _target(root: Path, one: Shown) -> Line:
    """Where a link leads; if that is nowhere, what it says."""
    link = one.link
    if one.is_broken:
        return [Span(link.written), Span("  broken", "red")]
    if link.external or link.resolved is None:
        return [Span(link.written, "blue")]
    line = f":{one.line}" if one.line else ""
    section = f" #{link.section}" if link.section else ""
    return [Span(f"{from_here(root, link.resolved)}{line}", "cyan"), Span(section)]


def _said(link: LinkRow) -> Line:
    return [Span(f"  {link.text}", "dim")] if link.text and link.text != link.target else []


# All documents


def _write_all(
    index: Index, root: Path, with_broken: bool, with_orphans: bool, as_json: bool, only: str | None = None
) -> int:
    """How many broken links there are among those that are shown."""
    found = [link for link in index.broken_links() if only in (None, link.path)] if with_broken else []
    alone = index.orphans() if with_orphans else []
    if as_json:
        record: dict[str, Any] = {"root": str(root)}
        record |= {"broken": [link._asdict() for link in found]} if with_broken else {}
        write_json(record | ({"orphans": alone} if with_orphans else {}))
        return len(found)
    lines: list[Line] = []
    if with_broken:
        lines += _titled("broken link", found, with_orphans)
        lines += [_broken_line(root, link) for link in found]
    if with_orphans:
        lines += _titled("orphan", alone, with_broken)
        lines += [[Span(from_here(root, path), "cyan")] for path in alone]
    write_lines(lines)
    return len(found)


def _titled(what: str, found: Collection[object], with_others: bool) -> list[Line]:
    if not found:
        return [[Span(f"no {what}s", "green")]]
    # Alone, a list needs no title, and is easier to read for the next program.
    return [[Span(counted(len(found), what), "bold")]] if with_others else []


def _broken_line(root: Path, link: LinkRow) -> Line:
    return [Span(f"{from_here(root, link.path)}:{link.line}", "cyan"), Span(f" → {link.written}")]
