"""`headnote search`: the passages of a folder that answer a query."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from headnote.api import Index
from headnote.cli import options, output
from headnote.cli.access import IndexCommand, NamedIndex, OpenedIndex, path_from_here
from headnote.cli.formatting import missing_vectors
from headnote.cli.output import Output, OutputRow, Shape, write_output
from headnote.cli.search_view import (
    HitView,
    editor_links,
    flag_of_option,
    hit_lines,
    search_flags,
    shown_line,
    snippet_of,
)
from headnote.cli.terminal import StyledText, folded, harmless, window_width, write_lines, write_note
from headnote.errors import SettingsError
from headnote.model import Hit, Passage, ReadQuery, to_plain
from headnote.search.query import DATES, FILTERS, Mode, SearchArguments, read_options
from headnote.search.spelling import corrected_query


@click.command(
    "search",
    cls=IndexCommand,
    examples=[
        ("in the folder docs; without it, in this one", "headnote search how often do I calibrate docs/"),
        (
            "words in a row, without another; with the reasons",
            """headnote search '"torque wrench" -radio' docs --explain""",
        ),
        ("by tag and frontmatter", "headnote search gauge tag:handbook docs --where 'updated >= 2026-09-01'"),
        ("in one of two folders, for programs", 'headnote search "spare battery" docs notes --in notes --json'),
    ],
)
@options.words("query", "What to look for, with or without quotes.")
@search_flags()
@click.option(
    "--context", "-C", type=click.IntRange(min=0), default=0, metavar="N", help="Lines of context before and after."
)
@click.option("--full", is_flag=True, help="Show the whole text of each passage, not only its best lines.")
@click.option("--explain", is_flag=True, help="Show how the query was understood, and why each passage was found.")
@options.no_update
@options.place
@output.shape
def search_command(named: NamedIndex, asked: dict[str, Any], context: int, full: bool, explain: bool) -> None:
    """Find the passages that answer a query.

    "Words in quotes" must stand in a row, -word excludes a word, title:, path: and tag: filter, and OR joins
    alternatives. The index is built or updated first. Options default to [search] of headnote.toml. The exit code is 1
    if nothing is found.
    """
    query, root, shape = named.text, named.root, named.shape
    if not query.strip() and not any(asked[name] for name in FILTERS):
        raise SettingsError("the query is empty", remedy="say what to look for")
    arguments, plain = read_options(asked, flag_of_option), asked["literal"]
    opened = named.open()
    with opened.index as index:
        _prepare(named, opened, asked["mode"])
        found = _found(index, query, arguments)
        missing = missing_vectors(index.status()) if explain else ""
        contexts = [_context(index, hit, context) for hit in found.hits] if context else None
    if shape.name != "text":
        _write(found, _output(_record(found, root, contexts, plain), root), shape)
    else:
        view = HitView(
            query,
            root,
            full,
            explain,
            context,
            window_width(),
            dates=any(asked[name] for name in (*DATES, "recency")),
            literal=plain,
            understood=found.understood,
            link=editor_links(root),
        )
        _show(view, found, contexts, missing)
    if not found.hits:
        raise click.exceptions.Exit(1)


def _write(found: FoundPage, output: Output, shape: Shape) -> None:
    """The hits for programs. JSON says itself why there are none."""
    write_output(output, shape)
    if not found.hits and shape.name != "json":
        write_note(found.note)


class FoundPage(NamedTuple):
    """What a search found, and how it understood the query."""

    query: str
    hits: Sequence[Hit]
    note: str
    """Why there are no hits."""
    understood: ReadQuery


def _found(index: Index, query: str, arguments: SearchArguments) -> FoundPage:
    hits = index.search(query, **arguments)
    note = "" if hits else index.why_empty(query, **arguments)
    understood = index.understand(query, literal=arguments["literal"], where=arguments["where"])
    return FoundPage(query, hits, note, understood)


def _show(view: HitView, found: FoundPage, contexts: Sequence[Passage] | None, missing: str) -> None:
    """The hits for people, or why there are none."""
    if not found.hits:
        for row in folded([StyledText(found.note)], window_width(sys.stderr), "  "):
            sys.stderr.write(f"{harmless(''.join(span.text for span in row))}\n")
        return
    for remark in found.understood.notes:
        write_note(remark)
    write_lines(hit_lines(view, found.hits, contexts))
    if missing:
        write_lines([[], *folded([StyledText(missing, "dim")], view.width, "")])


def _prepare(named: NamedIndex, opened: OpenedIndex, mode: Mode | None) -> None:
    """Bring the documents up to date, and the vectors if the mode uses them."""
    named.prepare(opened.index)
    if (mode or opened.index.search_settings.mode) != "keyword":
        if opened.note:
            write_note(opened.note)
        named.fill(opened)


def _context(index: Index, hit: Hit, lines: int) -> Passage:
    """A hit with so many lines before and after it."""
    return index.read(hit.path, max(hit.start_line - lines, 1), hit.end_line + lines, comments=False)


def _record(found: FoundPage, root: Path, contexts: Sequence[Passage] | None, plain: bool) -> dict[str, Any]:
    records = [_hit_record(hit, found.query, plain) for hit in found.hits]
    for record, passage in zip(records, contexts or (), strict=False):
        record["context"] = to_plain(passage)
    return {
        "query": found.query,
        "understood": to_plain(found.understood),
        "answered": corrected_query(found.query, found.hits),
        "root": str(root),
        "hits": records,
        **({"note": found.note} if found.note else {}),
    }


COLUMNS = ("path", "line", "start_line", "end_line", "score", "title", "breadcrumb", "tags", "text")


def _output(record: dict[str, Any], root: Path) -> Output:
    """The hits as rows."""
    return Output("hits", "hit", record, [_row(hit, root) for hit in record["hits"]], COLUMNS)


def _row(hit: dict[str, Any], root: Path) -> OutputRow:
    return OutputRow(
        fields=hit,
        file=path_from_here(root, hit["path"]),
        line=hit["line"],
        about=hit["breadcrumb"] or hit["title"],
        text=hit["text"],
        shown=hit["snippet"][0]["text"] if hit["snippet"] else "",
    )


def _hit_record(hit: Hit, query: str, plain: bool) -> dict[str, Any]:
    snippet = snippet_of(hit, query, plain)
    shown = [{"line": line.line, "text": line.text} for line in snippet]
    record: dict[str, Any] = to_plain(hit)
    return record | {"line": shown_line(hit, snippet), "snippet": shown}
