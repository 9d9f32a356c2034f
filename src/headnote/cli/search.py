"""`headnote search`: the passages of a folder that answer a query."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from headnote.api import Index
from headnote.cli import choices, options, output
from headnote.cli.access import OpenedIndex, fill_vectors, note_files_read, open_index, path_from_here, refresh
from headnote.cli.command import Option
from headnote.cli.formatting import missing_vectors
from headnote.cli.hyperlinks import editor_links
from headnote.cli.output import Output, OutputRow, Shape, write_output
from headnote.cli.search_view import HitView, hit_lines, shown_line, snippet_of
from headnote.cli.terminal import StyledText, folded, harmless, window_width, write_lines, write_note
from headnote.cli.words import WordsCommand, words
from headnote.errors import SettingsError
from headnote.model import Hit, Passage, ReadQuery, Why
from headnote.search.query import (
    EXPANSIONS,
    FUSIONS,
    MODES,
    Expand,
    Fusion,
    Mode,
    Recency,
    SearchOptions,
    read_conditions,
    read_recency,
    read_since,
)
from headnote.search.spelling import corrected_query

RANKING = "Ranking"


@click.command(
    "search",
    cls=WordsCommand,
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
@words("query", "What to look for, with or without quotes.")
@click.option(
    "--limit", "-n", type=click.IntRange(min=1), metavar="N", help="Maximum number of passages; 10 by default."
)
@click.option(
    "--mode",
    metavar="MODE",
    shell_complete=choices.words(*MODES),
    help="hybrid, semantic or keyword; hybrid by default.",
)
@click.option(
    "--fusion",
    cls=Option,
    section=RANKING,
    metavar="HOW",
    shell_complete=choices.words(*FUSIONS),
    help="How hybrid merges its rankings: weighted (by score) or rrf (by reciprocal rank).",
)
@options.in_roots
@options.path
@options.tag
@click.option(
    "--where",
    cls=Option,
    section=options.FILTERS,
    metavar="CONDITION",
    multiple=True,
    help="Only documents whose frontmatter satisfies it: status=draft, 'version >= 2', 'tags in (a, b)'; repeatable.",
)
@click.option(
    "--since",
    cls=Option,
    section=options.FILTERS,
    metavar="DATE|7d",
    help="Only files changed since a date, or within 12h, 7d, 2w, 1y.",
)
@click.option(
    "--per-document",
    cls=Option,
    section=RANKING,
    type=click.IntRange(min=0),
    metavar="N",
    help="Maximum passages per document; 0 for no limit.",
)
@click.option(
    "--min-score",
    cls=Option,
    section=RANKING,
    type=click.FloatRange(min=0),
    metavar="SCORE",
    help="Minimum score; 0 also shows passages that are not relevant.",
)
@click.option(
    "--budget",
    cls=Option,
    section=RANKING,
    type=click.IntRange(min=0),
    metavar="TOKENS",
    help="Maximum tokens of all passages together; 0 for no limit.",
)
@click.option(
    "--recency",
    cls=Option,
    section=RANKING,
    metavar="DAYS|steps",
    shell_complete=choices.words("steps"),
    help="Boost recent files, with a half-life in days or in steps.",
)
@click.option(
    "--expand",
    metavar="WHAT",
    shell_complete=choices.words(*EXPANSIONS),
    help="Add text around each passage: none, neighbours, section or linked.",
)
@click.option(
    "--context",
    "-C",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Lines of context before and after.",
)
@click.option("--full", is_flag=True, help="Show the whole text of each passage, not only its best lines.")
@click.option("--explain", is_flag=True, help="Show how the query was understood, and why each passage was found.")
@click.option(
    "--plain",
    cls=Option,
    section=options.FILTERS,
    is_flag=True,
    help="Take the query as ordinary text: no quotes, -word, title: or OR.",
)
@options.no_update
@options.place
@output.shape
def search_command(
    query: str,
    root: Path,
    limit: int | None,
    mode: Mode | None,
    fusion: Fusion | None,
    roots: tuple[str, ...],
    path: tuple[str, ...],
    tag: tuple[str, ...],
    where: tuple[str, ...],
    since: str | None,
    per_document: int | None,
    min_score: float | None,
    budget: int | None,
    recency: str | None,
    expand: Expand | None,
    context: int,
    full: bool,
    explain: bool,
    plain: bool,
    no_update: bool,
    place: dict[str, Any],
    shape: Shape,
) -> None:
    """Find the passages that answer a query.

    "Words in quotes" stand in a row, -word excludes, title:, path: and tag: filter, and OR joins alternatives. The
    index is built or updated first. Options default to [search] of headnote.toml. Without hits the exit code is 1.
    """
    choices = {"mode": (mode, MODES), "fusion": (fusion, FUSIONS), "expand": (expand, EXPANSIONS)}
    _check_query(query, path or roots or tag or where or since, choices)
    read_conditions(where, "--where")
    request: SearchOptions = {
        "path": path,
        "roots": roots,
        "tags": tag,
        "where": where,
        "since": read_since(since, place="--since") if since is not None else None,
        "per_document": per_document,
        "min_score": min_score,
        "budget": budget,
        "expand": expand,
        "fusion": fusion,
        "literal": plain,
        **(read_recency(recency, "--recency") if recency is not None else Recency()),
    }
    opened = open_index(root, read_only=no_update, **place)
    with opened.index as index:
        _prepare(opened, mode, update=not no_update)
        found = _found(index, query, limit, mode, request)
        missing = missing_vectors(index.status()) if explain else ""
        contexts = [_context(index, hit, context) for hit in found.hits] if context else None
    if shape.name != "text":
        _write(found, _output(_record(found, root, contexts, plain), root), shape)
    else:
        view = HitView(query, root, full, explain, context, window_width(), plain, found.understood, editor_links(root))
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


def _found(index: Index, query: str, limit: int | None, mode: Mode | None, request: SearchOptions) -> FoundPage:
    hits = index.search(query, limit, mode, **request)
    note = "" if hits else index.why_empty(query, limit, mode, **request)
    understood = index.understand(query, literal=request["literal"], where=request["where"])
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


def _check_query(query: str, filters: object, choices: Mapping[str, tuple[str | None, Sequence[str]]]) -> None:
    """Raise for an empty query without filters, or for a flag with an unknown word."""
    if not query.strip() and not filters:
        raise SettingsError("the query is empty", remedy="say what to look for")
    for flag, (word, known) in choices.items():
        if word is not None and word not in known:
            raise SettingsError(f"unknown {flag} {word!r}", path=f"--{flag}", remedy=f"use {', '.join(known)}")


def _prepare(opened: OpenedIndex, mode: Mode | None, update: bool) -> None:
    """Bring the documents up to date, and the vectors if the mode uses them."""
    index = opened.index
    if update:
        refresh(index)
    else:
        note_files_read(index)
    if (mode or index.search_settings.mode) == "keyword":
        return
    if opened.note:
        write_note(opened.note)
    elif update:
        fill_vectors(index)


def _context(index: Index, hit: Hit, lines: int) -> Passage:
    """A hit with so many lines before and after it."""
    return index.read(hit.path, max(hit.start_line - lines, 1), hit.end_line + lines)


def _record(found: FoundPage, root: Path, contexts: Sequence[Passage] | None, plain: bool) -> dict[str, Any]:
    records = [_hit_record(hit, found.query, plain) for hit in found.hits]
    for record, passage in zip(records, contexts or (), strict=False):
        record["context"] = passage._asdict()
    return {
        "query": found.query,
        "understood": found.understood._asdict(),
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
        cells=hit,
        file=path_from_here(root, hit["path"]),
        line=hit["line"],
        about=hit["breadcrumb"] or hit["title"],
        text=hit["text"],
        shown=hit["snippet"][0]["text"] if hit["snippet"] else "",
    )


def _hit_record(hit: Hit, query: str, plain: bool) -> dict[str, Any]:
    snippet = snippet_of(hit, query, plain)
    return hit._asdict() | {
        "line": shown_line(hit, snippet),
        "snippet": [{"line": shown.line, "text": shown.text} for shown in snippet],
        "why": _why_record(hit.why),
        "metadata": msgspec.to_builtins(hit.metadata),
    }


def _why_record(why: Why) -> dict[str, Any]:
    return why._asdict() | {"guesses": [guess._asdict() for guess in why.guesses]}
