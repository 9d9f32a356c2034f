"""One file → its chunks → what is to be shown of it, in whatever process has time for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from headnote.chunking.chunker import chunk_document
from headnote.chunking.presets import make_settings
from headnote.errors import SourceError
from headnote.markdown.document import Document
from headnote.model import Chunk
from headnote.sources.chunks import AnyPath, on_all_cores
from headnote.sources.decode import decode
from headnote.sources.files import read_source

STDIN = "-"

Shown = TypeVar("Shown")


class Recipe(NamedTuple):
    """How every file of one run is chunked. Travels to other processes, so it is plain data."""

    preset: str
    settings: dict[str, Any]
    """Every setting by name."""
    name_of_stdin: str


class ChunkedFile(NamedTuple):
    """A file and what came of it."""

    document: Document
    chunks: list[Chunk]


class Failure(NamedTuple):
    """A file that could not be read, and why: the others are still wanted."""

    message: str


def work_through(
    files: Sequence[Path], recipe: Recipe, show: Callable[[ChunkedFile], Shown], workers: int | None
) -> Iterator[Shown | Failure]:
    """What is shown of each file, in the order of the files."""
    attempt = partial(_attempt, recipe, show)
    for is_stdin, run in groupby(files, lambda path: str(path) == STDIN):
        # What is piped into this process can be read by no other.
        yield from on_all_cores(attempt, list(run), 1 if is_stdin else workers)


def _attempt(recipe: Recipe, show: Callable[[ChunkedFile], Shown], path: AnyPath) -> Shown | Failure:
    try:
        return show(_chunked(recipe, os.fspath(path)))
    except SourceError as error:
        return Failure(str(error))


def _chunked(recipe: Recipe, path: str) -> ChunkedFile:
    name, modified = path, None
    if path == STDIN:
        name = recipe.name_of_stdin
        text = decode(sys.stdin.buffer.read(), name)
    else:
        text = read_source(path)
        modified = Path(path).stat().st_mtime
    settings = make_settings(recipe.preset, **recipe.settings)
    document = Document(text, name, settings.mdx)
    return ChunkedFile(document, chunk_document(document, settings, modified))
