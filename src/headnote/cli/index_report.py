"""What an update did or would do, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from headnote.api import Status
from headnote.cli.formatting import counted, duration, missing_vectors
from headnote.cli.opening import path_from_here
from headnote.cli.terminal import Line, Span
from headnote.index.plan import Plan
from headnote.index.task import Report

MAX_PATHS = 10
"""Paths of one kind in the text; JSON has all."""


def plan_record(report: Report, root: Path) -> dict[str, Any]:
    """The plan of an update, as JSON."""
    plan = report.plan
    return {
        "root": str(root),
        "added": plan.added,
        "changed": plan.changed,
        "touched": plan.touched,
        "renamed": [{"from": old, "to": new} for old, new in plan.renamed],
        "removed": plan.removed,
        "unchanged": plan.unchanged,
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


def summary_lines(report: Report, status: Status, root: Path, seconds: float) -> list[Line]:
    """An update that has run, as text."""
    total = f"{counted(status.documents, 'document')}, {counted(status.chunks, 'chunk')}"
    lines: list[Line] = [
        [Span(str(root), "bold"), Span(f"  {total}"), Span(f"  {duration(seconds)}", "dim")],
        [Span("  "), Span(_update_counts(report) or "nothing to do")],
    ]
    # A new index reads every file anyway.
    if report.rebuilt and report.plan.changed:
        lines.append([Span(f"  all files were read: {report.rebuilt}", "dim")])
    if status.pending:
        lines.append([Span(f"  {missing_vectors(status)}: headnote index makes them", "yellow")])
    lines += _skipped_lines(report, root)
    if report.is_first_read and status.documents:
        lines.append([Span(f"  search it: {_search_command(root)}", "dim")])
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
    counts = {
        "added": len(plan.added),
        "changed": len(plan.changed),
        "touched": len(plan.touched),
        "renamed": len(plan.renamed),
        "removed": len(plan.removed),
    }
    return [f"{count:,} {name}" for name, count in counts.items() if count]


def update_line(report: Report, root: Path) -> Line:
    """One update of `--watch`, on one line."""
    plan = report.plan
    paths = [*plan.added, *plan.changed, *plan.touched, *(new for _, new in plan.renamed), *plan.removed]
    parts = _plan_counts(plan) + ([f"{counted(report.vectors, 'vector')} made"] if report.vectors else [])
    first = path_from_here(root, paths[0]) if paths else ""
    others = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    return [
        Span(now, "dim"),
        Span(f"  {', '.join(parts)}"),
        Span(f"  {first}{others}" if first else "", "cyan"),
    ]


def plan_lines(report: Report, root: Path) -> list[Line]:
    """The plan of an update, as text."""
    plan = report.plan
    parts = _plan_counts(plan)
    parts += [f"{plan.unchanged:,} unchanged"] if plan.unchanged else []
    counts = ", ".join(parts) or "no documents"
    lines: list[Line] = [[Span(str(root), "bold"), Span(f"  would be: {counts}"), Span("  nothing was written", "dim")]]
    if report.rebuilt and plan.changed:
        lines.append([Span(f"  all files would be read: {report.rebuilt}", "dim")])
    renamed = [f"{path_from_here(root, old)} → {path_from_here(root, new)}" for old, new in plan.renamed]
    for sign, style, paths in (
        ("+", "green", [path_from_here(root, path) for path in plan.added]),
        ("~", "yellow", [path_from_here(root, path) for path in plan.changed]),
        (">", "cyan", renamed),
        ("-", "red", [path_from_here(root, path) for path in plan.removed]),
    ):
        lines += _first([[Span(f"  {sign} ", style), Span(path)] for path in paths])
    return [*lines, *_skipped_lines(report, root)]


def _skipped_lines(report: Report, root: Path) -> list[Line]:
    lines: list[Line] = []
    skipped = [(skipped.path, skipped.reason) for skipped in report.skipped]
    for title, pairs in (("skipped", skipped), ("warnings", report.warnings)):
        if pairs:
            lines.append([Span(f"  {title} {len(pairs):,}", "yellow")])
            rows = [(path_from_here(root, path), reason) for path, reason in pairs]
            lines += _first([[Span(f"    {path}", "cyan"), Span(f"  {reason}")] for path, reason in rows])
    return lines


def _first(lines: Sequence[Line]) -> list[Line]:
    if len(lines) <= MAX_PATHS:
        return list(lines)
    return [*lines[:MAX_PATHS], [Span(f"    … and {len(lines) - MAX_PATHS:,} more", "dim")]]
