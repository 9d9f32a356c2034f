"""Options that several commands have in common, each a decorator: here is what they are called, and what they say."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from headnote.cli.command import Argument

# `readable=False` leaves the check to the opening and the reading, whose errors name the remedy.
PATH = click.Path(readable=False, path_type=Path)

# Which index

ROOT_HELP = "Folder that is indexed; the current one if left out."
root = click.argument("root", cls=Argument, about=ROOT_HELP, type=PATH, default=".")
_store = click.option("--store", metavar="URL", help="Where the index is: sqlite, or postgresql://USER@HOST/DATABASE.")
schema = click.option("--schema", metavar="NAME", help="Which schema of the database; else named after the folder.")
adopt = click.option("--adopt", is_flag=True, help="Take over the index of another folder: this one, before it moved.")
read_only = click.option("--read-only", is_flag=True, help="Write nothing: serve the index as it is, whoever keeps it.")


def place(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the index is. The command gets one `place`, with the names that `Index.open` has for it."""

    @wraps(command)
    def with_place(*, store: str | None, schema: str | None, adopt: bool, **others: Any) -> Any:
        return command(place={"store": store, "schema": schema, "adopt": adopt}, **others)

    return _store(schema(adopt(with_place)))


no_update = click.option("--no-update", is_flag=True, help="Ask the index as it is, without looking at the files.")
embedder = click.option("--embedder", metavar="NAME", help="What makes vectors.")

# Which documents are asked

path = click.option("--path", metavar="GLOB", multiple=True, help="Only documents that fit; may be repeated.")
tag = click.option("--tag", metavar="TAG", multiple=True, help="Only what has this tag; may be repeated.")

# How documents are read and cut


def paths(about: str) -> Callable[[Any], Any]:
    return click.argument("paths", cls=Argument, metavar="PATH...", nargs=-1, required=True, type=PATH, about=about)


preset = click.option("--preset", "-p", metavar="NAME", help="Named settings; `headnote presets` lists them.")
size = click.option("--size", metavar="small|medium|large|N", help="How large chunks get; a number is max.")
overlap = click.option("--overlap", metavar="none|low|medium|high|N", help="How much of a chunk the next one repeats.")
workers = click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Processes that chunk; all cores if left out."
)
max_file_bytes = click.option("--max-file-bytes", type=int, metavar="N", help="Larger files are left out and reported.")
embedder_by_name = click.option(
    "--embedder", metavar="NAME", help="minilm, none, openai:MODEL, sentence-transformers:MODEL or hashing:N."
)

# What is written

as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object.")
