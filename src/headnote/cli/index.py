"""`headnote index`: build or update the index of a folder, once or whenever files change."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import click

from headnote.api import Index, Status, check_folder, temporary_index
from headnote.cli import options
from headnote.cli.access import (
    FIRST_WAIT,
    IndexCommand,
    NamedIndex,
    ask_before_first_read,
    note_differences,
    note_followed,
    note_interruption,
    note_other_workers,
    note_roots,
    note_withheld,
    noted_interruption,
    open_index,
    path_from_here,
)
from headnote.cli.command import Option
from headnote.cli.formatting import counted, duration, missing_vectors
from headnote.cli.handover import LOADING, answering
from headnote.cli.options import SettingsCommand
from headnote.cli.progress_bar import UpdateBars
from headnote.cli.standby import CAN_STAND_BY, commands_answered, end_in_background, start_in_background
from headnote.cli.terminal import StyledLine, StyledText, write_error, write_json, write_lines, write_note
from headnote.config import INDEX_NAMES, choose, load_settings
from headnote.errors import LockedIndex, MissingIndex, RateLimited, ServiceUnavailable, SettingsError, UnreachableIndex
from headnote.index.manifest import OTHER_VERSION
from headnote.index.plan import Plan, Report
from headnote.processes import sigterm_interrupts
from headnote.tokens import get_counter

# -- What an update did or would do, as text and as JSON.


MAX_PATHS = 10
"""Paths of one kind in the text; JSON has all."""


def plan_record(report: Report, root: Path) -> dict[str, Any]:
    """The plan of an update, as JSON."""
    return {
        "root": str(root),
        **report.plan._asdict(),
        "renamed": [{"from": old, "to": new} for old, new in report.plan.renamed],
        "rebuilt": report.rebuilt,
        "followed": list(report.followed),
        "skipped": [{"path": skipped.path, "reason": skipped.reason} for skipped in report.skipped],
        "warnings": [{"path": path, "warning": warning} for path, warning in report.warnings],
    }


def update_record(report: Report, status: Status, root: Path, seconds: float | None = None) -> dict[str, Any]:
    """An update that has run, as JSON."""
    return {
        **plan_record(report, root),
        "chunks": report.chunks,
        "embedded": report.embedded,
        "vectors": report.vectors,
        "others": report.others,
        **({} if seconds is None else {"seconds": round(seconds, 3)}),
        "total": {"documents": status.documents, "chunks": status.chunks, "pending": status.pending},
    }


def summary_lines(report: Report, status: Status, root: Path, seconds: float) -> list[StyledLine]:
    """An update that has run, as text."""
    total = f"{counted(status.documents, 'document')}, {counted(status.chunks, 'chunk')}"
    lines: list[StyledLine] = [
        [StyledText(str(root), "bold"), StyledText(f"  {total}"), StyledText(f"  {duration(seconds)}", "dim")],
        [StyledText("  "), StyledText(_update_counts(report) or "nothing to do")],
    ]
    # A new index reads every file anyway; one that was made anew has lost its documents.
    if report.rebuilt and (report.plan.changed or report.rebuilt == OTHER_VERSION):
        lines.append([StyledText(f"  all files were read: {report.rebuilt}", "dim")])
    if status.pending:
        lines.append([StyledText(f"  {missing_vectors(status)}: headnote index makes them", "yellow")])
    lines += _skipped_lines(report, root)
    if report.is_first_read and status.documents:
        lines.append([StyledText(f"  search it: {_search_command(root)}", "dim")])
    return lines


def _search_command(root: Path) -> str:
    folder = f'"{root}"' if " " in str(root) else str(root)
    return 'headnote search "some words"' + ("" if folder == "." else f" {folder}")


def _update_counts(report: Report) -> str:
    parts = _plan_counts(report.plan)
    if report.plan.unchanged:
        parts.append(f"{report.plan.unchanged:,} unchanged")
    parts += [f"{counted(report.chunks, 'chunk')} written"] if report.chunks else []
    parts += [f"{counted(report.vectors, 'vector')} made"] if report.vectors else []
    return ", ".join(parts)


def _plan_counts(plan: Plan) -> list[str]:
    counts = {name: len(getattr(plan, name)) for name in ("added", "changed", "touched", "renamed", "removed")}
    return [f"{count:,} {name}" for name, count in counts.items() if count]


def update_line(report: Report, root: Path) -> StyledLine:
    """One update of `--watch`, on one line."""
    plan = report.plan
    paths = [*plan.added, *plan.changed, *plan.touched, *(new for _, new in plan.renamed), *plan.removed]
    parts = _plan_counts(plan) + ([f"{counted(report.vectors, 'vector')} made"] if report.vectors else [])
    first = path_from_here(root, paths[0]) if paths else ""
    others = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    return [
        StyledText(now, "dim"),
        StyledText(f"  {', '.join(parts)}"),
        StyledText(f"  {first}{others}" if first else "", "cyan"),
    ]


def plan_lines(report: Report, root: Path) -> list[StyledLine]:
    """The plan of an update, as text."""
    plan = report.plan
    parts = _plan_counts(plan)
    parts += [f"{plan.unchanged:,} unchanged"] if plan.unchanged else []
    counts = ", ".join(parts) or "no documents"
    lines: list[StyledLine] = [
        [StyledText(str(root), "bold"), StyledText(f"  would be: {counts}"), StyledText("  nothing was written", "dim")]
    ]
    if report.rebuilt and plan.changed:
        lines.append([StyledText(f"  all files would be read: {report.rebuilt}", "dim")])
    renamed = [f"{path_from_here(root, old)} → {path_from_here(root, new)}" for old, new in plan.renamed]
    for sign, style, paths in (
        ("+", "green", [path_from_here(root, path) for path in plan.added]),
        ("~", "yellow", [path_from_here(root, path) for path in plan.changed]),
        (">", "cyan", renamed),
        ("-", "red", [path_from_here(root, path) for path in plan.removed]),
    ):
        lines += _first([[StyledText(f"  {sign} ", style), StyledText(path)] for path in paths])
    return [*lines, *_skipped_lines(report, root)]


def _skipped_lines(report: Report, root: Path) -> list[StyledLine]:
    lines: list[StyledLine] = []
    skipped = [(skipped.path, skipped.reason) for skipped in report.skipped]
    for title, pairs in (("skipped", skipped), ("warnings", report.warnings)):
        if pairs:
            lines.append([StyledText(f"  {title} {len(pairs):,}", "yellow")])
            rows = [(path_from_here(root, path), reason) for path, reason in pairs]
            lines += _first([[StyledText(f"    {path}", "cyan"), StyledText(f"  {reason}")] for path, reason in rows])
    return lines


def _first(lines: Sequence[StyledLine]) -> list[StyledLine]:
    if len(lines) <= MAX_PATHS:
        return list(lines)
    return [*lines[:MAX_PATHS], [StyledText(f"    … and {len(lines) - MAX_PATHS:,} more", "dim")]]


# -- `headnote index`


RETRY_PAUSE = 5.0
"""Seconds until `--watch` tries again after a failure that may go away by itself."""


class IndexRequest(NamedTuple):
    """What the command line asks for."""

    root: Path
    as_json: bool
    rebuild: bool
    update: dict[str, Any]
    """Options of `Index.update`."""
    flags: dict[str, Any]
    """Settings of chunks, for `Index.open`."""
    index_options: dict[str, Any]
    """Everything else that `Index.open` takes."""


class IndexingCommand(SettingsCommand, IndexCommand):
    """The settings of chunks as flags, and the index."""


@click.command(
    "index",
    cls=IndexingCommand,
    examples=[
        ("read a folder; later runs read only what has changed", "headnote index docs"),
        ("see what would be done", "headnote index docs --dry-run"),
        ("keep the index up to date while you write", "headnote index docs --watch"),
        ("leave drafts out, and search at once", 'headnote index docs --exclude "drafts/**" --no-deep'),
    ],
)
@options.root
@click.option(
    "--watch",
    cls=Option,
    section=options.AFTERWARDS,
    is_flag=True,
    help="Keep running and update whenever files change, until Ctrl-C.",
)
@click.option(
    "--background",
    cls=Option,
    section=options.AFTERWARDS,
    is_flag=True,
    help="Leave a process running that answers commands at once; it ends after 30 minutes without one.",
)
@click.option(
    "--stop",
    cls=Option,
    section=options.AFTERWARDS,
    is_flag=True,
    help="Only end the process that --background has left running.",
)
@click.option("--rebuild", is_flag=True, help="Read every file again; vectors that still fit are kept.")
@click.option("--forget-flags", is_flag=True, help="Drop the flags that are stored in the index.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--no-deep", is_flag=True, help="Leave the vectors of the deep model for later; search works at once.")
@click.option("--no-vectors", "no_deep", is_flag=True, hidden=True)
@options.embedder_by_name
@click.option(
    "--include",
    cls=Option,
    section=options.FILES,
    metavar="GLOB",
    multiple=True,
    help="Index only files that match; repeatable.",
)
@click.option(
    "--exclude",
    cls=Option,
    section=options.FILES,
    metavar="GLOB",
    multiple=True,
    help="Leave out files that match; repeatable.",
)
@click.option(
    "--formats",
    cls=Option,
    section=options.FILES,
    metavar="NAMES",
    help="Formats to read besides Markdown, separated by commas: html, notebook, rst.",
)
@options.max_file_bytes
@options.place
@options.chunks
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=FIRST_WAIT,
    metavar="SECONDS",
    help="How long to wait for another writer.",
)
@options.workers
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; with --watch one line per update.")
def index_command(
    named: NamedIndex,
    watch: bool,
    background: bool,
    stop: bool,
    rebuild: bool,
    forget_flags: bool,
    dry_run: bool,
    no_deep: bool,
    embedder: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    formats: str | None,
    max_file_bytes: int | None,
    wait: float,
    workers: int | None,
    settings: dict[str, Any],
) -> None:
    """Build or update the index of a folder.

    The index is stored in .headnote inside the folder, or in PostgreSQL. It can be rebuilt at any time.

    It also stores the settings it was made with. Flags apply to every command until you give other ones or use
    --forget-flags; what headnote.toml says is followed as soon as that file changes.

    Several folders are one index. If one of them cannot be read, its documents stay and the exit code is 1.
    """
    modes = {"--dry-run": dry_run, "--watch": watch, "--background": background, "--stop": stop}
    if len(chosen := [name for name, is_chosen in modes.items() if is_chosen]) > 1:
        raise SettingsError(f"{chosen[0]} cannot be combined with {chosen[1]}", remedy="leave one of them out")
    if stop:
        _stop(named)
        return
    request = IndexRequest(
        root=named.root,
        as_json=named.as_json,
        rebuild=rebuild,
        update={"vectors": not no_deep, "wait": wait, "workers": workers},
        flags=settings,
        index_options={
            "embedder": embedder,
            "include": include,
            "exclude": exclude,
            "formats": formats or (),
            "max_file_bytes": max_file_bytes,
            "configure": "anew" if forget_flags else "apply",
            **named.place,
        },
    )
    ask_before_first_read(named.root, named.place)
    if dry_run:
        _show_plan(request)
    else:
        _update(request, watch)
    if background:
        _leave_process(named.root)


def _update(request: IndexRequest, watch: bool) -> None:
    with _open(request) as index:
        note_differences(index.choice)
        if watch:
            _watch(index, request)
        else:
            _update_once(index, request)
        if index.choice.has_flags:
            message = "flags are stored in the index (headnote index --forget-flags drops them)"
            write_note(message, only_on_a_terminal=True)


def _open(request: IndexRequest) -> Index:
    settings = load_settings(request.flags["preset"], request.flags, request.root).settings
    # Fail before anything is written if the counter cannot be loaded.
    get_counter(settings.counter, settings.bias)
    if request.update["vectors"]:
        index = Index.open(request.root, **request.flags, **request.index_options)
        note_withheld(index.choice, request.root)
        return index
    # If its vectors are not made now, the deep model may be missing.
    return open_index(request.root, **request.flags, **request.index_options).index


def _update_once(index: Index, request: IndexRequest) -> None:
    began = time.monotonic()
    with noted_interruption(index), UpdateBars(at_once=True) as bars:
        report = index.update(rebuild=request.rebuild, on_progress=bars, **request.update)
    seconds = time.monotonic() - began
    note_followed(report)
    note_other_workers(report)
    note_roots(report, index)
    if request.as_json:
        write_json(update_record(report, index.status(), request.root, seconds))
    else:
        write_lines(summary_lines(report, index.status(), request.root, seconds))
    if nothing := index.why_no_documents():
        write_note(nothing)
    if report.absent:
        raise click.exceptions.Exit(1)


# --background


def _leave_process(root: Path) -> None:
    """Leave a process that answers commands, unless there is one, and wait until it does."""
    if not CAN_STAND_BY:
        raise SettingsError("only Linux leaves processes in the background", path="--background", remedy="leave it out")
    process, server, is_same_version = answering(str(root), LOADING) or (0, 0, True)
    if not is_same_version:
        if server:
            problem = f"process {process} answers commands, for a server of another version"
            raise SettingsError(problem, path=str(root), remedy=f"start the server again, which is process {server}")
        end_in_background(process)
    start_in_background(root)
    if not answering(str(root), LOADING):
        remedy = "leave out --background"
        raise SettingsError("no process can listen in the folder of the index", path=str(root), remedy=remedy)


def _stop(named: NamedIndex) -> None:
    """End the process in the background. One that belongs to a server ends with that."""
    check_folder(named.root)
    process, server, _ = answering(str(named.root), LOADING) or (0, 0, True)
    if server:
        remedy = f"end process {server}"
        raise SettingsError(f"process {process} belongs to a server", path=str(named.root), remedy=remedy)
    if process:
        end_in_background(process)
    if named.as_json:
        write_json({"root": str(named.root), "stopped": process or None})
    elif process:
        write_lines([[StyledText(str(named.root), "bold"), StyledText(f"  process {process} has ended")]])
    else:
        write_note("no process answers commands about this folder")


# --dry-run


def _show_plan(request: IndexRequest) -> None:
    report = _plan(request)
    if request.as_json:
        write_json({**plan_record(report, request.root), "dry_run": True})
    else:
        write_lines(plan_lines(report, request.root))


def _plan(request: IndexRequest) -> Report:
    """What an update would do. Without an index, plan against an empty one in a temporary folder."""
    try:
        with open_index(request.root, create=False, **request.flags, **request.index_options).index as index:
            return index.plan(rebuild=request.rebuild)
    except MissingIndex:
        flags = request.flags | {name: request.index_options.get(name) for name in INDEX_NAMES}
        choice = choose(flags, request.root)
        note_withheld(choice, request.root)
    with temporary_index(request.root, choice) as index:
        return index.plan(rebuild=request.rebuild)


# --watch


def _watch(index: Index, request: IndexRequest) -> None:
    """Update until interrupted. Ctrl-C raises KeyboardInterrupt; SIGTERM ends it quietly."""
    stop = threading.Event()
    with sigterm_interrupts(stop.set) as is_terminated, UpdateBars() as bars, ExitStack() as after_first:
        write = _WatchOutput(index, request, bars, after_first)
        try:
            if request.rebuild:
                write(index.update(rebuild=True, on_progress=bars, **request.update))
            while not stop.is_set():
                _watch_until_failure(index, request, stop, bars, write)
        except KeyboardInterrupt:
            if bars.are_busy:
                bars.finish()
                note_interruption(index)
            if not is_terminated():
                raise


def _watch_until_failure(
    index: Index, request: IndexRequest, stop: threading.Event, bars: UpdateBars, write: _WatchOutput
) -> None:
    try:
        for report in index.watch(stop, on_progress=bars, **request.update):
            write(report)
    except (LockedIndex, RateLimited, ServiceUnavailable, UnreachableIndex) as error:
        bars.finish()
        write_error(f"{error}; trying again")
        stop.wait(RETRY_PAUSE)


class _WatchOutput:
    """Writes the first update as a summary, and each later one that changed something as a line."""

    def __init__(self, index: Index, request: IndexRequest, bars: UpdateBars, after_first: ExitStack) -> None:
        self._index, self._request, self._bars, self._after_first = index, request, bars, after_first
        self._is_first = True
        self._began = time.monotonic()

    def __call__(self, report: Report) -> None:
        self._bars.finish()
        if self._is_first or not report.plan.is_empty or report.embedded:
            self._write(report)
            # A reader at the other end of a pipe needs it now.
            sys.stdout.flush()
        if self._is_first:
            # Not before: beside the thread that this needs, workers take longer to start.
            self._after_first.enter_context(commands_answered(self._request.root))
        self._is_first = False

    def _write(self, report: Report) -> None:
        root, seconds = self._request.root, time.monotonic() - self._began
        if self._request.as_json:
            write_json(update_record(report, self._index.status(), root, seconds if self._is_first else None))
        elif self._is_first:
            write_lines(summary_lines(report, self._index.status(), root, seconds))
        else:
            write_lines([update_line(report, root)])
