"""`headnote search`: the passages of a folder that answer a query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from headnote.cli.opening import HERE, AsJson, NoUpdate, Root, StoreUrl, fill_vectors, open_index, refresh
from headnote.cli.terminal import remark, say, write_json, write_lines
from headnote.errors import MissingSource, SettingsError

if TYPE_CHECKING:
    from headnote.cli.opening import Opened
    from headnote.model import Hit
    from headnote.search.query import Mode as SearchMode

Query = Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.", show_default=False)]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="How many passages at most.")]
Paths = Annotated[
    list[str],
    typer.Option("--path", metavar="GLOB", help="Only documents that fit; may be repeated.", show_default=False),
]
Tags = Annotated[
    list[str],
    typer.Option("--tag", metavar="TAG", help="Only what has this tag; may be repeated.", show_default=False),
]
Where = Annotated[
    list[str],
    typer.Option(
        "--where", metavar="KEY=VALUE", help="Only where the frontmatter says so; may be repeated.", show_default=False
    ),
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="DATE|7d", help="Only files changed since: a date, or 12h, 7d, 2w, 1y ago."),
]
Mode = Annotated[
    str, typer.Option("--mode", metavar="MODE", help="hybrid (by words and by meaning), semantic or keyword.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Say of each passage why it was found.")]
Full = Annotated[bool, typer.Option("--full", help="The whole text of each passage, not its best lines.")]


def search_command(
    query: Query,
    root: Root = HERE,
    limit: Limit = 10,
    mode: Mode = "hybrid",
    path: Paths = [],  # noqa: B006  never changed
    tag: Tags = [],  # noqa: B006
    where: Where = [],  # noqa: B006
    since: Since = None,
    full: Full = False,
    explain: Explain = False,
    no_update: NoUpdate = False,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Find the passages that answer a query.

    The index is built or refreshed first. If nothing is relevant, the exit code is 1.
    """
    from headnote.cli.search_view import record, view
    from headnote.cli.times import read_since

    if not query.strip():
        raise SettingsError("the query is empty", remedy="say what to look for")
    fields = read_fields(where)
    changed = read_since(since) if since is not None else None
    opened = _opened(root, create=not no_update, store=store)
    with opened.index as index:
        if not no_update:
            refresh(index)
        if mode != "keyword" and opened.missing:
            remark(f"by words only: {opened.missing}")
        elif mode != "keyword" and not no_update:
            fill_vectors(index)
        hits: list[Hit] = index.search(query, limit, read_mode(mode), path=path, tags=tag, where=fields, since=changed)
    if as_json:
        write_json(record(query, root, hits))
    elif hits:
        write_lines(view(query, root, hits, full, explain))
    else:
        say(f"nothing relevant for {query!r}")
    if not hits:
        raise typer.Exit(1)


def _opened(root: Path, create: bool, store: str | None) -> Opened:
    try:
        return open_index(root, create=create, store=store)
    except MissingSource as error:
        remedy = f"{error.remedy}; a query of several words needs quotes"
        raise MissingSource(error.message, path=error.path, remedy=remedy) from None


def read_mode(mode: str) -> SearchMode:
    from headnote.search.query import MODES

    if mode not in MODES:
        raise SettingsError(f"unknown mode {mode!r}", path="--mode", remedy=f"use {', '.join(MODES)}")
    return cast("SearchMode", mode)


def read_fields(pairs: list[str]) -> dict[str, Any]:
    """`key=value` as key and value."""
    fields: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        key = key.strip()
        if not sign or not key:
            raise SettingsError(f"{pair!r} is no field", path="--where", remedy="write key=value")
        if key in fields:
            raise SettingsError(f"{key} is given twice", path="--where", remedy="keep one of them")
        fields[key] = value.strip()
    return fields
