"""Options that several commands share: decorators, and a flag for every setting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from headnote.chunking.aliases import FIELD_OF_ALIAS, plain_name
from headnote.chunking.presets import docstrings
from headnote.chunking.settings import BLOCK_KINDS, FIELD_NAMES, Settings
from headnote.cli import choices
from headnote.cli.command import OPTIONS, Argument, Command, Option
from headnote.errors import SourceError
from headnote.tokens import NAMES as COUNTERS

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

# -- Headings of the help.

FILTERS = "Filters"
FILES = "Files"
CHUNKS = "Chunks"
STORE = "Where the index is"
AFTERWARDS = "Afterwards"

# -- The index.

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
        about=f"{about} Several folders become one index.",
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
    "--adopt", cls=Option, section=STORE, is_flag=True, help="Take over an index that was made before the folder moved."
)
allow_host = click.option(
    "--allow-host", metavar="NAME", multiple=True, help="Host name to accept, also by https from a proxy; repeatable."
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
    help="A pack instead of a folder, as `headnote pack` makes it.",
)


# -- Words without quotes, and the folder at their end.


class QueryWords(Argument):
    """Its name in errors is that of the words, without the folder."""

    def get_error_hint(self, ctx: click.Context | None) -> str:  # noqa: ARG002
        return repr(str(self.metavar).partition(".")[0])


def words(name: str, about: str) -> Decorator:
    """`WORD... [ROOT]...`, `--root`, `--home` and `--pack`."""
    where = (
        "A folder at the end is ROOT, where to search; the current one by default. Several folders become one index."
    )
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
        help="Folder to search; repeatable. All arguments are then words of the query.",
    )
    return together(argument, root, home, pack)


# -- Reading and chunking documents.


def paths(about: str, *, required: bool = True) -> Decorator:
    return click.argument("paths", cls=Argument, metavar="PATH...", nargs=-1, required=required, type=PATH, about=about)


def files_of(paths: Sequence[Path]) -> list[str | SourceError]:
    """The files that the paths stand for, each once; in its place, what cannot be read or is left out."""
    # Late: commands of an index share this module.
    from headnote.sources.discover import expand
    from headnote.sources.files import STDIN

    files = (file for path in paths for file in ([STDIN] if str(path) == STDIN else expand([path])))
    return list(dict.fromkeys(files))


_preset = click.option(
    "--preset",
    "-p",
    cls=Option,
    section=CHUNKS,
    metavar="NAME",
    shell_complete=choices.presets,
    help="Named settings; `headnote presets` lists them.",
)
_size = click.option(
    "--size",
    cls=Option,
    section=CHUNKS,
    metavar="small|medium|large|N",
    shell_complete=choices.sizes,
    help="Chunk size; a number sets the maximum.",
)
_overlap = click.option(
    "--overlap",
    cls=Option,
    section=CHUNKS,
    metavar="none|low|medium|high|N",
    shell_complete=choices.overlaps,
    help="How much of a chunk the next one repeats.",
)
chunks = together(_preset, _size, _overlap)
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

# -- Output.

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


# -- A flag for every setting, generated from `Settings`, with the docstring of the setting as help.

# The form of values whose type does not tell it.
_METAVARS = {
    "counter": "cl100k|o200k|chars|chars4|estimate|FILE",
    "oversized": "split|keep|KIND=keep,…",
    "keep_whole": "KIND,…",
}

_SECTIONS = {
    "Where chunks end": (
        *("strategy", "boundaries", "packing", "heading_depth", "merge", "join_short_files", "plain_text"),
    ),
    "How large chunks are": (
        *("counter", "bias", "target_tokens", "max_tokens", "min_tokens"),
        *("overlap_tokens", "overlap_across_sections", "oversized", "keep_whole"),
    ),
    "What chunks contain": ("frontmatter", "mdx", "comments", "include_parent_headers", "breadcrumb", "document_title"),
}
_SECTION_OF = {field: f"{title} (overrides the preset)" for title, fields in _SECTIONS.items() for field in fields}


class SettingsCommand(Command):
    """A command that takes every setting as a flag, and receives them together as `settings`, those of `chunks` too."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, context_settings={"token_normalize_func": _plain_flag}, **attributes)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *setting_options()]

    def invoke(self, ctx: click.Context) -> Any:
        # Setting → text of the flag, None for a flag that is not given.
        names = [*(str(option.name) for option in setting_options()), "preset", "size", "overlap"]
        ctx.params["settings"] = {name: ctx.params.pop(name) for name in names}
        return super().invoke(ctx)


@cache
def setting_options() -> tuple[click.Option, ...]:
    """One option for each setting, and a hidden one for each name it has in other systems."""
    helps, kinds = docstrings(), get_type_hints(Settings)
    own = [_option(name, name, kinds[name], help=helps.get(name, "")) for name in FIELD_NAMES]
    others = [_option(alias, field, kinds.get(field, str), hidden=True) for alias, field in FIELD_OF_ALIAS.items()]
    return (*own, *others)


def _plain_flag(name: str) -> str:
    """`chunkMaxTokens`, `chunk_max_tokens` → `chunk-max-tokens`: a name may be written as in a file. A letter is one
    of click's short flags."""
    return name if len(name) == 1 else plain_name(name).replace("_", "-")


def _option(name: str, field: str, kind: Any, **attributes: Any) -> click.Option:
    flag = name.replace("_", "-")
    attributes["section"] = _SECTION_OF.get(field, OPTIONS)
    if bool in (kind, *get_args(kind)):
        return Option([f"--{flag}/--no-{flag}"], default=None, **attributes)
    # Values stay text: the settings check them, with errors that name the remedy.
    return Option(
        [f"--{flag}"],
        metavar=_METAVARS.get(field) or _metavar(kind),
        shell_complete=choices.words(*_words(field, kind)),
        **attributes,
    )


def _words(field: str, kind: Any) -> tuple[str, ...]:
    """The values that can be listed."""
    known = {"counter": COUNTERS, "keep_whole": BLOCK_KINDS}
    return known.get(field) or (get_args(kind) if get_origin(kind) is Literal else ())


def _metavar(kind: Any) -> str:
    return "|".join(get_args(kind)) if get_origin(kind) is Literal else "N"
