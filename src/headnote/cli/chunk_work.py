"""Chunk files in worker processes, and turn the chunks of each into output there."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import msgspec

from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.presets import make_settings
from headnote.cli.paths import STDIN
from headnote.cli.terminal import escape_json
from headnote.errors import SourceError
from headnote.markdown.document import Document
from headnote.model import Chunk
from headnote.sources.chunks import on_each_file
from headnote.sources.decode import decode
from headnote.sources.files import read_dated

Output = TypeVar("Output")

_ENCODER = msgspec.json.Encoder()


class Recipe(NamedTuple):
    """How to chunk every file. It is sent to worker processes, so it holds plain data."""

    preset: str
    settings: dict[str, Any]
    """Every setting by name."""
    name_of_stdin: str


class ChunkedFile(NamedTuple):
    """A file and its chunks."""

    document: Document
    chunks: list[Chunk]


def chunk_all(
    files: Sequence[str | SourceError], recipe: Recipe, render: Callable[[ChunkedFile], Output], workers: int | None
) -> Iterator[Output | SourceError]:
    """The output of each file, in the order of the files."""
    work = partial(_output, recipe, render)
    for is_stdin, run in groupby(files, lambda file: file == STDIN):
        # Only this process can read its standard input.
        yield from on_each_file(work, list(run), 1 if is_stdin else workers)


def _output(recipe: Recipe, render: Callable[[ChunkedFile], Output], path: str) -> Output:
    return render(_chunk_file(recipe, path))


def _chunk_file(recipe: Recipe, path: str) -> ChunkedFile:
    name, modified = path, None
    if path == STDIN:
        name = recipe.name_of_stdin
        text = decode(sys.stdin.buffer.read(), name)
    else:
        text, modified = read_dated(path)
    settings = make_settings(recipe.preset, **recipe.settings)
    document = read_document(text, name, settings)
    return ChunkedFile(document, chunk_document(document, settings, modified))


def json_lines(file: ChunkedFile, ascii_only: bool = False) -> bytes:
    """One JSON object per chunk and line. `ascii_only` is for streams that take nothing else."""
    records = [chunk.to_dict() for chunk in file.chunks]
    if not ascii_only:
        try:
            return escape_json(_ENCODER.encode_lines(records))
        except UnicodeEncodeError:
            # A file name need not be Unicode. JSON escapes can hold it anyway.
            pass
    return b"".join(json.dumps(record).encode("ascii") + b"\n" for record in records)
