"""`headnote bulk`: chunks of more documents than one process can hold, as parquet or as an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headnote.cli import options
from headnote.cli.command import Argument
from headnote.cli.setting_flags import SettingsCommand


@click.command("bulk", cls=SettingsCommand)
@click.argument(
    "given",
    cls=Argument,
    metavar="INPUT",
    about="Folder, file, glob or s3:// address of Markdown, or of parquet with path and text.",
)
@click.option(
    "--out",
    required=True,
    metavar="DIR|s3://…|postgresql://…",
    help="Parquet or an index; what is done stays done.",
)
@options.schema
@options.adopt
@click.option("--engine", default="local", metavar="local|ray|spark", help="What shares out the work.")
@click.option("--vectors/--no-vectors", default=False, help="Whether each chunk gets its vector.")
@options.embedder_by_name
@options.preset
@options.size
@options.overlap
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Parts worked on at once; all cores if left out."
)
@options.max_file_bytes
@click.option(
    "--report", type=options.PATH, metavar="FILE", help="Documents that have no chunks, and why, as JSON lines."
)
@click.option("--rebuild", is_flag=True, help="Make everything anew, also with other settings.")
@options.as_json
def bulk_command(
    given: str,
    out: str,
    schema: str | None,
    adopt: bool,
    engine: str,
    vectors: bool,
    embedder: str | None,
    preset: str | None,
    size: str | None,
    overlap: str | None,
    workers: int | None,
    max_file_bytes: int | None,
    report: Path | None,
    rebuild: bool,
    as_json: bool,
    settings: dict[str, Any],
) -> None:
    """Cut many documents into chunks, on this machine, on Ray or on Spark.

    A job that was ended goes on where it stopped, by document; one that is done does only what has changed. Documents
    that cannot be read are in the report, and never stop it.
    """
    from headnote.cli.bulk_run import Asked, run

    flags = {**settings, "preset": preset, "size": size, "overlap": overlap}
    of_index = {"embedder": embedder, "max_file_bytes": max_file_bytes}
    asked = Asked(
        input=given,
        out=out,
        schema=schema,
        adopt=adopt,
        engine=engine,
        vectors=vectors,
        workers=workers,
        rebuild=rebuild,
        report=report,
        as_json=as_json,
    )
    run(asked, flags, of_index)
