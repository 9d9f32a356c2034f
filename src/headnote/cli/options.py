"""Options that several commands share, each a decorator."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from headnote.cli import choices
from headnote.cli.command import Argument, Option
from headnote.errors import SettingsError
from headnote.extra.packs.format import read_container

# Click does not check readability: the code that opens a path has errors that name the remedy.
PATH = click.Path(readable=False, path_type=Path)

# Headings of the help

FILTERS = "Filters"
FILES = "Files"
CHUNKS = "Chunks"
STORE = "Where the index is"

# The index

ROOT_HELP = "Folder of the index; the current one by default."
home = click.option(
    "--home",
    cls=Option,
    section=STORE,
    type=PATH,
    metavar="DIR",
    shell_complete=choices.folders,
    help="Folder for the index of several folders, and for the file that lists them.",
)
root_option = click.option(
    "--root",
    "-r",
    type=PATH,
    shell_complete=choices.folders,
    default=".",
    metavar="ROOT",
    help=ROOT_HELP,
    show_default=False,
)
"""For commands whose arguments are something else."""


def roots(about: str) -> Callable[[Any], Any]:
    """`[ROOT]...` and `--home`. The command receives one `root`: the folder, or the home of several."""
    argument = click.argument(
        "folders",
        cls=Argument,
        metavar="[ROOT]...",
        nargs=-1,
        type=PATH,
        about=f"{about} Several are one index.",
        shell_complete=choices.folders,
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_root(*, folders: tuple[Path, ...], home: Path | None, **others: Any) -> Any:
            # Late: it loads the index, and commands without one share this module.
            from headnote.api import home_of

            return command(root=home_of(folders, home), **others)

        return argument(home(with_root))

    return decorate


root = roots(ROOT_HELP)
_store = click.option(
    "--store",
    cls=Option,
    section=STORE,
    metavar="URL",
    shell_complete=choices.words("sqlite", "postgresql://"),
    help="sqlite, for a file in the folder, or postgresql://USER@HOST/DATABASE.",
)
schema = click.option(
    "--schema",
    cls=Option,
    section=STORE,
    metavar="NAME",
    help="Database schema of the index; named after the folder by default.",
)
adopt = click.option(
    "--adopt",
    cls=Option,
    section=STORE,
    is_flag=True,
    help="Take over an index that was made before the folder moved.",
)
read_only = click.option("--read-only", is_flag=True, help="Write nothing: serve the index as it is.")


def place(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the index is. The command receives one `place`, with the keywords of `Index.open`."""

    @wraps(command)
    def with_place(*, store: str | None, schema: str | None, adopt: bool, **others: Any) -> Any:
        return command(place={"store": store, "schema": schema, "adopt": adopt}, **others)

    return _store(schema(adopt(with_place)))


no_update = click.option("--no-update", is_flag=True, help="Use the index as it is, without looking at the files.")
embedder = click.option(
    "--embedder", metavar="NAME", shell_complete=choices.embedders, help="Embedder that makes the vectors."
)

# A pack in place of a folder

pack_option = click.option(
    "--pack",
    cls=Option,
    section=STORE,
    type=PATH,
    metavar="FILE",
    help="A pack in place of the folder, as `headnote pack` makes it.",
)


def pack(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command receives the pack as its `root`: a pack is opened wherever a folder is."""

    @wraps(command)
    def with_pack(*, root: Path, pack: Path | None, **others: Any) -> Any:
        return command(root=chosen_root(root, pack), **others)

    return pack_option(with_pack)


def chosen_root(root: Path, pack: Path | None) -> Path:
    """The pack, if one is named. Raises if it is none."""
    if pack is None:
        return root
    if root != Path():
        raise SettingsError(f"both a folder, {root}, and a pack", path="--pack", remedy="leave out one of them")
    read_container(pack)
    return pack


# Reading and chunking documents


def paths(about: str, *, required: bool = True) -> Callable[[Any], Any]:
    return click.argument("paths", cls=Argument, metavar="PATH...", nargs=-1, required=required, type=PATH, about=about)


preset = click.option(
    "--preset",
    "-p",
    cls=Option,
    section=CHUNKS,
    metavar="NAME",
    shell_complete=choices.presets,
    help="Named settings; `headnote presets` lists them.",
)
size = click.option(
    "--size",
    cls=Option,
    section=CHUNKS,
    metavar="small|medium|large|N",
    shell_complete=choices.sizes,
    help="Chunk size; a number sets the maximum.",
)
overlap = click.option(
    "--overlap",
    cls=Option,
    section=CHUNKS,
    metavar="none|low|medium|high|N",
    shell_complete=choices.overlaps,
    help="How much of a chunk the next one repeats.",
)
workers = click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Worker processes; one per core by default."
)
max_file_bytes = click.option(
    "--max-file-bytes", cls=Option, section=FILES, type=int, metavar="N", help="Skip and report larger files."
)
embedder_by_name = click.option(
    "--embedder",
    metavar="NAME",
    shell_complete=choices.embedders,
    help="instant, deep, minilm, quality, none, openai:MODEL, sentence-transformers:MODEL or hashing:N.",
)

# Output

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
