"""`headnote bulk`: chunks of more documents than one process can hold, as parquet or as an index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headnote.cli.chunk import Overlap, Preset, Size
from headnote.cli.index import Embedder, MaxFileBytes
from headnote.cli.opening import AsJson
from headnote.cli.setting_flags import given_flags

Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT", help="Folder, file, glob or s3:// address of Markdown, or of parquet with path and text."
    ),
]
Engine = Annotated[str, typer.Option("--engine", metavar="local|ray|spark", help="What shares out the work.")]
Out = Annotated[
    str,
    typer.Option(
        "--out",
        metavar="DIR|s3://…|postgresql://…",
        help="Parquet or an index; what is done stays done.",
    ),
]
WithVectors = Annotated[bool, typer.Option("--vectors/--no-vectors", help="Whether each chunk gets its vector.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, metavar="N", help="Parts worked on at once; all cores if left out.")
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE", help="Documents that have no chunks, and why, as JSON lines.", readable=False
    ),
]
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Make everything anew, also with other settings.")]


def bulk_command(
    context: typer.Context,
    given: Input,
    out: Out,
    engine: Engine = "local",
    vectors: WithVectors = False,
    embedder: Embedder = None,
    preset: Preset = None,
    size: Size = None,
    overlap: Overlap = None,
    workers: Workers = None,
    max_file_bytes: MaxFileBytes = None,
    report: ReportFile = None,
    rebuild: Rebuild = False,
    as_json: AsJson = False,
) -> None:
    """Cut many documents into chunks, on this machine, on Ray or on Spark.

    A job that was ended goes on where it stopped, by document; one that is done does only what has changed. Documents
    that cannot be read are in the report, and never stop it.
    """
    from headnote.cli.bulk_run import Asked, run

    flags = {**given_flags(context), "preset": preset, "size": size, "overlap": overlap}
    of_index = {"embedder": embedder, "max_file_bytes": max_file_bytes}
    run(Asked(given, out, engine, vectors, workers, rebuild, report, as_json), flags, of_index)
