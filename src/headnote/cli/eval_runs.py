"""The runs of `headnote eval`: the index of the folder, or a temporary one per preset and embedder, in every mode."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from headnote.api import Index, check_folder, settings_of_index
from headnote.api.opening import models_at_hand
from headnote.chunking.presets import find_preset
from headnote.cli.formatting import counted
from headnote.cli.opening import note_differences
from headnote.cli.progress import UpdateBars
from headnote.cli.terminal import write_message, write_note
from headnote.config import Choice, LoadedSettings
from headnote.embedding.base import Embedder
from headnote.embedding.registry import Models, get_embedder
from headnote.errors import EmbeddingError, MissingExtra, MissingIndex, SettingsError
from headnote.evaluate.caching_embedder import CachingEmbedder, cached_vectors
from headnote.evaluate.formats import load_questions
from headnote.evaluate.measuring import LocatedQuestion, Measurement, Search, locate_gold, measure
from headnote.evaluate.questions import Question
from headnote.evaluate.report import Comparison
from headnote.index.task import Progress, Watcher
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


class Variant(NamedTuple):
    """One index, and the modes it is searched in."""

    preset: str
    """Empty for the settings of the folder."""
    embedder: str
    """Empty for the embedder of the folder."""
    modes: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.preset} {self.embedder}".strip()

    def title(self, mode: str) -> str:
        # Words are the same whatever makes the vectors.
        return f"{self.preset if mode == 'keyword' else self.name} {mode}".strip()


def run_all(file: Path, root: Path, request: Request) -> Comparison:
    """Measure every variant in every mode. Mistakes in questions, folder or flags come before any vector is made."""
    questions = load_questions(file)
    check_folder(root)
    for preset in request.presets:
        find_preset(preset)
    choice = settings_of_index(root, request.place["store"], request.place["schema"])
    note_differences(choice)
    if sys.stderr.isatty():
        write_message(_start(len(questions), request))
    embedders = _embedders(choice.of_index.settings.embedder, request)
    indexes = _Indexes(root, request, choice, embedders)
    return _measure_all(_variants(request, embedders), indexes, questions, request.limit)


def _start(questions: int, request: Request) -> str:
    """The first words, before models and stored vectors are loaded, which takes its time."""
    names = [*request.presets, *request.embedders] or ["the index of the folder"]
    return f"{counted(questions, 'question')} for {', '.join(names)}; loading models and vectors"


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


def _variants(request: Request, embedders: Mapping[str, Embedder]) -> list[Variant]:
    """Each preset with each embedder. Only the last embedder searches by words, which it does not change."""
    variants = []
    for preset in request.presets or ("",):
        for number, (name, embedder) in enumerate(embedders.items(), 1):
            modes = _possible_modes(embedder, request.modes)
            if number < len(embedders):
                modes = tuple(mode for mode in modes if mode != "keyword")
            variants += [Variant(preset, name, modes)] if modes else []
    return variants


class _Indexes:
    """Opens the index of the folder, or a temporary one of a variant."""

    def __init__(self, root: Path, request: Request, choice: Choice, embedders: Mapping[str, Embedder]) -> None:
        self._root, self._request, self._choice, self._embedders = root, request, choice, embedders
        self._vectors: dict[str, Any] = {}
        """Of each embedder, shared by all presets."""

    @property
    def are_temporary(self) -> bool:
        return bool(self._request.presets or self._request.embedders)

    def open(self, variant: Variant) -> AbstractContextManager[Index]:
        return self._temporary(variant) if self.are_temporary else self._own()

    def _own(self) -> Index:
        """The index of the folder as it is, with all its models: others would take vectors away from it."""
        models = models_at_hand(self._choice.of_index.settings.embedder)
        return Index.open(self._root, embedder=models, **self._request.place)

    @contextmanager
    def _temporary(self, variant: Variant) -> Iterator[Index]:
        embedder = self._embedders[variant.embedder]
        if variant.embedder not in self._vectors:
            target = self._choice.of_index.settings.target
            self._vectors[variant.embedder] = _stored_vectors(self._root, embedder, target)
        with TemporaryDirectory(prefix="headnote-eval-") as folder:
            store = SqliteStore.open(folder)
            models = Models(deep=CachingEmbedder(embedder, self._vectors[variant.embedder]))
            with Index(self._root, store, _with_preset(self._choice, variant.preset), models) as index:
                yield index


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


class Watch:
    """Says what is being done, for which variant, and how long it still takes."""

    def __init__(self, bars: UpdateBars, which: str) -> None:
        self._bars, self._which = bars, which

    def updating(self, name: str) -> Watcher:
        self._bars.name = f"{self._which}{name}".strip()
        return self._bars

    def asking(self, title: str) -> Callable[[int, int], None]:
        self._bars.name = f"{self._which}{title}".strip()
        started = time.monotonic()

        def watch(done: int, total: int) -> None:
            each = (time.monotonic() - started) / done
            self._bars(Progress("ask", done, total, each * (total - done)))

        return watch


def _measure_all(variants: list[Variant], indexes: _Indexes, questions: list[Question], limit: int) -> Comparison:
    asked: list[LocatedQuestion] = []
    results: list[Measurement] = []
    with UpdateBars(at_once=True) as bars:
        try:
            for number, variant in enumerate(variants, 1):
                which = f"{number} of {len(variants)} " if len(variants) > 1 else ""
                with indexes.open(variant) as index:
                    asked, measured = _measure(variant, index, questions, limit, Watch(bars, which))
                results += measured
        except KeyboardInterrupt:
            bars.finish()
            kept = "the folder and its index are as they were" if indexes.are_temporary else "what was made is kept"
            write_message(f"interrupted: {len(results)} of {sum(len(one.modes) for one in variants)} measured; {kept}")
            raise
    return Comparison(limit, results, asked)


def _measure(
    variant: Variant, index: Index, questions: list[Question], limit: int, watch: Watch
) -> tuple[list[LocatedQuestion], list[Measurement]]:
    """The questions, which every variant finds at the same places, and how each mode answers them."""
    remove = not index.is_shared  # measuring must not change the index of others
    on_progress = watch.updating(variant.name)
    index.update(vectors=False, remove=remove, on_progress=on_progress)
    located = locate_gold(questions, _Texts(index))
    if variant.modes != KEYWORD:
        index.update(remove=remove, on_progress=on_progress)
    titles = {mode: variant.title(mode) for mode in variant.modes}
    measured = [
        measure(title, located, _search(index, mode), limit, watch.asking(title)) for mode, title in titles.items()
    ]
    return located, measured


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
