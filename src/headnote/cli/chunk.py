"""`headnote chunk`: the chunks of files, as JSON lines, as a readable view, or as statistics."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from headnote.chunking.settings import FIELD_NAMES
from headnote.cli import options
from headnote.cli.chunk_view import ChunkRecipe, ChunkTotals, chunk_all, count_file, json_lines, view
from headnote.cli.options import SettingsCommand
from headnote.cli.progress_bar import track_files
from headnote.cli.terminal import is_ascii_only, write_bytes, write_json, write_lines, write_note, write_unread
from headnote.config import LoadedSettings, load_settings, trust_note, withheld_of_file
from headnote.config.chunk_settings import TABLE
from headnote.errors import SourceError
from headnote.sources.files import STDIN
from headnote.tokens import get_counter

Item = TypeVar("Item")


@click.command(
    "chunk",
    cls=SettingsCommand,
    examples=[
        ("look at the chunks of a file", "headnote chunk docs/calibration.md"),
        ("a whole folder as JSON lines, for your own pipeline", "headnote chunk docs --json > chunks.jsonl"),
        ("how large the chunks of another preset are", "headnote chunk docs --stats --preset ragdocs"),
        ("smaller chunks, each repeating a little of the last", "headnote chunk docs --size small --overlap low"),
    ],
)
@options.paths("Files, folders of Markdown and plain text, or - for standard input.")
@options.chunks
@click.option(
    "--json/--view",
    "as_json",
    default=None,
    help="JSON lines, or a readable view. By default: the view on a terminal, JSON lines elsewhere.",
)
@click.option("--stats", is_flag=True, help="Print statistics instead of the chunks.")
@options.workers
@click.option(
    "--path", "name", default="-", metavar="NAME", help="Name of standard input in the output; .mdx turns on MDX."
)
def chunk_command(
    paths: tuple[Path, ...],
    as_json: bool | None,
    stats: bool,
    workers: int | None,
    name: str,
    settings: dict[str, Any],
) -> None:
    """Split files into chunks that remember their headings.

    Settings come from headnote.toml or [tool.headnote] in pyproject.toml, searched for in the folder of the files and
    upwards, from HEADNOTE_* variables, and from flags. Later ones win.
    """
    folder = _common_folder(paths)
    loaded = load_settings(settings.pop("preset"), settings, folder)
    if note := trust_note([one for one in withheld_of_file(folder) if one.table == TABLE], folder):
        write_note(note)
    # Fail before anything is written if the counter cannot be loaded.
    get_counter(loaded.settings.counter, loaded.settings.bias)
    recipe = ChunkRecipe(loaded.preset, {field: getattr(loaded.settings, field) for field in FIELD_NAMES}, name)

    files = options.files_of(paths)
    if stats:
        has_failed = _write_stats(files, recipe, loaded, workers, bool(as_json))
    elif as_json or (as_json is None and not sys.stdout.isatty()):
        has_failed = _write_json_lines(files, recipe, workers)
    else:
        has_failed = _write_view(files, recipe, loaded)
    if has_failed:
        raise click.exceptions.Exit(2)


def _common_folder(paths: Sequence[Path]) -> Path:
    """The innermost folder that holds all files: the search for a settings file starts there."""
    folders = []
    for path in paths:
        try:
            if str(path) != STDIN:
                folders.append(str(path.resolve() if path.is_dir() else path.resolve().parent))
        except (OSError, RuntimeError, ValueError):
            # Reading such a path fails later, with its own error.
            continue
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # no folder at all, or different drives
        return Path.cwd()


# Each writer returns whether a file could not be read.


def _write_json_lines(files: Sequence[str | SourceError], recipe: ChunkRecipe, workers: int | None) -> bool:
    render = partial(json_lines, ascii_only=is_ascii_only(sys.stdout))
    return _write_each(track_files(chunk_all(files, recipe, render, workers), len(files)), write_bytes)


def _write_view(files: Sequence[str | SourceError], recipe: ChunkRecipe, loaded: LoadedSettings) -> bool:
    return _write_each(chunk_all(files, recipe, partial(view, settings=loaded.settings), workers=1), write_lines)


def _write_stats(
    files: Sequence[str | SourceError], recipe: ChunkRecipe, loaded: LoadedSettings, workers: int | None, as_json: bool
) -> bool:
    totals = ChunkTotals(loaded.settings, loaded.preset)
    has_failed = _write_each(track_files(chunk_all(files, recipe, count_file, workers), len(files)), totals.add)
    if totals.files and as_json:
        write_json(totals.to_dict())
    elif totals.files:
        write_lines(totals.lines())
    return has_failed


def _write_each(results: Iterator[Item | SourceError], write: Callable[[Item], Any]) -> bool:
    has_failed = False
    for result in results:
        if isinstance(result, SourceError):
            has_failed |= write_unread(result)
        else:
            write(result)
    return has_failed
