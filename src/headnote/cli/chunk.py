"""`headnote chunk`: the chunks of files, as JSON lines, as a view, or in numbers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from headnote.cli import options
from headnote.cli.paths import STDIN, expand_paths
from headnote.cli.setting_flags import SettingsCommand
from headnote.cli.terminal import complain, knows_only_ascii, show_progress, write_bytes, write_json, write_lines

if TYPE_CHECKING:
    from headnote.cli.chunk_work import Failure, Recipe
    from headnote.config import LoadedSettings

Item = TypeVar("Item")


@click.command("chunk", cls=SettingsCommand)
@options.paths("Files, folders for all Markdown and plain text below, or - for standard input.")
@options.preset
@options.size
@options.overlap
@click.option(
    "--json/--view",
    "as_json",
    default=None,
    help="JSON lines, or the readable view. Without either: the view on a terminal, JSON lines elsewhere.",
)
@click.option("--stats", is_flag=True, help="Numbers about all chunks, instead of the chunks.")
@options.workers
@click.option("--path", "name", default="-", metavar="NAME", help="What to call standard input; .mdx turns MDX on.")
def chunk_command(
    paths: tuple[Path, ...],
    preset: str | None,
    size: str | None,
    overlap: str | None,
    as_json: bool | None,
    stats: bool,
    workers: int | None,
    name: str,
    settings: dict[str, Any],
) -> None:
    """Cut files into chunks that remember their headings.

    Settings come from headnote.toml or [tool.headnote] in pyproject.toml, in the folder of the files or above it, then
    from HEADNOTE_* variables, then from flags; the later ones count.
    """
    from headnote.chunking.settings import FIELD_NAMES
    from headnote.cli.chunk_work import Recipe
    from headnote.config import load_settings
    from headnote.tokens import get_counter

    loaded = load_settings(preset, {**settings, "size": size, "overlap": overlap}, _common_folder(paths))
    # A counter that cannot be had is refused before anything is written.
    get_counter(loaded.settings.counter, loaded.settings.bias)
    recipe = Recipe(loaded.preset, {field: getattr(loaded.settings, field) for field in FIELD_NAMES}, name)

    files, failed = expand_paths(paths)
    if stats:
        failed |= _write_stats(files, recipe, loaded, workers, bool(as_json))
    elif as_json or (as_json is None and not sys.stdout.isatty()):
        failed |= _write_json_lines(files, recipe, workers)
    else:
        failed |= _write_view(files, recipe, loaded)
    if failed:
        raise click.exceptions.Exit(2)


def _common_folder(paths: Sequence[Path]) -> Path:
    """Where the settings of all these are looked for: the innermost folder that holds them all."""
    folders = []
    for path in paths:
        try:
            if path != STDIN:
                folders.append(str(path.resolve() if path.is_dir() else path.resolve().parent))
        except (OSError, RuntimeError, ValueError):
            # A path that cannot even be looked at gets its error when it is read.
            continue
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # none at all, or drives with nothing in common
        return Path.cwd()


def _write_json_lines(files: Sequence[Path], recipe: Recipe, workers: int | None) -> bool:
    from headnote.cli.chunk_json import json_lines
    from headnote.cli.chunk_work import work_through

    results = work_through(files, recipe, partial(json_lines, ascii_only=knows_only_ascii(sys.stdout)), workers)
    return _each(show_progress(results, len(files)), write_bytes)


def _write_view(files: Sequence[Path], recipe: Recipe, loaded: LoadedSettings) -> bool:
    from headnote.cli.chunk_view import view
    from headnote.cli.chunk_work import work_through

    return _each(work_through(files, recipe, partial(view, settings=loaded.settings), workers=1), write_lines)


def _write_stats(
    files: Sequence[Path], recipe: Recipe, loaded: LoadedSettings, workers: int | None, as_json: bool
) -> bool:
    from headnote.cli.chunk_stats import Totals, count_file
    from headnote.cli.chunk_work import work_through

    totals = Totals(loaded.settings, loaded.preset)
    failed = _each(show_progress(work_through(files, recipe, count_file, workers), len(files)), totals.add)
    if totals.files and as_json:
        write_json(totals.to_dict())
    elif totals.files:
        write_lines(totals.lines())
    return failed


def _each(results: Iterator[Item | Failure], write: Callable[[Item], Any]) -> bool:
    """Write every result; whether there was a file that could not be read."""
    from headnote.cli.chunk_work import Failure

    failed = False
    for result in results:
        if isinstance(result, Failure):
            complain(result.message)
            failed = True
        else:
            write(result)
    return failed
