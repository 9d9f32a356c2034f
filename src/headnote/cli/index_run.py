"""What `headnote index` does when it is called once: an update, or only the plan of one."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from headnote.api import Index
from headnote.cli.index_progress import Bars
from headnote.cli.index_report import done_record, plan_lines, record, summary
from headnote.cli.opening import open_index, tell_others
from headnote.cli.terminal import write_json, write_lines
from headnote.config import INDEX_NAMES, choose, load_settings
from headnote.embedding.registry import get_embedder
from headnote.errors import MissingIndex
from headnote.index.task import Report
from headnote.store.sqlite.store import SqliteStore
from headnote.tokens import get_counter


class Run(NamedTuple):
    """What was asked for, besides settings."""

    root: Path
    as_json: bool
    rebuild: bool
    how: dict[str, Any]
    """For `Index.update`."""


def opened(run: Run, flags: dict[str, Any], of_index: dict[str, Any]) -> Index:
    """The index to update. Where no vectors are made, nothing that makes them is needed."""
    settings = load_settings(flags["preset"], flags, run.root).settings
    # A counter that cannot be had is refused before anything is written.
    get_counter(settings.counter, settings.bias)
    if run.how["vectors"]:
        return Index.open(run.root, **flags, **of_index)
    return open_index(run.root, **flags, **of_index).index


def once(index: Index, run: Run) -> None:
    """Update it, and say what was done."""
    began = time.monotonic()
    with Bars() as bars:
        report = index.update(rebuild=run.rebuild, on_progress=bars, **run.how)
    seconds = time.monotonic() - began
    tell_others(report)
    if run.as_json:
        write_json(done_record(report, index.status(), run.root, seconds))
    else:
        write_lines(summary(report, index.status(), run.root, seconds))


def plan_only(run: Run, flags: dict[str, Any], of_index: dict[str, Any]) -> None:
    """Say what would be done."""
    report = _planned(run, flags, of_index)
    if run.as_json:
        write_json({**record(report, run.root), "dry_run": True})
    else:
        write_lines(plan_lines(report, run.root))


def _planned(run: Run, flags: dict[str, Any], of_index: dict[str, Any]) -> Report:
    """The plan; where there is no index it is made against an empty one elsewhere, so that none is left behind."""
    try:
        with open_index(run.root, create=False, **flags, **of_index).index as index:
            return index.plan(rebuild=run.rebuild)
    except MissingIndex:
        choice = choose(flags | {name: of_index[name] for name in INDEX_NAMES}, run.root)
    with TemporaryDirectory() as folder:
        store = SqliteStore.open(folder)
        with Index(run.root, store, choice, get_embedder("none")) as index:
            return index.plan(rebuild=run.rebuild)
