"""`headnote search`: the passages of a folder that answer a query."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from headnote.api import Index
from headnote.cli import options, values
from headnote.cli.command import Option
from headnote.cli.folding import folded
from headnote.cli.formatting import missing_vectors
from headnote.cli.opening import OpenedIndex, fill_vectors, note_files_read, open_index, refresh
from headnote.cli.search_view import View, hit_lines, shown_line, snippet_of
from headnote.cli.terminal import Span, printable, window_width, write_json, write_lines, write_note
from headnote.cli.words import WordsCommand, words
from headnote.errors import SettingsError
from headnote.model import Hit, Passage, Why
from headnote.search.filter_parsing import read_fields, read_recency, read_since
from headnote.search.options import Recency, SearchOptions
from headnote.search.query import EXPANSIONS, FUSIONS, MODES, Expand, Fusion, Mode
from headnote.search.spelling import corrected_query

RANKING = "Ranking"


@click.command(
    "search",
    cls=WordsCommand,
    examples=[
        ("in the folder docs; without it, in this one", "headnote search how often do I calibrate docs/"),
        ("the first three, with the reasons", "headnote search waves docs -n 3 --explain"),
        ("only documents with a tag", "headnote search sensor docs --tag calibration"),
        ("for programs", "headnote search battery docs --json"),
    ],
)
@words("query", "What to look for, with or without quotes.")
@click.option(
    "--limit", "-n", type=click.IntRange(min=1), metavar="N", help="Maximum number of passages; 10 by default."
)
@click.option(
    "--mode",
    metavar="MODE",
    shell_complete=values.words(*MODES),
    help="hybrid, semantic or keyword; hybrid by default.",
)
@click.option(
    "--fusion",
    cls=Option,
    section=RANKING,
    metavar="HOW",
    shell_complete=values.words(*FUSIONS),
    help="How hybrid merges its rankings: weighted (by score) or rrf (by reciprocal rank).",
)
@options.path
@options.tag
@click.option(
    "--where",
    cls=Option,
    section=options.FILTERS,
    metavar="KEY=VALUE",
    multiple=True,
    help="Only documents with this frontmatter field; repeatable.",
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
    shell_complete=values.words("steps"),
    help="Boost recent files, with a half-life in days or in steps.",
)
@click.option(
    "--expand",
    metavar="WHAT",
    shell_complete=values.words(*EXPANSIONS),
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
@click.option("--explain", is_flag=True, help="Show why each passage was found.")
@options.no_update
@options.place
@options.as_json
def search_command(
    query: str,
    root: Path,
    limit: int | None,
    mode: Mode | None,
    fusion: Fusion | None,
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
    no_update: bool,
    place: dict[str, Any],
    as_json: bool,
) -> None:
    """Find the passages that answer a query.

    The index is built or updated first. Options default to the table [search] of headnote.toml. The exit code is 1 if
    there are no hits; the reason is said.
    """
    _check_query(query, mode=(mode, MODES), fusion=(fusion, FUSIONS), expand=(expand, EXPANSIONS))
    request: SearchOptions = {
        "path": path,
        "tags": tag,
        "where": read_fields(where, "--where"),
        "since": read_since(since, place="--since") if since is not None else None,
        "per_document": per_document,
        "min_score": min_score,
        "budget": budget,
        "expand": expand,
        "fusion": fusion,
        **(read_recency(recency, "--recency") if recency is not None else Recency()),
    }
    opened = open_index(root, read_only=no_update, **place)
    with opened.index as index:
        _prepare(opened, mode, update=not no_update)
        hits = index.search(query, limit, mode, **request)
        note = "" if hits else index.why_empty(query, limit, mode, **request)
        missing = missing_vectors(index.status()) if explain else ""
        contexts = [_context(index, hit, context) for hit in hits] if context else None
    if as_json:
        write_json(_record(query, root, hits, contexts) | ({"note": note} if note else {}))
    elif hits:
        view = View(query, root, full=full, explain=explain, context=context, width=window_width())
        write_lines(hit_lines(view, hits, contexts))
        if explain and missing:
            write_lines([[], *folded([Span(missing, "dim")], view.width, "")])
    else:
        for row in folded([Span(note)], window_width(sys.stderr), "  "):
            sys.stderr.write(f"{printable(''.join(span.text for span in row))}\n")
    if not hits:
        raise click.exceptions.Exit(1)


def _check_query(query: str, **choices: tuple[str | None, Sequence[str]]) -> None:
    """Raise for an empty query, or for a flag with an unknown word."""
    if not query.strip():
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


def _record(query: str, root: Path, hits: Sequence[Hit], contexts: Sequence[Passage] | None) -> dict[str, Any]:
    records = [_hit_record(hit, query) for hit in hits]
    for record, passage in zip(records, contexts or (), strict=False):
        record["context"] = passage._asdict()
    return {"query": query, "answered": corrected_query(query, hits), "root": str(root), "hits": records}


def _hit_record(hit: Hit, query: str) -> dict[str, Any]:
    snippet = snippet_of(hit, query)
    return hit._asdict() | {
        "line": shown_line(hit, snippet),
        "snippet": [{"line": shown.line, "text": shown.text} for shown in snippet],
        "why": _why_record(hit.why),
        "metadata": msgspec.to_builtins(hit.metadata),
    }


def _why_record(why: Why) -> dict[str, Any]:
    return why._asdict() | {"guesses": [guess._asdict() for guess in why.guesses]}
