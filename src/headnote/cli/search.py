"""`headnote search`: the passages of a folder that answer a query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headnote.cli import options
from headnote.cli.command import Argument, Command
from headnote.cli.opening import fill_vectors, open_index, refresh
from headnote.cli.terminal import remark, say, write_json, write_lines
from headnote.errors import MissingSource, SettingsError

if TYPE_CHECKING:
    from headnote.cli.opening import Opened
    from headnote.model import Hit
    from headnote.search.query import Mode as SearchMode


@click.command("search", cls=Command)
@click.argument("query", cls=Argument, about="What to look for.")
@options.root
@click.option(
    "--limit", "-n", type=click.IntRange(min=1), metavar="N", help="How many passages at most; 10 if left out."
)
@click.option("--mode", metavar="MODE", help="hybrid (by words and by meaning), semantic or keyword.")
@click.option(
    "--fusion",
    metavar="HOW",
    help="How two rankings become one: weighted (scores) or rrf (reciprocal ranks).",
)
@options.path
@options.tag
@click.option(
    "--where", metavar="KEY=VALUE", multiple=True, help="Only where the frontmatter says so; may be repeated."
)
@click.option("--since", metavar="DATE|7d", help="Only files changed since: a date, or 12h, 7d, 2w, 1y ago.")
@click.option(
    "--per-document",
    type=click.IntRange(min=0),
    metavar="N",
    help="How many of one document at most; 0 for any number.",
)
@click.option(
    "--min-score",
    type=click.FloatRange(min=0),
    metavar="SCORE",
    help="Leave out what scores less; 0 shows hits that are not relevant.",
)
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    metavar="TOKENS",
    help="How much all passages may have; 0 for any size.",
)
@click.option("--recency", metavar="DAYS|steps", help="A small bonus for what is new: its half-life, or in steps.")
@click.option("--expand", metavar="WHAT", help="What comes with a hit: none, neighbours, section or linked.")
@click.option(
    "--context",
    "-C",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Lines before and after those that are shown.",
)
@click.option("--full", is_flag=True, help="The whole text of each passage, not its best lines.")
@click.option("--explain", is_flag=True, help="Say of each passage why it was found.")
@options.no_update
@options.place
@options.as_json
def search_command(
    query: str,
    root: Path,
    limit: int | None,
    mode: SearchMode | None,
    fusion: str | None,
    path: tuple[str, ...],
    tag: tuple[str, ...],
    where: tuple[str, ...],
    since: str | None,
    per_document: int | None,
    min_score: float | None,
    budget: int | None,
    recency: str | None,
    expand: str | None,
    context: int,
    full: bool,
    explain: bool,
    no_update: bool,
    place: dict[str, Any],
    as_json: bool,
) -> None:
    """Find the passages that answer a query.

    The index is built or refreshed first. If nothing is relevant, the exit code is 1. Options that are left out are as
    [search] in headnote.toml says.
    """
    from headnote.cli.search_view import record, surroundings, view
    from headnote.search.filter_parsing import read_fields, read_recency, read_since

    _check_words(query, mode, fusion, expand)
    fields = read_fields(where, "--where")
    changed = read_since(since, place="--since") if since is not None else None
    asked: dict[str, Any] = {"path": path, "tags": tag, "where": fields, "since": changed, "per_document": per_document}
    asked |= {"min_score": min_score, "budget": budget, "expand": expand, "fusion": fusion}
    asked |= read_recency(recency, "--recency") if recency is not None else {}
    opened = _opened(root, no_update, place)
    with opened.index as index:
        if not no_update:
            refresh(index)
        by_meaning = (mode or index.search_settings.mode) != "keyword"
        if by_meaning and opened.missing:
            remark(f"by words only: {opened.missing}")
        elif by_meaning and not no_update:
            fill_vectors(index)
        hits: list[Hit] = index.search(query, limit, mode, **asked)
        around = [surroundings(index, hit, context) for hit in hits] if context else None
    if as_json:
        write_json(record(query, root, hits, around))
    elif hits:
        write_lines(view(query, root, hits, full, explain, around))
    else:
        say(f"nothing relevant for {query!r}")
    if not hits:
        raise click.exceptions.Exit(1)


def _opened(root: Path, read_only: bool, place: dict[str, Any]) -> Opened:
    try:
        return open_index(root, read_only=read_only, **place)
    except MissingSource as error:
        remedy = f"{error.remedy}; a query of several words needs quotes"
        raise MissingSource(error.message, path=error.path, remedy=remedy) from None


def _check_words(query: str, mode: str | None, fusion: str | None, expand: str | None) -> None:
    from headnote.search.query import EXPANSIONS, FUSIONS, MODES

    if not query.strip():
        raise SettingsError("the query is empty", remedy="say what to look for")
    for flag, word, known in (("mode", mode, MODES), ("fusion", fusion, FUSIONS), ("expand", expand, EXPANSIONS)):
        if word is not None and word not in known:
            raise SettingsError(f"unknown {flag} {word!r}", path=f"--{flag}", remedy=f"use {', '.join(known)}")
