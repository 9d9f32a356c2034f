"""`headnote bulk`: chunk more documents than one process can hold, into parquet or an index."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from headnote.api.folders import models_at_hand
from headnote.cli import choices, options
from headnote.cli.access import note_withheld
from headnote.cli.command import Argument
from headnote.cli.formatting import counted, duration
from headnote.cli.options import SettingsCommand
from headnote.cli.progress_bar import UpdateBars
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines, write_note
from headnote.config import Choice, choose, load_index_settings
from headnote.embedding.gpu import DEVICES, check_device, check_gpu
from headnote.embedding.registry import get_embedder
from headnote.errors import BulkError, SettingsError, reason_of
from headnote.extra.scale.job import Job, Summary, report_lines, run_job
from headnote.extra.scale.storage import is_remote
from headnote.extra.scale.work import Recipe
from headnote.model.results import Progress
from headnote.store.postgres.target import is_postgres, shown_target
from headnote.tokens import get_counter

MAX_FAILURES = 10
"""Failures in the text; the report has all."""


@click.command(
    "bulk",
    cls=SettingsCommand,
    examples=[
        ("chunks as parquet", "headnote bulk docs --out chunks"),
        ("with vectors", "headnote bulk docs --out vectors --vectors --embedder instant"),
        ("and a list of what could not be read", "headnote bulk docs --out chunks --report failed.jsonl"),
    ],
)
@click.argument(
    "source",
    cls=Argument,
    metavar="INPUT",
    about="Folder, file, glob or s3:// URL of Markdown, or of parquet with the columns path and text.",
)
@click.option(
    "--out",
    "-o",
    required=True,
    metavar="DIR|DIR.lance|s3://…|postgresql://…",
    help="Where to write: a folder of parquet, a Lance table, or an index.",
)
@options.schema
@options.adopt
@click.option(
    "--engine",
    default="local",
    metavar="local|ray|spark",
    shell_complete=choices.words("local", "ray", "spark"),
    help="What runs the job.",
)
@click.option("--vectors/--no-vectors", default=False, help="Also embed each chunk.")
@options.embedder_by_name
@click.option(
    "--device",
    metavar="auto|cpu|cuda",
    shell_complete=choices.words(*DEVICES),
    help="Device for deep, minilm and quality (default: a GPU if there is one).",
)
@options.chunks
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Parts processed at once; one per core by default."
)
@options.max_file_bytes
@click.option(
    "--report", type=options.PATH, metavar="FILE", help="Write documents without chunks, and why, as JSON lines."
)
@click.option("--rebuild", is_flag=True, help="Start over, even if the settings differ.")
@options.as_json
def bulk_command(
    source: str,
    out: str,
    schema: str | None,
    adopt: bool,
    engine: str,
    vectors: bool,
    embedder: str | None,
    device: str | None,
    workers: int | None,
    max_file_bytes: int | None,
    report: Path | None,
    rebuild: bool,
    as_json: bool,
    settings: dict[str, Any],
) -> None:
    """Chunk large collections, locally or on Ray or Spark.

    An interrupted job resumes where it stopped; a finished one processes only what has changed. A document that cannot
    be read is reported and does not stop the job.
    """
    device = check_device(device, "--device") if device else ""
    folder = _settings_folder(source)
    choice = choose({**settings, "embedder": embedder, "max_file_bytes": max_file_bytes}, folder)
    note_withheld(choice, folder)
    if embedder is not None and not vectors:
        raise SettingsError("--embedder needs --vectors", remedy="add --vectors, or leave out --embedder")
    job = Job(
        input=source,
        out=_out(out, schema, adopt, folder),
        recipe=_recipe(choice, vectors, device, is_postgres(out)),
        engine=engine,
        workers=workers,
        rebuild=rebuild,
        adopt=adopt,
        stored_settings=choice.stored_settings,
    )
    began = time.monotonic()
    summary = _run(job)
    seconds = time.monotonic() - began
    if report is not None:
        _write_report(report, summary)
    shown = shown_target(out) if is_postgres(out) else out  # without a password
    if as_json:
        failures = [failure._asdict() for failure in summary.failures]
        head = {"input": source, "out": shown, "engine": engine}
        write_json({**head, **summary._asdict(), "failures": failures, "seconds": round(seconds, 3)})
    else:
        write_lines(_lines(shown, summary, seconds))


def _run(job: Job) -> Summary:
    try:
        with UpdateBars() as bars:
            return run_job(job, lambda done, total: bars(Progress("read", done, total)))
    except KeyboardInterrupt:
        write_note("interrupted; run the same command again to resume")
        raise


def _recipe(choice: Choice, vectors: bool, device: str, is_index: bool) -> Recipe:
    settings, index_settings = choice.chunking.settings, choice.of_index.settings
    # Fail before anything is written if the counter or the embedder cannot be loaded.
    get_counter(settings.counter, settings.bias)
    instant = is_index and models_at_hand(index_settings.embedder).instant is not None
    recipe = Recipe(settings, max_bytes=index_settings.max_file_bytes, instant=instant)
    if not vectors:
        return recipe
    embedder = get_embedder(index_settings.embedder)
    if embedder.dimensions == 0:
        raise SettingsError("--vectors needs an embedder", remedy="leave out --vectors, or name an --embedder")
    if device == "cuda":
        check_gpu()
    # One thread: every core has a process already.
    return replace(recipe, embedder=index_settings.embedder, model=embedder.name, threads=1, device=device)


def _out(out: str, schema: str | None, adopt: bool, folder: Path) -> str:
    """The output, with its schema if it is a database."""
    if is_postgres(out):
        return load_index_settings({"store": out, "schema": schema}, folder).settings.target
    if schema or adopt:
        raise SettingsError("--schema and --adopt apply only to an index", remedy="leave them out")
    return out


def _settings_folder(source: str) -> Path:
    """Where to look for headnote.toml: in the folder that is read, else in the current one."""
    path = Path(source)
    if is_remote(source) or not path.exists():
        return Path()
    return path if path.is_dir() else path.parent


def _write_report(file: Path, summary: Summary) -> None:
    try:
        file.write_bytes(report_lines(summary.failures))
    except OSError as error:
        raise BulkError(
            f"cannot be written: {reason_of(error)}", path=str(file), remedy="name another file for --report"
        ) from None


def _lines(out: str, summary: Summary, seconds: float) -> list[StyledLine]:
    total = f"{counted(summary.documents, 'document')}, {counted(summary.chunks, 'chunk')}"
    lines: list[StyledLine] = [
        [
            StyledText(out, "bold"),
            StyledText(f"  {total}"),
            StyledText(f"  {duration(seconds)}", "dim"),
        ],
        [StyledText("  "), StyledText(_counts(summary, seconds) or "nothing to do")],
    ]
    if summary.failures:
        lines.append([StyledText(f"  {counted(len(summary.failures), 'document')} without chunks:", "yellow")])
        for failure in summary.failures[:MAX_FAILURES]:
            place = failure.path if failure.line is None else f"{failure.path}:{failure.line}"
            lines.append([StyledText(f"    {place}: {failure.error}")])
        if len(summary.failures) > MAX_FAILURES:
            lines.append([StyledText(f"    and {len(summary.failures) - MAX_FAILURES:,} more: see the report", "dim")])
    return lines


def _counts(summary: Summary, seconds: float) -> str:
    parts = []
    if summary.read:
        parts.append(f"{counted(summary.read, 'document')} read, {counted(summary.written, 'chunk')} written")
        parts.append(f"{summary.size / 1e6 / seconds:.1f} MB/s")
    parts += [f"{summary.removed:,} removed"] if summary.removed else []
    parts += [f"{summary.unchanged:,} unchanged"] if summary.unchanged and (summary.read or summary.removed) else []
    return ", ".join(parts)
