"""`headnote status`: what the index of a folder holds, and whether it is up to date."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from headnote.api import Drift, PackInfo, Status
from headnote.chunking.presets import find_preset
from headnote.chunking.settings import FIELD_NAMES
from headnote.cli import options
from headnote.cli.access import IndexCommand, NamedIndex, open_index
from headnote.cli.formatting import (
    ago,
    byte_size,
    counted,
    deep_missing,
    drift_counts,
    missing_vectors,
    moment,
    setting_json,
    setting_text,
)
from headnote.cli.handover import answering
from headnote.cli.terminal import StyledLine, StyledText, table, write_json, write_lines
from headnote.config import KEPT
from headnote.embedding.registry import DEFAULT, short_name
from headnote.embedding.transformer import is_installed
from headnote.model import to_plain
from headnote.store.opening import shown_store

MAX_LEFT_OUT = 5
"""Files that are left out and shown."""


class Facts(NamedTuple):
    """Everything the command shows."""

    status: Status
    drift: Drift
    preset: str
    differences: dict[str, Any]
    """Settings that differ from the default preset."""
    missing_embedder: str
    """Why the embedder cannot be loaded; empty if it can."""
    pack: PackInfo | None
    """What a pack says about itself; None for a folder."""
    process: tuple[int, int, bool] | None
    """What `answering` says of the process that answers commands; None if there is none."""


@click.command(
    "status",
    cls=IndexCommand,
    examples=[
        ("what is in the index of a folder", "headnote status docs"),
        ("the same for programs", "headnote status docs --json"),
    ],
)
@options.root
@options.pack
@options.place
@options.as_json
def status_command(named: NamedIndex) -> None:
    """Show what the index holds and whether it is up to date.

    No file is read: size and modification time tell which files have changed.
    """
    facts = _facts(named)
    if named.as_json:
        write_json(_record(facts, named.root))
    else:
        write_lines(_lines(facts, named.root))


def _facts(named: NamedIndex) -> Facts:
    opened = open_index(named.root, create=False, **named.place)
    with opened.index as index:
        status, drift, choice = index.status(), index.drift(), index.choice
    default, own = find_preset("default"), status.settings
    differences = {name: getattr(own, name) for name in FIELD_NAMES if getattr(own, name) != getattr(default, name)}
    process = answering(str(named.root))
    return Facts(status, drift, choice.chunking.preset, differences, opened.missing_embedder, index.pack_info, process)


def _record(facts: Facts, root: Path) -> dict[str, Any]:
    status, drift = facts.status, facts.drift
    return {
        "root": str(root),
        "roots": list(status.roots),
        "documents": status.documents,
        "chunks": status.chunks,
        "links": status.links,
        "files_read": to_plain(status.files_read),
        "pending": status.pending,
        "embedder": _embedder(facts),
        "model": status.model,
        "models": to_plain(status.models),
        "answering": status.answering,
        "missing": facts.missing_embedder,
        "store": _store(facts),
        "schema": status.schema or None,
        "preset": facts.preset,
        "settings": {name: setting_json(value) for name, value in facts.differences.items()},
        "origins": dict(status.origins),
        "differing": list(status.differing),
        "bytes_on_disk": status.bytes_on_disk,
        "updated": status.updated,
        "generation": status.generation,
        "files": {name: getattr(drift, name) for name in ("new", "changed", "gone", "rebuild")},
        "left_out": [{"path": one.path, "reason": one.reason} for one in drift.left_out],
        "folders": to_plain(status.folders),
        "contexts": dict(status.contexts),
        "process": _process_record(*facts.process) if facts.process else None,
        "withheld": [{"setting": one.setting, "place": one.place} for one in status.withheld],
    }


def _store(facts: Facts) -> str:
    return shown_store(facts.status.index_settings.store)


def _database(facts: Facts) -> dict[str, StyledLine]:
    """The rows for an index in a database."""
    if not facts.status.schema:
        return {}
    return {"store": [StyledText(_store(facts))], "schema": [StyledText(facts.status.schema)]}


def _withheld(status: Status) -> dict[str, StyledLine]:
    """The row for settings that need trust."""
    listed = ", ".join(f"{one.setting} ({one.place})" for one in status.withheld)
    return {"not used": [StyledText(f"{listed}: headnote trust", "yellow")]} if listed else {}


def _embedder(facts: Facts) -> str:
    return facts.status.index_settings.embedder


def _lines(facts: Facts, root: Path) -> list[StyledLine]:
    status = facts.status
    settings = [f"{name} {setting_text(value)}" for name, value in facts.differences.items()]
    sources = _by_source(status.origins)
    stored = sources.pop(KEPT, [])
    set_by = [f"{source}: {', '.join(names)}" for source, names in sources.items()]
    updated = "never"
    if status.updated is not None:
        updated = f"{ago(time.time() - status.updated)} ({moment(status.updated)})"
    rows = {
        "documents": [StyledText(f"{status.documents:,}")],
        "chunks": [StyledText(f"{status.chunks:,}")],
        "links": [StyledText(f"{status.links:,}")],
        "vectors": _vectors(facts),
        "preset": [StyledText(facts.preset)],
        "settings": [StyledText(", ".join(settings) or "as the default")],
        **({"set by": [StyledText("; ".join(set_by))]} if set_by else {}),
        **({KEPT: [StyledText(", ".join(stored))]} if stored else {}),
        **({} if status.folders and not facts.pack else {"made from": [StyledText(_made_from(facts))]}),
        **({"context": [StyledText(counted(len(status.contexts), "sentence"))]} if status.contexts else {}),
        **_withheld(status),
        **_database(facts),
        **({"commands": [_process(*facts.process)]} if facts.process else {}),
        "on disk": [StyledText(byte_size(status.bytes_on_disk))],
        **({} if facts.pack else {"updated": [StyledText(updated)], "files": _files(facts)}),
    }
    return [[StyledText(str(root), "bold")], *table(rows), *_folders(status), *_left_out(facts)]


def _process_record(number: int, server: int, is_same_version: bool) -> dict[str, Any]:
    return {"pid": number, "server": server or None, "same_version": is_same_version}


def _process(number: int, server: int, is_same_version: bool) -> StyledText:
    process = f"process {number} " + (f"of the server {server}" if server else "in the background")
    if is_same_version:
        return StyledText(f"answered by {process}" + ("" if server else ": headnote index --stop ends it"))
    remedy = "start that again" if server else "headnote index --background replaces it"
    return StyledText(f"not answered by {process}, which is of another version: {remedy}", "yellow")


def _left_out(facts: Facts) -> list[StyledLine]:
    """What one might miss, with the reasons; JSON has all of it."""
    left_out = facts.drift.left_out
    rows: dict[str, StyledLine] = {one.path: [StyledText(one.reason, "dim")] for one in left_out[:MAX_LEFT_OUT]}
    more = f", the first {MAX_LEFT_OUT} of {len(left_out):,}" if len(left_out) > MAX_LEFT_OUT else ""
    return [[], [StyledText("left out", "bold"), StyledText(more)], *table(rows)] if rows else []


def _by_source(origins: Mapping[str, str]) -> dict[str, list[str]]:
    """Who sets what: the index itself, a file, a variable. What follows from other settings is left out."""
    sources: dict[str, list[str]] = {}
    for name, origin in origins.items():
        file, _, line = origin.rpartition(":")
        if origin.startswith(KEPT):
            sources.setdefault(KEPT, []).append(name)
        elif line.isdigit() or origin.isidentifier():
            sources.setdefault(file or origin, []).append(name)
    return sources


def _folders(status: Status) -> list[StyledLine]:
    """The folders of an index of several, with what each has."""
    rows: dict[str, StyledLine] = {}
    for root in status.folders:
        counts = StyledText(f"{counted(root.documents, 'document')}  ")
        problem = [StyledText(f"  {root.problem}: they stay", "yellow")] if root.problem else []
        rows[root.name] = [counts, StyledText(root.folder, "dim"), *problem]
    return [[], [StyledText("folders", "bold")], *table(rows)] if rows else []


def _made_from(facts: Facts) -> str:
    if facts.pack:
        return " ".join(filter(None, (facts.pack.name, facts.pack.version))) + ", a pack that is only read"
    return " and ".join(facts.status.roots) or "not recorded yet: run headnote index"


def _vectors(facts: Facts) -> StyledLine:
    status = facts.status
    if facts.missing_embedder:
        made = "instant all made; " if status.models and not status.pending else ""
        return [StyledText(made), StyledText(facts.missing_embedder, "yellow")]
    if status.model == "none":
        return [StyledText("none")]
    model = StyledText(f" ({_embedder(facts)})", "dim")
    if status.pending:
        return [StyledText(missing_vectors(status), "yellow"), model]
    answering = f", {short_name(status.answering)} answers" if status.answering else ""
    return [StyledText("all made", "green"), StyledText(answering), model, StyledText(_not_installed(facts))]


def _not_installed(facts: Facts) -> str:
    """What a package would bring that the default does without."""
    return f"; {deep_missing()}" if _embedder(facts) == DEFAULT and not is_installed("deep") else ""


def _files(facts: Facts) -> StyledLine:
    drift, read = facts.drift, facts.status.files_read
    if read:
        return [StyledText(f"{read}; run headnote index to finish", "yellow")]
    if drift.rebuild:
        return [StyledText(f"headnote index will read all files: {drift.rebuild}", "yellow")]
    if drift.is_empty:
        return [StyledText("as indexed", "green")]
    return [StyledText(f"{drift_counts(drift)} since: run headnote index", "yellow")]
