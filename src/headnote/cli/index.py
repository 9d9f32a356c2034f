"""`headnote index`: build or refresh the index of a folder, once or whenever something changes."""

from __future__ import annotations

from typing import Annotated

import typer

from headnote.cli.chunk import Overlap, Preset, Size, Workers
from headnote.cli.opening import FIRST_WAIT, HERE, Root, StoreUrl
from headnote.cli.setting_flags import given_flags
from headnote.cli.terminal import remark
from headnote.errors import SettingsError

Watch = Annotated[bool, typer.Option("--watch", help="Go on, and update whenever files change, until Ctrl-C.")]
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Read every file again; vectors that still fit are kept.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be done; nothing is written.")]
NoVectors = Annotated[
    bool, typer.Option("--no-vectors", help="Make no vectors now; search by words needs none.", show_default=False)
]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder", metavar="NAME", help="minilm, none, openai:MODEL, sentence-transformers:MODEL or hashing:N."
    ),
]
Include = Annotated[
    list[str],
    typer.Option("--include", metavar="GLOB", help="Only files that fit; may be repeated.", show_default=False),
]
Exclude = Annotated[
    list[str], typer.Option("--exclude", metavar="GLOB", help="No files that fit; may be repeated.", show_default=False)
]
MaxFileBytes = Annotated[
    int | None, typer.Option("--max-file-bytes", metavar="N", help="Larger files are left out and reported.")
]
Wait = Annotated[
    float, typer.Option("--wait", min=0, metavar="SECONDS", help="How long to wait for another writer to end.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object; with --watch one per update and line.")]


def index_command(
    context: typer.Context,
    root: Root = HERE,
    watch: Watch = False,
    rebuild: Rebuild = False,
    dry_run: DryRun = False,
    no_vectors: NoVectors = False,
    embedder: Embedder = None,
    include: Include = [],  # noqa: B006  never changed
    exclude: Exclude = [],  # noqa: B006
    max_file_bytes: MaxFileBytes = None,
    store: StoreUrl = None,
    preset: Preset = None,
    size: Size = None,
    overlap: Overlap = None,
    wait: Wait = FIRST_WAIT,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Build or refresh the index of a folder.

    It is kept in .headnote below the folder or in PostgreSQL, and can be made anew at any time.

    Flags hold for this run. What shall hold for every command belongs into headnote.toml: settings at the top, and
    include, exclude, max_file_bytes, embedder and store in a table [index].
    """
    from headnote.cli.index_run import Run, once, opened, plan_only

    if dry_run and watch:
        raise SettingsError("--dry-run and --watch do not go together", remedy="leave one of them out")
    flags = {**given_flags(context), "preset": preset, "size": size, "overlap": overlap}
    of_index = {"embedder": embedder, "include": include, "exclude": exclude, "max_file_bytes": max_file_bytes}
    of_index["store"] = store
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
    if any(value not in (None, []) for value in (*flags.values(), *of_index.values())):
        remark("flags hold for this run; headnote.toml is for what shall stay", only_on_a_terminal=True)
