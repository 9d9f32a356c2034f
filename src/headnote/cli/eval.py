"""`headnote eval`: measure search quality with questions whose answers are known."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click

from headnote.api import Index, check_folder, settings_of_index
from headnote.chunking.presets import find_preset
from headnote.cli import options
from headnote.cli.command import Argument, Command
from headnote.cli.formatting import counted
from headnote.cli.opening import note_differences
from headnote.cli.progress import UpdateBars
from headnote.cli.terminal import Line, Span, printable, write_json, write_lines, write_note
from headnote.config import Choice, LoadedSettings
from headnote.embedding.base import Embedder
from headnote.embedding.registry import get_embedder
from headnote.errors import EmbeddingError, MissingExtra, MissingIndex, SettingsError
from headnote.evaluate.caching_embedder import CachingEmbedder, cached_vectors
from headnote.evaluate.formats import load_questions
from headnote.evaluate.measuring import Measurement, Search, locate_gold, measure
from headnote.evaluate.plot import check_plot, write_plot
from headnote.evaluate.questions import Question
from headnote.evaluate.report import Comparison, record, table, verdicts
from headnote.search.query import MODES
from headnote.store.opening import open_store
from headnote.store.sqlite.store import SqliteStore


class Request(NamedTuple):
    """What to compare."""

    modes: tuple[str, ...]
    """Empty for all modes the embedder allows."""
    presets: tuple[str, ...]
    """Empty for the index of the folder as it is."""
    limit: int
    place: dict[str, Any]
    """Where the index is: the options of `Index.open`."""


@click.command("eval", cls=Command)
@click.argument(
    "questions",
    cls=Argument,
    type=options.PATH,
    about='JSON lines: {"question": "…", "gold": {"path": "…", "heading": "…"}}.',
)
@options.root
@click.option("--mode", metavar="MODE", multiple=True, help="hybrid, semantic or keyword; repeatable.")
@click.option(
    "--preset",
    metavar="NAME",
    multiple=True,
    help="Chunk the folder with this preset, in a temporary index; repeatable.",
)
@click.option("--limit", "-k", type=click.IntRange(min=1), default=10, metavar="N", help="Passages per question.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the results to an .svg file, or to .png with matplotlib.",
)
@options.place
@options.as_json
def eval_command(
    questions: Path,
    root: Path,
    mode: tuple[str, ...],
    preset: tuple[str, ...],
    limit: int,
    plot: Path | None,
    place: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure search quality with questions and known answers.

    Runs every question in every mode and compares the passages with the expected ones. Without --preset it uses the
    index of the folder, after bringing it up to date.
    """
    if plot is not None:
        check_plot(plot)
    request = Request(modes=_modes(mode), presets=tuple(dict.fromkeys(preset)), limit=limit, place=place)
    comparison = _compare(questions, root, request)
    if plot is not None:
        write_plot(comparison, plot)
    if as_json:
        write_json({"root": str(root), **record(comparison)})
    else:
        write_lines(_lines(comparison))


def _modes(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in MODES:
            raise SettingsError(f"unknown mode {name!r}", path="--mode", remedy=f"use {', '.join(MODES)}")
    return tuple(dict.fromkeys(names))


def _lines(comparison: Comparison) -> list[Line]:
    rows = table(comparison)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines: list[Line] = []
    for number, row in enumerate(rows):
        cells = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
        name = f"{row[0]:<{widths[0]}}"
        lines.append([Span("  ".join([name, *cells]).rstrip(), "bold" if number == 0 else "")])
    lines.append([])
    lines.append([Span(f"{counted(comparison.questions, 'question')}, 95% bootstrap intervals", "dim")])
    lines += [[Span(line, "dim")] for line in verdicts(comparison)]
    return lines


# Measuring


def _compare(file: Path, root: Path, request: Request) -> Comparison:
    """Measure every index in every mode. Errors in questions, folder or flags are raised before any vector is made."""
    questions = load_questions(file)
    check_folder(root)
    for preset in request.presets:
        find_preset(preset)
    choice = settings_of_index(root, request.place["store"], request.place["schema"])
    note_differences(choice)
    embedder = _embedder(choice.of_index.settings.embedder, request.modes)
    modes = request.modes or (MODES if embedder.name != "none" else ("keyword",))
    results: list[Measurement] = []
    with ExitStack() as stack:
        for name, index in _indexes(root, request, choice, embedder, stack):
            results += _measure(name, index, questions, modes, request.limit)
    return Comparison(request.limit, results)


def _embedder(name: str, modes: tuple[str, ...]) -> Embedder:
    """The embedder of the folder, whatever the modes: opening the index with another one would rebuild it.

    If it cannot be loaded, keyword search is measured without one, unless another mode is named.
    """
    try:
        embedder = get_embedder(name)
    except (EmbeddingError, MissingExtra) as error:
        if modes and modes != ("keyword",):
            raise
        write_note(f"keyword search only: {error}", only_on_a_terminal=bool(modes))
        return get_embedder("none")
    if embedder.name == "none" and modes and modes != ("keyword",):
        raise SettingsError("this folder has no embedder", path="--mode", remedy="use --mode keyword")
    return embedder


def _indexes(
    root: Path, request: Request, choice: Choice, embedder: Embedder, stack: ExitStack
) -> Iterator[tuple[str, Index]]:
    if not request.presets:
        index = stack.enter_context(Index.open(root, embedder=embedder, **request.place))
        yield "", index
        return
    vectors = _stored_vectors(root, embedder, choice.of_index.settings.target)
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="headnote-eval-")))
    for preset in request.presets:
        (folder / preset).mkdir()
        remembering = CachingEmbedder(embedder, vectors)
        store = SqliteStore.open(folder / preset)
        settings = choice._replace(chunking=LoadedSettings(preset, find_preset(preset), {}))
        yield preset, stack.enter_context(Index(root, store, settings, remembering))


def _stored_vectors(root: Path, embedder: Embedder, target: str) -> Any:
    """The vectors in the index of the folder, if there is one. Nothing is written to it."""
    if embedder.name == "none":
        return {}
    try:
        store = open_store(root, target, read_only=True)
    except MissingIndex:
        return {}
    try:
        return cached_vectors(store, embedder.name)
    finally:
        store.close()


def _measure(
    name: str, index: Index, questions: list[Question], modes: tuple[str, ...], limit: int
) -> Iterator[Measurement]:
    with UpdateBars() as bars:
        remove = not index.is_shared  # measuring must not change the index of others
        index.update(vectors=False, remove=remove, on_progress=bars)
        prepared = locate_gold(questions, _Texts(index))
        if modes != ("keyword",):
            index.update(remove=remove, on_progress=bars)
    for mode in modes:
        title = f"{name} {mode}".strip()
        with _progress(title) as watch:
            yield measure(title, prepared, _search(index, mode), limit, watch)


def _search(index: Index, mode: Any) -> Search:
    return lambda question, limit: index.search(question, limit, mode)


class _Texts:
    """Path → text of the document, read once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._texts: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = self._index.read(path).text
        return self._texts[path]


@contextmanager
def _progress(title: str) -> Iterator[Any]:
    """A line on standard error that counts the questions, on a terminal only."""
    is_visible = sys.stderr.isatty()

    def watch(done: int, total: int) -> None:
        if is_visible:
            sys.stderr.write(f"\r\x1b[K{printable(title)}: {done} of {total} questions")
            sys.stderr.flush()

    try:
        yield watch
    finally:
        if is_visible:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
