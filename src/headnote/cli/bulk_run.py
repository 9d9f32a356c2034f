"""What `headnote bulk` does: settings, the job, and what came of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

from headnote.cli.index_progress import Bars
from headnote.cli.terminal import Line, Span, counted, remark, write_json, write_lines
from headnote.cli.times import duration
from headnote.config import Choice, choose, load_index_settings
from headnote.embedding.registry import get_embedder
from headnote.errors import BulkError, SettingsError
from headnote.index.task import Progress
from headnote.scale.job import Job, Summary, report_lines, run_job
from headnote.scale.recipe import Recipe
from headnote.scale.storage import is_remote
from headnote.store.postgres.target import is_postgres, shown_target
from headnote.tokens import get_counter

MOST = 10
"""Failures that people are shown; the report has all."""


class Asked(NamedTuple):
    """What was asked for, besides settings."""

    input: str
    out: str
    schema: str | None
    adopt: bool
    engine: str
    vectors: bool
    workers: int | None
    rebuild: bool
    report: Path | None
    as_json: bool


def run(asked: Asked, flags: dict[str, Any], of_index: dict[str, Any]) -> None:
    """Do it, and say what was done."""
    choice = choose({**flags, **of_index}, _folder_of_settings(asked.input))
    job = Job(
        input=asked.input,
        out=_out(asked),
        recipe=_recipe(asked, choice, of_index["embedder"]),
        engine=asked.engine,
        workers=asked.workers,
        rebuild=asked.rebuild,
        adopts=asked.adopt,
        made_with=choice.made_with,
    )
    began = time.monotonic()
    try:
        with Bars() as bars:
            summary = run_job(job, lambda done, total: bars(Progress("read", done, total)))
    except KeyboardInterrupt:
        remark("ended; what is finished stays, and the same command goes on")
        raise
    seconds = time.monotonic() - began
    if asked.report is not None:
        _write_report(asked.report, summary)
    if asked.as_json:
        write_json(_record(asked, summary, seconds))
    else:
        write_lines(_lines(asked, summary, seconds))


def _recipe(asked: Asked, choice: Choice, embedder_flag: str | None) -> Recipe:
    settings, chosen = choice.chunking.settings, choice.of_index.settings
    # A counter or an embedder that cannot be had is refused before anything is written.
    get_counter(settings.counter, settings.bias)
    if not asked.vectors:
        if embedder_flag is not None:
            raise SettingsError("--embedder without --vectors", remedy="add --vectors, or leave --embedder out")
        return Recipe(settings, max_bytes=chosen.max_file_bytes)
    embedder = get_embedder(chosen.embedder)
    if embedder.dimensions == 0:
        raise SettingsError("--vectors with the embedder none", remedy="leave --vectors out, or name an --embedder")
    # There is a process for each core already.
    return Recipe(settings, chosen.embedder, embedder.name, threads=1, max_bytes=chosen.max_file_bytes)


def _out(asked: Asked) -> str:
    """With its schema, if it is a database."""
    if is_postgres(asked.out):
        flags = {"store": asked.out, "schema": asked.schema}
        return load_index_settings(flags, _folder_of_settings(asked.input)).settings.target
    if asked.schema or asked.adopt:
        raise SettingsError("only an index has a schema and an owner", remedy="leave out --schema and --adopt")
    return asked.out


def _folder_of_settings(given: str) -> Path:
    """Whose headnote.toml holds: the one of the folder that is read, or of the current one."""
    path = Path(given)
    if is_remote(given) or not path.exists():
        return Path()
    return path if path.is_dir() else path.parent


def _write_report(file: Path, summary: Summary) -> None:
    try:
        file.write_bytes(report_lines(summary.failures))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BulkError(
            f"cannot be written: {reason}", path=str(file), remedy="name another file for --report"
        ) from None


def _record(asked: Asked, summary: Summary, seconds: float) -> dict[str, Any]:
    failures = [failure._asdict() for failure in summary.failures]
    head = {"input": asked.input, "out": _shown(asked.out), "engine": asked.engine}
    return {**head, **summary._asdict(), "failures": failures, "seconds": round(seconds, 3)}


def _lines(asked: Asked, summary: Summary, seconds: float) -> list[Line]:
    total = f"{counted(summary.documents, 'document')}, {counted(summary.chunks, 'chunk')}"
    lines: list[Line] = [
        [Span(_shown(asked.out), "bold"), Span(f"  {total}"), Span(f"  {duration(seconds)}", "dim")],
        [Span("  "), Span(_done(summary, seconds) or "nothing to do")],
    ]
    if summary.failures:
        lines.append([Span(f"  {counted(len(summary.failures), 'document')} without chunks:", "yellow")])
        for failure in summary.failures[:MOST]:
            place = failure.path if failure.line is None else f"{failure.path}:{failure.line}"
            lines.append([Span(f"    {place}: {failure.error}")])
        if len(summary.failures) > MOST:
            lines.append([Span(f"    and {len(summary.failures) - MOST:,} more: see the report", "dim")])
    return lines


def _shown(out: str) -> str:
    """Without the password of a database."""
    return shown_target(out) if is_postgres(out) else out


def _done(summary: Summary, seconds: float) -> str:
    parts = []
    if summary.read:
        parts.append(f"{counted(summary.read, 'document')} read, {counted(summary.written, 'chunk')} written")
        parts.append(f"{summary.size / 1e6 / seconds:.1f} MB/s")
    parts += [f"{summary.removed:,} removed"] if summary.removed else []
    parts += [f"{summary.unchanged:,} unchanged"] if summary.unchanged and (summary.read or summary.removed) else []
    return ", ".join(parts)
