"""Files → chunks: one file, or files and folders on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from numbers import Integral
from typing import Literal, TypeVar, Unpack

from headnote.arguments import check_types
from headnote.chunking.chunker import chunk
from headnote.chunking.presets import settings_from
from headnote.chunking.settings import ChunkOptions, Settings
from headnote.errors import SettingsError, SkippedSource, SourceError, shown, warn
from headnote.model import Chunk
from headnote.processes import Results, on_all_cores
from headnote.sources.discover import AnyPath, expand
from headnote.sources.files import read_dated

OnError = Literal["raise", "skip"] | Callable[[SourceError], object]
"""What to do about a file that cannot be read: raise its error, show it as a warning, or call a function with it."""

Result = TypeVar("Result")


def chunk_file(
    path: AnyPath, *, preset: str = "default", settings: Settings | None = None, **options: Unpack[ChunkOptions]
) -> list[Chunk]:
    """The chunks of one file. The suffix `.mdx` turns MDX on.

    The file is read as UTF-8, or as UTF-16 or UTF-32 if it begins with their byte order mark. Anything else raises
    `NotText`, with the line of the first byte that is wrong: an encoding is never guessed.

    Args:
        path: The file; also the path of its chunks, as you write it.
        preset: Named settings: `default`, `mdvdb`, `ragdocs`, `refdocs` or `blocks`.
        settings: Complete settings, instead of a preset and options.
        **options: Single settings, such as `max_tokens=256`.
    """
    check_types(path=(path, str | os.PathLike))
    name = os.fspath(path)
    text, modified = read_dated(name)
    return chunk(text, path=name, preset=preset, modified=modified, settings=settings, **options)


def chunk_files(
    paths: AnyPath | Iterable[AnyPath],
    *,
    workers: int | None = None,
    on_error: OnError = "raise",
    preset: str = "default",
    settings: Settings | None = None,
    **options: Unpack[ChunkOptions],
) -> Iterator[Chunk]:
    """The chunks of files and folders, in the order of the paths, computed on all cores.

    A folder stands for the files that its index would have: Markdown, MDX and text that no ignore file excludes, in
    the order of their paths. Each file comes once. Only a few files are in memory at a time. Files that one might
    miss in a folder, because they are too large or look like build output, are shown as `SkippedSource` warnings.

    Args:
        paths: Files and folders.
        workers: How many processes chunk files; one per core by default.
        on_error: What to do about a file that cannot be read. `"raise"`, the default, raises its error when its turn
            comes: a missing document is hard to notice later, in the answers of whatever is built from the chunks.
            `"skip"` shows the error as a `SkippedSource` warning and goes on. A function is called with the error, in
            the order of the files, and goes on unless it raises.
        preset: Named settings: `default`, `mdvdb`, `ragdocs`, `refdocs` or `blocks`.
        settings: Complete settings, instead of a preset and options.
        **options: Single settings, such as `max_tokens=256`.
    """
    check_types(paths=(paths, str | os.PathLike | Iterable), workers=(workers, Integral | None))
    handle = _handler(on_error)
    files = expand([paths] if isinstance(paths, str | os.PathLike) else paths)
    # A bad setting raises now, not later in a worker.
    one_file = partial(_finished_chunks, settings=settings_from(preset, settings, options))
    return _chunks(on_each_file(one_file, files, workers), handle)


def _chunks(results: Results[list[Chunk] | SourceError], handle: Callable[[SourceError], object]) -> Iterator[Chunk]:
    # Closed here, an error ends the workers at once, and not when the program forgets it.
    with closing(results):
        for result in results:
            if isinstance(result, SourceError):
                handle(result)
            else:
                yield from result


def _handler(on_error: OnError) -> Callable[[SourceError], object]:
    named: dict[object, Callable[[SourceError], object]] = {"raise": _raise, "skip": _warn}
    handle = on_error if callable(on_error) else named.get(on_error)
    if handle is None:
        raise SettingsError(f"on_error {shown(on_error)} is not known", remedy="use raise or skip, or give a function")
    return lambda error: _warn(error) if isinstance(error, SkippedSource) else handle(error)


def _raise(error: SourceError) -> None:
    raise error


def _warn(error: SourceError) -> None:
    warn(SkippedSource(error.message, path=error.path, line=error.line, remedy=error.remedy))


def on_each_file(
    work: Callable[[str], Result], files: Iterable[str | SourceError], workers: int | None
) -> Results[Result | SourceError]:
    """`on_all_cores` for the files of `expand`. A file that cannot be read has its error as result, so that the others
    go on; an error among the files stays in its place."""
    return on_all_cores(partial(_attempt, work), files, workers)


def _attempt(work: Callable[[str], Result], file: str | SourceError) -> Result | SourceError:
    if isinstance(file, SourceError):
        return file
    try:
        return work(file)
    except SourceError as error:
        return error


def _finished_chunks(path: str, *, settings: Settings) -> list[Chunk]:
    """Chunks with their tokens counted here, in the worker, rather than later in the caller."""
    chunks = chunk_file(path, settings=settings)
    if chunks:
        _ = chunks[0].tokens
    return chunks
