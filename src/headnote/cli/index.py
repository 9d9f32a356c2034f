"""`headnote index`: build or refresh the index of a folder, once or whenever something changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headnote.cli import options
from headnote.cli.opening import FIRST_WAIT
from headnote.cli.setting_flags import SettingsCommand
from headnote.cli.terminal import remark
from headnote.errors import SettingsError


@click.command("index", cls=SettingsCommand)
@options.root
@click.option("--watch", is_flag=True, help="Go on, and update whenever files change, until Ctrl-C.")
@click.option("--rebuild", is_flag=True, help="Read every file again; vectors that still fit are kept.")
@click.option("--forget-flags", is_flag=True, help="Drop what flags said when the index was made.")
@click.option("--dry-run", is_flag=True, help="Show what would be done; nothing is written.")
@click.option("--no-vectors", is_flag=True, help="Make no vectors now; search by words needs none.")
@options.embedder_by_name
@click.option("--include", metavar="GLOB", multiple=True, help="Only files that fit; may be repeated.")
@click.option("--exclude", metavar="GLOB", multiple=True, help="No files that fit; may be repeated.")
@options.max_file_bytes
@options.place
@options.preset
@options.size
@options.overlap
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=FIRST_WAIT,
    metavar="SECONDS",
    help="How long to wait for another writer to end.",
)
@options.workers
@click.option("--json", "as_json", is_flag=True, help="One JSON object; with --watch one per update and line.")
def index_command(
    root: Path,
    watch: bool,
    rebuild: bool,
    forget_flags: bool,
    dry_run: bool,
    no_vectors: bool,
    embedder: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    max_file_bytes: int | None,
    place: dict[str, Any],
    preset: str | None,
    size: str | None,
    overlap: str | None,
    wait: float,
    workers: int | None,
    as_json: bool,
    settings: dict[str, Any],
) -> None:
    """Build or refresh the index of a folder.

    It is kept in .headnote below the folder or in PostgreSQL, and can be made anew at any time.

    What it is made with is kept in it, flags included, and holds for every command until other flags are given, until
    headnote.toml says something new and this command is run, or until --forget-flags.
    """
    from headnote.cli.index_run import Run, once, opened, plan_only

    if dry_run and watch:
        raise SettingsError("--dry-run and --watch do not go together", remedy="leave one of them out")
    flags = {**settings, "preset": preset, "size": size, "overlap": overlap}
    of_index: dict[str, Any] = {"embedder": embedder, "include": include, "exclude": exclude}
    of_index["max_file_bytes"] = max_file_bytes
    of_index |= place
    of_index["configure"] = "anew" if forget_flags else "apply"
    run = Run(root, as_json, rebuild, {"vectors": not no_vectors, "wait": wait, "workers": workers})
    if dry_run:
        plan_only(run, flags, of_index)
        return
    with opened(run, flags, of_index) as index:
        if watch:
            from headnote.cli.index_watch import watch_folder

            watch_folder(index, run)
        else:
            once(index, run)
        if index.choice.has_flags:
            remark("flags are kept in the index; headnote index --forget-flags drops them", only_on_a_terminal=True)
