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
    missing: str
    """Why the embedder cannot be had."""


@click.command("status", cls=Command)
@options.root
@options.store
@options.as_json
def status_command(root: Path, store: str | None, as_json: bool) -> None:
    """Show what the index holds, and whether it still holds.

    No file is read: size and time tell which ones look other than they did.
    """
    facts = _facts(root, store)
    if as_json:
        write_json(_record(facts, root))
    else:
        write_lines(_lines(facts, root))


def _facts(root: Path, store: str | None) -> Facts:
    from headnote.chunking.presets import find_preset
    from headnote.chunking.settings import FIELD_NAMES
    from headnote.config import load_settings

    opened = open_index(root, create=False, store=store)
    with opened.index as index:
        status, drift = index.status(), index.drift()
    loaded = load_settings(None, {}, root)
    base, used = find_preset("default"), status.settings
    differences = {name: getattr(used, name) for name in FIELD_NAMES if getattr(used, name) != getattr(base, name)}
    return Facts(status, drift, loaded.preset, differences, opened.missing)


def _record(facts: Facts, root: Path) -> dict[str, Any]:
    status, drift = facts.status, facts.drift
    return {
        "root": str(root),
        "documents": status.documents,
        "chunks": status.chunks,
        "links": status.links,
        "pending": status.pending,
        "embedder": _embedder(facts),
        "model": status.model,
        "missing": facts.missing,
        "store": _store(facts),
        "preset": facts.preset,
        "settings": {name: _plain(value) for name, value in facts.differences.items()},
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
    from headnote.index.store.opening import shown_store

    return shown_store(facts.status.index_settings.store)


def _embedder(facts: Facts) -> str:
    return facts.status.index_settings.embedder


def _lines(facts: Facts, root: Path) -> list[Line]:
    from headnote.cli.presets import shown_value

    status = facts.status
    given = [f"{name} {shown_value(value)}" for name, value in facts.differences.items()]
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
        **({} if _store(facts) == "sqlite" else {"store": [Span(_store(facts))]}),
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
