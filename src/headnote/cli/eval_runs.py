"""The runs of `headnote eval`: the index of the folder, or a temporary one per preset and embedder, in every mode."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from headnote.api import Index, check_folder, settings_of_index
from headnote.api.opening import models_at_hand
from headnote.chunking.presets import find_preset
from headnote.cli.opening import note_differences
from headnote.cli.progress import UpdateBars
from headnote.cli.terminal import printable, write_note
from headnote.config import Choice, LoadedSettings
from headnote.embedding.base import Embedder
from headnote.embedding.registry import Models, get_embedder
from headnote.errors import EmbeddingError, MissingExtra, MissingIndex, SettingsError
from headnote.evaluate.caching_embedder import CachingEmbedder, cached_vectors
from headnote.evaluate.formats import load_questions
from headnote.evaluate.measuring import LocatedQuestion, Measurement, Search, locate_gold, measure
from headnote.evaluate.questions import Question
from headnote.evaluate.report import Comparison
from headnote.search.query import MODES
from headnote.store.opening import open_store
from headnote.store.sqlite.store import SqliteStore

KEYWORD = ("keyword",)


class Request(NamedTuple):
    """What to compare."""

    modes: tuple[str, ...]
    """Empty for all modes the embedder allows."""
    presets: tuple[str, ...]
    """Empty for the settings of the folder."""
    embedders: tuple[str, ...]
    """Empty for the embedder of the folder."""
    limit: int
    place: dict[str, Any]
    """Where the index is: the options of `Index.open`."""


@dataclass(frozen=True, slots=True)
class Run:
    """One index, and the modes it is searched in."""

    preset: str
    """Empty for the settings of the folder."""
    embedder: str
    """Empty for the embedder of the folder."""
    modes: tuple[str, ...]
    index: Index

    @property
    def name(self) -> str:
        return f"{self.preset} {self.embedder}".strip()

    def title(self, mode: str) -> str:
        # Words are the same whatever makes the vectors.
        return f"{self.preset if mode == 'keyword' else self.name} {mode}".strip()


def run_all(file: Path, root: Path, request: Request) -> Comparison:
    """Measure every index in every mode. Errors in questions, folder or flags are raised before any vector is made."""
    questions = load_questions(file)
    check_folder(root)
    for preset in request.presets:
        find_preset(preset)
    choice = settings_of_index(root, request.place["store"], request.place["schema"])
    note_differences(choice)
    embedders = _embedders(choice.of_index.settings.embedder, request)
    asked: list[LocatedQuestion] = []
    results: list[Measurement] = []
    with ExitStack() as stack:
        runs = _temporary_runs if request.presets or request.embedders else _own_run
        for run in runs(root, request, choice, embedders, stack):
            asked, measured = _measure(run, questions, request.limit)
            results += measured
    return Comparison(request.limit, results, asked)


# Embedders


def _embedders(of_folder: str, request: Request) -> dict[str, Embedder]:
    """Those to compare by name, or under an empty name the one of the folder."""
    if not request.embedders:
        return {"": _embedder_of_folder(of_folder, request.modes)}
    embedders = {name: get_embedder(name) for name in request.embedders}
    for name, embedder in embedders.items():
        _check_modes(embedder, request.modes, f"{name} makes no vectors")
    return embedders


def _embedder_of_folder(name: str, modes: tuple[str, ...]) -> Embedder:
    """The embedder of the folder, whatever the modes: opening the index with another one would rebuild it.

    If it cannot be loaded, keyword search is measured without one, unless another mode is named.
    """
    try:
        embedder = get_embedder(name)
    except (EmbeddingError, MissingExtra) as error:
        if modes and modes != KEYWORD:
            raise
        write_note(f"keyword search only: {error}", only_on_a_terminal=bool(modes))
        return get_embedder("none")
    _check_modes(embedder, modes, "this folder has no embedder")
    return embedder


def _check_modes(embedder: Embedder, modes: tuple[str, ...], problem: str) -> None:
    if embedder.name == "none" and modes and modes != KEYWORD:
        raise SettingsError(problem, path="--mode", remedy="use --mode keyword")


# Indexes


def _own_run(
    root: Path, request: Request, choice: Choice, embedders: Mapping[str, Embedder], stack: ExitStack
) -> Iterator[Run]:
    """The index of the folder as it is."""
    [embedder] = embedders.values()
    # With all its models: others would take vectors away from the index.
    models = models_at_hand(choice.of_index.settings.embedder)
    index = stack.enter_context(Index.open(root, embedder=models, **request.place))
    yield Run("", "", _possible_modes(embedder, request.modes), index)


def _temporary_runs(
    root: Path, request: Request, choice: Choice, embedders: Mapping[str, Embedder], stack: ExitStack
) -> Iterator[Run]:
    """Each preset with each embedder. Only the last embedder searches by words, which it does not change."""
    target = choice.of_index.settings.target
    vectors = {name: _stored_vectors(root, embedder, target) for name, embedder in embedders.items()}
    for preset in request.presets or ("",):
        for number, (name, embedder) in enumerate(embedders.items(), 1):
            modes = _possible_modes(embedder, request.modes)
            if number < len(embedders):
                modes = tuple(mode for mode in modes if mode != "keyword")
            if modes:
                folder = stack.enter_context(TemporaryDirectory(prefix="headnote-eval-"))
                index = Index(
                    root,
                    SqliteStore.open(folder),
                    _with_preset(choice, preset),
                    Models(deep=CachingEmbedder(embedder, vectors[name])),
                )
                yield Run(preset, name, modes, stack.enter_context(index))


def _possible_modes(embedder: Embedder, modes: tuple[str, ...]) -> tuple[str, ...]:
    return modes or (MODES if embedder.name != "none" else KEYWORD)


def _with_preset(choice: Choice, preset: str) -> Choice:
    return choice._replace(chunking=LoadedSettings(preset, find_preset(preset), {})) if preset else choice


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


# Measuring


def _measure(run: Run, questions: list[Question], limit: int) -> tuple[list[LocatedQuestion], list[Measurement]]:
    """The questions, which every run finds at the same places, and how each mode answers them."""
    with UpdateBars(run.name) as bars:
        remove = not run.index.is_shared  # measuring must not change the index of others
        run.index.update(vectors=False, remove=remove, on_progress=bars)
        prepared = locate_gold(questions, _Texts(run.index))
        if run.modes != KEYWORD:
            run.index.update(remove=remove, on_progress=bars)
    measured = []
    for mode in run.modes:
        with _progress(run.title(mode)) as watch:
            measured.append(measure(run.title(mode), prepared, _search(run.index, mode), limit, watch))
    return prepared, measured


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
