"""`headnote status`: what the index of a folder holds, and whether that is still true."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from headnote.cli import options
from headnote.cli.command import Command
from headnote.cli.opening import open_index
from headnote.cli.terminal import Line, Span, counted, table, write_json, write_lines
from headnote.cli.times import ago, moment

if TYPE_CHECKING:
    from headnote.api import Drift, Status


class Facts(NamedTuple):
    """All there is to show."""

    status: Status
    drift: Drift
    preset: str
    differences: dict[str, Any]
    """Settings that are not those of the default preset."""
    origins: dict[str, str]
    """Who said what all settings are."""
    missing: str
    """Why the embedder cannot be had."""


@click.command("status", cls=Command)
@options.root
@options.place
@options.as_json
def status_command(root: Path, place: dict[str, Any], as_json: bool) -> None:
    """Show what the index holds, and whether it still holds.

    No file is read: size and time tell which ones look other than they did.
    """
    facts = _facts(root, place)
    if as_json:
        write_json(_record(facts, root))
    else:
        write_lines(_lines(facts, root))


def _facts(root: Path, place: dict[str, Any]) -> Facts:
    from headnote.chunking.presets import find_preset
    from headnote.chunking.settings import FIELD_NAMES

    opened = open_index(root, create=False, **place)
    with opened.index as index:
        status, drift, choice = index.status(), index.drift(), index.choice
    base, used = find_preset("default"), status.settings
    differences = {name: getattr(used, name) for name in FIELD_NAMES if getattr(used, name) != getattr(base, name)}
    return Facts(status, drift, choice.chunking.preset, differences, choice.origins, opened.missing)


def _record(facts: Facts, root: Path) -> dict[str, Any]:
    status, drift = facts.status, facts.drift
    return {
        "root": str(root),
        "roots": list(status.roots),
        "documents": status.documents,
        "chunks": status.chunks,
        "links": status.links,
        "pending": status.pending,
        "embedder": _embedder(facts),
        "model": status.model,
        "missing": facts.missing,
        "store": _store(facts),
        "schema": status.schema or None,
        "preset": facts.preset,
        "settings": {name: _plain(value) for name, value in facts.differences.items()},
        "origins": {name: origin for name, origin in facts.origins.items() if origin != "default"},
        "bytes_on_disk": status.bytes_on_disk,
        "updated": status.updated,
        "generation": status.generation,
        "files": drift._asdict(),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return value if isinstance(value, str | int | float | None) else str(value)


def _store(facts: Facts) -> str:
    from headnote.store.opening import shown_store

    return shown_store(facts.status.index_settings.store)


def _database(facts: Facts) -> dict[str, Line]:
    """Where it is, unless it is a file below the folder."""
    if not facts.status.schema:
        return {}
    return {"store": [Span(_store(facts))], "schema": [Span(facts.status.schema)]}


def _embedder(facts: Facts) -> str:
    return facts.status.index_settings.embedder


def _lines(facts: Facts, root: Path) -> list[Line]:
    from headnote.cli.presets import shown_value
    from headnote.config import KEPT

    status = facts.status
    given = [f"{name} {shown_value(value)}" for name, value in facts.differences.items()]
    kept = [name for name, origin in facts.origins.items() if origin.startswith(KEPT)]
    updated = "never"
    if status.updated is not None:
        updated = f"{ago(time.time() - status.updated)} ({moment(status.updated)})"
    rows = {
        "documents": [Span(f"{status.documents:,}")],
        "chunks": [Span(f"{status.chunks:,}")],
        "links": [Span(f"{status.links:,}")],
        "vectors": _vectors(facts),
        "preset": [Span(facts.preset)],
        "settings": [Span(", ".join(given) or "as the default")],
        **({KEPT: [Span(", ".join(kept))]} if kept else {}),
        "made from": [Span(" and ".join(status.roots) or "not known yet: headnote index writes it down")],
        **_database(facts),
        "on disk": [Span(shown_bytes(status.bytes_on_disk))],
        "updated": [Span(updated)],
        "files": _files(facts.drift),
    }
    return [[Span(str(root), "bold")], *table(rows)]


def _vectors(facts: Facts) -> Line:
    status = facts.status
    if facts.missing:
        return [Span(facts.missing, "yellow")]
    if status.model == "none":
        return [Span("none wanted")]
    model = Span(f" ({_embedder(facts)})", "dim")
    if status.pending:
        return [Span(f"{counted(status.pending, 'text')} without one", "yellow"), model]
    return [Span("all made", "green"), model]


def _files(drift: Drift) -> Line:
    if drift.rebuild:
        return [Span(f"all to be read again: {drift.rebuild}", "yellow")]
    if drift.is_empty:
        return [Span("as indexed", "green")]
    return [Span(f"{drift_in_words(drift)} since: headnote index takes them in", "yellow")]


def drift_in_words(drift: Drift) -> str:
    """`2 new, 1 changed`."""
    numbers = {"new": drift.new, "changed": drift.changed, "gone": drift.gone}
    return ", ".join(f"{len(paths):,} {what}" for what, paths in numbers.items() if paths)


def shown_bytes(number: int) -> str:
    """`812 bytes`, `3.4 MB`."""
    for size, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return counted(number, "byte")
