"""Options that several commands share, each a decorator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from headnote.cli import choices
from headnote.cli.command import Argument, Option
from headnote.errors import SourceError

Decorator = Callable[[Any], Any]


def together(*decorators: Decorator) -> Decorator:
    """Several as one, in the order of the help."""

    def decorate(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


# Click does not check readability: the code that opens a path has errors that name the remedy.
PATH = click.Path(readable=False, path_type=Path)

# Headings of the help

FILTERS = "Filters"
FILES = "Files"
CHUNKS = "Chunks"
STORE = "Where the index is"
AFTERWARDS = "Afterwards"

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


def roots(about: str) -> Decorator:
    """`[ROOT]...` and `--home`."""
    argument = click.argument(
        "folders",
        cls=Argument,
        metavar="[ROOT]...",
        nargs=-1,
        type=PATH,
        about=f"{about} Several are one index.",
        shell_complete=choices.folders,
    )
    return together(argument, home)


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


place = together(_store, schema, adopt)
"""Where the index is: keywords of `Index.open`."""
no_update = click.option("--no-update", is_flag=True, help="Use the index as it is, without looking at the files.")
embedder = click.option(
    "--embedder", metavar="NAME", shell_complete=choices.embedders, help="Embedder that makes the vectors."
)

pack = click.option(
    "--pack",
    cls=Option,
    section=STORE,
    type=PATH,
    metavar="FILE",
    help="A pack in place of the folder, as `headnote pack` makes it.",
)


# Words without quotes, and the folder at their end


class QueryWords(Argument):
    """Its name in errors is that of the words, without the folder."""

    def get_error_hint(self, ctx: click.Context | None) -> str:  # noqa: ARG002
        return repr(str(self.metavar).partition(".")[0])


def words(name: str, about: str) -> Decorator:
    """`WORD... [ROOT]...`, `--root`, `--home` and `--pack`."""
    where = "A folder at the end is ROOT, the folder to search; the current one by default. Several are one index."
    argument = click.argument(
        "words",
        cls=QueryWords,
        metavar=f"{name.upper()}... [ROOT]...",
        nargs=-1,
        required=True,
        about=f"{about} {where}",
        shell_complete=choices.folders,
    )
    root = click.option(
        "--root",
        "-r",
        cls=Option,
        type=PATH,
        metavar="DIR",
        multiple=True,
        shell_complete=choices.folders,
        help="Folder to search (repeatable); all arguments are then query words.",
    )
    return together(argument, root, home, pack)


# Reading and chunking documents


def paths(about: str, *, required: bool = True) -> Decorator:
    return click.argument("paths", cls=Argument, metavar="PATH...", nargs=-1, required=required, type=PATH, about=about)


def files_of(paths: Sequence[Path]) -> list[str | SourceError]:
    """The files that the paths stand for, each once; in its place, what cannot be read or is left out."""
    # Late: commands of an index share this module.
    from headnote.sources.discover import expand
    from headnote.sources.files import STDIN

    files = (file for path in paths for file in ([STDIN] if str(path) == STDIN else expand([path])))
    return list(dict.fromkeys(files))


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
