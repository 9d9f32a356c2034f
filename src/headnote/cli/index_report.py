"""What an update did, or would do: for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headnote.cli.opening import from_here
from headnote.cli.terminal import Line, Span, counted
from headnote.cli.times import duration

if TYPE_CHECKING:
    from headnote.api import Status
    from headnote.index.plan import Plan
    from headnote.index.task import Report

MOST = 10
"""Paths of one kind that people are shown; programs get all."""


def record(report: Report, root: Path) -> dict[str, Any]:
    """Everything, by name."""
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
        "skipped": [{"path": skipped.path, "reason": skipped.reason} for skipped in report.skipped],
        "warnings": [{"path": path, "warning": warning} for path, warning in report.warnings],
    }


def done_record(report: Report, status: Status, root: Path, seconds: float | None = None) -> dict[str, Any]:
    """The same of an update that was carried out."""
    return {
        **record(report, root),
        "chunks": report.chunks,
        "embedded": report.embedded,
        "others": report.others,
        **({} if seconds is None else {"seconds": round(seconds, 3)}),
        "total": {"documents": status.documents, "chunks": status.chunks, "pending": status.pending},
    }


def summary(report: Report, status: Status, root: Path, seconds: float) -> list[Line]:
    """How an update ended."""
    total = f"{counted(status.documents, 'document')}, {counted(status.chunks, 'chunk')}"
    lines: list[Line] = [
        [Span(str(root), "bold"), Span(f"  {total}"), Span(f"  {duration(seconds)}", "dim")],
        [Span("  "), Span(_done(report) or "nothing to do")],
    ]
    # Where there was nothing before, that everything was read goes without saying.
    if report.rebuilt and report.plan.changed:
        lines.append([Span(f"  everything was read: {report.rebuilt}", "dim")])
    if status.pending:
        waiting = f"  {counted(status.pending, 'text')} without a vector: headnote index makes them"
        lines.append([Span(waiting, "yellow")])
    return [*lines, *_left_out(report, root)]


def _done(report: Report) -> str:
    parts = _counts(report.plan)
    if report.plan.unchanged:
        parts.append(f"{report.plan.unchanged:,} unchanged")
    parts += [f"{counted(report.chunks, 'chunk')} written"] if report.chunks else []
    parts += [f"{counted(report.embedded, 'vector')} made"] if report.embedded else []
    return ", ".join(parts)


def _counts(plan: Plan) -> list[str]:
    numbers = {
        "added": len(plan.added),
        "changed": len(plan.changed),
        "touched": len(plan.touched),
        "renamed": len(plan.renamed),
        "removed": len(plan.removed),
    }
    return [f"{number:,} {what}" for what, number in numbers.items() if number]


def update_line(report: Report, root: Path) -> Line:
    """One update among many, on one line."""
    plan = report.plan
    paths = [*plan.added, *plan.changed, *plan.touched, *(new for _, new in plan.renamed), *plan.removed]
    parts = _counts(plan) + ([f"{counted(report.embedded, 'vector')} made"] if report.embedded else [])
    first = from_here(root, paths[0]) if paths else ""
    others = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    return [
        Span(now, "dim"),
        Span(f"  {', '.join(parts)}"),
        Span(f"  {first}{others}" if first else "", "cyan"),
    ]


def plan_lines(report: Report, root: Path) -> list[Line]:
    """What an update would do."""
    plan = report.plan
    parts = _counts(plan)
    parts += [f"{plan.unchanged:,} unchanged"] if plan.unchanged else []
    said = ", ".join(parts) or "no documents"
    lines: list[Line] = [[Span(str(root), "bold"), Span(f"  would be: {said}"), Span("  nothing was written", "dim")]]
    if report.rebuilt and plan.changed:
        lines.append([Span(f"  everything would be read: {report.rebuilt}", "dim")])
    renamed = [f"{from_here(root, old)} → {from_here(root, new)}" for old, new in plan.renamed]
    for sign, style, paths in (
        ("+", "green", [from_here(root, path) for path in plan.added]),
        ("~", "yellow", [from_here(root, path) for path in plan.changed]),
        (">", "cyan", renamed),
        ("-", "red", [from_here(root, path) for path in plan.removed]),
    ):
        lines += _some([[Span(f"  {sign} ", style), Span(path)] for path in paths])
    return [*lines, *_left_out(report, root)]


def _left_out(report: Report, root: Path) -> list[Line]:
    lines: list[Line] = []
    skipped = [(skipped.path, skipped.reason) for skipped in report.skipped]
    for title, pairs in (("skipped", skipped), ("warnings", report.warnings)):
        if pairs:
            lines.append([Span(f"  {title} {len(pairs):,}", "yellow")])
            rows = [(from_here(root, path), said) for path, said in pairs]
            lines += _some([[Span(f"    {path}", "cyan"), Span(f"  {said}")] for path, said in rows])
    return lines


def _some(lines: Sequence[Line]) -> list[Line]:
    if len(lines) <= MOST:
        return list(lines)
    return [*lines[:MOST], [Span(f"    … and {len(lines) - MOST:,} more", "dim")]]
